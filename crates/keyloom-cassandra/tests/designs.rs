//! The tables of designed layouts, and every read of them: legal by the resolver of the review, and by a real Cassandra,
//! without filtering.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![allow(clippy::disallowed_methods, reason = "how long a test by hand is comes from the environment")]

mod common;

use std::time::Instant;

use common::Node;
use keyloom_cassandra::{abilities, cql, get_cql, slice_cql};
use keyloom_cql::{
    parse::parse,
    resolve::{Verdict, resolve},
    schema::Schema,
};
use keyloom_design::design;
use keyloom_engines::{announce, say};
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program;
use keyloom_sample::{Size, catalog};
use keyloom_store::ReadForm;
use keyloom_text::{Files, Unreadable, read};
use scylla::client::{session::Session, session_builder::SessionBuilder};

const SUITE: &str = "designs";

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn designed(text: &str) -> Program {
    let reading = read("catalog.yaml", &One(text), &mut Sources::default());
    let abilities = abilities();
    let layout = design(&reading.catalog, Engine::Cassandra, &abilities);
    Program::compile(&reading.catalog, &layout, &abilities)
}

/// The statement of every read, with the question it answers.
fn reads(program: &Program, keyspace: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for plan in &program.reads {
        for (name, form) in plan.access.forms(&program.layout) {
            let table = program.tables.iter().find(|table| table.name == name).unwrap();
            let texts = match form {
                ReadForm::Get => vec![get_cql(keyspace, table).unwrap()],
                ReadForm::Slice { equal, bounded, backward } => {
                    slice_cql(keyspace, table, equal, bounded, backward).unwrap()
                }
            };
            all.extend(texts.into_iter().map(|text| (plan.asked.question.to_string(), text)));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Makes the tables of a program in a keyspace of their own and prepares every read; says how many tables and reads.
async fn accepted(session: &Session, name: &str, keyspace: &str, program: &Program) -> (usize, usize) {
    let tables: Vec<_> = program.all_tables().cloned().collect();
    let emitted = cql(keyspace, &tables).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    let mut schema = Schema::default();
    let ask = async |statement: &str| {
        if let Err(error) = session.query_unpaged(statement, ()).await {
            panic!("{name}: {error}:\n{statement}");
        }
    };
    let space =
        format!("CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}");
    for statement in std::iter::once(space.as_str()).chain(emitted.split_terminator(";\n")) {
        for parsed in parse(statement).statements {
            // Rows that are written down are no part of a schema.
            let _ = schema.apply(&parsed, 0, &mut None);
        }
        ask(statement).await;
    }
    let reads = reads(program, keyspace);
    for (question, statement) in &reads {
        let parsed = parse(statement).statements;
        let [parsed] = &parsed[..] else { panic!("{name} {question}: one statement is one:\n{statement}") };
        let verdict = resolve(&schema, parsed, Some(keyspace)).verdict;
        assert_eq!(verdict, Verdict::Legal, "{name} {question}:\n{statement}");
        if let Err(error) = session.prepare(statement.as_str()).await {
            panic!("{name} {question}: {error}:\n{statement}");
        }
    }
    session.query_unpaged(format!("DROP KEYSPACE {keyspace}"), ()).await.unwrap();
    (tables.len(), reads.len())
}

fn all_accepted(node: &Node, texts: impl Iterator<Item = (String, String)>) -> (usize, usize, usize) {
    node.runtime.block_on(async {
        let options = node.options();
        let session = SessionBuilder::new().known_nodes(&options.contact_points).build().await.unwrap();
        let mut counted = (0, 0, 0);
        for (at, (name, text)) in texts.enumerate() {
            let program = designed(&text);
            let (tables, reads) = accepted(&session, &name, &format!("designed_{at}"), &program).await;
            counted = (counted.0 + 1, counted.1 + tables, counted.2 + reads);
        }
        counted
    })
}

fn examples() -> impl Iterator<Item = (String, String)> {
    let texts = [
        ("shop", include_str!("../../../examples/shop/catalog.yaml")),
        ("chat", include_str!("../../../examples/chat/catalog.yaml")),
        ("sensors", include_str!("../../../examples/sensors/catalog.yaml")),
        ("cases", include_str!("../../../examples/cases/catalog.yaml")),
    ];
    texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned()))
}

fn samples(seeds: std::ops::Range<u64>, size: impl Fn(u64) -> Size) -> impl Iterator<Item = (String, String)> {
    seeds.map(move |seed| (format!("seed {seed}"), catalog(seed, size(seed))))
}

#[test]
fn cassandra_takes_designed_tables_and_their_reads() {
    let Some(node) = Node::start(SUITE) else { return };
    let (catalogs, tables, reads) = all_accepted(&node, examples().chain(samples(0..6, |_| Size::Small)));
    say(&format!("{catalogs} catalogs, {tables} tables, {reads} reads\n"));
    announce(SUITE, "cassandra", 1, 0);
}

#[test]
#[ignore = "by hand: KEYLOOM_SEEDS says of how many random catalogs"]
fn cassandra_takes_the_tables_of_many_random_catalogs() {
    let Some(node) = Node::start(SUITE) else { return };
    let (seeds, began) = (std::env::var("KEYLOOM_SEEDS").map_or(1_000, |seeds| seeds.parse().unwrap()), Instant::now());
    let (catalogs, tables, reads) = all_accepted(&node, samples(0..seeds, Size::of));
    say(&format!("{catalogs} catalogs, {tables} tables, {reads} reads in {:?}\n", began.elapsed()));
}
