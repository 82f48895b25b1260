//! Asks a running process, for a stream or a word.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::Duration,
};

use crate::control::Control;

/// How long a word may be: more keys than anybody has.
const ANSWER_MAX: u64 = 1 << 26;

/// The body of an answer, which comes in chunks. One that is cut off is an error, never a short stream.
pub(crate) struct Chunks {
    stream: BufReader<TcpStream>,
    left: u64,
    ended: bool,
}

/// Asks, and answers with the body's stream.
pub(crate) fn ask(control: &Control, path: &str) -> io::Result<Chunks> {
    let (stream, head) = exchange(control, &format!("GET {path}"), "")?;
    chunks(stream, &head)
}

/// Sends a body of JSON, and answers with the body's stream.
pub(crate) fn send_for_stream(control: &Control, path: &str, body: &str) -> io::Result<Chunks> {
    let (stream, head) = exchange(control, &format!("POST {path}"), body)?;
    chunks(stream, &head)
}

fn chunks(stream: BufReader<TcpStream>, head: &Head) -> io::Result<Chunks> {
    if head.status != 200 || !head.chunked {
        return Err(io::Error::other(format!("it answered with {}", head.status)));
    }
    Ok(Chunks { stream, left: 0, ended: false })
}

/// Sends a body of JSON, and answers with the status and the body of the answer.
pub(crate) fn send(control: &Control, path: &str, body: &str) -> io::Result<(u16, String)> {
    let (stream, head) = exchange(control, &format!("POST {path}"), body)?;
    let mut text = String::new();
    stream.take(ANSWER_MAX).read_to_string(&mut text)?;
    Ok((head.status, text))
}

/// What stands before the body of an answer.
struct Head {
    status: u16,
    chunked: bool,
}

fn exchange(control: &Control, line_start: &str, body: &str) -> io::Result<(BufReader<TcpStream>, Head)> {
    // A process that listens on every address listens on this machine's own too.
    let ip = match control.address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(ip, control.address.port());
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let secret = &control.secret;
    let length = body.len();
    write!(
        stream,
        "{line_start} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut stream = BufReader::new(stream);
    let first = line(&mut stream)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the answer is garbled"))?;
    let mut chunked = false;
    loop {
        let header = line(&mut stream)?;
        if header.is_empty() {
            return Ok((stream, Head { status, chunked }));
        }
        chunked |= header.eq_ignore_ascii_case("transfer-encoding: chunked");
    }
}

fn line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    stream.by_ref().take(8_192).read_line(&mut line)?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_owned()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            let size = line(&mut self.stream)?;
            let size = u64::from_str_radix(size.trim(), 16);
            self.left = size.map_err(|_| io::Error::other("the answer is garbled"))?;
            if self.left == 0 {
                self.ended = true;
                return Ok(0);
            }
        }
        let read = self.stream.by_ref().take(self.left).read(buffer)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        if self.left == 0 {
            line(&mut self.stream)?;
        }
        Ok(read)
    }
}
