//! Tables as the draft sees them: which columns tell rows apart, and which stand in the key for storage alone.

use std::collections::BTreeMap;

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, ColumnKind, Keyspace, Schema, Table, Type};

use crate::names::{singular, words};

/// A table, a view, or the part of a table that all rows of a partition share.
pub(crate) struct Source<'s> {
    pub(crate) keyspace: &'s Keyspace,
    pub(crate) table: &'s Table,
    /// The words of what it holds, in the singular: `parcels_by_customer` holds `parcel`.
    pub(crate) stem: Vec<String>,
    /// Columns of the key that hold facts: without buckets.
    pub(crate) key: Vec<&'s Column>,
    /// The columns that tell rows apart: without those that are in the key for their order.
    pub(crate) identity: Vec<&'s str>,
    /// Columns outside of the key.
    pub(crate) values: Vec<&'s Column>,
    /// Columns of the key that only spread rows, each with the column that it is computed from, where one can be seen.
    pub(crate) buckets: Vec<(&'s str, Option<&'s str>)>,
    /// The table that a view follows.
    pub(crate) view_of: Option<usize>,
    /// The columns that all rows of a partition share.
    pub(crate) is_static: bool,
    /// The same table stands in another keyspace too, and is taken there.
    pub(crate) twin_of: Option<usize>,
}

impl<'s> Source<'s> {
    pub(crate) fn name(&self) -> &'s str {
        &self.table.name
    }

    pub(crate) fn has_column(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    pub(crate) fn column(&self, name: &str) -> Option<&'s Column> {
        self.key.iter().chain(&self.values).find(|column| column.name == name).copied()
    }

    pub(crate) fn has_counters(&self) -> bool {
        self.values.iter().any(|column| column.of == Type::Native(Native::Counter))
    }

    /// Whether its name says that it is a way to something: `x_by_y`.
    pub(crate) fn is_named_as_way(&self) -> bool {
        words(self.name()).iter().skip(1).any(|word| matches!(word.as_str(), "by" | "lookup" | "index" | "idx"))
    }
}

/// All tables and views of a schema, and where each is found.
pub(crate) struct Sources<'s> {
    pub(crate) all: Vec<Source<'s>>,
    by_name: BTreeMap<(&'s str, &'s str), usize>,
}

impl<'s> Sources<'s> {
    pub(crate) fn of(schema: &'s Schema) -> Self {
        let mut all: Vec<Source<'s>> = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut seen: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for keyspace in schema.keyspaces.values() {
            // A table without a key was not understood; nothing can be said about its rows.
            for table in keyspace.tables.values().filter(|table| table.partition_key().next().is_some()) {
                let at = all.len();
                by_name.insert((table.keyspace.as_str(), table.name.as_str()), at);
                let twins = seen.entry(&table.name).or_default();
                let twin_of = twins.iter().copied().find(|twin: &usize| is_same_shape(all[*twin].table, table));
                twins.push(at);
                all.push(rows_of(keyspace, table, twin_of));
                if table.columns.iter().any(|column| column.kind == ColumnKind::Static) {
                    all.push(shared_part_of(keyspace, table, twin_of.map(|twin| twin + 1)));
                }
            }
        }
        for keyspace in schema.keyspaces.values() {
            for view in keyspace.views.values().filter(|view| view.table.partition_key().next().is_some()) {
                by_name.insert((view.table.keyspace.as_str(), view.table.name.as_str()), all.len());
                let mut source = rows_of(keyspace, &view.table, None);
                source.view_of = by_name.get(&(view.base.0.as_str(), view.base.1.as_str())).copied();
                all.push(source);
            }
        }
        Self { all, by_name }
    }

    /// The rows of a table; those that a table shares within a partition come directly behind.
    pub(crate) fn find(&self, table: &Table) -> Option<usize> {
        let at = *self.by_name.get(&(table.keyspace.as_str(), table.name.as_str()))?;
        Some(self.all[at].twin_of.unwrap_or(at))
    }

    /// The shared part of a table.
    pub(crate) fn shared_part(&self, rows: usize) -> Option<usize> {
        self.all.get(rows + 1).filter(|next| next.is_static).map(|_| rows + 1)
    }
}

fn is_same_shape(one: &Table, other: &Table) -> bool {
    let shape = |table: &Table| -> Vec<(String, Type, ColumnKind)> {
        table.columns.iter().map(|column| (column.name.clone(), column.of.clone(), column.kind)).collect()
    };
    shape(one) == shape(other)
}

