//! A house whose tables are damaged by hand, in each way: what differs is found, all of it and nothing else, and brought
//! right.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Program, Report, Run, Verified, Verify};
use keyloom_store::{Define, Store, Sweep};
use keyloom_text::{Files, Unreadable};
use keyloom_value::Value;
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

use super::{clock::Turned, damage::Damaged};

const CATALOG: &str = "
language: 1
catalog: house
retries: 24h
entities:
  Owner:
    key: [owner_id]
    fields:
      owner_id: text(2..10)
      name: text(4..40)
      rooms: int = count of Room
      seats: int = sum of Room.seats
      mean: float? = avg of Room.seats
    volume: { rows: 10 }
  Room:
    key: [room_id]
    fields:
      room_id: uuid = new
      owner_id: text(2..10) -> Owner
      name: text(4..40)
      seats: int = 0
    unique: { name_taken: name }
    volume: { rows: 100 }
    groups: { owner_id: 5 / 10 / 50 }
  Lease:
    key: [lease_id]
    fields: { lease_id: uuid = new, room_id: uuid -> Room, note: text(4..40), until: timestamp }
    expires: until
    volume: { rows: 10 }
    groups: { room_id: 5 / 10 / 20 }
  Event:
    append_only: true
    key: [room_id, event_id]
    fields:
      room_id: uuid -> Room
      event_id: uuid7 = new
      at: timestamp = now
      kind: enum(NOTE | VISIT)
      words: text(4..200)
    volume: { growth: 10/day }
    groups: { room_id: 10 / 100 / 1000, kind: 10 / 100 / 1000 }
patterns:
  tell: { create: Event, takes: [room_id, kind, words], rate: rare }
  visits: { list: Event, by: [kind], where: kind = $kind, order: at asc, page: 20, returns: [room_id, words], rate: rare }
  events: { list: Event, by: [room_id], order: at desc, page: 20, returns: [words], rate: rare }
  put_owner: { create: Owner, takes: [owner_id, name], rate: rare }
  rename_owner: { update: Owner, by: [owner_id], set: { name: $name }, rate: rare }
  kept: { get: Owner, by: [owner_id], returns: [rooms, seats, mean], rate: rare }
  add: { create: Room, takes: [owner_id, name, seats], rate: rare }
  patch: { update: Room, by: [room_id], any_of: [owner_id, name, seats], rate: rare }
  drop: { delete: Room, by: [room_id], rate: rare }
  find: { get: Room, by: [name], returns: [room_id], rate: rare }
  rooms: { list: Room, by: [owner_id], order: name asc, page: 50, returns: [name, seats], rate: rare }
  let: { create: Lease, takes: [room_id, note, until], rate: rare }
  leases: { list: Lease, by: [room_id], order: until asc, page: 10, returns: [note], rate: rare }
";

struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

pub struct House<S> {
    run: Run,
    store: Arc<S>,
    clock: Arc<Turned>,
    runtime: Runtime,
    keys: AtomicU64,
    rooms: Vec<String>,
}

