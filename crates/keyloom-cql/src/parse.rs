//! Tokens to statements: recursive descent, one statement after the other. What can't be read costs that statement and
//! gives one fault; the next one is read as if nothing had happened.

mod alter;
mod arithmetic;
mod create;
mod cursor;
mod modify;
mod options;
mod recover;
mod relation;
mod select;
mod skip;
mod statement;
mod term;
mod types;
mod words;

use crate::Span;
use crate::ast::Statement;
use crate::lex::lex;

use cursor::Parser;

/// What a text holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The statements that were read, in their order.
    pub statements: Vec<Statement>,
    /// What could not be read, in its order; at most one for each statement.
    pub faults: Vec<SyntaxFault>,
}

/// Why a statement could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    /// The token at which nothing fitted any more.
    pub span: Span,
    /// The whole statement, as far as it can be told where it ends.
    pub statement: Span,
    /// What was expected and what was found.
    pub message: String,
    /// What to write instead, where that is plain.
    pub help: Option<String>,
}

/// Reads all statements of a text: of a file, or of a string in a program. Holes (see [`crate::HOLE`]) may stand anywhere.
pub fn parse(text: &str) -> Script {
    let tokens = lex(text);
    let mut parser = Parser::new(text, &tokens);
    let mut script = Script::default();
    while parser.next_statement(&mut script) {}
    script
}
