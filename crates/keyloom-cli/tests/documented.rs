//! Every command that a document shows is run, and its output compared.
//!
//! In a block marked `console`, a line `$ command` is run by the shell in an empty folder of the document's own, with
//! `keyloom` on the path and `examples/` beside it; the lines up to the next command are what it prints. A last line
//! `[exit 1]` is its exit code, where that is not 0. `KEYLOOM_UPDATE=1 cargo test` rewrites the output.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests run the real command on real files")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs one command and shows it with what it printed.
fn run(command: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_keyloom")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    // A document must not go stale by the calendar alone.
    let dated = if command.contains("--today") {
        command.to_owned()
    } else {
        command.replace("keyloom check", "keyloom check --today 2026-11-15")
    };
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {dated}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .env("COLUMNS", "100")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let mut shown = format!("$ {command}\n{}", String::from_utf8_lossy(&output.stdout));
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
            shown.push_str(&run(command.trim_end(), folder));
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
    // Files that a document starts from stand beside it, in a folder of its name.
    if let Ok(entries) = std::fs::read_dir(document.with_extension("")) {
        for entry in entries.map(|entry| entry.unwrap()) {
            std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    let text = std::fs::read_to_string(document).unwrap();
    let shown = rerun(&text, &folder);
    if shown == text {
        return;
    }
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::write(document, shown).unwrap();
    } else {
        let line = text.lines().zip(shown.lines()).take_while(|(a, b)| a == b).count();
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
