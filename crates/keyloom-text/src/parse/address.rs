//! The address of a question in a layout: `open_case/todo:due?before&kind`, or `Task.case_id`.

use std::ops::Range;

use keyloom_model::layout::Question;

use super::expr::Word;
use crate::fault::Fault;

/// A question by its names, which nobody has looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Of a pattern.
    Pattern {
        /// Its name.
        pattern: Word,
        /// A list of its `with`.
        with: Option<Word>,
        /// One of its orders.
        order: Option<Word>,
        /// Optional inputs that are sent.
        sent: Vec<Word>,
    },
    /// Of a reference, for the run time's own questions.
    Support {
        /// The entity.
        entity: Word,
        /// Its reference.
        field: Word,
    },
}

/// Reads an address.
pub fn address(text: &str) -> Result<Address, Fault> {
    if let Some(at) = text.find('.') {
        let (entity, field) = (word(text, 0..at)?, word(text, at + 1..text.len())?);
        return Ok(Address::Support { entity, field });
    }
    // From the back: what is sent, then the order, then the list of a `with`.
    let (rest, sent) = cut(text, 0..text.len(), Question::SENT);
    let (rest, order) = cut(text, rest, Question::ORDER);
    let (pattern, with) = cut(text, rest, Question::WITH);
    let mut inputs = Vec::new();
    if let Some(sent) = sent {
        let mut start = sent.start;
        for input in text[sent].split(Question::AND) {
            inputs.push(word(text, start..start + input.len())?);
            start += input.len() + Question::AND.len_utf8();
        }
    }
    let optional = |range: Option<Range<usize>>| range.map(|range| word(text, range)).transpose();
    Ok(Address::Pattern { pattern: word(text, pattern)?, with: optional(with)?, order: optional(order)?, sent: inputs })
}

/// Cuts a range of the text where this mark first stands: what is before it, and what is behind it if it is there.
fn cut(text: &str, range: Range<usize>, mark: char) -> (Range<usize>, Option<Range<usize>>) {
    match text[range.clone()].find(mark) {
        Some(at) => (range.start..range.start + at, Some(range.start + at + mark.len_utf8()..range.end)),
        None => (range, None),
    }
}

/// One name of an address.
fn word(text: &str, range: Range<usize>) -> Result<Word, Fault> {
    let name = &text[range.clone()];
    let odd = name.char_indices().find(|(_, letter)| !letter.is_ascii_alphanumeric() && *letter != '_');
    let fault = match odd {
        None if !name.is_empty() => return Ok(Word { text: name.to_owned(), range }),
        None => Fault::new(range.start..range.start, "a name is missing here"),
        Some((at, letter)) => {
            let at = range.start + at;
            Fault::new(at..at + letter.len_utf8(), format!("`{letter}` can't stand here in the address of a question"))
        }
    };
    Err(fault.help(
        "write `pattern/list:order?input&input`, all but the pattern only where they are meant; or `Task.case_id`",
    ))
}
