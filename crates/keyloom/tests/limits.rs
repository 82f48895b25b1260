//! Inputs that are deeper, longer or more than anybody writes: each is answered, on a small stack, in little time, with
//! few findings.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "what hangs is seen by the clock, and what panics stops the test"
)]

use std::time::{Duration, Instant};

use keyloom::check::{Config, review};
use keyloom::finding::render::{Format, Report, Style, render};
use keyloom::finding::{Finding, Sources};
use keyloom::model::Date;
use keyloom::text::{Files, Unreadable, format, read};

/// Deeper than anything, and as many as anything.
const MANY: usize = 100_000;

/// A thread's usual stack has eight times as much. Without optimisation, a frame has about four times the size.
const STACK_BYTES: usize = if cfg!(debug_assertions) { 4 << 20 } else { 1 << 20 };

/// A time that grows with the square of these inputs is minutes or hours.
const TIME_MAX: Duration = Duration::from_secs(if cfg!(debug_assertions) { 300 } else { 60 });

const HEAD: &str = "language: 1\ncatalog: limits\n";
const NOTE: &str = "entities:\n  Note:\n    key: [note_id]\n    fields: { note_id: uuid = new, size: int }\n";

struct One(String);

impl Files for One {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        if name == "catalog.yaml" { Ok(self.0.clone()) } else { Ok("entities: {}\n".to_owned()) }
    }
}

