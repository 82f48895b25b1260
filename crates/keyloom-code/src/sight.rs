//! What a statement looks like from afar, by the bytes of a program: whether a file, or a function, is worth parsing.

use std::ops::Range;

use crate::Language;

/// Words with which a statement begins.
const VERBS: [&str; 10] =
    ["select", "insert", "update", "delete", "create", "alter", "drop", "truncate", "begin", "use"];

/// Whether the bytes could hold a statement or a call of a builder. A file that does not is not worth parsing.
pub fn may_hold_statements(language: Language, text: &[u8]) -> bool {
    let is_candidate = quoted_verbs(language, text).next().is_some() || names_builder(language, text);
    is_candidate && !is_bundle(language, text)
}

/// Whether a script was packed by a tool from sources that lie elsewhere: nobody writes lines that are as long as a book.
fn is_bundle(language: Language, text: &[u8]) -> bool {
    const LINE_MAX: usize = 100_000;
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let mut rest = text;
    while is_script && rest.len() > LINE_MAX {
        match memchr::memrchr(b'\n', &rest[..LINE_MAX]) {
            Some(end) => rest = &rest[end + 1..],
            None => return true,
        }
    }
    false
}

/// Where a text or a constant is returned.
fn text_answers(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let is_text = |answer: &[u8]| match answer {
        [b'"', b'"', ..] | [b'\'', b'\'', ..] => false,
        [b'"' | b'\'' | b'`', ..] | [_, b'"' | b'\'', ..] => true,
        [first, second, ..] => first.is_ascii_uppercase() && second.is_ascii_uppercase(),
        _ => false,
    };
    memchr::memmem::find_iter(text, "return ").filter(move |at| is_text(&text[at + 7..]))
}

/// Whether a query builder may be used.
pub(crate) fn names_builder(language: Language, text: &[u8]) -> bool {
    builder_names(language).iter().any(|name| contains(text, name.as_bytes()))
}

/// Where a text shows signs of statements: that one stands there, is sent, bound, or taken apart, that a function answers a
/// text, which may be a part of one, or that somebody speaks to Keyloom. A function without any of them is idle.
pub(crate) struct Signs {
    /// Bytes at which signs start, in order.
    at: Vec<usize>,
    /// The variables that are declared as rows.
    rows: Vec<String>,
}

/// The variables that are declared with the type `Row`: `Row found`, `found: Row`. Of very many some are enough.
fn rows(text: &[u8]) -> Vec<String> {
    const ROWS_MAX: usize = 16;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut names: Vec<String> = Vec::new();
    for at in memchr::memmem::find_iter(text, "Row") {
        let (before, behind) = (&text[..at], &text[at + 3..]);
        let is_word = !before.last().is_some_and(is_part) && !behind.first().is_some_and(is_part);
        let before_colon = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
        let name = match (behind.strip_prefix(b" "), before_colon) {
            (_, Some(before)) => {
                let length = before.iter().rev().take_while(|byte| is_part(byte)).count();
                &before[before.len() - length..]
            }
            (Some(behind), None) => &behind[..behind.iter().take_while(|byte| is_part(byte)).count()],
            (None, None) => &[],
        };
        let is_name = name.first().is_some_and(|first| !first.is_ascii_digit());
        let Some(name) = str::from_utf8(name).ok().filter(|_| is_word && is_name) else { continue };
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        if names.len() == ROWS_MAX {
            break;
        }
    }
    names
}

impl Signs {
    pub fn of(language: Language, text: &[u8]) -> Self {
        // Parts of `query` and `queries`, `exec`, `execute`, `prepare`, `statement`, `stmt`, in small and capital letters.
        const WORDS: [&str; 15] = [
            "uer", "xec(", "xecute", "repare", "tatement", "tmt", "bind", "Bind", "batch", "Batch", "Buf", "row.",
            "Row.", "ecord.", "keyloom:",
        ];
        let words = WORDS.iter().flat_map(|word| memchr::memmem::find_iter(text, word));
        let rows = rows(text);
        let of_row = rows.iter().map(|name| format!("{name}."));
        let of_rows = of_row.flat_map(|word| memchr::memmem::find_iter(text, &word).collect::<Vec<_>>());
        let mut at: Vec<usize> =
            words.chain(of_rows).chain(text_answers(text)).chain(quoted_verbs(language, text)).collect();
        at.sort_unstable();
        Self { at, rows }
    }

    /// Whether a variable is a row, by its type or by its name.
    pub fn is_row(&self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        lower.contains("row") || lower.ends_with("record") || self.rows.iter().any(|row| row == name)
    }

    /// Whether one starts in a range of bytes.
    pub fn any_in(&self, range: &Range<usize>) -> bool {
        let next = self.at.partition_point(|at| *at < range.start);
        self.at.get(next).is_some_and(|at| *at < range.end)
    }
}

fn builder_names(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java | Language::Kotlin | Language::Scala => {
            &["QueryBuilder", "SchemaBuilder", "selectFrom(", "insertInto(", "deleteFrom("]
        }
        Language::Go => &["table.New(", "gocqlx"],
        _ => &[],
    }
}

