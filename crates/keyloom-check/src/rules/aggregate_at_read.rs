use keyloom_facts::Engine;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Expiry, ReadVerb, RowSize, bytes_text, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "aggregate-at-read",
    level: Level::Warning,
    summary: "a count reads a large or endless group in every call",
    page: include_str!("aggregate_at_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (page, limit) = context.limit(Engine::DynamoDb, "page_bytes");
    for pattern in &context.catalog.patterns {
        let Some(read) = pattern.read().filter(|read| read.verb == ReadVerb::Count && read.up_to.is_none()) else {
            continue;
        };
        let Some(entity) = context.catalog.entity(&read.selection.entity) else { continue };
        let place = context.key(&format!("patterns.{}.count", pattern.name));
        let help = format!(
            "count up to what people can use (`up_to: 1000`), or keep it: a field `= count of {}` or a rollup",
            entity.name
        );
        let size = context.catalog.group_size(&read.selection);
        let bounded_by_span = read.selection.span.is_some_and(|span| span.worst.is_some());
        let ends = matches!(entity.expires, Some(Expiry::At(_)));
        match size {
            None => {
                let message = format!("`{}` counts rows one by one, and nothing says how many there are", pattern.name);
                findings.push(Finding::new(&RULE, place, message).help(help));
            }
            Some(size) if size.rows.per.is_some() && !ends && !bounded_by_span => {
                let message = format!(
                    "`{}` counts a group that grows ({}) and never ends: each call reads more than the last",
                    pattern.name, size.rows
                );
                findings.push(Finding::new(&RULE, place, message).level(Level::Error).help(help));
            }
            Some(size) => {
                let Some(rows) = size.rows.worst.filter(|_| size.rows.per.is_none()) else { continue };
                let row = RowSize::of_entity(context.catalog, entity).typical;
                let bytes = rows.saturating_mul(row);
                if bytes > page.value {
                    let message =
                        format!("`{}` reads up to {} rows to answer with one number", pattern.name, count_text(rows));
                    let derivation = format!("{} rows x {row} B = {}", count_text(rows), bytes_text(bytes));
                    findings.push(
                        Finding::new(&RULE, place, message).derivation(derivation).limit(limit.clone()).help(help),
                    );
                }
            }
        }
    }
}
