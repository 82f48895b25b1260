//! What a name leads to.

use keyloom_cql::ast::StatementKind;
use keyloom_cql::parse::parse;
use keyloom_cql::schema::{Lookup, Schema};

use super::built;

/// The table of `SELECT a FROM name`, looked up.
fn found(schema: &Schema, name: &str, keyspace: Option<&str>) -> String {
    let script = parse(&format!("SELECT a FROM {}", name.replace('␣', "\u{fffc}")));
    let StatementKind::Select(select) = &script.statements[0].kind else { panic!("{script:?}") };
    match schema.find(&select.table, keyspace) {
        Lookup::One(table) => table.full_name(),
        Lookup::Several(table) => format!("several, {} first", table.full_name()),
        Lookup::None => "none".to_owned(),
    }
}

#[test]
fn a_name_leads_to_its_table() {
    let schema = built(
        "CREATE TABLE one.t (k int PRIMARY KEY); CREATE TABLE two.t (k int PRIMARY KEY); CREATE TABLE two.u (k int PRIMARY KEY);
         CREATE TABLE bare (k int PRIMARY KEY); CREATE TABLE both (k int PRIMARY KEY); CREATE TABLE one.both (k int PRIMARY KEY);
         CREATE TABLE base (k int, c int, PRIMARY KEY (k, c));
         CREATE MATERIALIZED VIEW v AS SELECT * FROM base WHERE k IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, k);",
    );
    let find = |name, keyspace| found(&schema, name, keyspace);
    // With its keyspace, written or chosen.
    assert_eq!(find("one.t", None), "one.t");
    assert_eq!(find("t", Some("two")), "two.t");
    assert_eq!(find("one.t", Some("two")), "one.t");
    assert_eq!(find("one.u", None), "none");
    assert_eq!(find("u", Some("one")), "none");
    // Without one, the only keyspace that has it, or several.
    assert_eq!(find("u", None), "two.u");
    assert_eq!(find("t", None), "several, one.t first");
    // A schema that names no keyspace may be that of any.
    assert_eq!(find("bare", None), "bare");
    assert_eq!(find("one.bare", None), "bare");
    assert_eq!(find("bare", Some("other")), "bare");
    assert_eq!(find("both", None), "both");
    assert_eq!(find("one.both", None), "one.both");
    // A hole may be any keyspace, and no table.
    assert_eq!(find("␣ks␣.u", None), "two.u");
    assert_eq!(find("␣ks␣.t", Some("one")), "several, one.t first");
    assert_eq!(find("t_␣x␣", None), "none");
    assert_eq!(find("v", None), "v");
    assert_eq!(find("T", Some("one")), "one.t");
    assert_eq!(find("\"T\"", Some("one")), "none");
}

#[test]
fn steps_find_tables_as_statements_do() {
    let schema = built("CREATE TABLE ks.t (k int PRIMARY KEY); ALTER TABLE t ADD v int; CREATE INDEX ON t (v);");
    assert_eq!(schema.keyspaces["ks"].tables["t"].columns.len(), 2);
    assert_eq!(schema.keyspaces["ks"].indexes.len(), 1);
}
