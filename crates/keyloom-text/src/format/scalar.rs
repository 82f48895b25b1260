//! How a text is written: plain where YAML reads that back as the same text, else in quotes, or as a block.
//!
//! The quotes are double, as most people write them; single ones only where they save escapes: the text holds `"` or
//! `\`, and nothing that single quotes can't say.

use std::fmt::Write;

use keyloom_finding::Sources;

use super::Value;
use crate::yaml::{self, Scalar};

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Within braces or brackets.
    Flow,
    /// Anywhere else.
    Block,
}

/// A text on one line.
pub(super) fn on_one_line(scalar: &Scalar, context: Context) -> String {
    let text = &scalar.text;
    // A merge key in quotes is text; without them it is not.
    let merge_key = text == "<<" && !scalar.plain;
    if is_plain(text, context) && !merge_key {
        text.clone()
    } else if text.contains(['"', '\\']) && !text.contains('\'') && text.chars().all(|c| c == ' ' || is_graphic(c)) {
        format!("'{text}'")
    } else {
        double_quoted(text)
    }
}

/// A value outside of braces: a text with line breaks is a block.
pub(super) fn in_block<'a>(scalar: &Scalar, folded: Option<&[&str]>, is_root: bool) -> Value<'a> {
    if let Some(value) = folded.and_then(|lines| as_folded(&scalar.text, lines)) {
        return value;
    }
    as_literal(&scalar.text, is_root).unwrap_or_else(|| Value::Inline(on_one_line(scalar, Context::Block)))
}

/// Whether YAML reads the text back as it is, without quotes.
fn is_plain(text: &str, context: Context) -> bool {
    let mut chars = text.chars();
    let (Some(first), last) = (chars.next(), text.chars().next_back()) else { return false };
    let second = chars.next();
    let starts_well = match first {
        '-' => second.is_some_and(|c| !matches!(c, ' ' | ',' | '[' | ']' | '{' | '}')),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | '?' | ':' => {
            false
        }
        _ => !first.is_whitespace(),
    };
    starts_well
        && !last.is_some_and(|c| c.is_whitespace() || c == ':')
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(|c| c == ' ' || is_graphic(c))
        // A question mark is legal within braces, but people and older tools trip over it.
        && (context == Context::Block || !text.contains([',', '[', ']', '{', '}', '?']))
}

/// Whether a character stands for itself in a YAML file and is no white space of YAML's.
fn is_graphic(c: char) -> bool {
    match c {
        '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => c > ' ' && !c.is_control(),
    }
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            ' ' => quoted.push(' '),
            c if is_graphic(c) => quoted.push(c),
            c => {
                // Writing to a string can't fail.
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(quoted, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(quoted, "\\u{code:04x}"),
                    code => write!(quoted, "\\U{code:08x}"),
                };
            }
        }
    }
    quoted.push('"');
    quoted
}

/// The text as a `|` block: it has line breaks, ends with one or none, and has a last line that can be seen.
fn as_literal<'a>(text: &str, is_root: bool) -> Option<Value<'a>> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let visible = |c: char| matches!(c, ' ' | '\t' | '\n') || is_graphic(c);
    let last_line = body.rsplit('\n').next().unwrap_or("");
    if !text.contains('\n') || last_line.trim().is_empty() || !text.chars().all(visible) {
        return None;
    }
    // YAML takes the indentation from the first line with anything on it, so a blank at its start must be announced.
    let indented = body.lines().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with(' '));
    if indented && is_root {
        return None;
    }
    let header = format!("|{}{}", if indented { "2" } else { "" }, if text.ends_with('\n') { "" } else { "-" });
    Some(Value::Lines { header, lines: body.split('\n').map(str::to_owned).collect() })
}

/// The author's own lines as a `>` block, if there are several and they still say the same.
fn as_folded<'a>(text: &str, lines: &[&str]) -> Option<Value<'a>> {
    if lines.len() < 2 {
        return None;
    }
    let header = if text.ends_with('\n') { ">" } else { ">-" };
    let block: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    // What folding means depends on blanks and blank lines in many ways; reading it back is the simplest proof.
    let trial = format!("trial: {header}\n{block}");
    let file = Sources::default().add("", "");
    let mut findings = Vec::new();
    let document = yaml::parse(file, &trial, &mut findings);
    let read = match document.root.map(|root| root.kind) {
        Some(yaml::Kind::Map { mut entries, .. }) if entries.len() == 1 => entries.pop(),
        _ => None,
    };
    let same = read.is_some_and(|entry| entry.value.scalar().is_some_and(|scalar| scalar.text == text));
    same.then(|| Value::Lines { header: header.to_owned(), lines: lines.iter().map(|&line| line.to_owned()).collect() })
}
