//! Stands between clients and a server, loses answers, and can be shut.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

pub struct Gate {
    address: SocketAddr,
    /// Of a thousand answers so many are lost, and their connections with them.
    lost: Arc<AtomicU64>,
    closed: Arc<AtomicBool>,
    clients: Arc<Mutex<Vec<TcpStream>>>,
}

impl Gate {
    /// A gate to the server of this endpoint.
    pub fn open(endpoint: &str) -> Self {
        let server = endpoint.strip_prefix("http://").expect("an endpoint on loopback").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let gate = Self {
            address: listener.local_addr().expect("the port"),
            lost: Arc::default(),
            closed: Arc::default(),
            clients: Arc::default(),
        };
        let (lost, closed, clients) = (gate.lost.clone(), gate.closed.clone(), gate.clients.clone());
        let answers = Arc::new(AtomicU64::new(0));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                // Whoever closes the gate knocks once more; the listener ends with this loop.
                if closed.load(Ordering::SeqCst) {
                    return;
                }
                let (lost, answers) = (lost.clone(), answers.clone());
                let is_lost = move || {
                    let number = answers.fetch_add(1, Ordering::Relaxed);
                    super::mixed(number) % 1_000 < lost.load(Ordering::SeqCst)
                };
                let both = || -> io::Result<()> {
                    let server = TcpStream::connect(&server)?;
                    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
                    clients.lock().expect("nobody panics with it").push(client.try_clone()?);
                    thread::spawn(move || carry(from_client, to_server, || false));
                    thread::spawn(move || carry(server, client, is_lost));
                    Ok(())
                };
                // A server that is gone lets nobody in, and neither does the gate.
                let _ = both();
            }
        });
        gate
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on so many of a thousand answers are lost.
    pub fn lose(&self, of_a_thousand: u64) {
        self.lost.store(of_a_thousand, Ordering::SeqCst);
    }

    /// Ends all connections, and lets nobody in any more.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        for client in self.clients.lock().expect("nobody panics with it").drain(..) {
            let _ = client.shutdown(Shutdown::Both);
        }
        while TcpStream::connect(self.address).is_ok() {
            thread::yield_now();
        }
    }
}

/// Carries bytes until one side ends, or what comes is to be lost.
fn carry(mut from: TcpStream, mut to: TcpStream, is_lost: impl Fn() -> bool) {
    let mut bytes = [0; 4_096];
    let mut pass = || -> io::Result<bool> {
        let read = from.read(&mut bytes)?;
        if read == 0 || is_lost() {
            return Ok(false);
        }
        to.write_all(&bytes[..read])?;
        Ok(true)
    };
    while pass().unwrap_or(false) {}
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
