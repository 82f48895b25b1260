//! The servers, each a process of this same program.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, HeaderName, HeaderValue},
};
use keyloom_serve::{Data, Halt, Logging, Up, up};

use crate::{Address, CONNECTIONS, catalog, client::Client};

/// The argument with which this program is a server.
pub const SERVE: &str = "--serve";

/// A server, stopped when it is dropped.
pub struct Server {
    pub clients: Vec<Client>,
    process: Child,
}

impl Server {
    pub fn start(what: &str, of: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(SERVE).arg(what).arg(of).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address: Address = line.trim().parse().unwrap();
        Self { clients: (0..CONNECTIONS).map(|_| Client::new(address)).collect(), process }
    }

    /// How much processor time its threads have taken.
    pub fn processor_time(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap();
        let of = |task: std::path::PathBuf| {
            // A thread may have ended just now.
            let said = std::fs::read_to_string(task.join("schedstat")).unwrap_or_default();
            said.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
        };
        Duration::from_nanos(tasks.map(|task| of(task.unwrap().path())).sum())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Is a server until it is killed.
pub fn serve(what: &str, of: &Path) {
    if what == "keyloom" {
        return keyloom(of);
    }
    let answer: &'static [u8] = std::fs::read(of).unwrap().leak();
    let end = answer.windows(3).position(|bytes| bytes == b"\r\n\n").map_or(0, |at| at + 2);
    let (headers, body) = (headers(&answer[..end]), &answer[end + 1..]);
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        say(&listener.local_addr().unwrap().to_string());
        // The body is taken, as by anybody who would look at it.
        let router = Router::new().fallback(async move |_taken: Bytes| (headers.clone(), body));
        axum::serve(listener, router).await.unwrap();
    });
}

fn headers(lines: &'static [u8]) -> HeaderMap {
    let lines = std::str::from_utf8(lines).unwrap().lines();
    let header = |line: &'static str| {
        let (name, value) = line.split_once(": ").unwrap();
        (HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    lines.map(header).collect()
}

fn keyloom(folder: &Path) {
    let wanted = Up {
        catalog: &catalog(),
        layout: None,
        data: Data::folder(folder),
        listen: "127.0.0.1:0".parse().unwrap(),
        keys: &folder.join("keys"),
        log: Logging { write: |_| {}, for_people: false, calls: false },
        halt: Halt::default(),
        make: &|_| true,
    };
    up(&wanted, &mut |ready| say(ready.address.trim_start_matches("http://"))).unwrap();
}

fn say(address: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{address}").unwrap();
    out.flush().unwrap();
}
