//! The bet of the run time on this ground: the source row decides, projections are derived from it again and again, and
//! whoever is in doubt touches. One entity with a moving projection key, writers that sleep and die, a worker that settles
//! what they leave behind. Each guard of the protocol is taken away once, and must be missed.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::print_stdout, reason = "how many seeds it took is worth seeing with --nocapture")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use keyloom_sim::{Clock, Dice, Faults, ItemStore, Simulation, WideStore};
use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Fault, Freshness, Get, Group, GroupImage, Image, Placement,
    Placing, Row, Shape, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

const SOURCE: TableId = TableId(0);
const PROJECTION: TableId = TableId(1);
const ENTITY: [Value<'static>; 1] = [Value::Int(1)];
const KEYS: [&str; 3] = ["A", "B", "C"];

/// The guards of the protocol.
#[derive(Clone, Copy)]
struct Protocol {
    /// The worker settles a mark by a touch, not by a look.
    touch: bool,
    /// The source row names the keys that may still be there.
    stale_keys: bool,
    /// An unknown is resolved by the version, not by a read alone.
    fence: bool,
    /// The entity is marked before it is decided.
    mark_first: bool,
    /// Every try marks it again.
    mark_again: bool,
}

const AS_DESIGNED: Protocol =
    Protocol { touch: true, stale_keys: true, fence: true, mark_first: true, mark_again: true };

fn tables() -> [Table; 2] {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let table = |name: &str, discipline, key, columns| Table {
        name: name.to_owned(),
        discipline,
        partition: vec![column("id", key)],
        sort: Vec::new(),
        groups: vec![Group { columns }],
        grace_ms: 3_600_000_000,
        lifetime_ms: None,
    };
    let columns = vec![column("key", Kind::Text), column("stale", Kind::Text), column("tokens", Kind::Bytes)];
    [
        table("source", Discipline::Decided, Kind::Int, columns),
        table("projection", Discipline::Placed, Kind::Text, vec![column("version", Kind::Int)]),
    ]
}

/// The source row: where the entity is projected to, where it may still be, and which requests it has absorbed.
#[derive(Debug, Clone, Default)]
struct Source {
    version: u64,
    key: Option<String>,
    stale: String,
    tokens: Vec<u8>,
}

impl Source {
    fn of(row: Option<&Row>) -> Self {
        let Some(row) = row else { return Self::default() };
        let shape = Shape::of(tables()[0].clone()).unwrap();
        let value = |name| row.value(&shape, shape.column(name).unwrap()).unwrap().into_owned();
        let text = |value| if let Value::Text(text) = value { Some(text.into_owned()) } else { None };
        let Value::Bytes(tokens) = value("tokens") else { panic!("tokens are bytes") };
        Self {
            version: row.version().unwrap(),
            key: text(value("key")),
            stale: text(value("stale")).unwrap_or_default(),
            tokens: tokens.into_owned(),
        }
    }

    fn next(&self, key: Option<&str>, protocol: Protocol) -> Self {
        let mut stale: Vec<&str> = KEYS.into_iter().filter(|known| self.stale.contains(known)).collect();
        stale.extend(self.key.as_deref().filter(|old| protocol.stale_keys && !stale.contains(old)));
        stale.retain(|old| Some(*old) != key);
        Self {
            version: self.version + 2,
            key: key.map(str::to_owned),
            stale: stale.concat(),
            tokens: self.tokens.clone(),
        }
    }
}

/// What all processes of a run share.
#[derive(Clone)]
struct Run<S> {
    store: S,
    clock: Clock,
    dice: Dice,
    protocol: Protocol,
    /// The durable marks that the entity is to be looked at, and whether that is done.
    marks: Arc<Mutex<BTreeMap<u64, bool>>>,
    /// Whether a request was answered as applied.
    answers: Arc<Mutex<BTreeMap<u8, bool>>>,
}

impl<S: Store> Run<S> {
    async fn source(&self, freshness: Freshness) -> Source {
        loop {
            let get = Get { table: SOURCE, key: &ENTITY, freshness, now: self.clock.now() };
            match self.store.get(get).await {
                Ok(got) => return Source::of(got.row.as_ref()),
                Err(_) => self.clock.sleep(Duration::from_millis(10)).await,
            }
        }
    }

    /// Whether it was decided; `None` when that is unknown.
    async fn decide(&self, from: u64, to: &Source) -> Option<bool> {
        let expect = if from == 0 { Expect::Absent } else { Expect::Version(from) };
        let key = to.key.as_deref().map_or(Value::Null, Value::from);
        let values = [key, Value::from(to.stale.as_str()), Value::from(to.tokens.as_slice())];
        let becomes = Image { version: to.version, expires_at: None, values: &values };
        let change = Change { table: SOURCE, key: &ENTITY, expect, becomes };
        match self.store.decide(Decision { change, along: &[], now: self.clock.now() }).await {
            Ok(verdict) => Some(verdict == Verdict::Done),
            Err(Fault::Unknown(_)) => None,
            Err(Fault::NotDone(_) | Fault::Busy { .. }) => Some(false),
            Err(fault) => panic!("{fault}"),
        }
    }

    /// Derives the projection from the source; whether all of it is acknowledged.
    async fn project(&self) -> bool {
        let source = self.source(Freshness::Settled).await;
        let mut all = true;
        for key in KEYS.into_iter().filter(|key| source.stale.contains(key)) {
            all &= self.place(key, Placing::Remove { groups: &[(0, source.version)] }).await;
        }
        if let Some(key) = &source.key {
            let values = [Value::Int(i64::try_from(source.version).unwrap())];
            let groups = [GroupImage { group: 0, version: source.version, values: &values }];
            all &= self.place(key, Placing::Put { groups: &groups, expires_at: None }).await;
        }
        all
    }

    async fn place(&self, key: &str, placing: Placing<'_>) -> bool {
        let placement = Placement { table: PROJECTION, key: &[key.into()], placing };
        self.store.place(&[placement], false, self.clock.now()).await.is_ok()
    }

    fn mark(&self) -> u64 {
        let mut marks = self.marks.lock().unwrap();
        let mark = marks.len() as u64;
        marks.insert(mark, false);
        mark
    }

    /// One request: moves the entity to some key.
    async fn write(self, token: u8) {
        let mut marks = Vec::new();
        let mut applied = false;
        for attempt in 0..4 {
            let source = self.source(Freshness::Settled).await;
            if self.protocol.mark_first && (attempt == 0 || self.protocol.mark_again) {
                marks.push(self.mark());
                self.pause().await;
            }
            let key = KEYS.get(usize::try_from(self.dice.below(4)).unwrap()).copied();
            let mut wanted = source.next(key, self.protocol);
            wanted.tokens.push(token);
            applied = match self.decide(source.version, &wanted).await {
                Some(decided) => decided,
                None => self.resolve(token, source.version).await,
            };
            if applied || self.dice.chance(0.4) {
                break;
            }
        }
        self.answers.lock().unwrap().insert(token, applied);
        if !applied {
            return;
        }
        if !self.protocol.mark_first {
            self.pause().await;
            marks.push(self.mark());
        }
        self.pause().await;
        if self.project().await {
            self.marks.lock().unwrap().extend(marks.into_iter().map(|mark| (mark, true)));
        }
    }

    /// Whether a decision of unknown outcome was applied, once and for all.
    async fn resolve(&self, token: u8, version: u64) -> bool {
        loop {
            let source = self.source(Freshness::Fresh).await;
            if source.tokens.contains(&token) {
                return true;
            }
            if source.version != version || !self.protocol.fence {
                return false;
            }
            let touched = source.next(source.key.as_deref(), self.protocol);
            if self.decide(source.version, &touched).await == Some(true) {
                return false;
            }
        }
    }

    /// Settles marks that nobody has settled, until none is left or it is time to go home.
    async fn settle(self, until: Duration) {
        while self.clock.elapsed() < until {
            let open: Vec<u64> =
                self.marks.lock().unwrap().iter().filter(|(_, done)| !**done).map(|(mark, _)| *mark).collect();
            if let Some(mark) = open.get(usize::try_from(self.dice.below(open.len() as u64)).unwrap()) {
                let source = self.source(Freshness::Settled).await;
                let touched = source.next(source.key.as_deref(), self.protocol);
                let settled = !self.protocol.touch || self.decide(source.version, &touched).await == Some(true);
                if settled && self.project().await {
                    self.marks.lock().unwrap().insert(*mark, true);
                }
            }
            self.pause().await;
        }
    }

    async fn pause(&self) {
        let longest = if self.dice.chance(0.1) { 1_000 } else { 5 };
        self.clock.sleep(self.dice.span(Duration::ZERO, Duration::from_millis(longest))).await;
    }
}

/// One run of one seed: what is wrong at its end, if anything.
fn check<S: Store + Define + Clone>(
    seed: u64,
    protocol: Protocol,
    fresh: impl Fn(&Simulation) -> S,
) -> Result<(), &'static str> {
    let faults = Faults { late: 0.1, crash: 0.003, pause: 0.02, lose_replica_message: 0.03, ..Faults::rough() };
    let simulation = Simulation::new(seed, faults);
    let run = Run {
        store: fresh(&simulation),
        clock: simulation.clock(),
        dice: simulation.dice(),
        protocol,
        marks: Arc::default(),
        answers: Arc::default(),
    };
    for table in tables() {
        simulation.block_on(run.store.apply(&Step::Create(table))).unwrap().unwrap();
    }
    let writers = 2 + u8::try_from(simulation.dice().below(5)).unwrap();
    for token in 0..writers {
        drop(simulation.spawn(&format!("writer {token}"), run.clone().write(token)));
    }
    drop(simulation.spawn("worker", run.clone().settle(Duration::from_secs(5))));
    simulation.run().unwrap();
    // The quiet tail: no new faults, and a worker that has the time to settle what is left.
    simulation.set_faults(Faults::none());
    while run.marks.lock().unwrap().values().any(|done| !done) {
        let until = simulation.clock().elapsed() + Duration::from_secs(5);
        simulation.block_on(run.clone().settle(until)).unwrap();
    }
    let source = simulation.block_on(run.source(Freshness::Fresh)).unwrap();
    for key in KEYS {
        let get = Get { table: PROJECTION, key: &[key.into()], freshness: Freshness::Settled, now: run.clock.now() };
        let there = simulation.block_on(run.store.get(get)).unwrap().unwrap().row.is_some();
        if there != (source.key.as_deref() == Some(key)) {
            return Err("drift");
        }
    }
    let times = |token: u8| source.tokens.iter().filter(|there| **there == token).count();
    if (0..writers).any(|token| times(token) > 1) {
        return Err("applied twice");
    }
    let answers = run.answers.lock().unwrap();
    if answers.iter().any(|(token, applied)| (times(*token) == 1) != *applied) {
        return Err("a false answer");
    }
    Ok(())
}

