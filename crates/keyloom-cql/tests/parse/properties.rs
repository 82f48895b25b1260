//! What holds of every text.

use keyloom_cql::Span;
use keyloom_cql::ast::{Statement, StatementKind};
use keyloom_cql::parse::parse;
use keyloom_cql::schema::Schema;
use proptest::prelude::*;

const STATEMENTS: &str = include_str!("statements.cql");
const HOLES: &str = include_str!("holes.cql");

/// A statement of the files, cut, joined or mixed with others.
fn texts() -> impl Strategy<Value = String> {
    let lines: Vec<String> =
        STATEMENTS.lines().chain(HOLES.lines()).map(|line| line.replace('␣', "\u{fffc}")).collect();
    let line = proptest::sample::select(lines);
    let cut = (line.clone(), 0.0..1.0f64, 0.0..1.0f64).prop_map(|(line, from, to)| {
        let letters: Vec<char> = line.chars().collect();
        let at = |share: f64| (letters.len() as f64 * share) as usize;
        letters[at(from).min(at(to))..at(to).max(at(from))].iter().collect::<String>()
    });
    let piece =
        prop_oneof![line, cut, "[ -~\n]{0,20}", "\\PC{0,10}", Just(";\n".to_owned()), Just("\u{fffc}".to_owned())];
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.join(" "))
}

fn inside(text: &str, span: Span) -> bool {
    text.get(span.bytes()).is_some()
}

/// All spans of a debugging form, so that none is forgotten.
fn spans(debug: &str) -> Vec<Span> {
    let number = |text: &str, before: &str| -> u32 {
        let from = &text[text.find(before).unwrap() + before.len()..];
        from[..from.find(|letter: char| !letter.is_ascii_digit()).unwrap()].parse().unwrap()
    };
    let span = |text: &str| Span { start: number(text, "start: "), end: number(text, "end: ") };
    debug.split("Span {").skip(1).map(span).collect()
}

fn same_kind(one: &Statement, other: &Statement) -> bool {
    std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nothing_panics_and_places_lie_in_the_text(text in texts()) {
        let script = parse(&text);
        prop_assert_eq!(&script, &parse(&text));
        for span in spans(&format!("{script:?}")) {
            prop_assert!(inside(&text, span), "{:?} of {:?}", span, text);
        }
        let all: Vec<Span> = script.statements.iter().map(|statement| statement.span).collect();
        prop_assert!(all.is_sorted_by(|one, next| one.end <= next.start), "{:?}", all);
        for fault in &script.faults {
            prop_assert!(!fault.message.is_empty());
        }
        let mut schema = Schema::default();
        let mut keyspace = None;
        for (number, statement) in (0..).zip(&script.statements) {
            if let Err(fault) = schema.apply(statement, number, &mut keyspace) {
                let (at, whole) = (fault.at, statement.span);
                prop_assert!(inside(&text, at) && whole.start <= at.start && at.end <= whole.end, "{:?}", fault);
            }
        }
    }

    #[test]
    fn a_statement_alone_is_read_as_it_was_among_others(text in texts()) {
        for statement in parse(&text).statements {
            let alone = parse(&text[statement.span.bytes()]);
            if matches!(statement.kind, StatementKind::Dynamic(_)) {
                continue;
            }
            prop_assert_eq!(&alone.faults, &[], "{:?}", text);
            prop_assert_eq!(alone.statements.len(), 1);
            prop_assert!(same_kind(&alone.statements[0], &statement));
            prop_assert_eq!(alone.statements[0].span.end, statement.span.end - statement.span.start);
        }
    }
}
