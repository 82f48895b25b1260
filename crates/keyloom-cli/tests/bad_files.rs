//! Files that are no catalogs: a clear error each, exit code 2, and no waiting.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the command is tested with real files and real time, and a broken set-up must stop the test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bad-files-{name}"));
        let _ = fs::remove_dir_all(&path);
        // The search for settings ends at the root of a repository.
        fs::create_dir_all(path.join(".git")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyloom"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        // Into a file, not a pipe: nobody empties a pipe while the command is waited for.
        let path = self.0.join("output.txt");
        let output = fs::File::create(&path).unwrap();
        let mut child = command.stdout(output.try_clone().unwrap()).stderr(output).spawn().unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{arguments:?} does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        (status.code(), fs::read_to_string(path).unwrap())
    }

    /// `check` and `show` both refuse the file, in these words.
    #[track_caller]
    fn refuses(&self, catalog: &str, words: &[&str]) {
        for verb in ["check", "show"] {
            let (code, text) = self.run(&[verb, catalog]);
            assert_eq!(code, Some(2), "{verb} {catalog}:\n{text}");
            for word in words {
                assert!(text.contains(word), "{verb} {catalog} does not say `{word}`:\n{text}");
            }
        }
    }
}

const HEAD: &str = "language: 1\ncatalog: notes\n";

#[test]
fn nothing_there() {
    let folder = Folder::new("nothing");
    folder.refuses("catalog.yaml", &["unreadable-file", "no such file"]);
    folder.refuses(".", &["catalog.yaml", "no such file"]);
    folder.write("sub/other.yaml", HEAD).refuses("sub", &["sub/catalog.yaml", "no such file"]);
}

#[test]
fn not_text() {
    let folder = Folder::new("not-text");
    folder.write("empty.yaml", "").refuses("empty.yaml", &["the file is empty"]);
    folder.write("blank.yaml", " \n\n").refuses("blank.yaml", &["nothing but blanks"]);
    folder.write("comments.yaml", "# nothing\n---\n").refuses("comments.yaml", &["nothing but blanks"]);
    folder.write("latin.yaml", b"language: 1\ncatalog: caf\xe9\n").refuses("latin.yaml", &["not UTF-8", "byte 24"]);
    folder.write("wide.yaml", b"\xff\xfel\0a\0n\0").refuses("wide.yaml", &["UTF-16", "save it as UTF-8"]);
    folder.write("binary.yaml", b"\x7fELF\x02\x01\x01\0\0").refuses("binary.yaml", &["binary"]);
    folder.write("not.yaml", "a: [\n").refuses("not.yaml", &["not-yaml"]);
}

#[test]
fn a_hundred_megabytes() {
    let folder = Folder::new("large");
    // A sparse file: as large as any to whoever reads it.
    fs::File::create(folder.0.join("catalog.yaml")).unwrap().set_len(100 << 20).unwrap();
    folder.refuses("catalog.yaml", &["100 MB", "16 MB"]);
}

#[test]
fn circles_of_includes() {
    let folder = Folder::new("circle");
    folder.write("catalog.yaml", format!("{HEAD}include: a.yaml\n")).write("a.yaml", "include: catalog.yaml\n");
    folder.refuses("catalog.yaml", &["cyclic-include", "catalog.yaml -> a.yaml ->"]);
    folder.write("self.yaml", format!("{HEAD}include: ./self.yaml\n")).refuses("self.yaml", &["cyclic-include"]);
    folder.write("sub/catalog.yaml", format!("{HEAD}include: ../sub\n")).refuses("sub", &["cyclic-include"]);
}

#[test]
fn includes_that_lead_nowhere() {
    let folder = Folder::new("includes");
    folder.write("outside.yaml", format!("{HEAD}include: [../../nothing.yaml, /nothing/at/all.yaml]\n"));
    folder.refuses("outside.yaml", &["../../nothing.yaml", "/nothing/at/all.yaml", "no such file"]);
    fs::create_dir(folder.0.join("bare")).unwrap();
    folder.write("bare.yaml", format!("{HEAD}include: bare\n")).refuses("bare.yaml", &["bare/catalog.yaml"]);
    folder.write("empty.yaml", "").write("one.yaml", format!("{HEAD}include: empty.yaml\n"));
    folder.refuses("one.yaml", &["the file is empty", "empty.yaml"]);
}

#[test]
fn too_many_includes() {
    let folder = Folder::new("many");
    let parts: Vec<String> = (0..1001).map(|at| format!("part{at}.yaml")).collect();
    for part in &parts {
        folder.write(part, "entities: {}\n");
    }
    folder.write("catalog.yaml", format!("{HEAD}include: [{}]\n", parts.join(", ")));
    folder.refuses("catalog.yaml", &["1000 files"]);
}

#[test]
fn an_included_folder_is_its_catalog_and_what_that_includes() {
    let folder = Folder::new("folder");
    folder.write("catalog.yaml", format!("{HEAD}include: [sub, sub/]\n"));
    folder.write("sub/catalog.yaml", "include: more.yaml\n").write("sub/more.yaml", "entities: {}\n");
    let (code, text) = folder.run(&["check", "catalog.yaml"]);
    assert_eq!(code, Some(0), "{text}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file() {
    let folder = Folder::new("no-file");
    folder.refuses("/dev/zero", &["not a regular file"]);
    folder.write("zero.yaml", format!("{HEAD}include: /dev/zero\n")).refuses("zero.yaml", &["not a regular file"]);
    fs::create_dir_all(folder.0.join("odd/catalog.yaml")).unwrap();
    folder.refuses("odd", &["odd/catalog.yaml", "no such file"]);
    let made = Command::new("mkfifo").arg(folder.0.join("pipe.yaml")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo works");
    folder.refuses("pipe.yaml", &["not a regular file"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    symlink("nowhere.yaml", folder.0.join("dangling.yaml")).unwrap();
    folder.refuses("dangling.yaml", &["no such file"]);
    symlink("loop.yaml", folder.0.join("loop.yaml")).unwrap();
    folder.refuses("loop.yaml", &["can't be opened"]);
}

#[test]
fn settings_that_are_no_settings() {
    let folder = Folder::new("settings");
    folder.write("catalog.yaml", HEAD);
    for (content, word) in [(&b"\xff\xfe"[..], "UTF-16"), (b"deny = ", "bad-config"), (b"colour = 1", "colour")] {
        folder.write("keyloom.toml", content);
        let (code, text) = folder.run(&["check", "."]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn fmt_refuses_too_and_touches_nothing() {
    let folder = Folder::new("fmt");
    let latin = b"language:   1\ncatalog: caf\xe9\n";
    folder.write("latin.yaml", latin);
    for (file, word) in [("latin.yaml", "not UTF-8"), ("nothing.yaml", "no such file"), ("/dev/zero", "regular")] {
        let (code, text) = folder.run(&["fmt", file]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(fs::read(folder.0.join("latin.yaml")).unwrap(), latin);
}
