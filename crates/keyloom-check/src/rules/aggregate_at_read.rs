use keyloom_facts::Engine;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Expr, KnownBy, ReadVerb, RowSize, Selection, bytes_text, count_text};

use super::group_example;
use crate::Context;
use crate::growth::{rows_leave, worst_rows};

pub(crate) static RULE: Rule = Rule {
    name: "aggregate-at-read",
    level: Level::Warning,
    summary: "a count reads a large or endless group in every call",
    page: include_str!("aggregate_at_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (page, limit) = context.limit(Engine::DynamoDb, "page_bytes");
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
