//! Every statement of a file beside what it is read as. `KEYLOOM_UPDATE=1 cargo test` rewrites the snapshots: read the diff
//! like code. Which statements are refused was compared with the parser of Cassandra 5.0.9; those that are read though it
//! refuses them are what newer servers and ScyllaDB take, or what [`keyloom_cql::resolve`] refuses.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::show::shown;

fn agrees(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse");
    let statements = fs::read_to_string(folder.join(format!("{name}.cql"))).unwrap();
    let mut snapshot = String::new();
    for statement in statements.lines() {
        writeln!(snapshot, "{statement}").unwrap();
        for line in shown(&statement.replace('␣', "\u{fffc}")) {
            writeln!(snapshot, "    {}", line.replace('\u{fffc}', "␣")).unwrap();
        }
    }
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        fs::write(&path, &snapshot).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (line, expected) in snapshot.lines().zip(expected.lines()) {
        assert_eq!(line, expected, "{name} are read otherwise; KEYLOOM_UPDATE=1 rewrites the snapshot");
    }
    assert_eq!(snapshot.lines().count(), expected.lines().count());
}

#[test]
fn statements_are_what_the_snapshot_says() {
    agrees("statements");
}

#[test]
fn holes_are_what_the_snapshot_says() {
    agrees("holes");
}
