//! As much of HTTP as it takes to ask a server on loopback whether it is up, and to change a setting of it.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// How long a server that is up takes at most.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sends one request and returns the status of the answer; `headers` are whole lines.
pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let head = String::from_utf8_lossy(&answer);
    let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    status.ok_or_else(|| io::Error::other("no answer in HTTP"))
}
