//! What is emitted is what the store makes: one text for both, and a real Cassandra takes all of it.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![allow(clippy::disallowed_methods, reason = "how long a test by hand is comes from the environment")]

mod common;

use std::{sync::Arc, time::Instant};

use common::Node;
use keyloom_cassandra::{Cassandra, abilities, cql};
use keyloom_contract::tables;
use keyloom_engines::{announce, say};
use keyloom_store::{Column, Define, Discipline, Fault, Group, Shape, SortColumn, Step, Table, steps};
use keyloom_value::{Kind, Member};
use scylla::client::{session::Session, session_builder::SessionBuilder};

const SUITE: &str = "emit";
const NAME_MAX: usize = 48;

#[test]
fn cassandra_takes_what_is_emitted() {
    let Some(node) = Node::start(SUITE) else { return };
    accepted(&node, 1, 30);
    announce(SUITE, "cassandra", 1, 0);
}

#[test]
#[ignore = "by hand: KEYLOOM_TABLES says of how many tables"]
fn cassandra_takes_much_of_what_is_emitted() {
    let Some(node) = Node::start(SUITE) else { return };
    let (count, began) =
        (std::env::var("KEYLOOM_TABLES").map_or(1_000, |count| count.parse().unwrap()), Instant::now());
    // A node with more tables than this gets slow at making the next one.
    for seed in 0..count / 50 {
        accepted(&node, 100 + seed, 50);
    }
    say(&format!("{count} tables taken in {:?}\n", began.elapsed()));
}

#[test]
fn a_table_is_said_in_full() {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let members = ["street", "town"].map(|name| Member { name: name.to_owned(), kind: Kind::Text, optional: true });
    let order = Table {
        name: "order".to_owned(),
        discipline: Discipline::Decided,
        partition: vec![column("order_id", Kind::Uuid)],
        sort: Vec::new(),
        groups: vec![Group { columns: vec![column("total", Kind::Int), column("to", Kind::Struct(members.into()))] }],
        grace_ms: 0,
        lifetime_ms: None,
    };
    let reading = Table {
        name: "reading".to_owned(),
        discipline: Discipline::Placed,
        partition: vec![column("device", Kind::Text), column("day", Kind::Date)],
        sort: vec![SortColumn { name: "at".to_owned(), kind: Kind::Timestamp { micros: false }, descending: true }],
        groups: vec![Group { columns: vec![column("it's", Kind::Float)] }],
        grace_ms: 0,
        lifetime_ms: Some(90 * 24 * 3_600_000),
    };
    assert_eq!(cql("shop", &[order, reading]).unwrap(), include_str!("emit/shop.cql"));
}

#[test]
fn what_cassandra_can_not_hold_is_refused() {
    let table = tables(0, 1, NAME_MAX, &abilities()).remove(0);
    let refused = |keyspace: &str, tables: &[Table]| {
        let answer = cql(keyspace, tables);
        assert!(matches!(answer, Err(Fault::Refused(_))), "{answer:?}");
    };
    refused("two words", &[]);
    refused("shop", &[table.clone(), table.clone()]);
    refused("shop", &[Table { name: "x".repeat(49), ..table.clone() }]);
    refused("shop", &[Table { discipline: Discipline::Carried, ..table.clone() }]);
    let members = Kind::OneOf(vec![Kind::Int, Kind::Text]);
    let groups = |name: &str| vec![Group { columns: vec![Column { name: name.to_owned(), kind: members.clone() }] }];
    refused("shop", &[Table { name: "Upper".to_owned(), groups: groups("members"), ..table.clone() }]);
    refused("shop", &[Table { name: "t".to_owned(), groups: groups("it's"), ..table.clone() }]);
    assert!(cql("shop", &[Table { name: "t".to_owned(), groups: groups("its"), ..table.clone() }]).is_ok());
    refused("shop", &[Table { discipline: Discipline::Indexed { of: "t".to_owned() }, ..table }]);
}

/// Runs what is emitted for seeded tables, and asks the store and Cassandra what they make of it.
fn accepted(node: &Node, seed: u64, count: usize) {
    node.runtime.block_on(async {
        let options = node.options();
        let store = Cassandra::connect(&options).await.unwrap();
        let session = SessionBuilder::new().known_nodes(&options.contact_points).build().await.unwrap();
        let mut wanted = tables(seed, count, NAME_MAX, &abilities());
        let emitted = cql(&options.keyspace, &wanted).unwrap();

        let steps_ = steps(&[], &wanted, &abilities()).unwrap();
        let script: String = store.script(&steps_).await.unwrap().iter().map(|step| format!("{step}\n\n")).collect();
        assert!(emitted.starts_with(&script), "one text for both:\n{emitted}\n\n{script}");

        for statement in emitted.split_terminator(";\n") {
            if let Err(error) = session.query_unpaged(statement, ()).await {
                panic!("seed {seed}: {error}:\n{statement}");
            }
        }

        let there: Vec<Arc<Shape>> = store.describe().await.unwrap().into_iter().map(|(_, shape)| shape).collect();
        assert_eq!(steps(&there, &wanted, &abilities()), Ok(Vec::new()), "nothing is left to do");
        let there: Vec<Table> = there.iter().map(|shape| shape.table().clone()).collect();
        wanted.sort_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(there, wanted);

        // Made by the store in a keyspace of its own, a table is the same to Cassandra.
        let beside = node.options();
        let other = Cassandra::connect(&beside).await.unwrap();
        for step in &steps_[..count.min(5)] {
            other.apply(step).await.unwrap();
            let (emitted, made) =
                (made(&session, &options.keyspace, step).await, made(&session, &beside.keyspace, step).await);
            assert!(!emitted.is_empty() && emitted == made, "{step}:\n{emitted:#?}\n{made:#?}");
        }
        for name in [&options.keyspace, &beside.keyspace] {
            session.query_unpaged(format!("DROP KEYSPACE {name}"), ()).await.unwrap();
        }
    });
}

/// A table in Cassandra's own words, without what names its keyspace.
async fn made(session: &Session, keyspace: &str, step: &Step) -> Vec<String> {
    let statement = format!("DESCRIBE TABLE \"{keyspace}\".\"{}\"", step.table());
    let answer = session.query_unpaged(statement, ()).await.unwrap().into_rows_result().unwrap();
    let rows = answer.rows::<(String, String, String, String)>().unwrap();
    let ours = |line: &str| line.replace(keyspace, "KEYSPACE");
    rows.flat_map(|row| row.unwrap().3.lines().map(ours).collect::<Vec<_>>()).collect()
}
