use keyloom_cql::ast::SelectorKind;
use keyloom_cql::resolve::{Part, Partitions};
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::{Engine, Expr, KnownBy, ReadVerb, RowSize, Selection, bytes_text, count_text};
use keyloom_survey::Role;

use super::group_example;
use crate::context::limit;
use crate::growth::{rows_leave, worst_rows};
use crate::guess::holds_little;
use crate::reads::Read;
use crate::{Context, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "aggregate-at-read",
    level: Level::Warning,
    summary: "a count or sum reads a large or endless group in every call",
    page: include_str!("aggregate_at_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (page, limit) = limit(Engine::DynamoDb, "page_bytes");
    for pattern in &context.catalog.patterns {
        // What stops early or may be estimated does not read the whole group.
        let stops = |read: &keyloom_model::Read| read.up_to.is_some() || !read.exact;
        let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::Count && !stops(read)) else {
            continue;
        };
        let Some(entity) = context.entity(&read.selection.entity) else { continue };
        let place = context.key(&format!("patterns.{}.count", pattern.name));
        let help = format!(
            "count up to what people can use (`up_to: 1000`), or keep the number: a field `= count of {}` or a rollup costs one more write per row",
            entity.name
        );
        let Some(size) = context.group_size(&read.selection) else {
            let message = format!("`{}` counts rows one by one, and nothing says how many there are", pattern.name);
            let group = group_example(&read.selection.by.own_fields());
            let help = format!("state it on {}: `{group}`; or {help}", entity.name);
            findings.push(Finding::new(&RULE, place, message).help(help));
            continue;
        };
        let Some(worst) = worst_rows(entity, &read.selection, &size) else {
            if size.rows.per.is_none() || rows_leave(context, entity, &read.selection) {
                continue;
            }
            // A part of a growing group may be still; so may one that other programs empty.
            let whole_group = matches!(size.known_by, KnownBy::Pattern | KnownBy::SameGroup(_))
                && !narrowed_by_call(&read.selection)
                && (context.whole || entity.append_only);
            let (message, level) = if whole_group {
                let message = format!(
                    "`{}` counts a group that grows ({}) and never ends: each call reads more than the last",
                    pattern.name, size.rows
                );
                (message, Level::Error)
            } else {
                let message = format!(
                    "`{}` counts in a group that grows ({}), and nothing says how much of it one call reads",
                    pattern.name, size.rows
                );
                (message, Level::Warning)
            };
            findings.push(Finding::new(&RULE, place, message).level(level).help(help));
            continue;
        };
        let row = RowSize::of_entity(context.catalog, entity).typical;
        let bytes = worst.rows.saturating_mul(row);
        if bytes > page.value {
            let message =
                format!("`{}` reads up to {} rows to answer with one number", pattern.name, count_text(worst.rows));
            let calls = bytes.div_ceil(page.value);
            let derivation = format!("{} x {row} B = {}: {} pages", worst.words, bytes_text(bytes), count_text(calls));
            findings.push(Finding::new(&RULE, place, message).derivation(derivation).limit(limit.clone()).help(help));
        }
    }
}

/// Whether a call looks at a part of the group that its inputs choose.
fn narrowed_by_call(selection: &Selection) -> bool {
    selection.filter.as_ref().is_some_and(Expr::varies)
}

/// Over a survey, where sizes are not known: a warning when the whole table is read for one number.
pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for read in context.reads() {
        let grouped = !read.select.group_by.is_empty();
        let aggregate = read.aggregate();
        // A row that the whole key names is one row, counted or not.
        let one_row =
            matches!(read.access.part, Part::Rows(_) | Part::Statics) || read.table.clustering().next().is_none();
        // What a filter reads has its own finding. Range by range of tokens is how a job counts.
        let elsewhere =
            (one_row && !read.is_open()) || read.access.filters || read.access.partitions == Partitions::TokenRange;
        // Within a partition, groups without a number only leave doubles out.
        let no_number = aggregate.is_none() && (!grouped || !read.is_open());
        if no_number || elsewhere || read.of.role == Role::Test {
            continue;
        }
        let at = aggregate.map_or(read.select.table.span(), |selector| selector.span);
        findings.push(over_statement(context, &read, read.of.place(at)));
    }
}

fn over_statement(context: &SurveyContext<'_>, read: &Read<'_>, place: Place) -> Finding {
    let table = &read.table.name;
    let finding = if read.is_open() {
        let level = if holds_little(read.table) { Level::Note } else { read.level() };
        let message = format!("every row of `{table}` is read for this answer, on every node");
        Finding::new(&RULE, place, message)
            .level(level)
            .help("keep the number where it is read, and change it with each write; or let a job count, range by range of `token(..)`")
    } else {
        let message = format!("all rows that this finds in a partition of `{table}` are read for one answer");
        let help = match read.aggregate().map(|selector| &selector.kind) {
            Some(SelectorKind::Call(name, _)) if ["min", "max"].contains(&name.name.text.as_str()) => {
                "for the first clustering column `ORDER BY .. LIMIT 1` reads one row; for others keep the value where it is read"
            }
            _ => {
                "fine while partitions are small; else keep the number in a row of its own, and change it with each write"
            }
        };
        Finding::new(&RULE, place, message).level(Level::Note).help(help)
    };
    finding.related(context.survey.made(read.table.key_made), format!("rows lie by {}", read.partition_key()))
}
