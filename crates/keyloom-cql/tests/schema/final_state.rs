//! The state that a history leaves, and where each part of it was made.

use keyloom_cql::ast::{IndexTargetKind, Native, StatementKind};
use keyloom_cql::parse::parse;
use keyloom_cql::schema::{ColumnKind, IndexKind, Keyspace, Schema, Table, Type};

use super::built;

fn only(schema: &Schema) -> &Keyspace {
    assert_eq!(schema.keyspaces.len(), 1, "{:?}", schema.keyspaces.keys());
    schema.keyspaces.values().next().unwrap()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

#[test]
fn columns_stand_in_the_order_of_the_key() {
    let schema = built(
        "CREATE TABLE t (v text, c2 int, k2 int, s int static, k1 int, c1 int, PRIMARY KEY ((k1, k2), c1, c2))
         WITH CLUSTERING ORDER BY (c1 DESC)",
    );
    let table = &only(&schema).tables["t"];
    assert_eq!(names(table), ["k1", "k2", "c1", "c2", "v", "s"]);
    assert_eq!(table.partition_key().count(), 2);
    assert_eq!(table.column("c1").unwrap().kind, ColumnKind::Clustering { descending: true });
    assert_eq!(table.column("c2").unwrap().kind, ColumnKind::Clustering { descending: false });
    assert_eq!(table.column("s").unwrap().kind, ColumnKind::Static);
}

#[test]
fn a_table_is_what_its_history_made_of_it() {
    let schema = built(
        "CREATE KEYSPACE shop WITH replication = {'class': 'org.apache.cassandra.locator.NetworkTopologyStrategy', 'dc1': 3};
         USE shop;
         CREATE TABLE orders (id uuid PRIMARY KEY, note text, total decimal) WITH default_time_to_live = 60;
         ALTER TABLE orders ADD (customer uuid, lines list<text>);
         ALTER TABLE orders DROP note;
         ALTER TABLE orders RENAME id TO order_id;
         ALTER TABLE orders WITH default_time_to_live = 120 AND gc_grace_seconds = 5 AND comment = 'x'
            AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': 1};
         CREATE INDEX ON orders (customer);",
    );
    let keyspace = only(&schema);
    let replication = keyspace.replication.as_ref().unwrap();
    assert_eq!(replication.class, "NetworkTopologyStrategy");
    assert_eq!(replication.factors, [("dc1".to_owned(), Some(3))]);
    let table = &keyspace.tables["orders"];
    assert_eq!(table.full_name(), "shop.orders");
    assert_eq!(names(table), ["order_id", "total", "customer", "lines"]);
    assert_eq!(table.dropped.len(), 1);
    assert_eq!(table.dropped[0].1.by, 4);
    assert_eq!(table.default_ttl.unwrap().0, Some(120));
    assert_eq!(table.default_ttl.unwrap().1.by, 6);
    assert_eq!(table.gc_grace.unwrap().0, Some(5));
    assert_eq!(table.compaction.as_ref().unwrap().class, "TimeWindowCompactionStrategy");
    assert_eq!(table.made.by, 2);
    assert_eq!(table.column("customer").unwrap().made.by, 3);
    assert_eq!(table.indexes[0].name, "orders_customer_idx");
    assert_eq!(keyspace.indexes["orders_customer_idx"], "orders");
}

#[test]
fn places_are_those_of_the_words() {
    let text = "CREATE TABLE t (k int, v list<int>, PRIMARY KEY (k)) WITH gc_grace_seconds = 1";
    let schema = built(text);
    let table = &only(&schema).tables["t"];
    let word = |at: keyloom_cql::Span| &text[at.bytes()];
    assert_eq!(word(table.made.at), "t");
    assert_eq!(word(table.key_made.at), "PRIMARY KEY (k)");
    assert_eq!(word(table.column("v").unwrap().made.at), "v list<int>");
    assert_eq!(word(table.gc_grace.unwrap().1.at), "gc_grace_seconds = 1");
}

#[test]
fn what_is_frozen_is_frozen_within() {
    let schema = built(
        "CREATE TYPE u (a int);
         CREATE TABLE t (k int PRIMARY KEY, a frozen<list<list<int>>>, b tuple<list<int>, u>, c u, d frozen<u>, e varchar)",
    );
    let table = &only(&schema).tables["t"];
    let of = |name: &str| table.column(name).unwrap().of.clone();
    let int = || Box::new(Type::Native(Native::Int));
    let frozen = |of: Type| Type::Frozen(Box::new(of));
    assert_eq!(of("a"), frozen(Type::List(Box::new(frozen(Type::List(int()))))));
    assert_eq!(of("b"), Type::Tuple(vec![frozen(Type::List(int())), frozen(Type::User("u".into()))]));
    assert_eq!(of("c"), Type::User("u".into()));
    assert_eq!(of("d"), frozen(Type::User("u".into())));
    assert_eq!(of("e"), Type::Native(Native::Text));
    assert!(of("c").is_multi_cell() && !of("d").is_multi_cell());
}

#[test]
fn indexes_know_their_kind_and_part() {
    let schema = built(
        "CREATE TABLE t (k int PRIMARY KEY, m map<text, int>, v text, w text, x text);
         CREATE INDEX ON t (m); CREATE INDEX ON t (keys(m)); CREATE INDEX ON t (v) USING 'sai';
         CREATE CUSTOM INDEX ON t (w) USING 'org.apache.cassandra.index.sasi.SASIIndex' WITH OPTIONS = {'mode': 'CONTAINS'};
         CREATE INDEX ON t ((k), x);",
    );
    let indexes = &only(&schema).tables["t"].indexes;
    let shown: Vec<_> = indexes.iter().map(|index| (index.name.as_str(), index.kind.clone(), index.target)).collect();
    assert_eq!(
        shown,
        [
            ("t_m_idx", IndexKind::Legacy, IndexTargetKind::Values),
            ("t_m_idx_1", IndexKind::Legacy, IndexTargetKind::Keys),
            ("t_v_idx", IndexKind::StorageAttached, IndexTargetKind::Plain),
            ("t_w_idx", IndexKind::Sasi, IndexTargetKind::Plain),
            ("t_x_idx", IndexKind::Local, IndexTargetKind::Plain),
        ]
    );
}

#[test]
fn a_view_follows_its_table() {
    let schema = built(
        "CREATE TABLE ks.t (k int, c int, v text, w text, PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC);
         CREATE MATERIALIZED VIEW ks.by_v AS SELECT * FROM ks.t WHERE v IS NOT NULL AND k IS NOT NULL AND c IS NOT NULL
            PRIMARY KEY (v, k, c);
         ALTER TABLE ks.t ADD x int;
         ALTER TABLE ks.t RENAME c TO d;",
    );
    let view = &schema.keyspaces["ks"].views["by_v"];
    assert_eq!(names(&view.table), ["v", "k", "d", "w", "x"]);
    assert_eq!(view.base, ("ks".to_owned(), "t".to_owned()));
    assert_eq!(view.table.column("d").unwrap().kind, ColumnKind::Clustering { descending: true });
}

#[test]
fn what_is_dropped_is_gone() {
    let schema = built(
        "CREATE TABLE t (k int PRIMARY KEY, v text); CREATE INDEX i ON t (v); DROP INDEX i; CREATE INDEX i ON t (v);
         DROP TABLE t; CREATE TABLE t (k int PRIMARY KEY, v text); CREATE INDEX i ON t (v);
         CREATE TYPE u (a int); DROP TYPE u; CREATE KEYSPACE gone WITH replication = {'class': 'SimpleStrategy'};
         DROP KEYSPACE gone; DROP TABLE IF EXISTS nothing;",
    );
    let keyspace = only(&schema);
    assert_eq!(keyspace.tables["t"].indexes.len(), 1);
    assert!(keyspace.types.is_empty());
}

/// A refused step is applied as far as it can be understood, so that what follows is not refused for it.
#[test]
fn a_fault_is_not_followed_by_those_that_come_from_it() {
    let mut schema = Schema::default();
    let script =
        parse("CREATE TABLE t (k int PRIMARY KEY, a nosuch, b text); ALTER TABLE t ADD c int; ALTER TABLE t DROP a");
    let faults = script.statements.iter().filter_map(|step| schema.apply(step, 0, &mut None).err());
    assert_eq!(faults.count(), 1);
    assert_eq!(names(&only(&schema).tables["t"]), ["k", "b", "c"]);
}

#[test]
fn use_chooses_the_keyspace() {
    let mut schema = Schema::default();
    let mut keyspace = None;
    for statement in
        parse("USE a; CREATE TABLE t (k int PRIMARY KEY); USE b; CREATE TABLE t (k int PRIMARY KEY)").statements
    {
        assert!(!matches!(statement.kind, StatementKind::Skipped(_)));
        assert_eq!(schema.apply(&statement, 0, &mut keyspace), Ok(()));
    }
    assert_eq!(keyspace.as_deref(), Some("b"));
    assert_eq!(schema.keyspaces.keys().collect::<Vec<_>>(), ["a", "b"]);
}
