//! Clients that are many or slow.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::process::{Up, example, request};

/// As many as are kept.
const CONNECTIONS: usize = 512;

fn connect(up: &Up, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&up.address).unwrap();
    stream.write_all(text.replace("HOST", &up.address).as_bytes()).unwrap();
    stream
}

fn health(up: &Up) -> std::io::Result<u16> {
    request(&up.address, "GET /healthz HTTP/1.1", &[], "").map(|answer| answer.status)
}

/// Waits until a look sees what it is to see.
fn until(words: &str, mut look: impl FnMut() -> bool) {
    let started = Instant::now();
    while !look() {
        assert!(started.elapsed() < Duration::from_secs(10), "{words}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn more_connections_than_are_kept_are_told_to_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    // Half of them are in the middle of a head, half in the middle of a body.
    let heads = (0..CONNECTIONS / 2).map(|_| connect(&up, "GET / HTTP/1.1\r\nHost: HOST\r\n"));
    let mut slow: Vec<TcpStream> = heads.collect();
    assert_eq!(health(&up).unwrap(), 200, "there is room");
    let body = "POST /v1/sign_up HTTP/1.1\r\nHost: HOST\r\nIdempotency-Key: a;1\r\nContent-Length: 99\r\n\r\n{";
    slow.extend((CONNECTIONS / 2..CONNECTIONS).map(|_| connect(&up, body)));

    let refused = request(&up.address, "GET /healthz HTTP/1.1", &[], "").unwrap();
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{}", refused.body);
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    let problem = refused.json();
    assert_eq!(problem["type"], "urn:keyloom:problem:busy");
    assert_eq!(problem["detail"], "there are too many connections; send the request again after 1 s");

    // Who says nothing is closed soon, so that those who wait for the word are not kept from it.
    let mut silent = connect(&up, "");
    silent.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(silent.read(&mut [0; 100]).unwrap_or(0), 0);

    // A place that is given back is taken by the next.
    slow.pop();
    until("a place is free again", || health(&up).unwrap() == 200);
    drop(slow);
    let alive: Vec<u16> = (0..3).map(|_| health(&up).unwrap()).collect();
    assert_eq!(alive, [200; 3]);
    assert_eq!(up.stop("-TERM"), Some(0));
}