/// Reads, reviews, shows and prints a catalog. The answer is how many findings there are, and the first message.
#[track_caller]
fn answer(text: String) -> (usize, String) {
    let work = move || {
        let mut sources = Sources::default();
        let start = Instant::now();
        let reading = read("catalog.yaml", &One(text), &mut sources);
        let today = Date { year: 2026, month: 11, day: 15 };
        let findings: Vec<Finding> = review(&[reading], &sources, &Config::default(), today);
        let report =
            Report { findings: &findings, sources: &sources, rules: &[], version: "0", today: None, survey: None };
        for form in Format::ALL {
            drop(render(&report, form, Style { color: false, width: 100 }));
        }
        if let Some((file, _)) = sources.files().next() {
            drop(format(&sources, file));
        }
        let took = start.elapsed();
        assert!(took < TIME_MAX, "it took {took:?}");
        let errors = findings.iter().filter(|finding| finding.level == keyloom::finding::Level::Error);
        (findings.len(), errors.map(|finding| finding.message.clone()).next().unwrap_or_default())
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap();
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A catalog with this as the condition of a list.
fn condition(text: &str) -> String {
    format!(
        "{HEAD}{NOTE}patterns:\n  p:\n    list: Note\n    by: all\n    order: size asc\n    page: 5\n    where: \"{text}\"\n"
    )
}

/// A catalog with this as a field.
fn field(text: &str) -> String {
    format!("{HEAD}entities:\n  Note:\n    key: [a]\n    fields:\n      a: uuid = new\n      b: \"{text}\"\n")
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn deep_yaml_is_refused_once() {
    let deep_maps = numbered(5_000, |depth| format!("{}a:\n", " ".repeat(depth)));
    for text in ["[".repeat(MANY), "{".repeat(MANY), "{a: ".repeat(MANY), "- ".repeat(MANY), deep_maps] {
        let (findings, message) = answer(text);
        assert_eq!((findings, message.contains("nested too deep")), (1, true), "{message}");
    }
    // A list or mapping as a key is a finding on each level, until the levels end.
    assert!(answer("? ".repeat(MANY)).0 <= 65);
}

#[test]
fn deep_expressions_are_refused_once() {
    for text in ["(", "lower("] {
        let (findings, message) = answer(condition(&text.repeat(MANY)));
        assert!(findings <= 4 && message.contains("levels deep"), "{findings} {message}");
    }
    let minuses = format!("size = {}1", "-".repeat(MANY));
    let sums = format!("size = {}1", "size + ".repeat(MANY));
    let steps = format!("{}size = 1", "size.".repeat(MANY));
    for text in [minuses, sums, steps, "not ".repeat(MANY)] {
        assert!(answer(condition(&text)).0 <= 8);
    }
}

#[test]
fn long_expressions_are_read() {
    let ands = "size = 1 and ".repeat(MANY);
    let ors = "size = 1 or ".repeat(MANY);
    let inputs = numbered(MANY, |at| format!("size = $x{at} and "));
    for text in [ands, ors, inputs] {
        assert!(answer(condition(&format!("{text}size = 1"))).0 <= 8);
    }
    assert!(answer(condition(&format!("size in ({}1)", "1, ".repeat(MANY)))).0 <= 8);
}

#[test]
fn deep_and_long_types() {
    for text in ["list of ", "oneof(", "map of int to "] {
        assert!(answer(field(&text.repeat(MANY))).0 <= 4);
    }
    assert!(answer(field(&format!("oneof({}int)", "int | ".repeat(MANY)))).0 <= 4);
    assert!(answer(field(&format!("enum({}Z)", numbered(MANY, |at| format!("A{at} | "))))).0 <= 4);
    assert!(answer(field(&format!("text({})", "9".repeat(MANY)))).0 <= 4);
    // Each struct holds the next three times: 3 to the power of 40 values, if anybody counted them one by one.
    let structs = numbered(40, |at| format!("  T{at}: {{ a: T{0}, b: T{0}, c: T{0} }}\n", at + 1));
    assert!(answer(format!("{HEAD}types:\n{structs}  T40: {{ a: int }}\n{NOTE}      \n")).0 <= 4);
    let chain = numbered(20_000, |at| format!("  T{at}: {{ a: T{} }}\n", at + 1));
    let (findings, message) = answer(format!("{HEAD}types:\n{chain}"));
    assert!(findings == 2 && message.contains("`T19991` holds structs 9 deep"), "{findings} {message}");
}

#[test]
fn long_lines_and_many_comments() {
    for line in ["x".repeat(10 << 20), format!("\"{}\"", "\\n".repeat(5 << 20)), format!("[{}]", "x, ".repeat(MANY))] {
        assert_eq!(answer(format!("{HEAD}doc: {line}\n")).0, 1);
    }
    assert_eq!(answer(format!("{HEAD}#{}\n", "x".repeat(10 << 20))).0, 0);
    assert_eq!(answer(format!("{HEAD}{}", "# c\n".repeat(MANY))).0, 0);
}

#[test]
fn many_keys_and_many_findings() {
    let unknown = numbered(20_000, |at| format!("k{at}: 1\n"));
    assert_eq!(answer(format!("{HEAD}{unknown}")).0, 20_000);
    let on_one_line = numbered(20_000, |at| format!("k{at}: 1, "));
    assert_eq!(answer(format!("{{ language: 1, catalog: a, {on_one_line} }}")).0, 20_000);
    assert_eq!(answer(format!("{HEAD}{}", "k: 1\n".repeat(20_000))).0, 20_000);
    let fields = numbered(MANY, |at| format!("      f{at}: int\n"));
    assert!(answer(format!("{HEAD}entities:\n  Note:\n    key: [f0]\n    fields:\n{fields}")).0 <= 4);
    let nobody = numbered(20_000, |at| format!("  p{at}: {{ get: Nobody{at}, by: [a] }}\n"));
    assert!(answer(format!("{HEAD}{NOTE}patterns:\n{nobody}")).0 <= 20_004);
}

/// 16 MB is the largest file there is; a million keys fit into it.
#[test]
fn a_million_keys() {
    let members = numbered(1_000_000, |at| format!("    k{at}: int\n"));
    let (findings, message) = answer(format!("{HEAD}types:\n  Wide:\n{members}"));
    assert!(findings == 1 && message.contains("1k are the most"), "{findings} {message}");
}

#[test]
fn pieces_of_cut_values() {
    let pieces = numbered(20_000, |at| format!("b{at}), "));
    assert!(answer(format!("{HEAD}entities: {{ a: f(1, {pieces} }}\n")).0 <= 40_000);
    assert!(answer(format!("{HEAD}{NOTE}    secret: [{}]\n", "f(a, b), ".repeat(20_000))).0 <= 20_004);
}

#[test]
fn ten_thousand_includes_are_refused_after_the_first_thousand() {
    let names = numbered(10_000, |at| format!("  - part{at}.yaml\n"));
    let (findings, message) = answer(format!("{HEAD}include:\n{names}"));
    assert_eq!((findings, message.contains("1000 files")), (1, true), "{message}");
}
