//! Statements and commands of the shell that concern no schema and no row.

use crate::ast::StatementKind;
use crate::lex::TokenKind;

use super::cursor::Parser;

/// The words that begin such a statement. Those of the server end at the semicolon; those of the shell at the end of
/// their line as well.
const STATEMENTS: [&[&str]; 34] = [
    &["grant"],
    &["revoke"],
    &["list"],
    &["describe"],
    &["desc"],
    &["add", "identity"],
    &["drop", "identity"],
    &["create", "role"],
    &["alter", "role"],
    &["drop", "role"],
    &["create", "user"],
    &["alter", "user"],
    &["drop", "user"],
    &["create", "trigger"],
    &["drop", "trigger"],
    // ScyllaDB.
    &["create", "service"],
    &["alter", "service"],
    &["drop", "service"],
    &["create", "service_level"],
    &["alter", "service_level"],
    &["drop", "service_level"],
    &["attach", "service"],
    &["attach", "service_level"],
    &["detach", "service"],
    &["detach", "service_level"],
    &["prune", "materialized"],
    // DataStax Enterprise.
    &["create", "search"],
    &["alter", "search"],
    &["drop", "search"],
    &["reload", "search"],
    &["rebuild", "search"],
    &["commit", "search"],
    &["restrict", "rows"],
    &["unrestrict", "rows"],
];

const COMMANDS: [&str; 18] = [
    "source",
    "consistency",
    "serial",
    "copy",
    "capture",
    "tracing",
    "paging",
    "expand",
    "elapsed",
    "login",
    "show",
    "help",
    "exit",
    "quit",
    "clear",
    "cls",
    "debug",
    "history",
];

impl Parser<'_> {
    /// Whether such a statement is next: the words that begin it.
    pub fn begins_skipped(&self) -> Option<String> {
        let statement = STATEMENTS.iter().find(|words| self.are_words(words));
        if let Some(words) = statement {
            return Some(words.join(" ").to_ascii_uppercase());
        }
        self.shell_command(self.at).map(str::to_ascii_uppercase)
    }

    /// The command of the shell that begins with the token. It ends with its line, or with a semicolon.
    pub fn shell_command(&self, token: usize) -> Option<&'static str> {
        let token = self.tokens[token];
        let is_word = token.kind == TokenKind::Word;
        COMMANDS.into_iter().find(|word| is_word && self.text_of(token).eq_ignore_ascii_case(word))
    }

    /// Skips the statement that is next, up to its semicolon.
    pub fn skipped(&mut self, words: String) -> StatementKind {
        // COPY alone is so long that people break its lines.
        let one_line = self.shell_command(self.at).is_some_and(|word| word != "copy");
        self.step();
        while !matches!(self.kind(), TokenKind::Semicolon | TokenKind::End) {
            if self.is_first_of_line() && (self.begins_statement() || one_line) {
                break;
            }
            self.step();
        }
        StatementKind::Skipped(words)
    }
}
