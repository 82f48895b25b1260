//! Every command that a document shows is run, and its output compared.
//!
//! In a block marked `console`, a line `$ command` is run by the shell in an empty folder of the document's own, with
//! `keyloom` on the path, `examples/` and `worked/` (the published designs of docs/worked.md) beside it; the lines up to the next command are what it prints. A last line
//! `[exit 1]` is its exit code, where that is not 0. `KEYLOOM_UPDATE=1 cargo test` rewrites the output.
//!
//! A command that ends in `&` is a server: it runs until the document ends, on a free port instead of the one that the
//! document names. What differs from run to run (identities, versions, moments) may differ.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests run the real command on real files")]

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The address that documents name.
const NAMED: &str = "127.0.0.1:7878";

/// The servers of a document, and the address that stands for the one it names.
struct Servers {
    address: String,
    running: Vec<Child>,
}

impl Servers {
    fn new() -> Self {
        // Free a moment ago, and so most likely still.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        Self { address, running: Vec::new() }
    }

    /// Starts a server and shows what it says until it is ready.
    fn start(&mut self, command: &str, folder: &Path) -> String {
        let listening = command.replace("keyloom up", &format!("keyloom up --listen {}", self.address));
        let mut child = shell(&format!("exec {listening}"), folder).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while !said.contains("Ctrl-C") && lines.read_line(&mut said).unwrap() > 0 {}
        self.running.push(child);
        // The pipe stays open, so that its last words do not end it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        format!("$ {command} &\n{}", said.replace(&self.address, NAMED))
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn shell(command: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_keyloom")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path).env("COLUMNS", "100").env_remove("NO_COLOR");
    shell
}

/// A text without what differs from run to run: identities, versions, moments, ids of keys, and the mark in a sample's email.
fn settled(text: &str) -> String {
    let mut settled = String::new();
    let mut word = String::new();
    for char in text.chars().chain(['\n']) {
        if char.is_ascii_alphanumeric() || "-:.".contains(char) {
            word.push(char);
            continue;
        }
        let hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let lengths: Vec<usize> = word.split('-').map(str::len).collect();
        let is_uuid = lengths == [8, 4, 4, 4, 12] && word.split('-').all(hexadecimal);
        let is_version = word.len() >= 13 && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_moment = word.len() >= 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
        let is_email = word.strip_prefix("first-").is_some_and(|mark| mark.len() == 6 && hexadecimal(mark));
        let is_key = word.len() == 12 && hexadecimal(&word);
        settled.push_str(if is_uuid || is_version || is_moment || is_email || is_key { "*" } else { &word });
        settled.push(char);
        word.clear();
    }
    settled
}

/// Runs one command and shows it with what it printed.
fn run(command: &str, folder: &Path, servers: &mut Servers) -> String {
    if let Some(command) = command.strip_suffix(" &") {
        return servers.start(command, folder);
    }
    // A document must not go stale by the calendar alone.
    let dated = if command.contains("--today") {
        command.to_owned()
    } else {
        command.replace("keyloom check", "keyloom check --today 2026-11-15")
    };
    let dated = dated.replace(NAMED, &servers.address);
    let output = shell(&format!("{{ {dated}\n}} 2>&1"), folder).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).replace(&servers.address, NAMED);
    let mut shown = format!("$ {command}\n{printed}");
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => shown.push_str(&format!("[exit {}]\n", code.unwrap_or(-1))),
    }
    shown
}

/// The document as it should be: its commands run again.
fn rerun(document: &str, folder: &Path) -> String {
    let mut shown = String::new();
    let mut in_console = false;
    let mut servers = Servers::new();
    for line in document.split_inclusive('\n') {
        if line.trim_end() == "```console" {
            in_console = true;
            shown.push_str(line);
        } else if line.trim_end() == "```" {
            in_console = false;
            shown.push_str(line);
        } else if !in_console {
            shown.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            shown.push_str(&run(command.trim_end(), folder, &mut servers));
        }
    }
    shown
}

fn check(document: &Path, faults: &mut Vec<String>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(document.file_stem().unwrap());
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    // A repository of its own, so that no settings above it are found.
    std::fs::create_dir(folder.join(".git")).unwrap();
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).unwrap();
    std::os::unix::fs::symlink(root().join("crates/keyloom-design/tests/worked"), folder.join("worked")).unwrap();
    // Files that a document starts from stand beside it, in a folder of its name.
    if let Ok(entries) = std::fs::read_dir(document.with_extension("")) {
        for entry in entries.map(|entry| entry.unwrap()) {
            std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    let text = std::fs::read_to_string(document).unwrap();
    let shown = rerun(&text, &folder);
    let (ours, theirs) = (settled(&shown), settled(&text));
    if ours == theirs {
        return;
    }
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::write(document, shown).unwrap();
    } else {
        let line = theirs.lines().zip(ours.lines()).take_while(|(a, b)| a == b).count();
        let expected: Vec<&str> = shown.lines().skip(line).take(12).collect();
        faults.push(format!(
            "{}:{}: the command prints something else; KEYLOOM_UPDATE=1 rewrites it:\n{}",
            document.display(),
            line + 1,
            expected.join("\n")
        ));
    }
}

#[test]
fn the_commands_in_the_documents_print_what_the_documents_say() {
    let mut documents = vec![root().join("README.md")];
    for folder in [root().join("docs"), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands")] {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        documents.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    documents.sort();
    let mut faults = Vec::new();
    for document in &documents {
        check(document, &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
