use std::collections::BTreeMap;

use keyloom_cql::ast::{Selection, SelectorKind};
use keyloom_finding::{FileId, Finding, Level, Rule};
use keyloom_survey::Site;

use crate::SurveyContext;
use crate::guess::words;
use crate::reads::{Read, constant_at};

pub(crate) static RULE: Rule = Rule {
    name: "limit-before-intersection",
    level: Level::Warning,
    summary: "reads are cut by LIMIT before their results are intersected or filtered",
    page: include_str!("limit_before_intersection.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut by_function: BTreeMap<(FileId, &str, &str), Vec<Read<'_>>> = BTreeMap::new();
    for read in context.reads().filter(|read| read.select.limit.is_some()) {
        let function = read.of.site.as_ref().and_then(|site| site.function.as_deref());
        if let Some((function, asked)) = function.zip(only_column(&read)).filter(|(function, _)| intersects(function)) {
            by_function.entry((read.of.whole().file, function, asked)).or_default().push(read);
        }
    }
    findings.extend(context.reads().filter_map(|read| filtered_later(&read)));
    for ((_, function, asked), reads) in by_function {
        let [first, others @ ..] = reads.as_slice() else { continue };
        if others.is_empty() {
            continue;
        }
        let message = format!(
            "`{function}` cuts {} reads of `{asked}` by LIMIT before it compares them: what is in both may be in neither part",
            reads.len()
        );
        let limit = first.select.limit.as_ref().map_or(first.of.written.statement.span, |limit| limit.span);
        let mut finding = Finding::new(&RULE, first.of.place(limit), message).level(first.level());
        for other in others {
            finding = finding.related(other.place(), "cut here too");
        }
        findings.push(
            finding
                .help("intersect first and cut then: read the smaller side whole, and ask the other one for its keys"),
        );
    }
}

/// A read that is cut at a number that the program keeps as a constant, and whose rows are then chosen from by the program.
fn filtered_later(read: &Read<'_>) -> Option<Finding> {
    let limit = read.select.limit.as_ref()?;
    let reads_many = |number: &str| number.parse::<u64>().is_ok_and(|number| number > 1);
    let is_constant = |site: &Site| constant_at(read.of, Some(site), limit).is_some_and(reads_many);
    let filters = |site: &Site| site.calls.iter().any(|call| ["filter", "Where"].contains(&call.as_str()));
    let (place, _) = read.of.sites.iter().find(|(_, site)| !site.test_code && filters(site) && is_constant(site))?;
    let message = format!(
        "rows of `{}` are cut by LIMIT before the program chooses among them: those behind the cut are never looked at",
        read.table.name
    );
    let finding = Finding::new(&RULE, *place, message).level(read.level());
    let help = "let the key or an index choose, or read page by page until enough rows are chosen; fine where there are never so many";
    Some(finding.related(read.place(), "cut here").help(help))
}

/// The one column that a read asks for.
fn only_column<'a>(read: &Read<'a>) -> Option<&'a str> {
    let Selection::Of(selectors) = &read.select.selection else { return None };
    match selectors.as_slice() {
        [only] => match &only.kind {
            SelectorKind::Column(name) => Some(name.text.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a function compares results, by its name.
fn intersects(function: &str) -> bool {
    let tells = |word: &String| {
        ["intersect", "intersection", "search", "filter", "both", "common", "mutual", "matching", "match"]
            .contains(&word.as_str())
    };
    words(function).iter().any(tells)
}
