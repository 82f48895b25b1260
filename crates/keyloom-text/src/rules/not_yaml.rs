use granit_parser::ErrorKind;
use keyloom_finding::{FileId, Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "not-yaml",
    level: Level::Error,
    summary: "the file is not YAML; the rest of it is not judged",
    page: include_str!("not_yaml.md"),
};

/// A syntax error at a byte of the file.
pub(crate) fn finding(file: FileId, text: &str, at: usize, kind: &ErrorKind) -> Finding {
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let rest = text[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    let (message, help) = words(kind);
    Finding::new(&RULE, Place::new(file, at..at + rest), message).help(help)
}

fn words(kind: &ErrorKind) -> (String, String) {
    let (message, help) = match kind {
        ErrorKind::TabInBlockIndentation | ErrorKind::TabNotAllowed => {
            ("a tab stands where YAML takes only blanks", "indent with two blanks")
        }
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("this `{` is never closed", "add the missing `}`")
        }
        ErrorKind::UnexpectedEofFlowSequence => ("this `[` is never closed", "add the missing `]`"),
        ErrorKind::ExpectedFlowMappingSeparator => {
            ("a `,` or a `}` is missing inside `{ }`", "values that contain `,` `?` or `: ` need quotes inside `{ }`")
        }
        ErrorKind::ExpectedFlowSequenceSeparator => {
            ("a `,` or a `]` is missing inside `[ ]`", "separate the items with `,`")
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey | ErrorKind::ExpectedBlockSequenceEntry => {
            ("this line is not indented like its neighbours", "give all keys of one mapping the same indentation")
        }
        ErrorKind::SimpleKeyExpected => ("this line has no `:` behind its key", "write `key: value`"),
        ErrorKind::CommentInterceptedScalar => {
            ("a comment cuts a value that goes on below it", "put the value on one line, or in quotes")
        }
        other => {
            return (
                format!("this is not YAML: {other}"),
                "mend this first; the rest of the file was not judged".to_owned(),
            );
        }
    };
    (message.to_owned(), help.to_owned())
}
