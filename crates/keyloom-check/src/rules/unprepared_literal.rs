use keyloom_cql::ast::{AssignmentKind, InsertSource, LiteralKind, Name, RelationKind, StatementKind, Term, TermKind};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::{Piece, Role, Use};

use crate::SurveyContext;
use crate::meaning::has_word;
use crate::reads::{relations, statements};

pub(crate) static RULE: Rule = Rule {
    name: "unprepared-literal",
    level: Level::Warning,
    summary: "a value is pasted into the text of a statement",
    page: include_str!("unprepared_literal.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut seen = std::collections::BTreeSet::new();
    let spoken_of =
        |of: &&Use| of.site.is_some() && matches!(of.role, Role::Service | Role::Migration) && is_written_out(of);
    for of in context.survey.uses.iter().filter(spoken_of) {
        // Nobody knows what a value is whose table or columns are not known.
        for statement in statements(of).iter().filter(|statement| context.table(of, &statement.kind).is_some()) {
            let pasted = values(&statement.kind).into_iter().find_map(|(column, value)| Some((column, pasted(value)?)));
            let Some((column, (hole, at))) = pasted else { continue };
            let place = of.place(at);
            if !seen.insert(place) {
                continue;
            }
            let message = format!("`{hole}` is pasted into the statement as the value of `{}`", column.text);
            // A migration runs once, with values of its own.
            let level = if of.role == Role::Service { Level::Warning } else { Level::Note };
            findings.push(Finding::new(&RULE, place, message).level(level).help(
                "write `?` and bind the value: the statement is prepared once, and a quote in the value can't end the text",
            ));
        }
    }
}

/// Whether the statement is text: a builder puts quotes around the values that it is given.
fn is_written_out(of: &Use) -> bool {
    let word_for_word = |piece: &Piece| piece.end - piece.start == piece.text.end - piece.text.start;
    of.written.pieces.first().is_some_and(word_for_word)
}

/// The values that a statement gives to columns one by one. A list of IN is left out: what is pasted there is often a
/// row of markers.
fn values(kind: &StatementKind) -> Vec<(&Name, &Term)> {
    let mut values: Vec<(&Name, &Term)> = Vec::new();
    match kind {
        StatementKind::Insert(insert) => {
            if let InsertSource::Values { columns, values: written } = &insert.source
                && columns.len() == written.len()
            {
                values.extend(columns.iter().zip(written));
            }
        }
        StatementKind::Update(update) => {
            values.extend(update.assignments.iter().filter_map(|assignment| match &assignment.kind {
                AssignmentKind::Set(term) => Some((&assignment.column, term)),
                _ => None,
            }));
        }
        _ => {}
    }
    values.extend(relations(kind).iter().filter_map(|relation| match &relation.kind {
        RelationKind::Column { column, values, list: false, .. } => Some((column, values.first()?)),
        _ => None,
    }));
    values.retain(|(column, _)| !column.unknown);
    values
}

/// The name of the hole in a value, and where it stands.
fn pasted(term: &Term) -> Option<(String, keyloom_cql::Span)> {
    let name = match &term.kind {
        TermKind::Literal(literal) if literal.unknown && literal.kind == LiteralKind::String => hole_of(&literal.text)?,
        TermKind::Hole(name) => name.text.trim_matches(keyloom_cql::HOLE),
        _ => return None,
    };
    // A hole without quotes may stand for a marker as well, or be bound by the driver (`%s` in Python).
    let marks = ["argument", "placeholder", "marker", "mark", "bind", "param", "join", "question"];
    let quoted = matches!(term.kind, TermKind::Literal(_));
    let is_marker = !quoted && has_word(name.trim_end_matches(|digit: char| digit.is_ascii_digit()), &marks);
    // A constant of an enumeration is nothing that anybody gives.
    let is_constant = !quoted && has_word(name, &["enum", "ordinal"]);
    (!is_marker && !is_constant).then(|| (name.to_owned(), term.span))
}

fn hole_of(text: &str) -> Option<&str> {
    text.split(keyloom_cql::HOLE).nth(1)
}
