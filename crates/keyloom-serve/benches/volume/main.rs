//! Ten million rows: how long a start takes until the first answer, the memory of a server that nobody asks anything, and what
//! a verification of all rows takes: `cargo bench -p keyloom-serve --bench volume [-- ROWS]`.
//!
//! Half of the rows are a source, the others a list that follows from it. They are placed by the store, as the executor would
//! place them, and the folder is stopped cleanly. Every server and the verification are processes of their own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use keyloom_embedded::{Embedded, Options, System};
use keyloom_finding::Sources;
use keyloom_model::Catalog;
use keyloom_serve::{Data, Db, Halt, Logging, Up, Verifying, up, verify};
use keyloom_store::{Define, GroupImage, Millis, Placement, Placing, Shape, Store, TableId};
use keyloom_text::{Files, Unreadable};
use keyloom_value::{Kind, Value, to_text};

const CATALOG: &str = "
language: 1
catalog: journal
entities:
  Note:
    append_only: true
    key: [note_id]
    fields: { note_id: uuid7 = new, author_id: int, words: text(80..400) }
    volume: { rows: 5M }
    groups: { author_id: 100 / 200 / 500 }
patterns:
  add_note: { create: Note, takes: [author_id, words], rate: rare }
  get_note: { get: Note, by: [note_id], rate: rare }
  notes_of_author: { list: Note, by: [author_id], order: note_id desc, page: 100, rate: rare }
";

/// Notes that are placed together.
const BATCH: u64 = 100;
/// Notes of an author.
const NOTES: u64 = 100;
/// When the first one was written.
const FIRST_MS: u64 = 1_790_000_000_000;
const STARTS: usize = 5;
const IDLE: Duration = Duration::from_secs(3);

struct Shelf;

impl Files for Shelf {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(CATALOG.to_owned())
    }
}

fn catalog() -> Catalog {
    keyloom_text::read("catalog.yaml", &Shelf, &mut Sources::default()).catalog
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let of =
        |word: &str| arguments.iter().position(|argument| argument == word).map(|at| Path::new(&arguments[at + 1]));
    if let Some(folder) = of("--serve") {
        return serve(folder);
    }
    if let Some(folder) = of("--verify") {
        return verify_all(folder);
    }
    let rows = arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000_000);
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    fill(folder.path(), rows / 2);
    println!("{rows} rows, filled and stopped in {:.1} s", began.elapsed().as_secs_f64());
    let mut starts: Vec<f64> = (0..STARTS).map(|_| start(folder.path(), rows / 2).as_secs_f64() * 1e3).collect();
    starts.sort_by(f64::total_cmp);
    println!(
        "from the start of a process to its first answer: {:.1} ms (of {STARTS}: {starts:.1?})",
        starts[STARTS / 2]
    );
    let output = child("--verify", folder.path()).wait_with_output().unwrap();
    print!("{}", String::from_utf8(output.stdout).unwrap());
    assert!(output.status.success());
}

/// The identity of a note.
fn note(number: u64) -> [u8; 16] {
    let mut uuid = [0; 16];
    uuid[..6].copy_from_slice(&(FIRST_MS + number).to_be_bytes()[2..]);
    uuid[8..].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    uuid[6] = 0x70;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}

/// The columns of a note, wherever they stand.
fn value(name: &str, number: u64, authors: u64) -> Value<'static> {
    match name {
        "note_id" => Value::Uuid(note(number)),
        "author_id" => Value::Int((number % authors).cast_signed()),
        "words" => Value::from(format!("{number:08}: what was said about it, in a sentence or two, as people write")),
        "kl_created" => Value::Timestamp(((FIRST_MS + number) * 1_000).cast_signed()),
        other => panic!("a note has no column {other}"),
    }
}

fn fill(folder: &Path, notes: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Makes the tables.
        Db::open(&catalog(), None, &Data::folder(folder)).await.unwrap().close().await.unwrap();
        let (store, _) = Embedded::open(folder, Options::default(), Arc::new(System)).unwrap();
        let there = store.describe().await.unwrap().into_iter();
        let tables: Vec<(TableId, Arc<Shape>)> =
            there.filter(|(_, shape)| shape.table().name.starts_with("note")).collect();
        assert_eq!(tables.len(), 2, "a source and a list");
        for first in (0..notes).step_by(usize::try_from(BATCH).unwrap()) {
            place(&store, &tables, first..(first + BATCH).min(notes), notes.div_ceil(NOTES)).await;
        }
        store.close().unwrap();
    });
}

async fn place(store: &Embedded, tables: &[(TableId, Arc<Shape>)], notes: std::ops::Range<u64>, authors: u64) {
    let mut rows = Vec::new();
    for number in notes {
        for (table, shape) in tables {
            let values = |names: &mut dyn Iterator<Item = &str>| -> Vec<Value<'static>> {
                names.map(|name| value(name, number, authors)).collect()
            };
            let columns = values(&mut shape.table().groups[0].columns.iter().map(|column| column.name.as_str()));
            rows.push((*table, values(&mut shape.table().key_names()), columns, (FIRST_MS + number) * 1_000));
        }
    }
    let images: Vec<[GroupImage<'_>; 1]> =
        rows.iter().map(|(_, _, values, version)| [GroupImage { group: 0, version: *version, values }]).collect();
    let placements = rows.iter().zip(&images).map(|((table, key, ..), groups)| Placement {
        table: *table,
        key,
        placing: Placing::Put { groups, expires_at: None },
    });
    let placements: Vec<Placement<'_>> = placements.collect();
    let now = Millis(FIRST_MS.cast_signed());
    // It is busy where rows come faster than it merges them.
    while store.place(&placements, true, now).await.is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn child(what: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(what).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// How long a new process takes until it has answered a get; it is stopped cleanly.
fn start(folder: &Path, notes: u64) -> Duration {
    let began = Instant::now();
    let mut child = child("--serve", folder);
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let address = address.trim();
    let id = to_text(&Value::Uuid(note(notes / 3)), &Kind::Uuid7).unwrap().to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /v1/get_note?note_id={id} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let took = began.elapsed();
    std::thread::sleep(IDLE);
    println!("  {:.1} ms; {:.1} MB resident when idle", took.as_secs_f64() * 1e3, resident_mb(child.id(), "VmRSS"));
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    took
}

/// Serves until its standard input is closed.
fn serve(folder: &Path) {
    let halt = Halt::default();
    let told = halt.clone();
    std::thread::spawn(move || {
        std::io::stdin().lock().lines().for_each(drop);
        told.now();
    });
    let wanted = Up {
        catalog: &catalog(),
        layout: None,
        data: Data::folder(folder),
        listen: "127.0.0.1:0".parse().unwrap(),
        keys: &folder.join("keys"),
        log: Logging { write: |_| {}, for_people: false, calls: false },
        halt,
        make: &|_| true,
    };
    let ready = |address: &str| {
        let mut out = std::io::stdout();
        writeln!(out, "{address}").unwrap();
        out.flush().unwrap();
    };
    up(&wanted, &mut |said| ready(said.address.trim_start_matches("http://"))).unwrap();
}

fn verify_all(folder: &Path) {
    let began = Instant::now();
    let report = verify(&catalog(), None, folder, &Verifying::default(), &mut |_| {}).unwrap();
    assert_eq!(report.differences(), 0);
    println!(
        "verified {} rows in {:.1} s, with at most {:.1} MB resident",
        report.rows(),
        began.elapsed().as_secs_f64(),
        resident_mb(std::process::id(), "VmHWM")
    );
}

fn resident_mb(process: u32, which: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(which)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1_024.0
}
