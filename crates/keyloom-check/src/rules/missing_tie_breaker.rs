use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, ColumnKind, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::guess::{native, words};
use crate::meaning::{has_word, is_clock, is_event, is_identity, is_sequence, thing};
use crate::reads::names;
use crate::writing::foremost;
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "missing-tie-breaker",
    level: Level::Warning,
    summary: "two things at one time have one key: the second overwrites the first",
    page: include_str!("missing_tie_breaker.md"),
};

/// Values of a time: a second one at the same time replaces the first on purpose.
const SERIES: &[&str] = &[
    "aggregate",
    "count",
    "counter",
    "daily",
    "hourly",
    "kv",
    "measure",
    "measurement",
    "metric",
    "price",
    "rate",
    "reading",
    "rollup",
    "sample",
    "series",
    "snapshot",
    "stat",
    "state",
    "statistic",
    "telemetry",
    "tick",
    "usage",
    "version",
];

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let known = Known::new(context);
    for table in context.own_tables() {
        let Some(last) = table.clustering().last().filter(|_| !table.unknown) else { continue };
        let uses = context.uses_in_life(table);
        let writer = foremost(&uses, |one| one.insert().is_some());
        let most = if writer.is_some() { Some(Level::Error) } else { context.level_by_shape(table, Level::Warning) };
        let Some(most) = most else { continue };
        let finding = match lost_identity(table, last, &known) {
            Some(identity) => Some(loses_rows(context, table, last, identity, writer)),
            None => clashing_events(table, &known).map(|clock| may_clash(context, table, clock, writer)),
        };
        findings.extend(finding.map(|finding| {
            let level = finding.level.min(most);
            finding.level(level)
        }));
    }
}

/// The identity of the things that the table lists, which is not in its key, while a time ends it. Another table has it
/// in its key.
fn lost_identity<'a>(table: &'a Table, last: &Column, known: &Known<'_>) -> Option<&'a Column> {
    if !is_clock(last) || key(table).any(|column| is_sequence(column) || native(column) == Some(Native::Timeuuid)) {
        return None;
    }
    let thing = thing(table)?;
    let is_its_identity = |column: &&Column| {
        let stem = stem(&column.name);
        let named_after = stem.last().is_some_and(|word| *word == thing) || stem.is_empty();
        column.kind == ColumnKind::Regular && is_identity(column) && named_after
    };
    let identity = table.columns.iter().find(is_its_identity)?;
    let by_name = identity.name != "id" && known.has_key(table, identity);
    (by_name || known.has_table(table, &thing, identity)).then_some(identity)
}

/// What the tables of a schema are keyed by.
struct Known<'a> {
    /// Things that have a table with a key of one column, by keyspace.
    things: BTreeSet<(&'a str, String)>,
    /// Each column of a key, by keyspace and name, with its tables.
    keys: BTreeMap<(&'a str, &'a str), Vec<(&'a Table, &'a Column)>>,
}

impl<'a> Known<'a> {
    fn new(context: &SurveyContext<'a>) -> Self {
        let (mut things, mut keys) = (BTreeSet::new(), BTreeMap::new());
        for table in context.own_tables() {
            if key(table).count() == 1 {
                things.extend(thing(table).map(|thing| (table.keyspace.as_str(), thing)));
            }
            for column in key(table) {
                let tables: &mut Vec<_> = keys.entry((table.keyspace.as_str(), column.name.as_str())).or_default();
                tables.push((table, column));
            }
        }
        Self { things, keys }
    }

    /// Whether another table has such a column in its key.
    fn has_key(&self, table: &Table, identity: &Column) -> bool {
        let same = |(other, column): &(&Table, &Column)| other.name != table.name && column.of == identity.of;
        self.keys.get(&(table.keyspace.as_str(), identity.name.as_str())).is_some_and(|all| all.iter().any(same))
    }

    /// Whether another table of the same thing is keyed by a bare `id` of that type.
    fn has_table(&self, table: &Table, thing: &str, identity: &Column) -> bool {
        let same = |(other, column): &(&Table, &Column)| {
            let whole_key = key(other).count() == 1 && other.name != table.name;
            whole_key && column.of == identity.of && crate::meaning::thing(other).is_some_and(|of| of == thing)
        };
        self.keys.get(&(table.keyspace.as_str(), "id")).is_some_and(|all| all.iter().any(same))
    }
}

fn loses_rows(
    context: &SurveyContext<'_>,
    table: &Table,
    last: &Column,
    identity: &Column,
    writer: Option<&TableUse<'_>>,
) -> Finding {
    let message = format!(
        "two rows of `{}` with the same `{}` are one: the second `{}` overwrites the first",
        table.name, last.name, identity.name
    );
    let overwrites = writer.is_some_and(|one| !one.is_conditional()) && native(last) == Some(Native::Timestamp);
    let level = writer.map_or(Level::Warning, |one| one.level(if overwrites { Level::Error } else { Level::Warning }));
    finding(context, table, last, message, &identity.name, writer).level(level)
}

