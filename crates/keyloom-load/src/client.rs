//! Requests over connections that are kept: HTTP/1.1, as much of it as a server of ours answers with.

use std::{cell::RefCell, fmt, io, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::TcpStream,
    sync::Semaphore,
    time::timeout,
};

/// How long an answer may take.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// How large an answer and a line of its head may be.
const BODY_MAX: usize = 64 << 20;
const LINE_MAX: u64 = 64 << 10;

/// A server.
#[derive(Clone)]
pub struct Target {
    /// `127.0.0.1:7878`
    authority: String,
    key: Option<String>,
}

/// The key stays out of what is printed.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.authority)
    }
}

/// An address that can't be a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoTarget(String);

impl fmt::Display for NoTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoTarget {}

impl Target {
    /// The server at `http://host:port`, to which this key is shown.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn new(url: &str, key: Option<String>) -> Result<Self, NoTarget> {
        if url.starts_with("https://") {
            return Err(NoTarget("load speaks plain HTTP: name the address behind whatever does TLS".into()));
        }
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(NoTarget(format!("`{url}` is no address: write http://127.0.0.1:7878")));
        };
        let authority = rest.trim_end_matches('/');
        if authority.is_empty() || authority.contains(['/', '?', '@', ' ']) {
            return Err(NoTarget(format!(
                "`{url}`: an address has a host and a port and nothing behind: http://127.0.0.1:7878"
            )));
        }
        let port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let authority = if port { authority.to_owned() } else { format!("{authority}:80") };
        if key.as_ref().is_some_and(|key| key.bytes().any(|byte| !byte.is_ascii_graphic())) {
            return Err(NoTarget("the key has a blank or what is no letter in it".into()));
        }
        Ok(Self { authority, key })
    }
}

/// What is asked.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    pub(crate) tenant: Option<&'a str>,
    pub(crate) key: Option<&'a str>,
    pub(crate) body: Option<&'a str>,
}

impl<'a> Ask<'a> {
    pub(crate) fn get(path: &'a str) -> Self {
        Self { method: "GET", path, tenant: None, key: None, body: None }
    }
}

/// What is answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// What the call did.
    pub(crate) work: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Connections to a server, so many at most. One is opened when there is none, and kept.
pub(crate) struct Client {
    target: Target,
    free: RefCell<Vec<BufStream<TcpStream>>>,
    places: Semaphore,
}

impl Client {
    pub(crate) fn new(target: Target, connections: usize) -> Self {
        Self { target, free: RefCell::default(), places: Semaphore::new(connections) }
    }

    /// Asks, once a connection is free. Without an answer nothing is known of what became of it.
    pub(crate) async fn ask(&self, ask: &Ask<'_>) -> io::Result<Answer> {
        let _place = self.places.acquire().await.map_err(io::Error::other)?;
        let kept = self.free.borrow_mut().pop();
        let mut stream = match kept {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.target.authority).await?;
                stream.set_nodelay(true)?;
                BufStream::new(stream)
            }
        };
        let (answer, stays) = timeout(ANSWER_TIME, self.exchange(&mut stream, ask)).await??;
        if stays {
            self.free.borrow_mut().push(stream);
        }
        Ok(answer)
    }

    async fn exchange(&self, stream: &mut BufStream<TcpStream>, ask: &Ask<'_>) -> io::Result<(Answer, bool)> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {}\r\n", ask.method, ask.path, self.target.authority);
        let key = self.target.key.as_ref().map(|key| format!("Bearer {key}"));
        let headers = [("Authorization", key.as_deref()), ("Keyloom-Tenant", ask.tenant), ("Idempotency-Key", ask.key)];
        for (name, value) in headers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = ask.body {
            head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        head.push_str(ask.body.unwrap_or_default());
        stream.write_all(head.as_bytes()).await?;
        stream.flush().await?;
        read(stream).await
    }
}

/// Reads an answer; whether the connection stays.
async fn read(stream: &mut BufStream<TcpStream>) -> io::Result<(Answer, bool)> {
    let odd = |what: &str| io::Error::other(format!("the answer is no HTTP: {what}"));
    let first = line(stream).await?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(|| odd("its status"))?;
    let (mut length, mut chunked, mut stays, mut work) = (0_usize, false, true, None);
    loop {
        let header = line(stream).await?;
        if header.is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else { return Err(odd("a header")) };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().map_err(|_| odd("its length"))?,
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            ("connection", value) => stays = !value.eq_ignore_ascii_case("close"),
            ("keyloom-work", value) => work = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = Vec::new();
    while chunked {
        let size = usize::from_str_radix(line(stream).await?.trim(), 16).map_err(|_| odd("a chunk"))?;
        piece(stream, size, &mut body).await?;
        line(stream).await?;
        chunked = size > 0;
    }
    piece(stream, length, &mut body).await?;
    Ok((Answer { status, work, body }, stays))
}

async fn piece(stream: &mut BufStream<TcpStream>, size: usize, body: &mut Vec<u8>) -> io::Result<()> {
    if body.len() + size > BODY_MAX {
        return Err(io::Error::other("the answer is too large"));
    }
    let start = body.len();
    body.resize(start + size, 0);
    stream.read_exact(&mut body[start..]).await.map(drop)
}

async fn line(stream: &mut BufStream<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    (&mut *stream).take(LINE_MAX).read_line(&mut line).await?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_owned()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn addresses_are_read() {
        let authority =
            |url: &str| Target::new(url, None).map(|target| target.authority).map_err(|error| error.to_string());
        assert_eq!(authority("http://127.0.0.1:7878/").as_deref(), Ok("127.0.0.1:7878"));
        assert_eq!(authority("http://db").as_deref(), Ok("db:80"));
        for (url, word) in
            [("https://db", "TLS"), ("db:1", "no address"), ("http://db/v1", "nothing behind"), ("http://", "nothing")]
        {
            assert!(authority(url).is_err_and(|words| words.contains(word)), "{url}");
        }
        let target = Target::new("http://db", Some("kl_hush".into())).unwrap();
        assert!(!format!("{target:?}").contains("hush"));
        assert!(Target::new("http://db", Some("a b".into())).is_err());
    }
}
