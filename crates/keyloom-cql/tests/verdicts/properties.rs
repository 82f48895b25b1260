//! What holds for any statement, tried on the named cases.

use keyloom_cql::HOLE;
use keyloom_cql::parse::parse;
use keyloom_cql::resolve::{Verdict, resolve};
use keyloom_cql::schema::Schema;

use crate::cases::{CASES, cases_schema};

/// The legal statements among the named cases.
fn legal() -> impl Iterator<Item = &'static str> {
    CASES.lines().filter_map(|line| line.strip_prefix("legal ")).map(str::trim)
}

/// The words, numbers and strings of a statement, by their bytes.
fn pieces(statement: &str) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let bytes = statement.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'\'' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'\'' {
                    at += 1;
                }
                at += 1;
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"_-.".contains(&bytes[at])) {
                    at += 1;
                }
            }
            _ => {
                at += 1;
                continue;
            }
        }
        pieces.push(start..at.min(bytes.len()));
    }
    pieces
}

fn verdict(schema: &Schema, text: &str) -> Option<Verdict> {
    let script = parse(text);
    match script.statements.as_slice() {
        [statement] if script.faults.is_empty() => Some(resolve(schema, statement, Some("ks")).verdict),
        _ => None,
    }
}

#[test]
fn a_hole_in_a_legal_statement_never_makes_it_illegal() {
    let schema = cases_schema();
    let mut wrong = Vec::new();
    let mut count = 0;
    for statement in legal() {
        for piece in pieces(statement) {
            let (before, after) = (&statement[..piece.start], &statement[piece.end..]);
            let text = format!("{before}{HOLE}hole{HOLE}{after}");
            let Some(said) = verdict(&schema, &text) else { continue };
            count += 1;
            if let Verdict::Illegal(fault) | Verdict::NeedsFiltering(fault) = said {
                wrong.push(format!("{}\n    {}", text.replace(HOLE, "␣"), fault.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 2_000, "only {count} statements with holes were read");
}

#[test]
fn no_statement_is_too_strange() {
    let schema = cases_schema();
    let statements: Vec<&str> = CASES.lines().filter_map(|line| line.split_once(' ')).map(|(_, text)| text).collect();
    let mut state: u64 = 7;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % limit.max(1)
    };
    let mut read = 0;
    for _ in 0..10_000 {
        // A piece of one statement in the place of a piece of another, up to three times.
        let mut text = statements[next(statements.len())].to_owned();
        for _ in 0..=next(3) {
            let other = statements[next(statements.len())];
            let small = |text: &str| {
                let lower =
                    |piece: &std::ops::Range<usize>| !text[piece.clone()].bytes().any(|byte| byte.is_ascii_uppercase());
                pieces(text).into_iter().filter(lower).collect::<Vec<_>>()
            };
            let (places, gifts) = (small(&text), small(other));
            if places.is_empty() || gifts.is_empty() {
                continue;
            }
            let gift = &other[gifts[next(gifts.len())].clone()];
            text.replace_range(places[next(places.len())].clone(), gift);
        }
        read += usize::from(verdict(&schema, &text).is_some());
    }
    assert!(read > 3_000, "only {read} were read");
}
