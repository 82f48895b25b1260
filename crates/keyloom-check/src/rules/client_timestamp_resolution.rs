use keyloom_cql::ast::{LiteralKind, Term, TermKind};
use keyloom_finding::{Finding, Level, Rule};

use crate::reads::argument;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "client-timestamp-resolution",
    level: Level::Warning,
    summary: "write times that are no microseconds, or of two units on one table",
    page: include_str!("client_timestamp_resolution.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let writes: Vec<&TableUse<'_>> =
            context.uses(table).iter().filter(|one| one.is_write() && !one.is_test()).collect();
        let stamped = writes.iter().filter_map(|one| Some((*one, one.using("timestamp")?)));
        let coarse =
            stamped.filter_map(|(one, term)| Some((one, term, unit(one, term).filter(|it| *it != Unit::Micro)?)));
        let Some((one, term, unit)) = coarse.into_iter().next() else { continue };
        // Anything that is not stamped so carries microseconds, and is a thousand times newer.
        let newer = writes.iter().find(|other| {
            let stamp = other.using("timestamp");
            stamp.is_none_or(|term| self::unit(other, term) == Some(Unit::Micro))
        });
        let (of, words) = (&table.name, unit.words());
        let (wanted, message) = match newer {
            Some(_) => (
                Level::Warning,
                format!(
                    "this write of `{of}` is stamped in {words}, others in microseconds: it loses against every one of them, also older ones"
                ),
            ),
            None => (
                Level::Note,
                format!(
                    "writes of `{of}` are stamped in {words}: of two in one of them the larger value wins, not the later"
                ),
            ),
        };
        let finding = Finding::new(&RULE, one.of.place(term.span), message)
            .level(one.level(wanted))
            .help("stamp in microseconds since 1970, of the event where one is at hand; without USING TIMESTAMP the driver does so");
        findings.push(finding.related(newer.map(|other| other.place()), "stamped in microseconds"));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Second,
    Milli,
    Micro,
}

impl Unit {
    fn words(self) -> &'static str {
        match self {
            Self::Second => "seconds",
            Self::Milli => "milliseconds",
            Self::Micro => "microseconds",
        }
    }
}

/// The unit of a write time, where it can be seen: by the number of its digits, or by the call that makes it.
fn unit(one: &TableUse<'_>, term: &Term) -> Option<Unit> {
    if let TermKind::Literal(literal) = &term.kind {
        let of_digits = match literal.text.len() {
            10 => Some(Unit::Second),
            13 => Some(Unit::Milli),
            16 => Some(Unit::Micro),
            _ => None,
        };
        return of_digits.filter(|_| literal.kind == LiteralKind::Integer && !literal.unknown);
    }
    let written = argument(one.of, term)?.text.to_lowercase();
    let holds = |calls: &[&str]| calls.iter().any(|call| written.contains(call));
    // Arithmetic may turn any unit into any other.
    if holds(&["micro"]) {
        Some(Unit::Micro)
    } else if holds(&["*", "/", "nano"]) {
        None
    } else if holds(&["currenttimemillis()", "toepochmilli()", "unixmilli()", "date.now()"]) {
        Some(Unit::Milli)
    } else if holds(&[".unix()", "epochsecond()"]) {
        Some(Unit::Second)
    } else {
        None
    }
}
