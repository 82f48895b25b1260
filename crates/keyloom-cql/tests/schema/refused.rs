//! A long line of steps, each beside what is said against it. Cassandra 5.0.9 accepts those that nothing is said against
//! and refuses the others; it was asked for each of them. `KEYLOOM_UPDATE=1 cargo test` rewrites the snapshot.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use keyloom_cql::parse::parse;
use keyloom_cql::schema::Schema;

#[test]
fn what_is_refused_is_what_the_snapshot_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema");
    let steps = fs::read_to_string(folder.join("steps.cql")).unwrap();
    let mut schema = Schema::default();
    let mut keyspace = Some("ks".to_owned());
    let mut snapshot = String::new();
    for (number, step) in (0..).zip(steps.lines()) {
        writeln!(snapshot, "{step}").unwrap();
        let script = parse(step);
        if let Some(fault) = script.faults.first() {
            writeln!(snapshot, "    can't be read: {}", fault.message).unwrap();
            continue;
        }
        // The server leaves the schema as it was; we apply what we can.
        let before = schema.clone();
        if let Err(fault) = schema.apply(&script.statements[0], number, &mut keyspace) {
            let at = &step[fault.at.bytes()];
            writeln!(snapshot, "    {:?} at `{at}`: {}", fault.kind, fault.message).unwrap();
            schema = before;
        }
    }
    let path = folder.join("steps.txt");
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        fs::write(&path, &snapshot).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (line, expected) in snapshot.lines().zip(expected.lines()) {
        assert_eq!(line, expected, "steps are judged otherwise; KEYLOOM_UPDATE=1 rewrites the snapshot");
    }
    assert_eq!(snapshot.lines().count(), expected.lines().count());
}

/// What a hole stands for nobody knows, so nothing is said against it.
#[test]
fn nothing_is_said_against_holes() {
    let steps = [
        "CREATE TABLE ␣t␣ (a nosuch)",
        "CREATE TABLE t1 (a ␣type␣ PRIMARY KEY, b frozen<␣type␣>, c list<␣type␣>)",
        "CREATE TABLE t2 (a int, ␣columns␣, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER BY (b DESC)",
        "CREATE TABLE t3 (a int, b ␣type␣, PRIMARY KEY (␣key␣))",
        "CREATE TABLE t4 ␣definition␣",
        "CREATE INDEX ON t4 (x)",
        "CREATE INDEX ON ␣t␣ (x)",
        "CREATE INDEX ON t1 (␣c␣)",
        "ALTER TABLE t4 DROP x",
        "ALTER TABLE ␣t␣ ADD x int",
        "ALTER TABLE t1 DROP ␣c␣",
        "ALTER TABLE t1 RENAME ␣c␣ TO d",
        "ALTER TYPE ␣t␣ ADD x int",
        "CREATE MATERIALIZED VIEW v AS SELECT ␣c␣ FROM t4 WHERE x IS NOT NULL PRIMARY KEY (x)",
        "CREATE MATERIALIZED VIEW v2 AS SELECT * FROM ␣t␣ PRIMARY KEY (x)",
        "DROP TABLE ␣t␣",
        "DROP INDEX ␣i␣",
        "DROP TYPE ␣t␣",
        "CREATE KEYSPACE ks WITH ␣options␣",
        "CREATE TYPE ␣ks␣.u (a int)",
        "CREATE TABLE t5 (a int PRIMARY KEY, b ␣ks␣.u)",
    ];
    let mut schema = Schema::default();
    for step in steps {
        let text = step.replace('␣', "\u{fffc}");
        let script = parse(&text);
        assert_eq!(script.faults, [], "{step}");
        assert_eq!(schema.apply(&script.statements[0], 0, &mut None), Ok(()), "{step}");
    }
}
