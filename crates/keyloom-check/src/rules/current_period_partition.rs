use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::{few_values, time_part};
use crate::meaning::{has_word, is_bucket, is_integer};
use crate::reads::names;
use crate::{LayoutContext, SurveyContext};

pub(crate) static RULE: Rule = Rule {
    name: "current-period-partition",
    level: Level::Warning,
    summary: "time alone is the partition key: all writes of now meet in one partition",
    page: include_str!("current_period_partition.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables().filter(|table| !table.unknown && table.clustering().next().is_some()) {
        let Some(key) = Key::of(table) else { continue };
        let by_use = is_written(context, table).then_some(Level::Warning);
        let Some(level) = by_use.or_else(|| context.level_by_shape(table, Level::Warning)) else { continue };
        let whole = names(table.partition_key().map(|column| column.name.as_str()));
        let verb = if table.partition_key().count() == 1 { "is" } else { "are" };
        let (name, period) = (&table.name, &key.period.name);
        let mut message = match key.kind {
            None => {
                format!("all writes of now meet in one partition of `{name}`: {whole} {verb} the whole partition key")
            }
            Some(kind) => format!(
                "all writes of now meet in a handful of partitions of `{name}`, one for each `{}`: {whole} are the whole partition key",
                kind.name
            ),
        };
        if let Some(bucket) = key.bucket {
            message.push_str(&format!("; only a `{}` that is no part of the time would spread them", bucket.name));
        }
        let level = if key.bucket.is_some() { Level::Note } else { level };
        findings.push(Finding::new(&RULE, context.survey.made(table.key_made), message).level(level).help(format!(
            "add an owner, or a bucket computed from the id, beside `{period}`: writes then spread over as many partitions, and a \
             read of a whole period asks each of them"
        )));
    }
}

/// A partition key that has one value, or a handful of them, at any time.
struct Key<'a> {
    /// The part of the calendar in it.
    period: &'a Column,
    /// What has a few values and stands beside the calendar.
    kind: Option<&'a Column>,
    /// A bucket of which nobody knows whether it is a slice of time or of the rows.
    bucket: Option<&'a Column>,
}

impl<'a> Key<'a> {
    fn of(table: &'a Table) -> Option<Self> {
        let (calendar, others): (Vec<&Column>, Vec<&Column>) =
            table.partition_key().partition(|column| time_part(column));
        let period = calendar.first().copied()?;
        match others.as_slice() {
            [] => Some(Self { period, kind: None, bucket: None }),
            [kind] if few_values(kind).is_some() => Some(Self { period, kind: Some(kind), bucket: None }),
            // A bucket beside a day or an hour spreads; beside a year alone it is what cuts the year.
            [a, b] if calendar.len() == 1 && has_word(&period.name, &["year"]) => {
                let (kind, bucket) = if few_values(a).is_some() { (a, b) } else { (b, a) };
                let is_slice = is_bucket(bucket) && is_integer(&bucket.of) && !has_word(&bucket.name, SPREAD);
                (few_values(kind).is_some() && is_slice).then_some(Self {
                    period,
                    kind: Some(kind),
                    bucket: Some(bucket),
                })
            }
            _ => None,
        }
    }
}

/// Names of what spreads rows, and does not follow the time.
const SPREAD: &[&str] = &["partition", "shard", "slot"];

/// Whether the service adds rows.
fn is_written(context: &SurveyContext<'_>, table: &Table) -> bool {
    context.uses_in_life(table).iter().any(|one| !one.is_test() && one.sets())
}

/// Over a layout: a partition of times alone.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    use keyloom_model::{Type, layout::Part};
    for (table, entity) in context.spread_tables() {
        let is_time = |part: &&Part| match part {
            Part::Bucket(..) => true,
            Part::Field(field) => {
                entity.field(field).is_some_and(|field| matches!(field.ty, Type::Timestamp { .. } | Type::Date))
            }
        };
        let parts = table.partition.parts();
        if parts.is_empty() || !parts.iter().all(|part| is_time(&part)) {
            continue;
        }
        let message =
            format!("time alone is the partition of `{}`: all writes of now meet in one partition", table.name);
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .help("put what a caller can name before the time (an owner, a place, a kind)"),
        );
    }
}
