use keyloom_cql::ast::{Native, StatementKind};
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Role;

use super::oversized_partition;
use crate::guess::{native, words};
use crate::meaning::{
    grows_with_time, has_word, is_bucket, is_clock, is_counter_table, is_event, is_identity_by_name, is_integer,
    is_random_id, is_sequence, thing,
};
use crate::reads::{constant, given, names, some_names};
use crate::writing::{Reach, foremost};
use crate::{LayoutContext, SurveyContext, TableUse};

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

/// What has to stay: an expiry would lose it, and a period in the key would part what is read as a whole.
const KEPT: &[&str] = &[
    "audit",
    "balance",
    "billing",
    "block",
    "charge",
    "earning",
    "invoice",
    "ledger",
    "money",
    "order",
    "payment",
    "payout",
    "purchase",
    "receipt",
    "refund",
    "transaction",
    "transfer",
    "tx",
];

/// Of these, what a person does a few hundred times in a life.
const SELDOM: &[&str] = &["invoice", "order", "payment", "payout", "purchase", "receipt", "refund"];

const PERSONS: &[&str] = &["buyer", "member", "payer", "person", "player", "user"];

/// What somebody changes by hand.
const SETTINGS: &[&str] = &["config", "configuration", "definition", "option", "preference", "setting"];

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let (mut unread, mut told) = (Vec::new(), Vec::new());
    for table in context.own_tables() {
        let Some(finding) = finding(context, table) else { continue };
        let is_unread = finding.level == Level::Note && context.uses_in_life(table).is_empty();
        if is_unread { unread.push((table, finding)) } else { told.push(finding) }
    }
    findings.extend(told);
    findings.extend(gather(context, unread));
}

/// Tables of which no statement was read: one note for many of them, since only the schema speaks.
fn gather(context: &SurveyContext<'_>, unread: Vec<(&Table, Finding)>) -> Vec<Finding> {
    const TOLD_APART: usize = 3;
    if unread.len() <= TOLD_APART {
        return unread.into_iter().map(|(_, finding)| finding).collect();
    }
    let names = some_names(unread.iter().map(|(table, _)| table.name.as_str()));
    let message = format!(
        "by this schema all rows of one owner lie in one partition, which grows with time, in {names}; no statement on them was read"
    );
    let help = "for each of them, count the rows of the busiest owner: past some 100,000 the partition key needs a period or a bucket too";
    let place = unread.first().and_then(|(table, _)| context.survey.made(table.made));
    vec![Finding::new(&RULE, place, message).level(Level::Note).help(help)]
}

/// What there is to say of a table.
pub(crate) fn finding(context: &SurveyContext<'_>, table: &Table) -> Option<Finding> {
    let column = grows_by(table)?;
    let uses = &context.uses_in_life(table);
    if is_cut(table, uses) || expires(table, uses) || is_seldom(table) || names_an_entity(context, table, column) {
        return None;
    }
    // A list of things by their ids may be short; only a statement shows that nothing is ever taken off it.
    let by_shape = if is_identity_by_name(column) { Level::Note } else { Level::Warning };
    let writer = foremost(uses, |one| one.sets() && one.reach(table) == Reach::Rows);
    let level = match writer {
        Some(one) if has_constant_key(one, table) => return None,
        Some(one) => one.level(Level::Warning),
        // Where other tables show their statements, and this one only migrations, nothing makes rows any more.
        None if is_left_to_migrations(context, table) || is_picked(table) => return None,
        None => context.level_by_shape(table, by_shape)?,
    };
    let owner = names(table.partition_key().map(|column| column.name.as_str()));
    let (name, by) = (&table.name, &column.name);
    let message = match () {
        () if uses.is_empty() => format!(
            "by this schema all rows of one {owner} in `{name}` lie in one partition, which grows by `{by}`; no statement was read that cuts or empties it"
        ),
        () if has_row_deletes(table, uses) => format!(
            "all rows of one {owner} in `{name}` lie in one partition, which grows by `{by}` and is emptied only row by row"
        ),
        () => format!(
            "all rows of one {owner} in `{name}` lie in one partition, which grows by `{by}` and is never cut or emptied"
        ),
    };
    let level = level.min(loudness(table, uses));
    let finding = Finding::new(&RULE, context.survey.made(table.made), message).level(level).help(help(table, column));
    Some(finding.related(writer.map(TableUse::place), "a row more with each of these"))
}

