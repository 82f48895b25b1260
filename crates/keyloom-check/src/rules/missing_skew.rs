use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Assignment, By, Engine, Freshness, Limit, ReadVerb, RowSize, count_text};

use super::peak_words;
use crate::Context;
use crate::context::limit;

pub(crate) static RULE: Rule = Rule {
    name: "missing-skew",
    level: Level::Note,
    summary: "a frequent list or counter does not say how unevenly its calls fall",
    page: include_str!("missing_skew.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    reads(context, findings);
    counters(context, findings);
}

/// A frequent list, whose busiest group may make a partition hot.
fn reads(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (fact, limit) = limit(Engine::DynamoDb, "partition_read_units");
    for pattern in &context.catalog.patterns {
        let (Some(read), Some(peak)) = (pattern.read(), pattern.rate.peak_per_second()) else { continue };
        // All calls of a list of everything meet the same group: there is nothing to ask.
        if read.verb != ReadVerb::List
            || read.selection.by == By::All
            || pattern.skew.is_some()
            || context.is_stated(&format!("patterns.{}.skew", pattern.name))
        {
            continue;
        }
        let Some(entity) = context.entity(&read.selection.entity) else { continue };
        let rows = match read.limit {
            Some(Limit::Page(rows) | Limit::First(rows)) => rows,
            None => Limit::ASSUMED_ROWS,
        };
        // What is typical of a group bounds what a typical call reads.
        let typical = context
            .group_size(&read.selection)
            .and_then(|size| size.rows.typical)
            .map_or(rows, |typical| typical.min(rows));
        let bytes = RowSize::of_entity(context.catalog, entity).typical.saturating_mul(typical);
        let units = bytes.div_ceil(READ_UNIT_BYTES).max(1) as f64;
        // A read that may be a little old costs half.
        let strong = matches!(read.freshness, Some(Freshness::Latest | Freshness::ReadYourWrites));
        let units = if strong { units } else { units / 2.0 };
        let total = peak * units;
        if total <= fact.value as f64 {
            continue;
        }
        let message = format!(
            "`{}` is called {} times a second at peak, and nothing says how much of that meets one group: it decides whether a partition gets hot",
            pattern.name,
            count_text(peak.round() as u64)
        );
        let derivation = format!(
            "{} x {} units ({} rows x {} B) = {} units/s over all groups",
            peak_words(pattern.rate),
            units,
            typical,
            bytes / typical.max(1),
            count_text(total.round() as u64)
        );
        findings.push(
            Finding::new(&RULE, context.key(&format!("patterns.{}", pattern.name)), message)
                .derivation(derivation)
                .limit(limit.clone())
                .help("state `skew: { busiest: 2% }`, the share of calls that the busiest group takes, or `{ zipf: 1.1 }`"),
        );
    }
}

/// A frequent change that adds up on one row, such as a counter: only one can be decided after the other.
fn counters(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (fact, limit) = limit(Engine::Cassandra, "row_decisions_per_second");
    for pattern in &context.catalog.patterns {
        let Some(peak) = pattern.rate.peak_per_second().filter(|peak| *peak > fact.value as f64) else { continue };
        let stated = pattern.skew.is_some() || context.is_stated(&format!("patterns.{}.skew", pattern.name));
        let adding = pattern.writes().into_iter().find(|(_, write)| write.assignments.iter().any(Assignment::adds_up));
        let Some((_, write)) = adding.filter(|_| !stated) else { continue };
        let message = format!(
            "`{}` adds up on rows of {} {} times a second at peak, and nothing says how much of that meets one row",
            pattern.name,
            write.entity,
            count_text(peak.round() as u64)
        );
        findings.push(
            Finding::new(&RULE, context.key(&format!("patterns.{}", pattern.name)), message)
                .limit(limit.clone())
                .help("state `skew: { busiest: 2% }`, the share of calls that the busiest row takes; above the limit the sum must be kept elsewhere, in a rollup"),
        );
    }
}

/// One unit reads this much.
const READ_UNIT_BYTES: u64 = 4096;