fn rows_of<'s>(keyspace: &'s Keyspace, table: &'s Table, twin_of: Option<usize>) -> Source<'s> {
    let buckets = buckets(table);
    let is_bucket = |column: &&Column| buckets.iter().any(|(name, _)| *name == column.name);
    let key: Vec<&Column> = table.partition_key().chain(table.clustering()).filter(|c| !is_bucket(c)).collect();
    let values = table.columns.iter().filter(|column| column.kind == ColumnKind::Regular).collect();
    let identity = identity(&key);
    Source {
        keyspace,
        table,
        stem: stem(&table.name),
        key,
        identity,
        values,
        buckets,
        view_of: None,
        is_static: false,
        twin_of,
    }
}

fn shared_part_of<'s>(keyspace: &'s Keyspace, table: &'s Table, twin_of: Option<usize>) -> Source<'s> {
    let rows = rows_of(keyspace, table, twin_of);
    let key: Vec<&Column> = rows.key.into_iter().filter(|column| column.kind == ColumnKind::Partition).collect();
    let identity = key.iter().map(|column| column.name.as_str()).collect();
    let values = table.columns.iter().filter(|column| column.kind == ColumnKind::Static).collect();
    Source {
        keyspace,
        table,
        stem: stem(&table.name),
        key,
        identity,
        values,
        buckets: rows.buckets,
        view_of: None,
        is_static: true,
        twin_of,
    }
}

/// The words of what a table holds, without those that say how.
fn stem(name: &str) -> Vec<String> {
    let mut words = words(name);
    if let Some(by) = words.iter().position(|word| word == "by").filter(|by| *by > 0) {
        words.truncate(by);
    }
    let is_manner = |word: &String| {
        let version = word.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.parse::<u16>().is_ok());
        version || matches!(word.as_str(), "list" | "index" | "idx" | "lookup" | "rev" | "reverse" | "view" | "mv")
    };
    while words.len() > 1 && words.last().is_some_and(is_manner) {
        words.pop();
    }
    if let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    words
}

/// Whether values of this type follow time.
pub(crate) fn is_moment(of: &Type) -> bool {
    matches!(of, Type::Native(Native::Timestamp | Native::Date))
}

fn is_id(of: &Type) -> bool {
    matches!(of, Type::Native(Native::Uuid | Native::Timeuuid))
}

/// Columns of the partition key that spread rows and say nothing: `bucket`, and `day` beside a clustering column that
/// holds the moment itself.
fn buckets(table: &Table) -> Vec<(&str, Option<&str>)> {
    const SPREADS: [&str; 3] = ["bucket", "salt", "dummy"];
    const PERIODS: [&str; 10] =
        ["year", "month", "week", "day", "hour", "date", "minute", "yyyymm", "yyyymmdd", "period"];
    let follows_time = |column: &&Column| is_moment(&column.of) || column.of == Type::Native(Native::Timeuuid);
    let moment = table.clustering().find(follows_time).map(|column| column.name.as_str());
    let is_simple = |of: &Type| {
        use Native::{Ascii, Bigint, Date, Int, Smallint, Text, Timestamp, Tinyint};
        matches!(of, Type::Native(Ascii | Bigint | Date | Int | Smallint | Text | Timestamp | Tinyint))
    };
    let mut buckets = Vec::new();
    for column in table.partition_key().filter(|column| is_simple(&column.of)) {
        let words = words(&column.name);
        let has = |of: &[&str]| words.iter().any(|word| of.contains(&word.as_str()));
        if has(&SPREADS) || (moment.is_some() && words.last().is_some_and(|last| PERIODS.contains(&last.as_str()))) {
            buckets.push((column.name.as_str(), moment));
        }
    }
    // Something must be left that tells rows apart.
    let key = table.partition_key().count() + table.clustering().count();
    if buckets.len() < key { buckets } else { Vec::new() }
}

/// A moment before an id at the end of the key is there for the order; the id tells rows apart.
fn identity<'s>(key: &[&'s Column]) -> Vec<&'s str> {
    let mut identity: Vec<&str> = key.iter().map(|column| column.name.as_str()).collect();
    if let [.., before, last] = key
        && matches!(before.kind, ColumnKind::Clustering { .. })
        && is_moment(&before.of)
        && is_id(&last.of)
    {
        identity.remove(identity.len() - 2);
    }
    identity
}
