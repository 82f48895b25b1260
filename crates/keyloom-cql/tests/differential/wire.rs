//! The few frames of CQL's native protocol (version 4) that asking a server takes.
//!
//! A driver would do, but it takes offence at a rejection: it asks again on other connections, keeps the first answer
//! only, and reads the types of what it prepares. Here a rejection is as good an answer as any.

use std::{
    io::{self, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// What the server says to one request.
pub type Reply = Result<(), Rejection>;

/// An error of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub code: u32,
    pub message: String,
}

impl Rejection {
    /// The text is no CQL, as opposed to CQL that asks for something impossible.
    pub fn is_syntax_error(&self) -> bool {
        self.code == 0x2000
    }
}

/// One connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

const VERSION: u8 = 4;
const STARTUP: u8 = 0x01;
const QUERY: u8 = 0x07;
const PREPARE: u8 = 0x09;
const ERROR: u8 = 0x00;
/// Requests that are on their way at once.
const IN_FLIGHT: usize = 256;

impl Connection {
    pub fn open(contact_point: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(contact_point)?;
        stream.set_nodelay(true)?;
        // No statement takes as long; a server that hangs must not hang the test.
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        let mut connection = Self { stream: BufReader::with_capacity(1 << 16, stream) };
        let mut options = vec![0, 1];
        for word in ["CQL_VERSION", "3.0.0"] {
            options.extend(u16::try_from(word.len()).expect("short").to_be_bytes());
            options.extend(word.as_bytes());
        }
        connection.send(&frame(STARTUP, 0, &options))?;
        let (_, reply) = connection.receive()?;
        reply.map_err(|rejection| io::Error::other(rejection.message))?;
        Ok(connection)
    }

    /// Executes a statement.
    pub fn execute(&mut self, statement: &str) -> io::Result<Reply> {
        let mut body = long_string(statement);
        let (consistency_one, no_flags) = ([0, 1], 0);
        body.extend(consistency_one);
        body.push(no_flags);
        self.send(&frame(QUERY, 0, &body))?;
        Ok(self.receive()?.1)
    }

    /// Prepares all statements, many at once; the replies are in their order.
    pub fn prepare<'a>(&mut self, statements: impl IntoIterator<Item = &'a str>) -> io::Result<Vec<Reply>> {
        let statements: Vec<&str> = statements.into_iter().collect();
        let mut replies = Vec::with_capacity(statements.len());
        for together in statements.chunks(IN_FLIGHT) {
            let mut frames = Vec::new();
            for (id, statement) in together.iter().enumerate() {
                frames.extend(frame(PREPARE, u16::try_from(id).expect("few in flight"), &long_string(statement)));
            }
            self.send(&frames)?;
            let mut answered = vec![None; together.len()];
            for _ in together {
                let (id, reply) = self.receive()?;
                answered[usize::from(id)] = Some(reply);
            }
            replies.extend(answered.into_iter().map(|reply| reply.expect("each request has its reply")));
        }
        Ok(replies)
    }

    fn send(&mut self, frames: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(frames)
    }

    /// The next reply, and the id of its request.
    fn receive(&mut self) -> io::Result<(u16, Reply)> {
        let mut header = [0; 9];
        self.stream.read_exact(&mut header)?;
        let [_version, flags, id0, id1, opcode, length @ ..] = header;
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        self.stream.read_exact(&mut body)?;
        let reply = if opcode == ERROR { Err(rejection(flags, &body)) } else { Ok(()) };
        Ok((u16::from_be_bytes([id0, id1]), reply))
    }
}

fn frame(opcode: u8, id: u16, body: &[u8]) -> Vec<u8> {
    let [id0, id1] = id.to_be_bytes();
    let mut frame = vec![VERSION, 0, id0, id1, opcode];
    frame.extend(u32::try_from(body.len()).expect("a statement is short").to_be_bytes());
    frame.extend(body);
    frame
}

fn long_string(text: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(text.len()).expect("a statement is short").to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

/// The error of a frame; warnings, if it carries any, stand before it.
fn rejection(flags: u8, body: &[u8]) -> Rejection {
    const WARNINGS: u8 = 0x08;
    let mut at = 0;
    let mut take = |count: usize| {
        let bytes = &body[at..at + count];
        at += count;
        bytes
    };
    let short = |bytes: &[u8]| usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
    if flags & WARNINGS != 0 {
        for _ in 0..short(take(2)) {
            let length = short(take(2));
            take(length);
        }
    }
    let code = u32::from_be_bytes(take(4).try_into().expect("four bytes"));
    let length = short(take(2));
    Rejection { code, message: String::from_utf8_lossy(take(length)).into_owned() }
}