/// How to cut the partitions of a table.
fn help(table: &Table, column: &Column) -> String {
    let owner = table.partition_key().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let order = table.clustering().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    if has_word(&table.name, KEPT) {
        return format!(
            "these rows have to stay: if one owner can have more than some 100,000, add a bucket to the partition key, `(({owner}, bucket), {order})`, that is counted up when one is full"
        );
    }
    if is_integer(&column.of) && !is_clock(column) {
        return format!(
            "add a bucket to the partition key, `(({owner}, bucket), {order})`, which is computed from `{}` (a number for each 10,000): who knows the one knows the other",
            column.name
        );
    }
    let mut help = format!(
        "add a period to the partition key, `(({owner}, month), {order})`, so that each partition is closed after it (a read over several months is then one read each)"
    );
    if may_expire(table) {
        help.push_str("; or let rows expire: `default_time_to_live`");
    }
    help
}

/// Whether one owner never makes many rows: what a person pays and orders, and what is set by hand.
fn is_seldom(table: &Table) -> bool {
    let of_person = table.partition_key().any(|column| has_word(&column.name, PERSONS));
    let is_setting = |name: &str| has_word(name, SETTINGS);
    (of_person && has_word(&table.name, SELDOM))
        || is_setting(&table.name)
        || table.partition_key().any(|column| is_setting(&column.name))
}

/// Whether the column by which rows are told apart is the id of a thing that has a table of its own, and the rows are no
/// events: each write of the pair meets the same row, so that time alone adds none.
fn names_an_entity(context: &SurveyContext<'_>, table: &Table, column: &Column) -> bool {
    let happens = thing(table).is_some_and(|thing| is_event(&thing) || PASSING.contains(&thing.as_str()));
    let is_alone = table.clustering().count() == 1 && native(column) == Some(Native::Timeuuid);
    if happens || !is_alone {
        return false;
    }
    let entity = words(&column.name);
    let is_its_table = |other: &Table| {
        let bare = match entity.as_slice() {
            [.., word, id] if id == "id" => thing(other).is_some_and(|thing| thing == *word),
            _ => false,
        };
        other.partition_key().any(|key| key.name == column.name || (bare && key.name == "id"))
    };
    context
        .own_tables()
        .any(|other| other.keyspace == table.keyspace && other.name != table.name && is_its_table(other))
}

fn is_left_to_migrations(context: &SurveyContext<'_>, table: &Table) -> bool {
    let uses = context.uses(table);
    let by_migration = |one: &TableUse<'_>| one.of.role == Role::Migration && !one.is_seed();
    context.shows_its_statements(&table.keyspace) && !uses.is_empty() && uses.iter().all(by_migration)
}

/// Whether an expiry is worth a word. An entry of a lookup table must live as long as what it leads to.
fn may_expire(table: &Table) -> bool {
    table.columns.iter().any(|column| column.kind == ColumnKind::Regular)
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

/// What somebody picked out, or what waits, is taken off the list again.
fn is_picked(table: &Table) -> bool {
    const PICKED: &[&str] =
        &["bookmark", "draft", "favorite", "favourite", "pending", "pin", "pinned", "saved", "scheduled", "unread"];
    has_word(&table.name, PICKED)
}

/// The number of an event, where it leads the order of a partition and each row has a time of its own: such numbers are
/// given out in the order of time.
fn numbered_events(table: &Table) -> Option<&Column> {
    if is_picked(table) {
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
    // What has a name within its owner is a thing of its own.
    let is_thing = table.partition_key().skip(1).any(|column| column.name == "name");
    let by_owner = table.partition_key().any(|column| has_word(&column.name, OWNERS)) && !is_thing;
    let deleted = has_row_deletes(table, uses);
    let only_counts = !table.clustering().any(|column| grows_with_time(column) && !is_sequence(column));
    if by_owner && !deleted && !only_counts { Level::Warning } else { Level::Note }
}

fn has_row_deletes(table: &Table, uses: &[TableUse<'_>]) -> bool {
    uses.iter().any(|one| one.deletes_rows() && !one.is_test() && one.reach(table) == Reach::Rows)
}

/// Over a layout: rows are added as long as their owner lives, and nothing ends them.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, _) in context.row_tables() {
        let Some(rows) = context.rows(table).filter(|rows| rows.endless) else { continue };
        let Some(broken) = oversized_partition::broken(context, table, &rows) else { continue };
        let message = format!("a partition of `{}` grows for ever: no bucket in its key, and no row ends", table.name);
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "partition"), message)
                .level(broken.level)
                .derivation(broken.derivation)
                .limit(broken.limit)
                .help(oversized_partition::way_out(context, table)),
        );
    }
}
