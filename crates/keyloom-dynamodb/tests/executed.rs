//! What the executor makes a server count, pattern by pattern, is what `size` says: for the example that it runs whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use keyloom_design::design;
use keyloom_dynamodb::{DynamoDb, DynamoDbDialect, abilities};
use keyloom_engines::announce;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program;
use keyloom_run::{Answer, Call, Environment, Run};
use keyloom_size::{Effort, Sizes, Terms, size};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Placement, Rows, Shape, Slice, Step, Store, TableId, Verdict,
};
use keyloom_text::{Files, Unreadable, read};
use serde_json::{Value as Json, json};

const SUITE: &str = "executed";

#[test]
fn dynoxide_counts_what_size_says_of_the_executor() {
    common::on_dynoxide(SUITE, |engine, endpoint| common::runtime().block_on(shop(engine, endpoint)));
}

#[test]
fn extenddb_counts_what_size_says_of_the_executor() {
    common::on_extenddb(SUITE, |engine, endpoint| common::runtime().block_on(shop(engine, endpoint)));
}

async fn shop(engine: &str, endpoint: &str) {
    let reading = read("catalog.yaml", &Shop, &mut Sources::default());
    let layout = design(&reading.catalog, Engine::DynamoDb, &abilities());
    let program = Program::compile(&reading.catalog, &layout, &abilities());
    let store = Arc::new(Metered { store: common::fresh(endpoint).await, read: AtomicU64::new(0) });
    let executed = keyloom_run::Program::of(&program).expect("all of the example is run");
    let run = Run::open(executed, Arc::clone(&store), Arc::new(Clock(AtomicI64::new(NOW_US)))).await.unwrap();
    let mut world =
        World { run, store, sizes: size(&program, &DynamoDbDialect, &Terms::default()), called: Vec::new() };
    let user = world.call("sign_up", json!({ "name": text(20), "email": text(24) })).await["user_id"].clone();
    let line = json!({ "sku": text(10), "name": text(30), "qty": 123_456, "price": "123456.78" });
    let placed = json!({ "user_id": user, "items": [line, line, line], "total": "123456.78" });
    let mut order = Json::Null;
    // As many as a typical user has.
    for _ in 0..8 {
        order = world.call("place_order", placed.clone()).await["order_id"].clone();
    }
    for pattern in ["get_order", "get_order_items", "pay_order", "ship_order"] {
        world.call(pattern, json!({ "order_id": order })).await;
    }
    for pattern in ["list_orders_of_user", "get_profile"] {
        world.call(pattern, json!({ "user_id": user })).await;
    }
    world.call("rename_user", json!({ "user_id": user, "name": text(20) })).await;
    for pattern in &program.catalog.patterns {
        assert!(world.called.contains(&pattern.name), "{} is not called", pattern.name);
    }
    announce(SUITE, engine, world.called.len(), 0);
}

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

struct World {
    run: Run,
    store: Arc<Metered>,
    sizes: Sizes,
    called: Vec<String>,
}

impl World {
    /// Calls a pattern, looks at what it took, and answers with the key of what was written.
    async fn call(&mut self, name: &str, inputs: Json) -> Json {
        let inputs = self.run.inputs_from_object(self.run.pattern(name).unwrap(), &inputs).unwrap();
        let key = format!("{name} {};{}", self.called.len(), NOW_US / 1_000);
        let is_write = self.sizes.patterns.iter().any(|size| size.name == name && size.effort.high.write_units > 0);
        let key = is_write.then_some(key.as_str());
        let before = self.store.milliunits();
        let answer = self.run.call(&Call { pattern: name, inputs, key, limit: None, cursor: None }).await.unwrap();
        let counted = self.store.milliunits() - before;
        let said = self.sizes.patterns.iter().find(|size| size.name == name).unwrap().effort;
        let units = |effort: Effort| effort.read_half_units / 2 + effort.write_units;
        assert_eq!((units(said.low), units(said.high)), (counted.into(), counted.into()), "{name}: {answer:?}");
        self.called.push(name.to_owned());
        match answer {
            Answer::Applied { key, .. } => key,
            Answer::Row { .. } => Json::Null,
            Answer::Rows { rows, .. } => {
                assert_eq!(rows.len(), 8);
                Json::Null
            }
            answer => panic!("{name}: {answer:?}"),
        }
    }
}

struct Shop;

impl Files for Shop {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(include_str!("../../../examples/shop/catalog.yaml").to_owned())
    }
}

/// Without zeros at its end, which would not be stored.
const NOW_US: i64 = 1_794_000_000_123_457;

/// A clock that goes on with each look.
struct Clock(AtomicI64);

impl Environment for Clock {
    fn now_us(&self) -> i64 {
        self.0.fetch_add(10, Ordering::Relaxed)
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// A store that adds up what its reads took; writes are added up by the store itself.
struct Metered {
    store: DynamoDb,
    read: AtomicU64,
}

impl Metered {
    fn milliunits(&self) -> u64 {
        self.read.load(Ordering::Relaxed) + self.store.write_milliunits()
    }

    fn add(&self, milliunits: u64) {
        self.read.fetch_add(milliunits, Ordering::Relaxed);
    }
}

impl Store for Metered {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let got = self.store.get(at).await;
        self.add(got.as_ref().map_or(0, |got| got.cost.milliunits));
        got
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let got = self.store.get_many(at).await;
        self.add(got.iter().flatten().map(|got| got.cost.milliunits).sum());
        got
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        let rows = self.store.slice(of).await;
        self.add(rows.as_ref().map_or(0, |rows| rows.cost.milliunits));
        rows
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.store.decide(what).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.store.place(rows, together, now).await
    }
}

impl Define for Metered {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.store.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.store.apply(step).await
    }
}
