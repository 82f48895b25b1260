//! The few frames of CQL's protocol 4 that tell whether a node is ready, so that nobody who starts one needs a driver.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use super::{PASSWORD, USER};

/// Longer than a node takes for the questions that are asked here.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is asked and answered here is far smaller; anything else is no node.
const BODY_MAX: u32 = 1 << 20;

const VERSION_OF_REQUESTS: u8 = 0x04;
const STARTUP: u8 = 0x01;
const READY: u8 = 0x02;
const AUTHENTICATE: u8 = 0x03;
const QUERY: u8 = 0x07;
const RESULT: u8 = 0x08;
const AUTH_RESPONSE: u8 = 0x0f;
const AUTH_SUCCESS: u8 = 0x10;

const CONSISTENCY_ALL: u16 = 5;

/// A connection to a node that lets clients in.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
}

impl Connection {
    /// Fails while the node is not up, and while it does not know yet the user that it was asked to have.
    pub fn open(contact_point: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&contact_point, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut connection = Self { stream };
        let mut version = 1_u16.to_be_bytes().to_vec();
        for text in ["CQL_VERSION", "3.0.0"] {
            version.extend((text.len() as u16).to_be_bytes());
            version.extend(text.as_bytes());
        }
        match connection.ask(STARTUP, &version)? {
            (READY, _) => Ok(connection),
            (AUTHENTICATE, _) => {
                let login = format!("\0{USER}\0{PASSWORD}");
                let mut body = (login.len() as u32).to_be_bytes().to_vec();
                body.extend(login.as_bytes());
                connection.expect(AUTH_SUCCESS, AUTH_RESPONSE, &body)?;
                Ok(connection)
            }
            (opcode, body) => Err(unexpected(opcode, &body)),
        }
    }

    /// Reads with all replicas: fails unless this node takes each of them for alive and all of them answer.
    pub fn query_all(&mut self, statement: &str) -> io::Result<()> {
        let mut body = (statement.len() as u32).to_be_bytes().to_vec();
        body.extend(statement.as_bytes());
        body.extend(CONSISTENCY_ALL.to_be_bytes());
        body.push(0);
        self.expect(RESULT, QUERY, &body)
    }

    fn expect(&mut self, wanted: u8, opcode: u8, body: &[u8]) -> io::Result<()> {
        let (answer, body) = self.ask(opcode, body)?;
        if answer == wanted { Ok(()) } else { Err(unexpected(answer, &body)) }
    }

    /// Sends a frame and returns the opcode of the answer, and its body.
    fn ask(&mut self, opcode: u8, body: &[u8]) -> io::Result<(u8, Vec<u8>)> {
        let mut frame = vec![VERSION_OF_REQUESTS, 0, 0, 0, opcode];
        frame.extend((body.len() as u32).to_be_bytes());
        frame.extend(body);
        self.stream.write_all(&frame)?;
        let mut header = [0; 9];
        self.stream.read_exact(&mut header)?;
        let [.., a, b, c, d] = header;
        let length = u32::from_be_bytes([a, b, c, d]);
        if length > BODY_MAX {
            return Err(io::Error::other("an answer that is no frame of CQL"));
        }
        let mut body = vec![0; length as usize];
        self.stream.read_exact(&mut body)?;
        Ok((header[4], body))
    }
}

/// An error begins with four bytes of code, two of length, and words.
fn unexpected(opcode: u8, body: &[u8]) -> io::Error {
    let words = String::from_utf8_lossy(body.get(6..).unwrap_or_default());
    io::Error::other(format!("the node answers with opcode {opcode}: {words}"))
}
