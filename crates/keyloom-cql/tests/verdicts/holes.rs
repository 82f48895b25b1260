use keyloom_cql::resolve::{FaultKind, Verdict};
use keyloom_cql::schema::Schema;

use crate::{said, schema};

fn tables() -> Schema {
    schema(
        "CREATE TABLE posts (author int, year int, at timestamp, id int, title text, st text static,
            PRIMARY KEY ((author, year), at, id));
         CREATE TABLE users (id int PRIMARY KEY, name text, tags set<text>);
         CREATE INDEX ON users (name);",
    )
}

fn verdict(statement: &str) -> Verdict {
    said(&tables(), statement).verdict
}

fn holes(statement: &str) -> Vec<String> {
    match verdict(statement) {
        Verdict::Maybe { holes } => holes,
        other => panic!("{statement}: {other:?}"),
    }
}

fn kind(statement: &str) -> FaultKind {
    match verdict(statement) {
        Verdict::Illegal(fault) | Verdict::NeedsFiltering(fault) => fault.kind,
        other => panic!("{statement}: {other:?}"),
    }
}

#[test]
fn a_hole_for_a_value_is_a_value_that_fits() {
    assert_eq!(verdict("SELECT * FROM users WHERE id = ␣id␣"), Verdict::Legal);
    assert_eq!(verdict("SELECT * FROM users WHERE id IN (␣ids␣)"), Verdict::Legal);
    assert_eq!(verdict("INSERT INTO users (id, name) VALUES (␣id␣, '␣name␣')"), Verdict::Legal);
    assert_eq!(verdict("SELECT * FROM posts WHERE author = 1 AND year = 2 LIMIT ␣n␣"), Verdict::Legal);
    assert_eq!(kind("SELECT * FROM posts WHERE title = '␣title␣'"), FaultKind::NotIndexed);
    assert_eq!(kind("SELECT * FROM users WHERE nothing = ␣id␣"), FaultKind::UnknownColumn);
}

#[test]
fn a_hole_for_a_name_leaves_open_what_it_could_change() {
    assert_eq!(holes("SELECT * FROM ␣table␣ WHERE id = 1"), ["table"]);
    assert_eq!(holes("SELECT * FROM users WHERE ␣column␣ = 1"), ["column"]);
    assert_eq!(holes("UPDATE users SET ␣column␣ = 1 WHERE id = 1"), ["column"]);
    assert_eq!(holes("SELECT ␣function␣(name) FROM users"), ["function"]);
    assert_eq!(holes("SELECT * FROM posts WHERE author = 1 AND year = 2 ORDER BY ␣order␣"), ["order"]);
    // The partition key may be given by the hole.
    assert_eq!(holes("SELECT * FROM posts WHERE author = 1 AND ␣column␣ = 1"), ["column"]);
    assert_eq!(holes("DELETE FROM posts WHERE author = 1 AND ␣column␣ = 1"), ["column"]);
}

#[test]
fn what_no_filling_heals_is_still_said() {
    assert_eq!(kind("SELECT nothing FROM users WHERE ␣column␣ = 1"), FaultKind::UnknownColumn);
    assert_eq!(kind("SELECT * FROM nothing WHERE ␣column␣ = 1"), FaultKind::UnknownTable);
    assert_eq!(kind("UPDATE users SET name = 5, ␣column␣ = 1 WHERE id = 1"), FaultKind::Type);
    assert_eq!(kind("SELECT * FROM users WHERE id = 1 AND id = 2 ␣rest␣"), FaultKind::Other);
}

#[test]
fn a_hole_in_the_selection_makes_no_where_legal() {
    assert_eq!(kind("SELECT ␣columns␣ FROM posts WHERE title = 'a'"), FaultKind::NotIndexed);
    assert_eq!(kind("SELECT ␣columns␣ FROM posts WHERE author = 1"), FaultKind::PartitionKeyOpen);
    assert!(matches!(verdict("SELECT ␣columns␣ FROM posts WHERE author = 1"), Verdict::NeedsFiltering(_)));
    assert_eq!(holes("SELECT ␣columns␣ FROM users WHERE id = 1"), ["columns"]);
}

#[test]
fn a_hole_behind_the_statement_may_allow_filtering_or_say_more() {
    assert_eq!(holes("SELECT * FROM posts WHERE title = 'a' ␣rest␣"), ["rest"]);
    assert_eq!(holes("SELECT * FROM posts WHERE author = 1 AND year = 2 ␣rest␣"), ["rest"]);
}

#[test]
fn a_hole_among_values_may_be_one_value() {
    // One value is an equality, after which the order may begin with the next column.
    assert_eq!(holes("SELECT * FROM posts WHERE author = 1 AND year = 2 AND at IN (␣ats␣) ORDER BY id"), ["ats"]);
    assert_eq!(holes("SELECT * FROM users WHERE id IN (␣ids␣) AND name = 'a'"), ["ids"]);
    assert_eq!(
        kind("SELECT * FROM posts WHERE author = 1 AND year = 2 AND at IN (␣a␣, ␣b␣) ORDER BY id"),
        FaultKind::Order
    );
}

#[test]
fn a_batch_is_as_open_as_its_statements() {
    assert_eq!(
        holes("BEGIN BATCH INSERT INTO users (id) VALUES (1); DELETE FROM ␣table␣ WHERE id = 1; APPLY BATCH"),
        ["table"]
    );
    let batch = "BEGIN BATCH DELETE FROM ␣table␣ WHERE id = 1; INSERT INTO users (nothing) VALUES (1); APPLY BATCH";
    assert_eq!(kind(batch), FaultKind::UnknownColumn);
}

#[test]
fn a_table_of_unknown_shape_lacks_nothing() {
    let open =
        schema(&"CREATE TABLE open (id int, ␣columns␣, PRIMARY KEY (id))".replace('␣', &keyloom_cql::HOLE.to_string()));
    assert!(matches!(said(&open, "SELECT other FROM open WHERE id = 1").verdict, Verdict::Maybe { .. }));
    assert!(matches!(said(&open, "SELECT id FROM open WHERE other = 1").verdict, Verdict::Maybe { .. }));
}

#[test]
fn two_keyspaces_with_one_name_leave_it_open() {
    let two = schema(
        "CREATE KEYSPACE a WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE KEYSPACE b WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE a.t (id int PRIMARY KEY);
         CREATE TABLE b.t (id int PRIMARY KEY, v int);",
    );
    let script = keyloom_cql::parse::parse("SELECT v FROM t WHERE id = 1");
    let said = keyloom_cql::resolve::resolve(&two, &script.statements[0], None);
    assert!(!matches!(said.verdict, Verdict::Legal), "{:?}", said.verdict);
}
