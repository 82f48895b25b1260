//! Small programs in each language, with the statements that they ask.

#![allow(clippy::unwrap_used, reason = "a test that can't go on says so")]

mod builders;
mod files;
mod go;
mod java;
mod kotlin;
mod literals;
mod python;
mod remarks;
mod scala;
mod script;
mod sites;

use keyloom_code::{Language, Linked, Snippet, Unit, link, may_hold_statements, read};
use keyloom_cql::HOLE;

/// What a program asks: one line for each statement, holes as `‹name›`, a text put together at run time behind `~`, a text
/// that is replaced afterwards behind `!`, one with some and not all of its optional parts behind `&`.
fn asks(language: Language, program: &str, expected: &[&str]) {
    assert!(may_hold_statements(language, program.as_bytes()) || expected.is_empty(), "not worth parsing: {program}");
    let units = [read(language, "src/program", program)];
    let linked = linked(&units, &[program]);
    let found: Vec<String> = linked.snippets.iter().map(shown).collect();
    assert_eq!(found, expected, "in\n{program}");
}

/// Links, and holds what is true of every snippet.
fn linked(units: &[Unit], texts: &[&str]) -> Linked {
    let linked = link(units);
    for snippet in &linked.snippets {
        let at = snippet.at.start as usize..snippet.at.end as usize;
        assert!(texts[snippet.unit].get(at).is_some(), "{snippet:?}");
        for piece in &snippet.pieces {
            let text = &snippet.text[piece.text.start as usize..piece.text.end as usize];
            let code = &texts[piece.unit][piece.at.start as usize..piece.at.end as usize];
            assert!(!piece.verbatim || text == code, "{text:?} is not {code:?}");
        }
    }
    linked
}

fn shown(snippet: &Snippet) -> String {
    let marks = [(snippet.dynamic, "~"), (snippet.rewritten, "!"), (snippet.combined && !snippet.dynamic, "&")];
    let mut shown: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    for (index, part) in snippet.text.split(HOLE).enumerate() {
        if index > 0 {
            shown.push(if index % 2 == 1 { '‹' } else { '›' });
        }
        shown.push_str(part);
    }
    shown
}

/// Several files, by name and text; all snippets.
fn together(files: &[(&str, &str)]) -> Vec<Snippet> {
    let units: Vec<Unit> = files.iter().map(|(name, text)| read(Language::of(name).unwrap(), name, text)).collect();
    let texts: Vec<&str> = files.iter().map(|(_, text)| *text).collect();
    linked(&units, &texts).snippets
}
