//! A running `keyloom up`, and a small HTTP client.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use keyloom_engines::dynamodb;
use serde_json::Value as Json;

/// A process that serves, ended with the test.
pub(crate) struct Up {
    child: Child,
    /// `127.0.0.1:40123`
    pub(crate) address: String,
    /// What it said when it was ready.
    pub(crate) said: String,
}

pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The shop of the examples, with a way to rename that looks whether somebody else was faster.
pub(crate) fn shop(folder: &Path) -> PathBuf {
    let text = std::fs::read_to_string(example("shop").join("catalog.yaml")).unwrap();
    let more = "  rename_seen: { update: User, by: [user_id], set: { name: $name }, if: version = $version else changed_meanwhile, rate: rare }
";
    let path = folder.join("catalog.yaml");
    std::fs::write(&path, format!("{text}{more}")).unwrap();
    path
}

pub(crate) fn keyloom(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyloom"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1");
    // Somebody whom the servers of the tests know, and not whoever runs the tests.
    command.env("AWS_ACCESS_KEY_ID", dynamodb::ACCESS_KEY).env("AWS_SECRET_ACCESS_KEY", dynamodb::SECRET_KEY);
    command
}

/// Runs a command that ends by itself.
pub(crate) fn ended(arguments: &[&str], folder: &Path) -> (i32, String) {
    let Output { status, stdout, stderr } = keyloom(arguments, folder).output().unwrap();
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

impl Up {
    pub(crate) fn start(catalog: &Path, folder: &Path, more: &[&str]) -> Self {
        let catalog = catalog.to_str().unwrap();
        let arguments = [&["up", catalog, "--listen", "127.0.0.1:0"], more].concat();
        let mut child = keyloom(&arguments, folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = String::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            said.push_str(&line);
            said.push('\n');
            if line.starts_with("Ctrl-C") {
                break;
            }
        }
        let Some((_, rest)) = said.split_once("http://") else {
            let mut complaint = String::new();
            child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
            panic!("{said}{complaint}");
        };
        let address = rest.split('/').next().unwrap().to_owned();
        // The pipe stays open, so that its last words do not end it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address, said }
    }

    pub(crate) fn curls(&self) -> Vec<&str> {
        self.said.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("curl ")).collect()
    }

    /// The client's key of development, where there is one.
    pub(crate) fn development_key(&self) -> Option<String> {
        let (_, shown) = self.curls().first()?.split_once("Bearer ")?;
        shown.split('\'').next().map(str::to_owned)
    }

    /// The operator's key of development, where there is one: the last line to try carries it.
    pub(crate) fn operator_key(&self) -> Option<String> {
        let (_, shown) = self.curls().last()?.split_once("Bearer ")?;
        shown.split('\'').next().map(str::to_owned)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        request(&self.address, &format!("GET {path} HTTP/1.1"), &[], "").unwrap()
    }

    pub(crate) fn post(&self, path: &str, key: &str, body: &Json) -> Response {
        post(&self.address, path, key, body).unwrap()
    }

    /// The end that nothing can prepare for.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and says with which code it did.
    pub(crate) fn stop(self, signal: &str) -> Option<i32> {
        self.stop_saying(signal).0
    }

    /// Waits until it ends by itself, and says with which code it did and what it complained of in its life.
    pub(crate) fn ended_saying(mut self) -> (Option<i32>, String) {
        let mut complaint = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        (self.child.wait().unwrap().code(), complaint)
    }

    /// Asks it to stop, and says with which code it did and what it complained of in its life.
    pub(crate) fn stop_saying(self, signal: &str) -> (Option<i32>, String) {
        Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        self.ended_saying()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|fault| panic!("{fault}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

pub(crate) fn post(address: &str, path: &str, key: &str, body: &Json) -> std::io::Result<Response> {
    request(address, &format!("POST {path} HTTP/1.1"), &[("Idempotency-Key", key)], &body.to_string())
}

/// One request on a connection of its own.
pub(crate) fn request(address: &str, line: &str, headers: &[(&str, &str)], body: &str) -> std::io::Result<Response> {
    let mut stream = TcpStream::connect(address)?;
    let mut text = format!("{line}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text.push_str(&format!("Host: {address}\r\n"));
    }
    headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    // A server that has read enough may close before all is sent: its answer counts.
    let _ = stream.write_all(format!("{text}\r\n{body}").as_bytes());
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let cut = || std::io::Error::other("the answer is cut off");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| read.err().unwrap_or_else(cut))?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
    let response = Response { status, head: head.to_owned(), body: body.to_owned() };
    let length = response.header("content-length").and_then(|length| length.parse().ok());
    if length.is_some_and(|length: usize| length != response.body.len()) && !line.starts_with("HEAD") {
        return Err(cut());
    }
    Ok(response)
}

/// A new idempotency key.
pub(crate) fn new_key() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    format!("test-{}-{};{millis}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