/// Where a verb stands right behind a quote, or behind blanks, margins and comments that follow one.
fn quoted_verbs(language: Language, text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let quotes = memchr::memchr3_iter(b'"', b'\'', b'`', text);
    // Quasi quotes, and here-documents, which begin behind a line's end.
    let other = match language {
        Language::Haskell => Some(b'|'),
        Language::Ruby | Language::Php if contains(text, b"<<") => Some(b'\n'),
        _ => None,
    };
    let others = other.into_iter().flat_map(move |sign| memchr::memchr_iter(sign, text));
    quotes.chain(others).filter(move |at| verb_follows(&text[at + 1..]) && !is_sentence(text[*at], &text[at + 1..]))
}

/// Whether the text behind a quote is a sentence of a few words, to its end: `"update the settings"`. In doubt it is not.
fn is_sentence(quote: u8, text: &[u8]) -> bool {
    const PARTNERS: [&str; 18] = [
        "from",
        "into",
        "set",
        "table",
        "columnfamily",
        "keyspace",
        "schema",
        "index",
        "type",
        "batch",
        "materialized",
        "view",
        "function",
        "aggregate",
        "role",
        "user",
        "trigger",
        "custom",
    ];
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" .-!?:".contains(byte);
    let length = text.iter().take(200).take_while(|byte| is_plain(byte)).count();
    // What goes on behind its end, in whatever way, is no sentence.
    let ends = text.get(length) == Some(&quote) && text[..length].last().is_some_and(|byte| *byte != b' ');
    let next = text[length..].iter().skip(1).find(|byte| !byte.is_ascii_whitespace());
    let words = || text[..length].split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_partner = |word: &[u8]| PARTNERS.iter().any(|partner| word.eq_ignore_ascii_case(partner.as_bytes()));
    // `use orders` and `truncate table orders` are whole.
    let is_whole = |verb: &[u8]| ["use", "truncate"].iter().any(|whole| verb.eq_ignore_ascii_case(whole.as_bytes()));
    let is_short = || words().next().is_some_and(is_whole) && words().count() < 4;
    ends && next.is_none_or(|byte| b",;:)]}".contains(byte)) && !words().any(is_partner) && !is_short()
}

fn verb_follows(text: &[u8]) -> bool {
    let mut next = 0;
    // A comment before a statement is short; a quote before a long one is no statement's.
    while next < text.len().min(2_000) {
        match text[next] {
            byte if byte.is_ascii_whitespace() || matches!(byte, b'|' | b'(') => next += 1,
            b'"' if next < 2 => next += 1,
            b'\'' if next < 2 => next += 1,
            b'\\' if matches!(text.get(next + 1), Some(b'n' | b't' | b'r' | b'\n')) => next += 2,
            b'-' if text.get(next + 1) == Some(&b'-') => next = line_end(text, next),
            b'/' if text.get(next + 1) == Some(&b'*') => next = comment_end(text, next),
            _ => break,
        }
    }
    text.get(next..).is_some_and(starts_with_verb)
}

fn line_end(text: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |length| from + length)
}

fn comment_end(text: &[u8], from: usize) -> usize {
    memchr::memmem::find(&text[from..], b"*/").map_or(text.len(), |length| from + length + 2)
}

fn starts_with_verb(text: &[u8]) -> bool {
    let word = text.iter().take(9).take_while(|byte| byte.is_ascii_alphabetic()).count();
    if !(3..=8).contains(&word) || !text.get(word).is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'\\') {
        return text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"select"))
            && text.get(6).is_some_and(|&byte| matches!(byte, b'*' | b'"' | b'\''));
    }
    VERBS.iter().any(|verb| text[..word].eq_ignore_ascii_case(verb.as_bytes())) && !is_directive(text)
}

/// `"use strict"` and its kin, with which every other script begins.
pub(crate) fn is_directive(text: &[u8]) -> bool {
    ["use strict", "use client", "use server", "use asm"].iter().any(|words| text.starts_with(words.as_bytes()))
}

fn contains(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

/// Whether a text may be the beginning of a statement: its verb is there, the rest may be added later.
pub(crate) fn begins_statement(text: &str) -> bool {
    starts_with_verb(skip_blanks(text).as_bytes())
}

/// The text behind blanks and comments.
pub(crate) fn skip_blanks(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
        let skipped = if rest.starts_with("--") || rest.starts_with("//") {
            rest.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            return rest;
        };
        rest = skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_no_candidates_and_whatever_may_go_on_is() {
        let may = |text: &str| may_hold_statements(Language::Go, text.as_bytes());
        for sentence in ["f(\"update the settings\")", "{\"delete workflow: failed\"}", "x(\"create a new order\", y)"]
        {
            assert!(!may(sentence), "{sentence}");
        }
        for statement in [
            "f(\"SELECT a FROM b\")",
            "f(\"delete from b\")",
            "f(\"select name \" + rest)",
            "f(\"select name\" + rest)",
            "f(\"use orders\")",
            "f(\"truncate table orders\")",
            "f(`update orders\nset a = 1`)",
            "f(\"create table a\")",
            "f(\"select a, b\", \"from c\")",
        ] {
            assert!(may(statement), "{statement}");
        }
    }

    #[test]
    fn scripts_that_a_tool_packed_are_left_alone() {
        let packed = format!("f('SELECT a FROM b');{}", "a();".repeat(30_000));
        assert!(!may_hold_statements(Language::JavaScript, packed.as_bytes()));
        let written = packed.replace(';', ";\n");
        assert!(may_hold_statements(Language::JavaScript, written.as_bytes()));
    }
}
