use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::meaning::{grows_with_time, has_word, is_bucket, is_counter_table, is_identity_by_name, is_sequence};
use crate::reads::{constant, given, names};
use crate::writing::{Reach, foremost};
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unbounded-partition",
    level: Level::Warning,
    summary: "a partition that grows for ever: no bucket in its key, and nothing removes its rows",
    page: include_str!("unbounded_partition.md"),
};

/// Owners that go on making rows as long as they live.
const OWNERS: &[&str] = &[
    "account",
    "actor",
    "address",
    "agency",
    "agent",
    "airport",
    "app",
    "application",
    "asset",
    "author",
    "bot",
    "branch",
    "building",
    "camera",
    "carrier",
    "category",
    "channel",
    "chat",
    "city",
    "client",
    "cluster",
    "company",
    "conversation",
    "country",
    "courier",
    "creator",
    "customer",
    "depot",
    "device",
    "domain",
    "driver",
    "factory",
    "feed",
    "gateway",
    "group",
    "guild",
    "hospital",
    "host",
    "hub",
    "keyspace",
    "kind",
    "level",
    "location",
    "machine",
    "member",
    "merchant",
    "metric",
    "namespace",
    "node",
    "office",
    "org",
    "organisation",
    "organization",
    "outlet",
    "owner",
    "place",
    "plant",
    "player",
    "port",
    "project",
    "region",
    "repository",
    "restaurant",
    "room",
    "school",
    "sensor",
    "series",
    "server",
    "service",
    "shop",
    "site",
    "source",
    "station",
    "store",
    "stream",
    "supplier",
    "symbol",
    "team",
    "tenant",
    "terminal",
    "ticker",
    "topic",
    "type",
    "user",
    "userid",
    "vehicle",
    "vendor",
    "venue",
    "wallet",
    "warehouse",
    "workspace",
    "zone",
];

/// What comes to an end by itself, and with it the rows that it makes.
const PASSING: &[&str] = &[
    "attempt",
    "batch",
    "build",
    "case",
    "delivery",
    "execution",
    "file",
    "flow",
    "game",
    "incident",
    "instance",
    "invocation",
    "invoice",
    "job",
    "match",
    "message",
    "order",
    "payment",
    "process",
    "query",
    "request",
    "ride",
    "run",
    "saga",
    "session",
    "snapshot",
    "task",
    "ticket",
    "token",
    "trace",
    "transaction",
    "trip",
    "upload",
    "workflow",
];

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some(column) = grows_by(table) else { continue };
        let uses = &context.uses_in_life(table);
        if is_cut(table, uses) || expires(table, uses) {
            continue;
        }
        // A list of things by their ids may be short; only a statement shows that nothing is ever taken off it.
        let by_shape = if is_identity_by_name(column) { Level::Note } else { Level::Warning };
        let writer = foremost(uses, |one| one.sets() && one.reach(table) == Reach::Rows);
        let level = match writer {
            Some(one) if has_constant_key(one, table) => continue,
            Some(one) => one.level(Level::Warning),
            None => match context.level_by_shape(table, by_shape) {
                Some(level) => level,
                None => continue,
            },
        };
        let owner = names(table.partition_key().map(|column| column.name.as_str()));
        let end = if has_row_deletes(table, uses) { "is emptied only row by row" } else { "is never cut or emptied" };
        let message = format!(
            "all rows of one {owner} in `{}` lie in one partition, which grows by `{}` and {end}",
            table.name, column.name
        );
        let help = format!(
            "add a period to the partition key, `(({}, month), {})`, so that each partition is closed after it (a read over several months is then one read each); or let rows expire: `default_time_to_live`",
            table.partition_key().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
            table.clustering().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
        );
        let level = level.min(loudness(table, uses));
        let finding = Finding::new(&RULE, context.survey.made(table.made), message).level(level).help(help);
        findings.push(finding.related(writer.map(TableUse::place), "a row more with each of these"));
    }
}

/// A constant key makes one partition for all, of which more is said elsewhere.
fn has_constant_key(one: &TableUse<'_>, table: &Table) -> bool {
    let is_constant = |name: &str| given(one.kind, name).is_some_and(|value| constant(one.of, value).is_some());
    table.partition_key().all(|column| is_constant(&column.name))
}

/// The column by which a partition grows, if it has one. Counters grow in their cells, not in rows of time.
fn grows_by(table: &Table) -> Option<&Column> {
    if table.unknown || is_counter_table(table) {
        return None;
    }
    table.clustering().find(|column| grows_with_time(column))
}

/// Whether the key itself keeps a partition small: a bucket in it, or an owner that comes to an end.
fn is_cut(table: &Table, uses: &[TableUse<'_>]) -> bool {
    // A bare `id` is that of the thing that the table is named after.
    let passes =
        |column: &Column| has_word(&column.name, PASSING) || (column.name == "id" && has_word(&table.name, PASSING));
    // A bucket that is always the same cuts nothing.
    let is_one =
        |one: &TableUse<'_>, name: &str| given(one.kind, name).is_some_and(|value| constant(one.of, value).is_some());
    let varies = |column: &Column| {
        let mut writes = uses.iter().filter(|one| one.sets() && !one.is_test()).peekable();
        writes.peek().is_none() || !writes.all(|one| is_one(one, &column.name))
    };
    table.partition_key().any(|column| (is_bucket(column) && varies(column)) || passes(column))
}

/// Whether rows go by themselves, or are removed in runs. What is not known may be an expiry too.
fn expires(table: &Table, uses: &[TableUse<'_>]) -> bool {
    let by_table = table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0));
    let removes = |one: &TableUse<'_>| match one.kind {
        StatementKind::Truncate(_) => !one.is_test(),
        StatementKind::Delete(_) => matches!(one.reach(table), Reach::Run { .. }),
        _ => one.using("ttl").is_some(),
    };
    by_table || uses.iter().any(removes)
}

/// Known owners make rows for ever. Of others nobody knows, and rows that are deleted one by one may stay few.
fn loudness(table: &Table, uses: &[TableUse<'_>]) -> Level {
    let by_owner = table.partition_key().any(|column| has_word(&column.name, OWNERS));
    let deleted = has_row_deletes(table, uses);
    let only_counts = !table.clustering().any(|column| grows_with_time(column) && !is_sequence(column));
    if by_owner && !deleted && !only_counts { Level::Warning } else { Level::Note }
}

fn has_row_deletes(table: &Table, uses: &[TableUse<'_>]) -> bool {
    uses.iter().any(|one| one.deletes_rows() && !one.is_test() && one.reach(table) == Reach::Rows)
}
