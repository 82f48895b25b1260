//! Rows that are written past the executor.
#![allow(dead_code, reason = "not every test damages in every way")]

use std::sync::atomic::{AtomicI64, Ordering};

use keyloom_run::Environment;
use keyloom_store::{
    Along, Change, ColumnAt, Decision, Define, Discipline, Expect, Freshness, Get, GroupImage, Image, Millis,
    Placement, Placing, Shape, State, Store, Sweep, TableId, Verdict,
};
use keyloom_value::Value;
use tokio::runtime::Runtime;

type Owned = Value<'static>;

pub struct Damaged<'a, S, E> {
    pub store: &'a S,
    pub clock: &'a E,
    pub runtime: &'a Runtime,
}

#[derive(Debug, Clone)]
pub struct Stands {
    pub key: Vec<Owned>,
    pub cells: Vec<Owned>,
    pub expires_at: Option<Millis>,
    pub version: u64,
}

static NUMBER: AtomicI64 = AtomicI64::new(0);

impl<S: Store + Define + Sweep, E: Environment> Damaged<'_, S, E> {
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    fn now(&self) -> Millis {
        Millis(self.clock.now_us() / 1_000)
    }

    fn table(&self, name: &str) -> (TableId, std::sync::Arc<Shape>) {
        self.wait(self.store.describe()).unwrap().into_iter().find(|(_, shape)| shape.table().name == name).unwrap()
    }

    pub fn rows(&self, table: &str) -> Vec<Stands> {
        let (id, shape) = self.table(table);
        let mut rows = Vec::new();
        for segment in self.wait(self.store.segments(id, 1)).unwrap() {
            let swept = self.wait(self.store.sweep(id, &segment, None, 10_000, self.now())).unwrap();
            for row in swept.rows {
                let columns = 0..shape.table().groups[0].columns.len();
                let cell = |column| row.value(&shape, ColumnAt::Cell { group: 0, column }).unwrap().into_owned();
                let State::Put { expires_at } = row.section(0).unwrap().state else { panic!() };
                rows.push(Stands {
                    key: row.key(&shape).unwrap().into_iter().map(Value::into_owned).collect(),
                    cells: columns.map(cell).collect(),
                    expires_at,
                    version: row.version().unwrap(),
                });
            }
        }
        rows
    }

    /// A row as somebody writes it by hand, now.
    pub fn put(&self, table: &str, row: &Stands) {
        let version = u64::try_from(self.clock.now_us()).unwrap();
        let image = Image { version, expires_at: row.expires_at, values: &row.cells };
        let (id, shape) = self.table(table);
        match shape.table().discipline {
            Discipline::Placed => {
                let groups = [GroupImage { group: 0, version, values: &row.cells }];
                let placing = Placing::Put { groups: &groups, expires_at: row.expires_at };
                self.wait(self.store.place(&[Placement { table: id, key: &row.key, placing }], false, self.now()))
                    .unwrap();
            }
            Discipline::Carried => self.carry(Along::Put { table: id, key: &row.key, becomes: image }),
            _ => {
                let get = Get { table: id, key: &row.key, freshness: Freshness::Fresh, now: self.now() };
                let there = self.wait(self.store.get(get)).unwrap().row;
                let expect = there.map_or(Expect::Absent, |there| Expect::Version(there.version().unwrap()));
                let change = Change { table: id, key: &row.key, expect, becomes: image };
                let decided = self.wait(self.store.decide(Decision { change, along: &[], now: self.now() }));
                assert_eq!(decided, Ok(Verdict::Done));
            }
        }
    }

    pub fn remove(&self, table: &str, key: &[Owned]) {
        let (id, shape) = self.table(table);
        if shape.table().discipline == Discipline::Carried {
            return self.carry(Along::Remove { table: id, key });
        }
        let version = u64::try_from(self.clock.now_us()).unwrap();
        let placing = Placing::Remove { groups: &[(0, version)] };
        self.wait(self.store.place(&[Placement { table: id, key, placing }], false, self.now())).unwrap();
    }

    /// With a decision about something else.
    fn carry(&self, along: Along<'_>) {
        let key = [Value::from(format!("damage {}", NUMBER.fetch_add(1, Ordering::Relaxed)))];
        let becomes = Image { version: 2, expires_at: None, values: &[Value::from(&b"x"[..])] };
        let change = Change { table: self.table("kl_system").0, key: &key, expect: Expect::Absent, becomes };
        let decided = self.wait(self.store.decide(Decision { change, along: &[along], now: self.now() }));
        assert_eq!(decided, Ok(Verdict::Done));
    }
}

impl Stands {
    /// Another place of the same row: what is not of its identity is different.
    pub fn move_away(&mut self) {
        for part in &mut self.key {
            match part {
                Value::Text(text) => *part = Value::from(format!("{text}!")),
                Value::Timestamp(moment) => *part = Value::Timestamp(*moment + 1_000),
                _ => {}
            }
        }
    }

    /// Other values.
    pub fn change(&mut self) {
        for cell in &mut self.cells {
            match cell {
                Value::Text(text) => *cell = Value::from(format!("{text}?")),
                Value::Int(number) => *cell = Value::Int(*number + 7),
                Value::Float(number) => *cell = Value::Float(*number + 7.0),
                _ => {}
            }
        }
    }

    /// A row that nobody has.
    pub fn of_nobody(&mut self) {
        for part in &mut self.key {
            if let Value::Uuid(uuid) = part {
                *part = Value::Uuid(std::array::from_fn(|at| uuid[at] ^ 0x55));
            }
        }
    }
}
