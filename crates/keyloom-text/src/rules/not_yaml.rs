use granit_parser::ErrorKind;
use keyloom_finding::{FileId, Finding, Level, Place, Rule};

use super::{yaml_ate_it, yaml_feature};

pub(crate) static RULE: Rule = Rule {
    name: "not-yaml",
    level: Level::Error,
    summary: "the file is not YAML; the rest of it is not judged",
    page: include_str!("not_yaml.md"),
};

/// A syntax error at a byte of the file. Where YAML took a part of a value for its own, the finding says that instead.
pub(crate) fn finding(file: FileId, text: &str, at: usize, kind: &ErrorKind) -> Finding {
    let at = pointed_at(text, at, kind);
    // The parser stops where it can't go on; what is missing is often missing on a line before.
    if *kind != ErrorKind::RecursionLimitExceeded
        && let Some((open, bracket)) = unclosed(text).filter(|(open, _)| *open < at)
    {
        let (message, help) = words(&ErrorKind::UnclosedFlowCollection { open: bracket });
        return Finding::new(&RULE, Place::new(file, open..open + 1), message).help(help);
    }
    if let ErrorKind::SimpleKeyExpected | ErrorKind::MappingValueNotAllowed = kind
        && let Some(colon) = glued_colon(text, at)
    {
        let line = text[..colon].rfind('\n').map_or(0, |newline| newline + 1);
        let (key, value) = (text[line..colon].trim_start(), &text[colon + 1..line_end(text, colon)]);
        return Finding::new(&RULE, Place::new(file, colon..colon + 1), "behind this `:` a blank is missing")
            .help(format!("write `{key}: {value}`"));
    }
    let character = text[at..].chars().next().filter(|c| *c != '\n');
    let place = Place::new(file, at..at + character.map_or(0, char::len_utf8));
    match (kind, character) {
        (ErrorKind::DirectiveDisallowed | ErrorKind::MissingDocumentEndBeforeDirective, _) => {
            yaml_feature::directive(Place::new(file, at..line_end(text, at)))
        }
        (
            ErrorKind::UnexpectedCharacter { .. }
            | ErrorKind::InvalidBlockScalarHeader
            | ErrorKind::MissingAnchorOrAliasName
            | ErrorKind::MappingKeyNotAllowed,
            Some(character),
        ) if !character.is_control() => yaml_ate_it::indicator(place, character, &text[at + character.len_utf8()..]),
        (ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator, Some(':')) => {
            let line = text[..at].rsplit('\n').next().unwrap_or("").trim_start();
            if at > line.len() && line.chars().all(|c| c.is_alphanumeric() || c == '_') {
                // A key at the start of its line: the entry on the line before has no end.
                let key = Place::new(file, at - line.len()..at);
                return Finding::new(&RULE, key, "a `,` is missing before this key")
                    .help("separate the entries with `,`");
            }
            yaml_ate_it::colon(place)
        }
        (ErrorKind::MappingValueNotAllowed, _) if is_behind_a_key(text, at) => {
            let line = text[..at].rsplit('\n').next().unwrap_or("");
            yaml_ate_it::colon_in_value(place, line, &text[at..line_end(text, at)])
        }
        (ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar, _) => {
            yaml_ate_it::quote(Place::new(file, at..line_end(text, at)))
        }
        _ => {
            let (message, help) = words(kind);
            Finding::new(&RULE, place, message).help(help)
        }
    }
}

/// Where the cause stands: the parser stops behind a tab, and at the line after a quote that was never closed.
fn pointed_at(text: &str, at: usize, kind: &ErrorKind) -> usize {
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = &text[..at];
    match kind {
        ErrorKind::TabInBlockIndentation | ErrorKind::TabNotAllowed | ErrorKind::TabInIndentation
            if before.ends_with('\t') =>
        {
            at - 1
        }
        // A scalar that would go on behind a tab: the error stands at its start.
        ErrorKind::TabInPlainScalar => text[at..].find('\t').map_or(at, |tab| at + tab),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => {
            let line = before.trim_end();
            let start = line.rfind('\n').map_or(0, |newline| newline + 1);
            let opens = |(at, c): &(usize, char)| {
                matches!(c, '"' | '\'') && line[start..][..*at].trim_end().ends_with([':', '[', '{', ',', '-'])
            };
            line[start..].char_indices().rfind(opens).map_or(at, |(quote, _)| start + quote)
        }
        _ => at,
    }
}

