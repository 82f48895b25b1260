//! What a survey costs, and how that grows: `cargo bench -p keyloom-survey`.
//!
//! Repositories of 5,000 and 50,000 statements in files of CQL: a chain of migrations that makes tables and adds columns, and
//! lists of statements on them. Reading, running the schema and asking the resolver are one number; a plain program instead of
//! a benchmark library, since a table is what is wanted.
//!
//! A statement among 50,000 takes longer than one among 5,000, though no more is done for it. Cachegrind counts (one more
//! survey in the same process, `--cache-sim=yes --LL=33554432,16,64`) 49,400 and 50,500 instructions for each statement, but
//! 24 and 166 misses of the last cache: at its peak a survey holds 4.3 KB for each statement, tree and resolution, so 5,000
//! of them stay in a cache of 32 MB and 50,000 do not.
//!
//! The first table is the peak of resident memory with more and more programs that hold no statements. Of each of them
//! nothing is kept but its name and number, less than half a kilobyte.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads the clock and prints its table")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use keyloom_finding::Sources;
use keyloom_survey::{Request, Survey, Tree, survey};

const SIZES: [usize; 3] = [500, 5_000, 50_000];

/// Statements on each table, of which the first two make it.
const PER_TABLE: usize = 10;

/// Tables in each file.
const PER_FILE: usize = 20;

struct Repository(BTreeMap<String, String>);

impl Tree for Repository {
    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn open(&self, name: &str) -> Result<String, String> {
        self.0.get(name).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

fn main() {
    memory();
    println!();
    println!("statements        bytes        files       survey      MB/s   ns each");
    let mut before: Option<f64> = None;
    for statements in SIZES {
        let repository = repository(statements);
        let bytes: usize = repository.0.values().map(String::len).sum();
        let surveys = surveyed(&repository);
        assert_eq!(surveys.len(), 1, "one schema");
        let read = surveys[0].steps.len() + surveys[0].uses.len();
        assert_eq!((read, surveys[0].faults.len()), (statements, 0), "all of it was read");
        let time = fastest(|| drop(surveyed(&repository)));
        let each = time.as_nanos() as f64 / statements as f64;
        let slope = before.map_or(String::new(), |before| format!("   {:.2}x of the size before", each / before));
        println!(
            "{statements:>10} {bytes:>12} {:>12} {time:>12.2?} {:>9.1} {each:>9.0}{slope}",
            repository.0.len(),
            bytes as f64 / 1e6 / time.as_secs_f64()
        );
        before = Some(each);
    }
}

/// Comes first: a peak never sinks again.
fn memory() {
    println!("programs without statements        bytes   peak resident MB");
    for files in [100, 1_000, 10_000] {
        let programs = Programs(files);
        assert!(survey(&programs, &Request::default(), &mut Sources::default()).is_empty(), "nothing is said");
        let peak = peak_resident().map_or("not known here".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
        println!("{files:>27} {:>12} {peak:>18}", files * programs.text().len());
    }
}

/// Programs that hold no statements, each made when it is opened.
struct Programs(usize);

impl Programs {
    fn text(&self) -> String {
        "class Idle {\n    int sum(int a, int b) { return a + b; }\n}\n".repeat(100)
    }
}

impl Tree for Programs {
    fn names(&self) -> Vec<String> {
        (0..self.0).map(|at| format!("src/Idle{at:05}.java")).collect()
    }

    fn open(&self, _: &str) -> Result<String, String> {
        Ok(self.text())
    }
}

/// The most bytes that this process ever had in memory, where the system tells.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn surveyed(repository: &Repository) -> Vec<Survey> {
    survey(repository, &Request::default(), &mut Sources::default())
}

/// The fastest of several runs: what else the machine does only ever adds.
fn fastest(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let start = Instant::now();
    for run in 0.. {
        let began = Instant::now();
        black_box(&mut work)();
        best = best.min(began.elapsed());
        if run >= 4 && start.elapsed() > Duration::from_secs(1) {
            break;
        }
    }
    best
}

fn repository(statements: usize) -> Repository {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for table in 0..statements / PER_TABLE {
        let file = table / PER_FILE;
        let schema = files.entry(format!("migrations/{file:05}_tables.cql")).or_default();
        let _ = write!(
            schema,
            "CREATE TABLE shop.events_{table} (\n  owner uuid,\n  day date,\n  at timeuuid,\n  kind text,\n  amount \
             decimal,\n  labels set<text>,\n  PRIMARY KEY ((owner, day), at)\n) WITH CLUSTERING ORDER BY (at DESC) AND \
             gc_grace_seconds = 86400;\nALTER TABLE shop.events_{table} ADD note text;\n"
        );
        let queries = files.entry(format!("queries/{file:05}.cql")).or_default();
        for number in 0..PER_TABLE - 2 {
            let _ = match number % 4 {
                0 => writeln!(
                    queries,
                    "SELECT at, kind, amount FROM shop.events_{table} WHERE owner = ? AND day = ? AND at > ? LIMIT 50;"
                ),
                1 => writeln!(
                    queries,
                    "INSERT INTO shop.events_{table} (owner, day, at, kind, amount) VALUES (?, ?, now(), 'paid', 12.5) \
                     USING TTL 86400;"
                ),
                2 => writeln!(
                    queries,
                    "UPDATE shop.events_{table} SET labels = labels + {{'late'}} WHERE owner = ? AND day = ? AND at = ?;"
                ),
                _ => writeln!(queries, "DELETE FROM shop.events_{table} WHERE owner = ? AND day = ?;"),
            };
        }
    }
    Repository(files)
}