fn clean(seeds: u64, check: impl Fn(u64) -> Result<(), &'static str>) {
    for seed in 0..seeds {
        assert_eq!(check(seed), Ok(()), "seed {seed}");
    }
}

fn missed(guard: &str, within: u64, check: impl Fn(u64) -> Result<(), &'static str>) {
    let found = (0..within).find_map(|seed| Some((seed, check(seed).err()?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("nobody misses \"{guard}\" in {within} seeds"));
    println!("without \"{guard}\": {wrong} after {} of at most {within} seeds", seed + 1);
}

#[test]
fn the_protocol_converges_on_the_wide_store() {
    clean(2_000, |seed| check(seed, AS_DESIGNED, WideStore::new));
}

#[test]
fn the_protocol_converges_on_items() {
    clean(2_000, |seed| check(seed, AS_DESIGNED, ItemStore::new));
}

#[test]
#[ignore = "some minutes: for changes of the scheduler or the stores"]
fn the_protocol_converges_for_long() {
    clean(100_000, |seed| check(seed, AS_DESIGNED, WideStore::new));
    clean(100_000, |seed| check(seed, AS_DESIGNED, ItemStore::new));
}

#[test]
fn a_worker_that_looks_instead_of_touching_is_caught() {
    missed("touch", 5_000, |seed| check(seed, Protocol { touch: false, ..AS_DESIGNED }, WideStore::new));
}

#[test]
fn a_source_row_without_stale_keys_is_caught() {
    missed("stale keys", 50, |seed| check(seed, Protocol { stale_keys: false, ..AS_DESIGNED }, WideStore::new));
}

#[test]
fn an_unknown_that_is_resolved_by_a_read_alone_is_caught() {
    missed("fence", 500, |seed| check(seed, Protocol { fence: false, ..AS_DESIGNED }, WideStore::new));
}

#[test]
fn a_mark_after_the_decision_is_caught() {
    missed("mark first", 500, |seed| check(seed, Protocol { mark_first: false, ..AS_DESIGNED }, WideStore::new));
}

#[test]
fn a_retry_without_a_mark_of_its_own_is_caught() {
    missed("mark again", 5_000, |seed| check(seed, Protocol { mark_again: false, ..AS_DESIGNED }, WideStore::new));
}
