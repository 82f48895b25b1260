//! Both servers that speak as DynamoDB does come up, answer, and leave nothing behind.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; what is left behind is looked for in the file system"
)]

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
};

use keyloom_engines::{Dynoxide, ExtendDb, announce, available, dynamodb::Options};

const SUITE: &str = "engines";

#[test]
fn dynoxide_answers_and_leaves_nothing_behind() {
    let Some(server) = available(SUITE, "dynoxide", Dynoxide::start()) else { return };
    assert_answers(&server.endpoint());
    assert_gone(server.process_id(), || drop(server));
    announce(SUITE, "dynoxide", 1, 0);
}

#[test]
fn extenddb_answers_and_leaves_nothing_behind() {
    let Some(server) = available(SUITE, "extenddb", ExtendDb::start(&Options::default())) else { return };
    assert_answers(&server.endpoint());
    assert_gone(server.process_id(), || drop(server));
    announce(SUITE, "extenddb", 1, 0);
}

/// Both answer a request without a signature as DynamoDB does.
fn assert_answers(endpoint: &str) {
    let answer = list_tables(endpoint);
    assert!(answer.contains("MissingAuthenticationToken"), "{answer}");
}

/// Asks for the tables, without a signature.
fn list_tables(endpoint: &str) -> String {
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-amz-target: DynamoDB_20120810.ListTables\r\n\
         content-type: application/x-amz-json-1.0\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn assert_gone(process: u32, stop: impl FnOnce()) {
    let folder: PathBuf = std::fs::read_link(format!("/proc/{process}/cwd")).unwrap();
    stop();
    assert!(!Path::new(&format!("/proc/{process}")).exists(), "the server stops with its value");
    assert!(!folder.exists(), "and so do its data");
}
