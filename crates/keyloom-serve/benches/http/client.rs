use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use crate::Address;

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

    pub fn get(&mut self, path: &str) -> Vec<u8> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.ask(&request)
    }

    pub fn post(&mut self, path: &str, key: &str, body: &str) {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.ask(&request);
    }

    fn ask(&mut self, request: &str) -> Vec<u8> {
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut line, mut length, mut first) = (String::new(), 0, true);
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            let text = line.trim_end();
            if first {
                assert!(text.contains(" 200 "), "{text} for {request}");
                first = false;
            }
            if text.is_empty() {
                break;
            }
            if let Some(said) = text.to_ascii_lowercase().strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        body
    }
}
