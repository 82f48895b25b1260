//! Templates: where a text has places to be filled in.

use std::ops::Range;

use keyloom_cql::HOLE;

use crate::value::Style;

/// A place to be filled in, and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blank {
    pub at: Range<usize>,
    pub with: With,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// The argument at this position.
    Position(usize),
    Name(String),
    /// This text: `%%` is a percent sign.
    Text(&'static str),
}

pub(crate) fn blanks(text: &str, style: Style) -> Vec<Blank> {
    match style {
        Style::Percent => percent(text),
        Style::Braces => braces(text),
    }
}

fn percent(text: &str) -> Vec<Blank> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut next) = (0, 0);
    while let Some(start) = text[at..].find('%').map(|start| at + start) {
        let mut end = start + 1;
        let mut with = None;
        if bytes.get(end) == Some(&b'(')
            && let Some(close) = text[end..].find(')')
        {
            with = Some(With::Name(text[end + 1..end + close].to_owned()));
            end += close + 1;
        }
        let digits = text[end..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && bytes.get(end + digits) == Some(&b'$') {
            let position = text[end..end + digits].parse::<usize>().unwrap_or(1).saturating_sub(1);
            with = Some(With::Position(position));
            end += digits + 1;
        }
        if bytes.get(end) == Some(&b'[')
            && let Some(close) = text[end..].find(']')
        {
            let position = text[end + 1..end + close].parse::<usize>().unwrap_or(1).saturating_sub(1);
            with = Some(With::Position(position));
            end += close + 1;
        }
        end += text[end..].bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'#')).count();
        match bytes.get(end) {
            Some(b'%') if end == start + 1 => found.push(Blank { at: start..end + 1, with: With::Text("%") }),
            Some(b'n') if end == start + 1 && with.is_none() => {
                found.push(Blank { at: start..end + 1, with: With::Text("\n") });
            }
            Some(letter) if letter.is_ascii_alphabetic() => {
                let with = with.unwrap_or_else(|| {
                    next += 1;
                    With::Position(next - 1)
                });
                found.push(Blank { at: start..end + 1, with });
            }
            _ => {}
        }
        at = (end + 1).min(text.len());
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

fn braces(text: &str) -> Vec<Blank> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut next) = (0, 0);
    while let Some(start) = text[at..].find(['{', '}']).map(|start| at + start) {
        if bytes.get(start + 1) == Some(&bytes[start]) {
            let one = if bytes[start] == b'{' { "{" } else { "}" };
            found.push(Blank { at: start..start + 2, with: With::Text(one) });
            at = start + 2;
            continue;
        }
        at = start + 1;
        if bytes[start] == b'}' {
            continue;
        }
        let Some(end) = text[at..].find('}').map(|end| at + end) else { break };
        let inside = text[at..end].split([':', '!', ',']).next().unwrap_or("").trim();
        let is_name =
            inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']'));
        if !is_name {
            continue;
        }
        let with = if inside.is_empty() {
            next += 1;
            With::Position(next - 1)
        } else if let Ok(position) = inside.parse() {
            With::Position(position)
        } else {
            With::Name(inside.to_owned())
        };
        found.push(Blank { at: start..end + 1, with });
        at = end + 1;
    }
    found
}

/// A place that stays open in a text that nobody was seen to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// Something with this name is filled in before the text is sent.
    Hole(String),
    /// It is a marker of the driver, and reads so in CQL: Python's `%s`.
    Marker(String),
}

/// Places that stay open: `%s`, `${x}`, `{{.X}}`, `{name}`, outside of quotes. The driver of Python takes `%s` for a marker.
pub(crate) fn open_places(text: &str, python: bool) -> Vec<(Range<usize>, Open)> {
    let mut found: Vec<(Range<usize>, Open)> = Vec::new();
    let mut quoted = false;
    let mut hole = false;
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if letter == HOLE {
            hole = !hole;
            letter.len_utf8()
        } else if hole {
            letter.len_utf8()
        } else if letter == '\'' {
            quoted = !quoted;
            1
        } else if let Some(length) = expression_marker(rest) {
            found.push((at..at + length, Open::Marker("?".to_owned())));
            length
        } else if let Some((length, name)) = braced(rest, quoted) {
            found.push((at..at + length, Open::Hole(name)));
            length
        } else if let Some((length, with)) = unfilled(rest).filter(|_| !quoted) {
            let is_marker = python && !names_something(&text[..at], &rest[length..]);
            let open = match with {
                With::Name(name) if is_marker => Open::Marker(format!(":{name}")),
                With::Name(name) => Open::Hole(name),
                _ if is_marker => Open::Marker("?".to_owned()),
                _ => Open::Hole(format!("argument{}", found.len() + 1)),
            };
            found.push((at..at + length, open));
            length
        } else {
            letter.len_utf8()
        };
        at += length;
    }
    found
}

/// Spring's `:#{…}`: a marker, and an expression that is bound to it.
fn expression_marker(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix(":#{").or_else(|| rest.strip_prefix("?#{"))?;
    let inner = &inner[..inner.char_indices().nth(200).map_or(inner.len(), |(end, _)| end)];
    inner.find('}').map(|end| 3 + end + 1)
}

/// `%s` and the like at the beginning.
fn unfilled(rest: &str) -> Option<(usize, With)> {
    if !rest.starts_with('%') {
        return None;
    }
    // No directive is longer; the rest of a long text is not looked through for each sign.
    let end = rest.char_indices().nth(80).map_or(rest.len(), |(end, _)| end);
    let blank = percent(&rest[..end]).into_iter().next().filter(|blank| blank.at.start == 0)?;
    (!matches!(blank.with, With::Text(_))).then_some((blank.at.end, blank.with))
}

/// Whether a place is that of a table, a keyspace or a part of a name, where no marker may stand.
fn names_something(before: &str, behind: &str) -> bool {
    let word = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or("").to_lowercase();
    let is_joined = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"');
    ["from", "into", "update", "table", "keyspace", "exists", "use", "on", "type", "select"].contains(&word.as_str())
        || before.ends_with(is_joined)
        || behind.starts_with(is_joined)
}

fn braced(rest: &str, quoted: bool) -> Option<(usize, String)> {
    let named = |open: &str, close: &str| {
        let inner = rest.strip_prefix(open)?;
        let inner = &inner[..inner.char_indices().nth(80).map_or(inner.len(), |(end, _)| end)];
        let end = inner.find(close)?;
        let name = inner[..end].trim().trim_start_matches('.');
        let is_name = !name.is_empty()
            && name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
        is_name.then(|| (open.len() + end + close.len(), name.to_owned()))
    };
    let marked = named("${", "}").or_else(|| named("#{", "}")).or_else(|| named("{{", "}}"));
    marked.or_else(|| named("{", "}").filter(|_| !quoted))
}
