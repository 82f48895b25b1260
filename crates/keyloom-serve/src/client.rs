//! Asks a running process, for a stream or a word.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs},
    time::Duration,
};

use serde_json::Value as Json;

use crate::control::Control;

/// How long a word may be: more keys than anybody has.
const ANSWER_MAX: u64 = 1 << 26;
/// How much is read of why something was refused.
const PROBLEM_MAX: u64 = 8_192;

/// A process that is asked, and what it is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// `127.0.0.1:7878`
    authority: String,
    credential: Option<String>,
}

/// An address at which nobody can be asked, with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRemote(String);

impl fmt::Display for NoRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRemote {}

impl Remote {
    /// The process at `http://host:port`, to which this key is shown.
    ///
    /// # Errors
    /// When it is no such address, or no key.
    ///
    /// ```
    /// use keyloom_serve::Remote;
    ///
    /// assert_eq!(Remote::at("http://localhost:7878/", None)?.to_string(), "http://localhost:7878");
    /// assert!(Remote::at("localhost:7878", None).is_err());
    /// # Ok::<(), keyloom_serve::NoRemote>(())
    /// ```
    pub fn at(url: &str, credential: Option<String>) -> Result<Self, NoRemote> {
        if url.starts_with("https://") {
            return Err(NoRemote("only plain HTTP is spoken: name the address behind whatever does TLS".into()));
        }
        let form = || NoRemote(format!("`{url}` is no address: write http://127.0.0.1:7878"));
        let authority = url.strip_prefix("http://").ok_or_else(form)?.trim_end_matches('/');
        if authority.is_empty()
            || !authority.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
        {
            return Err(form());
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if credential.as_ref().is_some_and(|key| key.bytes().any(|byte| !byte.is_ascii_graphic())) {
            return Err(NoRemote("the key has a blank or what is no letter in it".into()));
        }
        let authority = if has_port { authority.to_owned() } else { format!("{authority}:80") };
        Ok(Self { authority, credential })
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in self.authority.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, Duration::from_secs(5)) {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

impl From<&Control> for Remote {
    fn from(control: &Control) -> Self {
        // A process that listens on every address listens on this machine's own too.
        let ip = match control.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let authority = SocketAddr::new(ip, control.address.port()).to_string();
        Self { authority, credential: Some(control.secret.clone()) }
    }
}

/// Without what is secret.
impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({self})")
    }
}

/// The body of an answer, which comes in chunks. One that is cut off is an error, never a short stream.
pub(crate) struct Chunks {
    stream: BufReader<TcpStream>,
    left: u64,
    ended: bool,
}

/// Asks, and answers with the body's stream.
pub(crate) fn ask(remote: &Remote, path: &str) -> io::Result<Chunks> {
    let (stream, head) = exchange(remote, &format!("GET {path}"), "")?;
    chunks(stream, &head)
}

/// Sends a body of JSON, and answers with the body's stream.
pub(crate) fn send_for_stream(remote: &Remote, path: &str, body: &str) -> io::Result<Chunks> {
    let (stream, head) = exchange(remote, &format!("POST {path}"), body)?;
    chunks(stream, &head)
}

fn chunks(stream: BufReader<TcpStream>, head: &Head) -> io::Result<Chunks> {
    if head.status != 200 || !head.chunked {
        let mut body = String::new();
        // What can't be read says nothing more.
        let _ = stream.take(PROBLEM_MAX).read_to_string(&mut body);
        let problem: Json = serde_json::from_str(&body).unwrap_or_default();
        let detail = problem["detail"].as_str().map_or_else(String::new, |detail| format!(": {detail}"));
        return Err(io::Error::other(format!("it answered with {}{detail}", head.status)));
    }
    Ok(Chunks { stream, left: 0, ended: false })
}

/// Sends a body of JSON, and answers with the status and the body of the answer.
pub(crate) fn send(remote: &Remote, path: &str, body: &str) -> io::Result<(u16, String)> {
    let (stream, head) = exchange(remote, &format!("POST {path}"), body)?;
    let mut text = String::new();
    stream.take(ANSWER_MAX).read_to_string(&mut text)?;
    Ok((head.status, text))
}

/// What stands before the body of an answer.
struct Head {
    status: u16,
    chunked: bool,
}

fn exchange(remote: &Remote, line_start: &str, body: &str) -> io::Result<(BufReader<TcpStream>, Head)> {
    let mut stream = remote.connect()?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let shown =
        remote.credential.as_ref().map_or_else(String::new, |shown| format!("Authorization: Bearer {shown}\r\n"));
    let (host, length) = (&remote.authority, body.len());
    write!(
        stream,
        "{line_start} HTTP/1.1\r\nHost: {host}\r\n{shown}Content-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
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
