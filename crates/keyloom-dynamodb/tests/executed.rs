//! What the executor makes a server count, pattern by pattern, is what `size` says: for an example that it runs whole, and
//! for a catalog with what that has not.
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
use keyloom_run::{Answer, Call, Caller, Environment, Run};
use keyloom_size::{Sizes, Terms, size};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Placement, Resume, Rows, Segment, Shape, Slice, Step, Store,
    Sweep, Swept, TableId, Verdict,
};
use keyloom_text::{Files, Unreadable, read};
use serde_json::{Value as Json, json};

const SUITE: &str = "executed";

#[test]
fn dynoxide_counts_what_size_says_of_the_executor() {
    common::on_dynoxide(SUITE, |engine, endpoint| common::runtime().block_on(both(engine, endpoint)));
}

#[test]
fn extenddb_counts_what_size_says_of_the_executor() {
    common::on_extenddb(SUITE, |engine, endpoint| common::runtime().block_on(both(engine, endpoint)));
}

async fn both(engine: &str, endpoint: &str) {
    announce(SUITE, engine, shop(endpoint).await + rooms(endpoint).await, 0);
}

async fn shop(endpoint: &str) -> usize {
    let mut world = World::new(endpoint, include_str!("../../../examples/shop/catalog.yaml")).await;
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
    world.close()
}

async fn rooms(endpoint: &str) -> usize {
    let mut world = World::new(endpoint, include_str!("executed/rooms.yaml")).await;
    let room = world.call("open_room", json!({ "title": text(20) })).await["room_id"].clone();
    let mut user = Json::Null;
    // As many as a typical room has.
    for handle in ["handle_1", "handle_2"] {
        user = world.call("sign_up", json!({ "handle": handle, "name": text(20) })).await["user_id"].clone();
        let member = json!({ "room_id": room, "user_id": user });
        world.call("join", member.clone()).await;
        world.call("sit_down", with(&member, "seat", &format!("{handle:.6}"))).await;
    }
    for last in ["6", "7"] {
        let born_ms = format!("{:012x}", NOW_US / 1_000);
        let id = format!("{}-{}-7000-8000-00000000000{last}", &born_ms[..8], &born_ms[8..]);
        world.call("send", json!({ "room_id": room, "message_id": id, "body": text(80) })).await;
    }
    for pattern in ["get_room", "list_members", "list_seats", "read_messages"] {
        world.call(pattern, json!({ "room_id": room })).await;
    }
    let member = json!({ "room_id": room, "user_id": user });
    world.call("change_seat", with(&member, "seat", "seat_2")).await;
    world.call("leave", member).await;
    world.call("find_user", json!({ "handle": "handle_1" })).await;
    world.call("change_handle", json!({ "user_id": user, "handle": "handle_3" })).await;
    world.call("sign_off", json!({ "user_id": user })).await;
    world.close()
}

fn with(inputs: &Json, name: &str, value: &str) -> Json {
    let mut inputs = inputs.clone();
    inputs[name] = value.into();
    inputs
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
    async fn new(endpoint: &str, catalog: &'static str) -> Self {
        let reading = read("catalog.yaml", &One(catalog), &mut Sources::default());
        let layout = design(&reading.catalog, Engine::DynamoDb, &abilities());
        let program = Program::compile(&reading.catalog, &layout, &abilities());
        let store = Arc::new(Metered { store: common::fresh(endpoint).await, read: AtomicU64::new(0) });
        let executed = keyloom_run::Program::of(&program).expect("all of it is run");
        let run = Run::open(executed, Arc::clone(&store), Arc::new(Clock(AtomicI64::new(NOW_US)))).await.unwrap();
        let sizes = size(&program, &DynamoDbDialect, &Terms::default());
        Self { run, store, sizes, called: Vec::new() }
    }

    /// Calls a pattern, looks at what it took, and answers with the key of what was written. What may happen with a call
    /// does in all of these: it takes the most that is said.
    async fn call(&mut self, name: &str, inputs: Json) -> Json {
        let pattern = self.run.pattern(name).unwrap();
        let inputs = self.run.inputs_from_object(pattern, Caller::NOBODY, &inputs).unwrap();
        let key = format!("{name} {};{}", self.called.len(), NOW_US / 1_000);
        let key = (!pattern.writes().is_empty()).then_some(key.as_str());
        let before = self.store.milliunits();
        let call = Call { pattern: name, inputs, key, order: None, limit: None, cursor: None };
        let answer = self.run.call(&call).await.unwrap();
        let counted = self.store.milliunits() - before;
        let said = self.sizes.patterns.iter().find(|size| size.name == name).unwrap().effort.high;
        assert_eq!(said.read_half_units / 2 + said.write_units, counted.into(), "{name}: {answer:?}, {said:?}");
        self.called.push(name.to_owned());
        match answer {
            Answer::Applied { key, .. } => key,
            Answer::Row { .. } | Answer::Rows { .. } => Json::Null,
            answer => panic!("{name}: {answer:?}"),
        }
    }

    /// How many calls there were; of each pattern one at least.
    fn close(self) -> usize {
        for pattern in &self.sizes.patterns {
            assert!(self.called.contains(&pattern.name), "{} is not called", pattern.name);
        }
        self.called.len()
    }
}

struct One(&'static str);

impl Files for One {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
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

impl Sweep for Metered {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.store.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.store.sweep(table, segment, from, rows_max, now).await
    }
}
