//! A wire that counts.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

/// How a request to the server begins.
const BEGINS: &[u8] = b"POST / HTTP/1.1\r\n";

/// Stands between clients and a server, and counts the requests of HTTP that go by. It works on threads of this process: for
/// counting, not for measuring.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    requests: Arc<AtomicU64>,
}

impl Wire {
    /// A wire to the server at this address.
    ///
    /// # Errors
    /// When there is no port for it.
    pub fn to(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let wire = Self { address: listener.local_addr()?, requests: Arc::default() };
        let requests = Arc::clone(&wire.requests);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // A server that is gone is seen by the client: its connection ends.
                let _ = carry_both(client, server, &requests);
            }
        });
        Ok(wire)
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many requests have gone by.
    pub fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }
}

fn carry_both(client: TcpStream, server: SocketAddr, requests: &Arc<AtomicU64>) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let requests = Arc::clone(requests);
    thread::spawn(move || {
        carry(from_client, to_server, |seen| {
            requests.fetch_add(seen, Relaxed);
        });
    });
    thread::spawn(move || carry(server, client, |_| ()));
    Ok(())
}

fn carry(mut from: TcpStream, mut to: TcpStream, count: impl Fn(u64)) {
    let (mut buffer, mut tail) = (vec![0; 1 << 16], Vec::new());
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        // A beginning may lie across two pieces.
        tail.extend_from_slice(&buffer[..read]);
        let seen = tail.windows(BEGINS.len()).filter(|window| *window == BEGINS).count();
        count(seen as u64);
        let kept = tail.len().saturating_sub(BEGINS.len() - 1);
        tail.drain(..kept);
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    // Whoever reads at the other end hears of it.
    let _ = to.shutdown(std::net::Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_also_across_pieces() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let wire = Wire::to(server.local_addr().expect("its address")).expect("a wire");
        let mut client = TcpStream::connect(wire.address()).expect("a connection");
        let (mut other, _) = server.accept().expect("the wire's");
        let text = [BEGINS, b"body", BEGINS, b"POST of a body", BEGINS].concat();
        for piece in text.chunks(7) {
            client.write_all(piece).expect("it takes it");
        }
        let mut carried = vec![0; text.len()];
        other.read_exact(&mut carried).expect("all of it comes");
        assert_eq!((carried, wire.requests()), (text, 3));
    }
}
