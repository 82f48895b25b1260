//! What statements cost, and how that grows: `cargo bench -p keyloom-cql`.
//!
//! Scripts of 500, 5,000 and 50,000 statements, one in ten of which builds the schema, are read, applied and resolved. Beside
//! the times stands a floor of the same run: a plain scan that looks at every byte once. A plain program instead of a
//! benchmark library: the table is what is wanted, and nothing has to be built for it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads the clock and prints its table")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use keyloom_cql::parse::{Script, parse};
use keyloom_cql::resolve::resolve;
use keyloom_cql::schema::Schema;

const SIZES: [usize; 3] = [500, 5_000, 50_000];

fn main() {
    println!("statements        bytes         scan        parse        apply      resolve        total");
    let mut slopes = Vec::new();
    for statements in SIZES {
        let text = script(statements);
        let scan = fastest(|| {
            black_box(scanned(text.as_bytes()));
        });
        let parsing = fastest(|| drop(parse(&text)));
        let script = parse(&text);
        assert_eq!((script.statements.len(), script.faults.first()), (statements, None), "the script is CQL");
        let applying = fastest(|| drop(applied(&script)));
        let schema = applied(&script);
        let resolving = fastest(|| {
            for statement in &script.statements {
                black_box(resolve(&schema, statement, Some("shop")));
            }
        });
        let total = parsing + applying + resolving;
        println!(
            "{statements:>10} {:>12} {scan:>12.2?} {parsing:>12.2?} {applying:>12.2?} {resolving:>12.2?} {total:>12.2?}",
            text.len()
        );
        let floor = parsing.as_secs_f64() / scan.as_secs_f64();
        let megabytes = text.len() as f64 / parsing.as_secs_f64() / 1e6;
        slopes.push((statements, total.as_nanos() as f64 / statements as f64, floor, megabytes));
    }
    println!();
    let mut before = None;
    for (statements, each, floor, megabytes) in slopes {
        let slope = before.map_or(String::new(), |before| format!(", {:.2}x of the size before", each / before));
        println!(
            "{statements:>10} statements: {each:.0} ns each, parsed at {megabytes:.0} MB/s, {floor:.1}x the scan alone{slope}"
        );
        before = Some(each);
    }
}

/// Looks at every byte: how many words there are. No lexer can do less.
fn scanned(bytes: &[u8]) -> usize {
    let mut words = 0;
    let mut within = false;
    for byte in bytes {
        let letter = byte.is_ascii_alphanumeric() || *byte == b'_';
        words += usize::from(letter && !within);
        within = letter;
    }
    words
}

fn applied(script: &Script) -> Schema {
    let mut schema = Schema::default();
    let mut keyspace = Some("shop".to_owned());
    for (number, statement) in (0..).zip(&script.statements) {
        let applied = schema.apply(statement, number, &mut keyspace);
        assert!(applied.is_ok(), "{applied:?}");
    }
    schema
}

/// The fastest of several runs: what else the machine does only ever adds.
fn fastest(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    let start = Instant::now();
    for run in 0.. {
        let began = Instant::now();
        black_box(&mut work)();
        best = best.min(began.elapsed());
        if run >= 4 && start.elapsed() > Duration::from_millis(500) {
            break;
        }
    }
    best
}

/// A table with an index, and the statements that a service has for it; over and over.
fn script(statements: usize) -> String {
    let mut text = String::new();
    for number in 0..statements {
        let table = number / 20;
        let line = match number % 20 {
            0 => format!(
                "CREATE TABLE orders_{table} (customer uuid, day date, id timeuuid, state text, total decimal, lines list<text>,
                 note text static, PRIMARY KEY ((customer, day), id)) WITH CLUSTERING ORDER BY (id DESC)
                 AND compaction = {{'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': 1}}"
            ),
            1 => format!("CREATE INDEX ON orders_{table} (state)"),
            number if number % 4 == 0 => format!(
                "SELECT id, state, total FROM orders_{table} WHERE customer = ? AND day = ? AND id > ? ORDER BY id DESC LIMIT 50"
            ),
            number if number % 4 == 1 => format!(
                "INSERT INTO orders_{table} (customer, day, id, state, total, lines) VALUES (?, ?, now(), 'new', 12.50, ['a', 'b'])
                 IF NOT EXISTS"
            ),
            number if number % 4 == 2 => format!(
                "UPDATE orders_{table} USING TTL 86400 SET state = :state, lines = lines + ['c'] WHERE customer = ? AND day = ?
                 AND id = 8a7b2c1d-0000-1000-8000-00805f9b34fb IF state = 'new' /* a comment */"
            ),
            _ => format!("DELETE note FROM orders_{table} WHERE customer = ? AND day IN (?, '2026-01-01', '2026-01-02')"),
        };
        writeln!(text, "{line};").expect("a string takes everything");
    }
    text
}