fn line_end(text: &str, at: usize) -> usize {
    let line = text[at..].lines().next().unwrap_or("");
    at + line.trim_end().len()
}

/// The first bracket that nothing closes, in the whole text: a comma that is missing between two brackets is another
/// mistake than a bracket that is. A bracket or a quote counts where a value can begin, and a bracket also ends one.
fn unclosed(text: &str) -> Option<(usize, char)> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let (mut quote, mut comment, mut value_begins, mut before) = (None, false, true, '\n');
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (_, '\n') => comment = false,
            _ if comment => {}
            (Some(end), _) if character == end => quote = None,
            (Some(_), _) => {}
            (None, '#') if before.is_whitespace() => comment = true,
            (None, '"' | '\'') if value_begins => quote = Some(character),
            (None, '{' | '[') if value_begins => open.push((at, character)),
            (None, '}' | ']') => {
                open.pop();
            }
            _ => {}
        }
        value_begins = match character {
            ' ' | '\t' => value_begins || matches!(before, ':' | '-'),
            '{' | '[' | ',' => !open.is_empty(),
            '\n' => true,
            _ => false,
        };
        before = character;
    }
    // Behind a quote that is never closed nothing is sure.
    open.first().copied().filter(|_| quote.is_none())
}

/// The `:` of a key that has its value glued to it, on the line of this byte or on the line before.
fn glued_colon(text: &str, at: usize) -> Option<usize> {
    let end = line_end(text, at);
    let lines = text[..end].rmatch_indices('\n').map(|(newline, _)| newline + 1).chain([0]).take(2);
    lines.into_iter().find_map(|start| {
        let line = text[start..end].lines().next().unwrap_or("");
        let key = line.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let is_glued =
            key.len() < line.trim_start().len() && key.starts_with(':') && !key[1..].starts_with([' ', '\t']);
        (is_glued && key.len() > 1).then(|| start + line.len() - key.len())
    })
}

/// Whether a key stands before this byte on the same line.
fn is_behind_a_key(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or("");
    line.contains(": ")
}

fn words(kind: &ErrorKind) -> (String, String) {
    let (message, help) = match kind {
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar => ("a tab stands where YAML takes only blanks", "indent with two blanks"),
        ErrorKind::UnclosedFlowCollection { open: '{' } => ("this `{` is never closed", "add the missing `}`"),
        ErrorKind::UnclosedFlowCollection { .. } => ("this `[` is never closed", "add the missing `]`"),
        ErrorKind::MismatchedFlowCollectionEnd { open: '{', .. } => {
            ("this `{` is closed by a `]`", "close it with `}`")
        }
        ErrorKind::MismatchedFlowCollectionEnd { .. } => ("this `[` is closed by a `}`", "close it with `]`"),
        ErrorKind::MisplacedFlowCollectionEnd => ("this bracket closes nothing", "remove it"),
        ErrorKind::ExpectedFlowMappingSeparator => {
            ("a `,` or a `}` is missing before this", "close the braces, or separate the entries with `,`")
        }
        ErrorKind::ExpectedFlowSequenceSeparator => {
            ("a `,` or a `]` is missing before this", "close the brackets, or separate the items with `,`")
        }
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => (
            "this quote is never closed",
            "close it on the same line; a value that holds one quote stands between the other: \"it's\"",
        ),
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey | ErrorKind::ExpectedBlockSequenceEntry => {
            ("this line is not indented like its neighbours", "give all keys of one mapping the same indentation")
        }
        ErrorKind::MappingValueNotAllowed => (
            "this key stands below one that has a value already",
            "a key has a value behind its `:`, or keys below it, not both; check the indentation",
        ),
        ErrorKind::BlockSequenceEntryNotAllowed => {
            ("a list can't begin behind a key", "put each `- item` on a line of its own, or write `[a, b]`")
        }
        ErrorKind::SimpleKeyExpected => ("this line has no `:` behind its key", "write `key: value`"),
        ErrorKind::RecursionLimitExceeded => ("this is nested too deep to be read", "a catalog needs about ten levels"),
        other => {
            return (
                format!("this is not YAML: {other}"),
                "mend this first; the rest of the file was not judged".to_owned(),
            );
        }
    };
    (message.to_owned(), help.to_owned())
}
