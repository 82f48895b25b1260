use keyloom_cql::ast::TermKind;
use keyloom_finding::{Finding, Level, Rule};

use crate::SurveyContext;
use crate::guess::words;
use crate::reads::argument;

pub(crate) static RULE: Rule = Rule {
    name: "offset-pagination",
    level: Level::Warning,
    summary: "pages are counted: each one reads all pages before it",
    page: include_str!("offset_pagination.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for read in context.reads() {
        let Some(limit) = &read.select.limit else { continue };
        let written = match &limit.kind {
            TermKind::Marker(None) => argument(read.of, limit).map(|argument| argument.text.as_str()),
            TermKind::Hole(name) => Some(name.text.trim_matches(keyloom_cql::HOLE)),
            _ => None,
        };
        let Some(written) = written.filter(|written| counts_pages(written)) else { continue };
        let message =
            format!("`{}` is read up to `{written}` rows: the pages before are read again each time", read.table.name);
        findings.push(
            Finding::new(&RULE, read.of.place(limit.span), message).level(read.level()).help(
                "begin behind the last row that was shown (`WHERE .. AND created < ?`), or keep the driver's paging state: each \
                 page then costs one page",
            ),
        );
    }
}

/// Whether an expression adds an offset, or multiplies with the number of a page. The size of a page counts nothing.
fn counts_pages(expression: &str) -> bool {
    let words = words(expression);
    let offset = words.iter().any(|word| ["offset", "skip"].contains(&word.as_str()));
    let size = |word: Option<&String>| word.is_some_and(|word| ["size", "limit", "length"].contains(&word.as_str()));
    let number = words.iter().enumerate().any(|(at, word)| word == "page" && !size(words.get(at + 1)));
    offset && expression.contains(['+', '*']) || number && expression.contains('*')
}
