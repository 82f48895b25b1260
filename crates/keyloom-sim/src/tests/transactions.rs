//! Decisions over two rows: each has both or neither, and both rows tell the same story.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use keyloom_store::{
    Along, Change, Decision, Define, Discipline, Expect, Freshness, Get, Image, Row, Shape, Step, Store, TableId,
    Verdict,
};
use keyloom_value::{Kind, Value};

use super::{
    Wrong, clean,
    clients::{Answer, Hand, Tally, clients},
    faults, quiet_tail, table,
};
use crate::{ItemStore, Simulation};

const ROWS: u64 = 3;

/// The tokens of the decisions that made a row, the first one first.
type Chain = Vec<u8>;

type Histories = Arc<Mutex<BTreeMap<u8, (Answer, [u64; 2])>>>;

fn shape() -> Shape {
    let columns = [("chain", Kind::Bytes)];
    Shape::of(table("decided", Discipline::Decided, &[&columns])).unwrap()
}

fn tokens(row: Option<&Row>) -> (Chain, Expect) {
    let Some(row) = row else { return (Chain::new(), Expect::Absent) };
    let shape = shape();
    let value = row.value(&shape, shape.column("chain").unwrap()).unwrap();
    let Value::Bytes(chain) = value else { panic!("a chain: {value:?}") };
    (chain.into_owned(), Expect::Version(row.version().unwrap()))
}

fn key(row: u64) -> [Value<'static>; 1] {
    [Value::from(format!("row {row}"))]
}

async fn read(hand: &Hand<ItemStore>, row: u64) -> Option<(Chain, Expect)> {
    let get = Get { table: TableId(0), key: &key(row), freshness: Freshness::Settled, now: hand.clock.now() };
    hand.store.get(get).await.ok().map(|got| tokens(got.row.as_ref()))
}

async fn act(hand: Hand<ItemStore>, histories: Histories) {
    let first = hand.dice.below(ROWS);
    let rows = [first, (first + 1 + hand.dice.below(ROWS - 1)) % ROWS];
    let (Some(one), Some(two)) = (read(&hand, rows[0]).await, read(&hand, rows[1]).await) else { return };
    let token = {
        let mut histories = histories.lock().unwrap();
        let token = u8::try_from(histories.len() + 1).unwrap();
        histories.insert(token, (Answer::Unknown, rows));
        token
    };
    let longer = |(mut chain, expect): (Chain, Expect)| {
        chain.push(token);
        (expect, if let Expect::Version(version) = expect { version + 1 } else { 1 }, [Value::from(chain)])
    };
    let (one, two) = (longer(one), longer(two));
    let keys = rows.map(key);
    let own = Change {
        table: TableId(0),
        key: &keys[0],
        expect: one.0,
        becomes: Image { version: one.1, expires_at: None, values: &one.2 },
    };
    let other = Change {
        table: TableId(0),
        key: &keys[1],
        expect: two.0,
        becomes: Image { version: two.1, expires_at: None, values: &two.2 },
    };
    let along = [Along::Decide(other)];
    let verdict = hand.store.decide(Decision { change: own, along: &along, now: hand.clock.now() }).await;
    let answer = Answer::of(&verdict, |verdict| *verdict == Verdict::Done);
    histories.lock().unwrap().insert(token, (answer, rows));
}

/// One run of one seed: what is wrong with its rows, if anything.
pub(super) fn check(seed: u64, fresh: impl Fn(&Simulation) -> ItemStore) -> Result<Tally, Wrong> {
    let simulation = Simulation::new(seed, faults(seed));
    let (store, histories) = (fresh(&simulation), Histories::default());
    simulation.block_on(store.apply(&Step::Create(shape().table().clone()))).unwrap().unwrap();
    let shared = histories.clone();
    clients(&simulation, &store, (4, 6), move |hand| Box::pin(act(hand, shared.clone())));
    quiet_tail(&simulation)?;
    let hand = Hand { store, clock: simulation.clock(), dice: simulation.dice() };
    let read = |row| simulation.block_on(read(&hand, row)).unwrap().map(|(chain, _)| chain).unwrap();
    let chains: Vec<Chain> = (0..ROWS).map(read).collect();
    let mut tally = Tally::default();
    for (token, (answer, rows)) in &*histories.lock().unwrap() {
        let times = |row: u64| chains[usize::try_from(row).unwrap()].iter().filter(|there| *there == token).count();
        match (answer, rows.map(times)) {
            (Answer::Done | Answer::Unknown, [1, 1]) => tally.count(*answer, true),
            (Answer::Not | Answer::Unknown, [0, 0]) => tally.count(*answer, false),
            (answer, times) => return Err(format!("{token}, answered {answer:?}, is there {times:?} times")),
        }
    }
    Ok(tally)
}

#[test]
fn transactions_on_items_are_whole() {
    let tally = clean(2_000, |seed| check(seed, ItemStore::new));
    assert!(tally.done > 2_000 && tally.unknown_and_done > 200 && tally.unknown_and_not > 200, "{tally:?}");
}
