use keyloom_cql::ast::{Native, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::{native, words};
use crate::meaning::{
    grows_with_time, has_word, is_bucket, is_counter_table, is_event, is_identity_by_name, is_random_id, is_sequence,
    thing,
};
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
    findings.extend(context.own_tables().filter_map(|table| finding(context, table)));
}

/// What there is to say of a table.
pub(crate) fn finding(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    let column = grows_by(table)?;
    let uses = &context.uses_in_life(table);
    if is_cut(table, uses) || expires(table, uses) {
        return None;
    }
    // A list of things by their ids may be short; only a statement shows that nothing is ever taken off it.
    let by_shape = if is_identity_by_name(column) { Level::Note } else { Level::Warning };
    let writer = foremost(uses, |one| one.sets() && one.reach(table) == Reach::Rows);
    let level = match writer {
        Some(one) if has_constant_key(one, table) => return None,
        Some(one) => one.level(Level::Warning),
        None => context.level_by_shape(table, by_shape)?,
    };
    let owner = names(table.partition_key().map(|column| column.name.as_str()));
    let end = if has_row_deletes(table, uses) { "is emptied only row by row" } else { "is never cut or emptied" };
    let message = format!(
        "all rows of one {owner} in `{}` lie in one partition, which grows by `{}` and {end}",
        table.name, column.name
    );
    let mut help = format!(
        "add a period to the partition key, `(({}, month), {})`, so that each partition is closed after it (a read over several months is then one read each)",
        table.partition_key().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
        table.clustering().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
    );
    if may_expire(table) {
        help.push_str("; or let rows expire: `default_time_to_live`");
    }
    let level = level.min(loudness(table, uses));
    let finding = Finding::new(&RULE, context.survey.made(table.made), message).level(level).help(help);
    Some(finding.related(writer.map(TableUse::place), "a row more with each of these"))
}

/// Whether an expiry is worth a word. An entry of a lookup table must live as long as what it leads to, and settings stay.
fn may_expire(table: &Table) -> bool {
    let has_values = table.columns.iter().any(|column| column.kind == ColumnKind::Regular);
    has_values && !has_word(&table.name, &["config", "configuration", "setting"])
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
    table.clustering().find(|column| grows_with_time(column)).or_else(|| numbered_events(table))
}

/// The number of an event, where it leads the order of a partition and each row has a time of its own: such numbers are
/// given out in the order of time.
fn numbered_events(table: &Table) -> Option<&Column> {
    // What somebody picked out, or what waits, is taken off the list again.
    if has_word(&table.name, &["draft", "pending", "pinned", "saved", "scheduled", "unread"]) {
        return None;
    }
    let thing = thing(table).filter(|thing| is_event(thing))?;
    let names_it = |column: &Column| {
        let words = words(&column.name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(words.as_slice(), [word] | [.., word, "id"] if *word == thing)
    };
    let number =
        table.clustering().next().filter(|column| native(column) == Some(Native::Bigint) && names_it(column))?;
    let is_dated = |column: &Column| column.kind == ColumnKind::Regular && native(column) == Some(Native::Timestamp);
    table.columns.iter().any(is_dated).then_some(number)
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
        || is_keyed_by_its_id(table)
}

/// Whether the partition key is the random id of the very thing that the table lists: a partition is then one thing.
fn is_keyed_by_its_id(table: &Table) -> bool {
    let mut key = table.partition_key();
    let (Some(only), None) = (key.next(), key.next()) else { return false };
    let words = words(&only.name);
    let own = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["id"] => true,
        [.., word, "id"] => thing(table).is_some_and(|thing| thing == *word),
        _ => false,
    };
    own && is_random_id(only)
}

/// Whether a partition stays small: by its key, or because its rows end.
pub(crate) fn is_bounded(context: &SurveyContext<'_>, table: &Table) -> bool {
    let uses = context.uses_in_life(table);
    is_cut(table, &uses) || expires(table, &uses)
}

/// Whether rows go by themselves, or are removed in runs. What is not known may be an expiry too.
fn expires(table: &Table, uses: &[TableUse<'_>]) -> bool {
    let by_table = table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0));
    let removes = |one: &TableUse<'_>| match one.kind {
        StatementKind::Truncate(_) => !one.is_test(),
        StatementKind::Delete(_) => {
            matches!(one.reach(table), Reach::Run { .. } | Reach::Partition) && one.deletes_rows()
        }
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