/// A house with two owners, nine rooms, some leases and some events.
pub fn house<S: Store + Define + Sweep>(store: S, engine: Engine, runtime: Runtime) -> House<S> {
    // On a store that decides one row at a time nothing is kept yet.
    let keeps = store.abilities().atomic != keyloom_store::Atomic::Row;
    let kept =
        |line: &&str| keeps || !["count of", "sum of", "avg of", "kept"].iter().any(|words| line.contains(words));
    let text = CATALOG.lines().filter(kept).collect::<Vec<_>>().join("\n");
    let reading = keyloom_text::read("catalog.yaml", &Text(&text), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let layout = design(&reading.catalog, engine, store.abilities());
    let planned = Planned::compile(&reading.catalog, &layout, store.abilities());
    let program = Program::of(&planned).unwrap_or_else(|words| panic!("{words:?}"));
    let (clock, store) = (Arc::new(Turned::new()), Arc::new(store));
    let run = runtime.block_on(Run::open(program, Arc::clone(&store), clock.clone())).unwrap();
    let mut house = House { run, store, clock, runtime, keys: AtomicU64::new(0), rooms: Vec::new() };
    house.done("put_owner", &json!({"owner_id": "ann", "name": "Ann, who owns"}));
    house.done("put_owner", &json!({"owner_id": "ben", "name": "Ben, who owns"}));
    for number in 0..9 {
        let owner = if number % 3 == 0 { "ben" } else { "ann" };
        let name = format!("room {number}");
        let room = house.done("add", &json!({"owner_id": owner, "name": name, "seats": number}));
        house.rooms.push(room["room_id"].as_str().unwrap().to_owned());
    }
    house.done("patch", &json!({"room_id": house.rooms[1], "name": "the blue room", "owner_id": "ben"}));
    house.done("drop", &json!({"room_id": house.rooms[2]}));
    for room in &house.rooms[3..6] {
        house.done("let", &json!({"room_id": room, "note": "for a while", "until": "2026-11-30T00:00:00Z"}));
        house.done("tell", &json!({"room_id": room, "kind": "VISIT", "words": "somebody came"}));
    }
    house
}

impl<S: Store + Define + Sweep> House<S> {
    #[track_caller]
    fn done(&self, pattern: &str, body: &Json) -> Json {
        let key = format!("{};{}", self.keys.fetch_add(1, Ordering::Relaxed), self.clock.now_ms());
        let inputs = self.run.inputs_from_object(self.run.pattern(pattern).unwrap(), Caller::NOBODY, body).unwrap();
        let call = Call { pattern, inputs, key: Some(&key), order: None, limit: None, cursor: None };
        match self.runtime.block_on(self.run.call(&call)) {
            Ok(Answer::Applied { key, .. }) => key,
            other => panic!("{pattern} {body}: {other:?}"),
        }
    }

    /// To the end; interrupted after each step and gone on with elsewhere.
    pub fn verified(&self, mends: bool) -> Report {
        let mut verify = if mends { Verify::mending(&self.run) } else { Verify::new(&self.run) };
        loop {
            match self.runtime.block_on(verify.next(&self.run)).unwrap() {
                Verified::Rows(_) => {}
                Verified::Waits(span) => {
                    // Who waits settles what others left; one who begins again each time would wait for ever.
                    self.clock.turn_ms(i64::try_from(span.as_millis()).unwrap());
                    continue;
                }
                Verified::All => return verify.report().clone(),
            }
            let written = verify.checkpoint().to_string();
            let read = serde_json::from_str(&written).unwrap();
            // Kept values begin again, so they would never end.
            if verify.at(&self.run).is_some_and(|table| !table.contains("owner_")) {
                verify = Verify::resumed(&self.run, mends, &read).unwrap();
            }
        }
    }

    /// What writes past the executor.
    pub fn damaged(&self) -> Damaged<'_, S, Turned> {
        Damaged { store: &*self.store, clock: &self.clock, runtime: &self.runtime }
    }

    #[track_caller]
    fn is_right(&self) {
        let report = self.verified(false);
        assert_eq!((report.differences(), report.moving), (0, 0), "{:#?}", report.named);
        assert!(report.rows() > 20, "{report:?}");
    }

    /// Damages a table; exactly that is found, and brought right.
    #[track_caller]
    fn mends(&self, table: &str, [missing, extra, stale]: [u64; 3]) {
        let counted = |report: &Report| {
            let table = report.tables.iter().find(|found| found.table == table).unwrap();
            [table.missing, table.extra, table.stale, report.differences()]
        };
        let expected = [missing, extra, stale, missing + extra + stale];
        let found = self.verified(false);
        assert_eq!(counted(&found), expected, "{table}: {:#?}", found.named);
        let mended = self.verified(true);
        assert_eq!((counted(&mended), mended.mended()), (expected, expected[3]), "{table}: {mended:#?}");
        assert!(mended.unmended.is_empty(), "{mended:#?}");
        self.is_right();
    }
}

pub fn all_ways<S: Store + Define + Sweep>(store: S, engine: Engine, runtime: Runtime) {
    let house = house(store, engine, runtime);
    house.is_right();
    let damaged = house.damaged();
    let names: Vec<String> = house.verified(false).tables.into_iter().map(|table| table.table).collect();
    let lists = names.iter().filter(|name| name.contains("_by_") && *name != "room_by_name");
    assert_eq!(lists.clone().count(), 3, "{names:?}");
    // Rows of lists: removed, copied to where nobody looks for them, changed, of nobody.
    for list in lists {
        let rows = damaged.rows(list);
        damaged.remove(list, &rows[0].key);
        house.mends(list, [1, 0, 0]);
        let mut stale = rows[1].clone();
        stale.change();
        damaged.put(list, &stale);
        house.mends(list, [0, 0, 1]);
        if list == "event_by_room" {
            // Its rows do not say which row of which kind they are of.
            continue;
        }
        let mut elsewhere = rows[0].clone();
        elsewhere.move_away();
        damaged.put(list, &elsewhere);
        house.mends(list, [0, 1, 0]);
        damaged.remove(list, &rows[2].key);
        damaged.put(list, &elsewhere);
        damaged.put(list, &stale);
        house.mends(list, [1, 1, 1]);
    }
    let list = "room_by_owner";
    let mut orphan = damaged.rows(list)[0].clone();
    orphan.of_nobody();
    damaged.put(list, &orphan);
    house.mends(list, [0, 1, 0]);
    // Unique values: free, at a foreigner, held without being had.
    let unique = "room_by_name";
    let rows = damaged.rows(unique);
    let held: Vec<_> = rows.iter().filter(|row| !row.cells[0].is_null()).collect();
    let mut free = held[0].clone();
    free.cells[0] = Value::Null;
    damaged.put(unique, &free);
    house.mends(unique, [1, 0, 0]);
    let mut foreign = held[1].clone();
    foreign.cells[0] = held[2].cells[0].clone();
    damaged.put(unique, &foreign);
    house.mends(unique, [0, 0, 1]);
    let mut unheld = held[1].clone();
    unheld.key[0] = Value::from("a name of nobody");
    damaged.put(unique, &unheld);
    house.mends(unique, [0, 1, 0]);
    // Kept values.
    for kept in names.iter().filter(|name| name.starts_with("owner_")) {
        let mut row = damaged.rows(kept)[0].clone();
        row.change();
        damaged.put(kept, &row);
        house.mends(kept, [0, 0, 1]);
        let mut row = row.clone();
        row.key[0] = Value::from("nobody");
        damaged.put(kept, &row);
        house.mends(kept, [0, 1, 0]);
    }
    // It still works.
    house.done("patch", &json!({"room_id": house.rooms[4], "name": "another name", "owner_id": "ann", "seats": 70}));
    house.done("drop", &json!({"room_id": house.rooms[5]}));
    house.is_right();
}
