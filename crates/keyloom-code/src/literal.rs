//! Literals: quotes, escapes, margins, indentation.

use std::ops::Range;

use tree_sitter::Node;

use crate::shape::Span;
use crate::value::Text;

/// The spans of a literal between its quotes. Children whose kind is among the holes are put in, those among the escapes
/// are decoded, and all other bytes stand for themselves, whatever nodes the grammar has for them.
pub(crate) fn spans<'t>(
    node: Node<'t>,
    text: &'t str,
    quotes: [usize; 2],
    holes: &[&str],
    escapes: bool,
) -> Vec<Span<'t>> {
    let whole = node.byte_range();
    let end = whole.end.saturating_sub(quotes[1]).max(whole.start);
    let mut from = (whole.start + quotes[0]).min(end);
    let mut spans = Vec::new();
    let mut cursor = node.walk();
    let mut pending: Vec<Node<'t>> = node.children(&mut cursor).collect();
    pending.reverse();
    while let Some(child) = pending.pop() {
        let range = child.byte_range();
        if range.start < from || range.end > end {
            if child.child_count() > 0 && !holes.contains(&child.kind()) {
                let mut cursor = child.walk();
                let inner: Vec<_> = child.children(&mut cursor).collect();
                pending.extend(inner.into_iter().rev());
            }
            continue;
        }
        if holes.contains(&child.kind()) {
            spans.push(Span::Plain(from..range.start));
            let mut cursor = child.walk();
            let inner =
                child.named_children(&mut cursor).find(|inner| !inner.is_extra() && !inner.kind().contains("brace"));
            spans.push(Span::Hole(inner.unwrap_or(child)));
            from = range.end;
        } else if escapes && child.kind().contains("escape") {
            spans.push(Span::Plain(from..range.start));
            let meant = unescape(text.get(range.clone()).unwrap_or(""));
            from = range.end;
            spans.push(Span::Escape(range, meant));
        } else if child.child_count() > 0 {
            let mut cursor = child.walk();
            let inner: Vec<_> = child.children(&mut cursor).collect();
            pending.extend(inner.into_iter().rev());
        }
    }
    spans.push(Span::Plain(from..end));
    if !escapes {
        return spans;
    }
    let split = |span| match span {
        Span::Plain(range) => escaped(text, range),
        span => vec![span],
    };
    spans.into_iter().flat_map(split).collect()
}

/// The spans of a literal, or of a part of one, whose escapes the grammar does not show.
pub(crate) fn escaped<'t>(text: &str, range: Range<usize>) -> Vec<Span<'t>> {
    let mut spans = Vec::new();
    let mut from = range.start;
    while let Some(found) = text.get(from..range.end).and_then(|rest| rest.find('\\')) {
        let start = from + found;
        let length = escape_length(&text[start..range.end]);
        spans.push(Span::Plain(from..start));
        spans.push(Span::Escape(start..start + length, unescape(&text[start..start + length])));
        from = start + length;
    }
    spans.push(Span::Plain(from..range.end));
    spans
}

fn escape_length(text: &str) -> usize {
    let Some(letter) = text[1..].chars().next() else { return 1 };
    let digits = |most: usize, radix: u32| text[2..].chars().take(most).take_while(|c| c.is_digit(radix)).count();
    match letter {
        'x' => 2 + digits(2, 16),
        'u' => 2 + digits(4, 16),
        'U' => 2 + digits(8, 16),
        '0'..='7' => 1 + text[1..].chars().take(3).take_while(|c| c.is_digit(8)).count(),
        // A gap, which is blanks between two backslashes, or the end of a line.
        letter if letter.is_whitespace() => {
            let blanks = text[1..].len() - text[1..].trim_start().len();
            match text[1 + blanks..].starts_with('\\') {
                true => 2 + blanks,
                false if text[1..].starts_with("\r\n") => 3,
                false => 1 + letter.len_utf8(),
            }
        }
        letter => 1 + letter.len_utf8(),
    }
}

/// What an escape means. An unknown one means its letter.
fn unescape(escape: &str) -> String {
    let Some(rest) = escape.strip_prefix('\\') else { return escape.to_owned() };
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let Some(first) = rest.chars().next() else { return String::new() };
    let letter = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        's' => ' ',
        '0'..='7' => number(rest, 8).unwrap_or(first),
        'x' | 'u' | 'U' => number(rest[1..].trim_start_matches('u').trim_matches(['{', '}']), 16)
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        '&' => return String::new(),
        first if first.is_whitespace() => return String::new(),
        first => first,
    };
    letter.to_string()
}

/// A backslash at a line's end takes the blanks of the next line with it.
pub(crate) fn continued<'t>(spans: Vec<Span<'t>>, text: &'t str) -> Vec<Span<'t>> {
    let mut after_break = false;
    let mut found = Vec::new();
    for span in spans {
        match span {
            Span::Plain(range) if range.is_empty() => {}
            Span::Plain(mut range) => {
                if std::mem::take(&mut after_break) {
                    let plain = &text[range.clone()];
                    range.start += plain.len() - plain.trim_start().len();
                }
                found.push(Span::Plain(range));
            }
            Span::Escape(range, meant) => {
                after_break = meant.is_empty();
                found.push(Span::Escape(range, meant));
            }
            span => found.push(span),
        }
    }
    found
}

/// Two of a sign mean one.
pub(crate) fn doubled<'t>(spans: Vec<Span<'t>>, text: &'t str, pairs: &[&str]) -> Vec<Span<'t>> {
    let mut found = Vec::new();
    for span in spans {
        let Span::Plain(range) = span else {
            found.push(span);
            continue;
        };
        let mut from = range.start;
        loop {
            let rest = text.get(from..range.end).unwrap_or("");
            let Some((start, pair)) = pairs.iter().filter_map(|pair| Some((rest.find(pair)?, pair))).min() else {
                break;
            };
            found.push(Span::Plain(from..from + start));
            found.push(Span::Escape(from + start..from + start + 2, pair[..1].to_owned()));
            from += start + 2;
        }
        found.push(Span::Plain(from..range.end));
    }
    found
}

/// Without the margin: blanks at a line's beginning and the bar behind them.
pub(crate) fn without_margin(text: &Text, at_start: bool) -> Text {
    let mut cut = Vec::new();
    let mut start = 0;
    for (index, line) in text.text.split_inclusive('\n').enumerate() {
        if index > 0 || at_start {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            if line[blanks..].starts_with('|') {
                cut.push(start..start + blanks + 1);
            }
        }
        start += line.len();
    }
    text.without(&cut)
}

/// Without the indentation that all lines share, and without the line's end behind the opening quotes.
pub(crate) fn without_indentation(text: &Text) -> Text {
    let lines: Vec<&str> = text.text.split_inclusive('\n').collect();
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines.iter().skip(1).filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    let mut cut = Vec::new();
    let mut start = 0;
    for (index, line) in lines.iter().enumerate() {
        match index {
            0 if line.trim().is_empty() => cut.push(start..start + line.len()),
            0 => {}
            _ => cut.push(start..start + common.min(indentation(line))),
        }
        start += line.len();
    }
    text.without(&cut)
}
