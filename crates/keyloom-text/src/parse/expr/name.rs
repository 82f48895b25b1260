//! Names: which words may be one, and what to say about those that may not.

use super::Word;
use crate::fault::Fault;
use crate::parse::lexer::{Cursor, Kind, shown};

/// The words that can't name a field. `at` belongs to the language too (`at create`), but only behind a path, where no
/// name can stand; as the name of the moment something happened it is too good to be taken away.
const RESERVED: [&str; 23] = [
    "all", "and", "any", "by", "else", "false", "has", "in", "is", "max", "new", "not", "now", "null", "of", "on",
    "or", "per", "starts", "true", "where", "with", "write",
];

/// Whether a word belongs to the language, so that no field can have it as its name.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::parse) enum Case {
    /// `due_at`
    Snake,
    /// `OPEN`
    Upper,
    /// `CaseEvent`
    Capitalised,
}

impl Case {
    /// The case of a word; `None` for `dueAt`, `größe` and the like. One capital alone is upper.
    pub fn of(word: &str) -> Option<Self> {
        let all = |holds: fn(u8) -> bool| word.bytes().all(|byte| byte.is_ascii_digit() || holds(byte));
        match word.bytes().next()? {
            b'a'..=b'z' if all(|byte| byte.is_ascii_lowercase() || byte == b'_') => Some(Self::Snake),
            b'A'..=b'Z' if all(|byte| byte.is_ascii_uppercase() || byte == b'_') => Some(Self::Upper),
            b'A'..=b'Z' if all(|byte| byte.is_ascii_alphabetic()) => Some(Self::Capitalised),
            _ => None,
        }
    }
}

/// A word in snake case: `dueAt` is `due_at`.
pub(in crate::parse) fn snake(word: &str) -> String {
    let mut snake = String::with_capacity(word.len() + 4);
    let mut before_lower = false;
    for character in word.chars() {
        if character.is_uppercase() && before_lower {
            snake.push('_');
        }
        before_lower = character.is_lowercase() || character.is_ascii_digit();
        snake.extend(character.to_lowercase());
    }
    snake
}

/// Reads a name of a field.
pub(in crate::parse) fn name(cursor: &mut Cursor, wanted: &str, help: &str) -> Result<Word, Fault> {
    let word = any_name(cursor, wanted, help)?;
    match Case::of(&word.text) {
        Some(Case::Snake) => Ok(word),
        _ => Err(Fault::new(word.range, format!("{} stands where {wanted} is expected", shown(&word.text)))
            .help(format!("fields are written in lower case: {}", shown(&snake(&word.text))))),
    }
}

/// Reads a name of a field or an entity.
pub(in crate::parse) fn any_name(cursor: &mut Cursor, wanted: &str, help: &str) -> Result<Word, Fault> {
    if cursor.peek().kind != Kind::Word {
        return Err(cursor.wanted(wanted, help));
    }
    let text = cursor.ahead();
    let range = cursor.peek().range.clone();
    if is_reserved(text) {
        return Err(
            Fault::new(range, format!("{} is a word of the language and can't be a name", shown(text))).help(help)
        );
    }
    if Case::of(text).is_none() {
        let fault = Fault::new(range, format!("{} is not a name", shown(text)));
        return Err(match Case::of(&snake(text)) {
            Some(_) => fault.help(format!("write {}", shown(&snake(text)))),
            None => fault.help("a name begins with a letter, then come letters, digits and `_`, from a to z"),
        });
    }
    cursor.next();
    Ok(Word { range, text: text.to_owned() })
}
