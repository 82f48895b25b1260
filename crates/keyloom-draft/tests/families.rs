//! Whatever the schema and the statements are, the catalog is one: it is read without an error, is printed canonically,
//! and no statement was taken that the language then refused.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a broken case must stop the test; the chance is the one that the resolver is tested with, and has more than is used here"
)]

#[path = "../../keyloom-cql/tests/differential/generate/random.rs"]
mod random;
mod support;

use random::Random;
use support::holds;

/// Families in one run.
const CASES: u64 = 150;

/// Columns that meet in many tables, so that many tables are kin; some have names that the language can't spell.
const COLUMNS: [(&str, &str); 22] = [
    ("user_id", "uuid"),
    ("id", "uuid"),
    ("order_id", "timeuuid"),
    ("email", "text"),
    ("created_at", "timestamp"),
    ("day", "date"),
    ("bucket", "int"),
    ("status", "text"),
    ("by", "text"),
    ("\"all\"", "int"),
    ("\"Größe\"", "decimal"),
    ("\"名前\"", "blob"),
    ("\"2fa\"", "boolean"),
    ("\"createdAt\"", "timestamp"),
    ("kl_version", "bigint"),
    ("version", "int"),
    ("from", "inet"),
    ("caller", "varint"),
    ("labels", "frozen<set<text>>"),
    ("place", "frozen<place>"),
    ("pair", "frozen<tuple<int, text>>"),
    ("time", "time"),
];

const TABLES: [&str; 12] = [
    "users",
    "users_by_email",
    "orders",
    "orders_by_user",
    "\"Orders By Day\"",
    "order_items",
    "\"2\"",
    "\"名\"",
    "all_rows",
    "type",
    "user_lookup",
    "x",
];

fn family(random: &mut Random) -> (String, Vec<(&'static str, String)>) {
    let mut schema = "CREATE TYPE place (\"by\" text, near frozen<list<frozen<list<int>>>>, street text);\n".to_owned();
    let mut statements = Vec::new();
    let mut names = TABLES;
    random.shuffle(&mut names);
    let mut before: Vec<(&str, &str)> = Vec::new();
    for name in names.iter().take(random.between(1, 8)) {
        let mut columns = if before.is_empty() || random.chance(30) { COLUMNS.to_vec() } else { before.clone() };
        random.shuffle(&mut columns);
        columns.truncate(random.between(2, 9));
        let key = random.between(1, columns.len().min(4));
        before.clone_from(&columns);
        let partition = random.between(1, key);
        let defined: Vec<String> = columns.iter().map(|(name, of)| format!("{name} {of}")).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let ttl = if random.chance(20) { " WITH default_time_to_live = 86400" } else { "" };
        schema += &format!(
            "CREATE TABLE {name} ({}, PRIMARY KEY (({}){}));\n",
            defined.join(", "),
            names[..partition].join(", "),
            names[partition..key].iter().map(|name| format!(", {name}")).collect::<String>(),
        );
        schema.truncate(schema.len() - 2);
        schema += &format!("{ttl};\n");
        let equal = |names: &[&str]| names.iter().map(|name| format!("{name} = ?")).collect::<Vec<_>>();
        let function = random.one_of(&["+Save", "create", "UpdateStatus", "delete_all", "", "get", "takeLock"]);
        let markers = vec!["?"; names.len()].join(", ");
        let guard = if random.chance(30) { " IF NOT EXISTS" } else { "" };
        statements.push((function, format!("INSERT INTO {name} ({}) VALUES ({markers}){guard}", names.join(", "))));
        let some = random.between(key, names.len());
        let markers = vec!["?"; some].join(", ");
        statements.push(("+Save", format!("INSERT INTO {name} ({}) VALUES ({markers})", names[..some].join(", "))));
        for to in partition..=key {
            statements.push(("list", format!("SELECT * FROM {name} WHERE {}", equal(&names[..to]).join(" AND "))));
            statements.push(("", format!("DELETE FROM {name} WHERE {}", equal(&names[..to]).join(" AND "))));
        }
        if partition < key {
            let range = format!("{} AND {} > ?", equal(&names[..partition]).join(" AND "), names[partition]);
            statements.push(("page", format!("SELECT {} FROM {name} WHERE {range} LIMIT 10", names[0])));
        }
        if key < names.len() {
            let set = equal(&names[key..]).join(", ");
            let by = equal(&names[..key]).join(" AND ");
            let condition = if random.chance(40) { format!(" IF {} = ?", names[key]) } else { String::new() };
            statements.push((function, format!("UPDATE {name} SET {set} WHERE {by}{condition}")));
        }
    }
    (schema, statements)
}

#[test]
fn any_family_gives_a_catalog() {
    let (mut patterns, mut projections) = (0, 0);
    for seed in 0..CASES {
        let (schema, statements) = family(&mut Random::new(seed));
        let statements: Vec<(&str, &str)> = statements.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let draft = holds(&schema, &statements, seed);
        patterns += draft.patterns;
        projections += draft.projections.len();
    }
    assert!(patterns > CASES as usize * 5, "the families hold {patterns} patterns only");
    assert!(projections > CASES as usize / 10, "only {projections} tables were taken for projections");
}

#[test]
fn nothing_gives_a_catalog() {
    holds("", &[], 0);
    holds("CREATE TABLE t (a int PRIMARY KEY);", &[("", "SELECT * FROM missing WHERE a = ?")], 0);
}

#[test]
fn a_hundred_tables_give_a_catalog() {
    let table = |at: usize| format!("CREATE TABLE things_{at} (thing_id uuid PRIMARY KEY, at timestamp, n{at} int);\n");
    let schema: String = (0..100).map(table).collect();
    assert_eq!(holds(&schema, &[], 0).entities, 100);
}
