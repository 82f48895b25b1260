//! Many rows: resident memory while they are written, and how long a start takes afterwards.
//!
//! `cargo bench -p keyloom-embedded --bench volume [-- ROWS]` fills a folder in a process of its own, prints its resident
//! memory at every tenth, stops it cleanly and starts again; then writes on, kills it with SIGKILL and starts again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and stops where something is wrong"
)]

mod common;

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Instant,
};

use common::Ours;
use keyloom_embedded::{Embedded, Options, System};

const BATCH: u64 = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "fill") {
        Some(at) => {
            let number = |offset: usize| arguments[at + offset].parse().unwrap();
            fill(Path::new(&arguments[at + 1]), number(2), number(3));
        }
        None => measure(arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000_000)),
    }
}

fn measure(rows: u64) {
    let folder = tempfile::tempdir().unwrap();
    println!("{rows} rows of about 200 B, written {BATCH} together");
    let start = Instant::now();
    let mut child = spawn(folder.path(), 0, rows);
    follow(&mut child, None);
    println!("filled in {:.1} s", start.elapsed().as_secs_f64());
    let stop = Instant::now();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    println!("clean stop: {:.0} ms", stop.elapsed().as_secs_f64() * 1e3);
    for _ in 0..3 {
        println!("start after a clean stop: {:.1} ms", open(folder.path()));
    }
    let mut child = spawn(folder.path(), rows, rows);
    follow(&mut child, Some(3));
    child.kill().unwrap();
    child.wait().unwrap();
    println!("start after kill -9: {:.1} ms", open(folder.path()));
}

/// Shows what the child says, to its end or for so many lines.
fn follow(child: &mut Child, lines: Option<usize>) {
    let output = BufReader::new(child.stdout.take().unwrap());
    for line in output.lines().take(lines.unwrap_or(usize::MAX)) {
        let line = line.unwrap();
        if line == "full" {
            return;
        }
        println!("  {line}");
    }
}

fn spawn(folder: &Path, from: u64, rows: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["fill", folder.to_str().unwrap(), &from.to_string(), &rows.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn open(folder: &Path) -> f64 {
    let start = Instant::now();
    let (store, opened) = Embedded::open(folder, Options::default(), Arc::new(System)).unwrap();
    let took = start.elapsed().as_secs_f64() * 1e3;
    if let Some(crashed) = opened.crashed {
        println!("  {crashed:?}");
    }
    store.close().unwrap();
    took
}

/// Writes rows, says how much memory that took, and stops cleanly when the standard input is closed.
fn fill(folder: &Path, from: u64, rows: u64) {
    let side = Ours::open(folder);
    let tenth = rows / 10;
    let mut output = std::io::stdout();
    for number in 0..rows / BATCH {
        // Keys come in no order, as they do when many partitions are written.
        let partition = (from / BATCH + number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
        side.place(partition, 0, BATCH);
        let written = (number + 1) * BATCH;
        if written % tenth < BATCH {
            writeln!(output, "{written} rows, {} MB resident", resident_bytes() >> 20).unwrap();
            output.flush().unwrap();
        }
    }
    writeln!(output, "full").unwrap();
    output.flush().unwrap();
    std::io::stdin().lock().lines().for_each(drop);
    side.close();
}

fn resident_bytes() -> u64 {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