/// The time of an event table whose key holds nothing that tells two events of one time apart: only owners.
fn clashing_events<'a>(table: &'a Table, known: &Known<'_>) -> Option<&'a Column> {
    let thing = thing(table)?;
    if !is_event(&thing) || has_word(&table.name, SERIES) {
        return None;
    }
    let says_something = table
        .columns
        .iter()
        .any(|column| column.kind == ColumnKind::Regular && !matches!(native(column), Some(of) if is_number(of)));
    let clock = table.clustering().find(|column| is_clock(column))?;
    let is_of_another = |column: &Column| {
        let stem = stem(&column.name).join("_");
        !stem.is_empty() && stem != thing && known.things.contains(&(table.keyspace.as_str(), stem))
    };
    let tells_apart = |column: &Column| match native(column) {
        Some(Native::Timeuuid) => true,
        _ => is_sequence(column) || (is_identity(column) && !is_of_another(column)),
    };
    // What stands before the time says whose event it is, unless it is the event's own id.
    let own_id = |column: &Column| stem(&column.name).last().is_some_and(|word| *word == thing) || column.name == "id";
    let before = || key(table).take_while(|column| column.name != clock.name);
    let after = || table.clustering().skip_while(|column| column.name != clock.name).skip(1);
    let unique = before().any(|column| own_id(column) || native(column) == Some(Native::Timeuuid))
        || after().any(|column| tells_apart(column) || !is_identity(column));
    (says_something && !unique).then_some(clock)
}

fn may_clash(context: &SurveyContext<'_>, table: &Table, clock: &Column, writer: Option<&TableUse<'_>>) -> Finding {
    let looks = writer.is_some_and(TableUse::is_conditional);
    let message = format!(
        "nothing in the key of `{}` tells two events apart: of two with the same {}, {}",
        table.name,
        names(key(table).map(|column| column.name.as_str())),
        if looks { "the second is refused" } else { "only the later write is kept" }
    );
    let wanted = if looks { Level::Note } else { Level::Warning };
    let level = writer.map_or(wanted, |one| one.level(wanted));
    finding(context, table, clock, message, "event_id", writer).level(level)
}

fn finding(
    context: &SurveyContext<'_>,
    table: &Table,
    clock: &Column,
    message: String,
    identity: &str,
    writer: Option<&TableUse<'_>>,
) -> Finding {
    let partition = table.partition_key().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let clustering = table.clustering().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
    let help = format!(
        "end the key with what tells them apart, `(({partition}), {clustering}, {identity})`, in a new table; or make `{}` a timeuuid",
        clock.name
    );
    let finding = Finding::new(&RULE, context.survey.made(clock.made), message).help(help);
    finding.related(writer.map(TableUse::place), "written here")
}

fn key(table: &Table) -> impl Iterator<Item = &Column> {
    table.partition_key().chain(table.clustering())
}

/// The words of an identity without the word that makes it one: `order_id` gives `order`.
fn stem(name: &str) -> Vec<String> {
    let mut stem = words(name);
    if stem.last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid" | "key")) {
        stem.pop();
    }
    stem
}

fn is_number(of: Native) -> bool {
    use Native::{Bigint, Boolean, Counter, Decimal, Double, Float, Int, Smallint, Tinyint, Varint};
    matches!(of, Bigint | Boolean | Counter | Decimal | Double | Float | Int | Smallint | Tinyint | Varint)
}

/// Over a layout: a key that lacks what identifies a row.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    use keyloom_model::layout::{Holds, Keeper, Part};
    for (table, entity) in context.row_tables() {
        // An engine's index keeps rows of the same key apart by itself; the newest of each value is one row on purpose.
        if matches!(table.holds, Holds::Newest { .. } | Holds::Projection { keeper: Keeper::Index, .. }) {
            continue;
        }
        let parts = table.partition.parts().iter().filter_map(|part| match part {
            Part::Field(field) => Some(field.as_str()),
            Part::Bucket(..) => None,
        });
        let key: Vec<&str> = parts.chain(table.sort.iter().map(|item| item.field.as_str())).collect();
        // Where the tenant is missing from a table that must have it, that is said of its partition.
        let tenant = context.tenant_field(entity).filter(|tenant| table.all_tenants && !key.contains(tenant));
        let lacks = entity.key.iter().map(String::as_str).filter(|field| !key.contains(field));
        let lacks: Vec<&str> = if entity.identified_by(&key) { Vec::new() } else { lacks.collect() };
        let lacks: Vec<&str> = tenant.into_iter().chain(lacks).collect();
        if lacks.is_empty() {
            continue;
        }
        let message = format!(
            "rows of `{}` overwrite each other: its key lacks {}, and two of {} may have the same rest",
            table.name,
            names(lacks.iter().copied()),
            entity.name
        );
        let place = context.word_place(&table.name, if table.sort.is_empty() { "partition" } else { "sort" });
        findings.push(
            Finding::new(&RULE, place, message)
                .level(Level::Error)
                .help(format!("add {} at the end of `sort`", names(lacks.iter().copied()))),
        );
    }
}
