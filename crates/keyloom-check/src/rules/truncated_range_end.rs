use keyloom_cql::ast::{Native, Operator, RelationKind, Term, TermKind};
use keyloom_cql::schema::{Column, Type};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Date;
use keyloom_survey::{Role, Use};

use crate::reads::{constant, relations, suggested};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "truncated-range-end",
    level: Level::Error,
    summary: "a range ends at the beginning of its last day, or at a bare prefix",
    page: include_str!("truncated_range_end.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        for of in context.uses(table) {
            for column in &table.columns {
                findings.extend(check(of, column));
            }
        }
    }
}

/// The ends of a range over one column.
#[derive(Default)]
struct Range<'a> {
    from: Option<&'a Term>,
    to: Option<&'a Term>,
}

fn check(of: &TableUse<'_>, column: &Column) -> Option<Finding> {
    let range = range(of, &column.name);
    let to = range.to?;
    let (end, start) = (bound(of.of, to)?, range.from.and_then(|from| bound(of.of, from)));
    let place = of.of.place(to.span);
    let name = &column.name;
    if is_moment(column) && is_day(end) {
        // Two bare days around are a span of days, and the last one is lost. One alone may be meant as it stands.
        let sure = start.is_some_and(is_day) && of.of.role == Role::Service && !of.of.dynamic;
        let message =
            format!("`{end}` means the first moment of that day, and `{name}` has the time of day: the day is lost");
        let finding = Finding::new(&RULE, place, message).level(if sure { Level::Error } else { suggested(of.of) });
        let next = if matches!(to.kind, TermKind::Call(..)) {
            format!("minTimeuuid('{}')", next_day(end))
        } else {
            format!("'{}'", next_day(end))
        };
        return Some(finding.help(format!("end before the next day: `{name} < {next}`")));
    }
    if is_text(column)
        && let Some(start) = start
        && let (Some((prefix, day)), Some((other, _))) = (day_behind_prefix(end), day_behind_prefix(start))
        && prefix == other
    {
        let message =
            format!("`{name} <= '{end}'` ends at a bare prefix: `{end}` with anything behind it is larger, and lost");
        let help = format!("end before the next day: `{name} < '{prefix}{}'`", next_day(day));
        return Some(Finding::new(&RULE, place, message).level(suggested(of.of)).help(help));
    }
    None
}

fn range<'a>(of: &TableUse<'a>, name: &str) -> Range<'a> {
    let mut range = Range::default();
    for relation in relations(of.kind) {
        let RelationKind::Column { column, operator, values, .. } = &relation.kind else { continue };
        if column.text != name {
            continue;
        }
        match (operator, values.as_slice()) {
            (Operator::Greater | Operator::GreaterOrEqual, [from]) => range.from = Some(from),
            (Operator::LessOrEqual, [to]) => range.to = Some(to),
            (Operator::Between, [from, to]) => (range.from, range.to) = (Some(from), Some(to)),
            _ => {}
        }
    }
    range
}

/// The constant at one end of a range; `maxTimeuuid('2024-01-31')` ends where its argument does.
fn bound<'a>(of: &'a Use, term: &'a Term) -> Option<&'a str> {
    match &term.kind {
        TermKind::Call(name, arguments) => {
            let ends = ["mintimeuuid", "maxtimeuuid", "min_timeuuid", "max_timeuuid"];
            let known = ends.contains(&name.name.text.to_ascii_lowercase().as_str());
            arguments.first().filter(|_| known).and_then(|argument| constant(of, argument))
        }
        _ => constant(of, term),
    }
}

fn is_moment(column: &Column) -> bool {
    matches!(column.of, Type::Native(Native::Timestamp | Native::Timeuuid))
}

fn is_text(column: &Column) -> bool {
    matches!(column.of, Type::Native(Native::Text | Native::Ascii))
}

/// `2024-01-31`, and nothing else.
fn is_day(text: &str) -> bool {
    Date::parse(text).is_some()
}

/// The day behind this one, as it is written.
fn next_day(text: &str) -> String {
    let next = Date::parse(text).and_then(|day| Date::from_days_since_1970(day.days_since_1970() + 1));
    next.map_or_else(|| "the next day".to_owned(), |day| day.to_string())
}

/// `ORDER#2024-01-31` as its prefix, with the delimiter, and its day.
fn day_behind_prefix(text: &str) -> Option<(&str, &str)> {
    let at = text.len().checked_sub(10).filter(|at| text.is_char_boundary(*at))?;
    let (prefix, day) = text.split_at(at);
    (is_day(day) && prefix.ends_with(['#', ':', '/', '|', '_'])).then_some((prefix, day))
}
