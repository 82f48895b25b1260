//! Whatever the bytes are, reading ends, and what it answers can be pointed at.

#![allow(clippy::unwrap_used, reason = "a test that can't go on says so")]

use keyloom_code::{Language, Linked, Unit, Unread, link, may_hold_statements, read};
use proptest::prelude::*;

/// A program in each language, with all that the reader knows. The fuzzer starts from them, too.
const PROGRAMS: [(Language, &str); 13] = [
    (Language::Go, include_str!("../../../fuzz/corpus/code/program.go")),
    (Language::Java, include_str!("../../../fuzz/corpus/code/program.java")),
    (Language::Kotlin, include_str!("../../../fuzz/corpus/code/program.kt")),
    (Language::Scala, include_str!("../../../fuzz/corpus/code/program.scala")),
    (Language::Python, include_str!("../../../fuzz/corpus/code/program.py")),
    (Language::TypeScript, include_str!("../../../fuzz/corpus/code/program.ts")),
    (Language::Tsx, include_str!("../../../fuzz/corpus/code/program.tsx")),
    (Language::JavaScript, include_str!("../../../fuzz/corpus/code/program.js")),
    (Language::Rust, include_str!("../../../fuzz/corpus/code/program.rs")),
    (Language::CSharp, include_str!("../../../fuzz/corpus/code/program.cs")),
    (Language::Haskell, include_str!("../../../fuzz/corpus/code/program.hs")),
    (Language::Ruby, include_str!("../../../fuzz/corpus/code/program.rb")),
    (Language::Php, include_str!("../../../fuzz/corpus/code/program.php")),
];

/// Reads, links, and holds what is true of every answer.
fn holds(language: Language, text: &str) {
    may_hold_statements(language, text.as_bytes());
    let unit = || read(language, "a/b", text);
    let units = [unit()];
    assert_eq!(units[0], unit(), "the same text gives the same unit");
    let linked = link(&units);
    assert_eq!(linked, link(&units), "the same units give the same answer");
    can_be_shown(&units, &linked, text);
}

fn can_be_shown(units: &[Unit], linked: &Linked, text: &str) {
    let at = |range: &std::ops::Range<u32>| text.get(range.start as usize..range.end as usize);
    for snippet in &linked.snippets {
        assert!(at(&snippet.at).is_some(), "{:?} is no part of the text", snippet.at);
        let mut end = 0;
        for piece in &snippet.pieces {
            let shown = &snippet.text[piece.text.start as usize..piece.text.end as usize];
            let code = at(&piece.at).unwrap_or_else(|| panic!("{piece:?} is no part of the text"));
            assert!(!piece.verbatim || shown == code, "{shown:?} is not {code:?}");
            assert!(piece.text.start >= end, "pieces are in order");
            end = piece.text.end;
        }
        for hole in &snippet.holes {
            let shown = &snippet.text[hole.text.start as usize..hole.text.end as usize];
            assert_eq!(shown.trim_matches(keyloom_cql::HOLE), hole.name);
        }
        for site in &snippet.sites {
            assert!(at(&site.at).is_some());
        }
    }
    for remark in units[0].remarks() {
        assert!(at(&remark.at).is_some() && remark.covers.as_ref().is_none_or(|covers| at(covers).is_some()));
    }
    units[0].drivers();
}

#[test]
fn every_program_is_read() {
    for (language, program) in PROGRAMS {
        holds(language, program);
        let linked = link(&[read(language, "a", program)]);
        assert!(!linked.snippets.is_empty(), "{language:?}");
        assert!(may_hold_statements(language, program.as_bytes()), "{language:?}");
    }
}

#[test]
fn truncated_programs_are_read() {
    for (language, program) in PROGRAMS {
        for end in (0..program.len()).filter(|end| program.is_char_boundary(*end)) {
            holds(language, &program[..end]);
        }
    }
}

#[test]
fn a_program_is_read_as_each_language() {
    for (_, program) in PROGRAMS {
        for language in Language::ALL {
            holds(language, program);
        }
    }
}

#[test]
fn deep_nesting_ends() {
    for language in Language::ALL {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("if (a) {", "}"),
            ("a ? b : ", ""),
            ("!", ""),
            ("a.b().", "c()"),
        ] {
            let text = format!("x = {}{}", open.repeat(3_000), close.repeat(3_000));
            holds(language, &text);
        }
    }
    let deep = format!("class A {{ String q = {}\"SELECT a FROM t\"{}; }}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(read(Language::Java, "A.java", &deep).unread(), Some(Unread::TooDeep));
}

#[test]
fn long_chains_are_followed() {
    let sum = "\"a\" + ".repeat(20_000);
    let text = format!("class A {{ String q = \"SELECT a FROM t WHERE b = '\" + {sum}\"'\"; }}");
    let linked = link(&[read(Language::Java, "A.java", &text)]);
    assert_eq!(linked.snippets[0].text.len(), "SELECT a FROM t WHERE b = ''".len() + 20_000);
    // Doubling is not followed for ever.
    let mut text = "class A { static String X0 = \"SELECT a FROM t WHERE b = 'x'\";\n".to_owned();
    for n in 1..60 {
        text.push_str(&format!("static String X{n} = X{m} + X{m};\n", m = n - 1));
    }
    holds(Language::Java, &(text + "}"));
    // Neither are branches.
    let branches: String = (0..500).map(|n| format!("if (x{n}) {{ q = q + \"a{n}\"; }}\n")).collect();
    holds(
        Language::Java,
        &format!("class A {{ void f() {{ String q = \"SELECT a FROM t\";\n{branches}s.execute(q); }} }}"),
    );
    let chain: String = (0..1_000).map(|n| format!("else if (x{n}) {{ q = \"SELECT a{n} FROM t\"; }}\n")).collect();
    holds(Language::Java, &format!("class A {{ void f() {{ String q = \"\"; if (y) {{ }} {chain} s.execute(q); }} }}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage_is_read(text in "\\PC{0,200}", which in 0..13usize) {
        holds(Language::ALL[which], &text);
    }

    #[test]
    fn broken_programs_are_read(which in 0..13usize, cut in any::<prop::sample::Index>(), length in 0..40usize, more in "[\\PC\n]{0,12}") {
        let (language, program) = PROGRAMS[which];
        let boundaries: Vec<usize> = program.char_indices().map(|(at, _)| at).collect();
        let start = boundaries[cut.index(boundaries.len())];
        let end = boundaries.iter().copied().find(|at| *at >= start + length).unwrap_or(program.len());
        holds(language, &format!("{}{more}{}", &program[..start], &program[end..]));
    }
}
