use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use crate::Address;

/// What is asked.
pub struct Request {
    pub path: String,
    /// The idempotency key and the body of a write.
    pub body: Option<(String, String)>,
}

/// What is answered.
pub struct Answer {
    /// One in a line, but for those that every server writes: how long the body is, and when it was written.
    pub headers: String,
    pub body: Vec<u8>,
}

/// One connection that asks one thing after the other.
pub struct Client {
    stream: BufReader<TcpStream>,
    address: Address,
}

impl Client {
    pub fn new(address: Address) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::with_capacity(1 << 16, stream), address }
    }

    /// Sends a request, and does not wait for its answer.
    pub fn send(&mut self, request: &Request) {
        let Request { path, body } = request;
        let text = match body {
            None => format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address),
            Some((key, body)) => format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                self.address,
                body.len()
            ),
        };
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// The answer to the request that was sent.
    pub fn receive(&mut self) -> Answer {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        let (mut headers, mut length) = (String::new(), 0);
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            match line.trim_end().split_once(": ") {
                None => break,
                Some(("content-length", said)) => length = said.parse().unwrap(),
                Some(("date", _)) => {}
                Some(_) => headers.push_str(&line),
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        Answer { headers, body }
    }
}
