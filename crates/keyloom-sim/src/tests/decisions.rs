//! Many clients decide on few rows. A row holds the tokens of all decisions that made it, so every state that anybody saw
//! must be a beginning of the last one.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use keyloom_store::{
    Change, Current, Decision, Discipline, Expect, Freshness, Get, Image, Row, Shape, Step, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

use super::{
    Subject, Wrong, clean,
    clients::{Answer, Hand, Tally, clients},
    faults, quiet_tail, table,
};
use crate::{ItemStore, Simulation, WideStore};

const ROWS: u64 = 2;

/// The tokens of the decisions that made a row, the first one first.
pub(super) type Chain = Vec<u8>;

/// What clients have done and seen on one row.
#[derive(Debug, Default)]
struct History {
    answers: BTreeMap<u8, Answer>,
    /// What readers saw.
    seen: Vec<Chain>,
    /// Reads that had not seen what they must have.
    stale: Vec<String>,
    /// The longest chain that a fresh read has returned.
    fresh: usize,
}

type Histories = Arc<Mutex<BTreeMap<u64, History>>>;

pub(super) fn shape() -> Shape {
    let columns = [("chain", Kind::Bytes)];
    Shape::of(table("decided", Discipline::Decided, &[&columns])).unwrap()
}

pub(super) fn tokens(row: Option<&Row>) -> (Chain, Expect) {
    let Some(row) = row else { return (Chain::new(), Expect::Absent) };
    let shape = shape();
    let value = row.value(&shape, shape.column("chain").unwrap()).unwrap();
    let Value::Bytes(chain) = value else { panic!("a chain: {value:?}") };
    (chain.into_owned(), Expect::Version(row.version().unwrap()))
}

async fn act<S: Subject>(hand: Hand<S>, histories: Histories) {
    let row = hand.dice.below(ROWS);
    let key = [Value::from(format!("row {row}"))];
    let freshness = if hand.dice.chance(0.3) { Freshness::Fresh } else { Freshness::Settled };
    let freshness = if hand.dice.chance(0.1) { Freshness::Any } else { freshness };
    let (acknowledged, fresh) = {
        let mut histories = histories.lock().unwrap();
        let history = histories.entry(row).or_default();
        let done = history.answers.iter().filter(|(_, answer)| **answer == Answer::Done);
        (done.map(|(token, _)| *token).collect::<Vec<_>>(), history.fresh)
    };
    let get = Get { table: TableId(0), key: &key, freshness, now: hand.clock.now() };
    let Ok(got) = hand.store.get(get).await else { return };
    let (mut chain, expect) = tokens(got.row.as_ref());
    let token = {
        let mut histories = histories.lock().unwrap();
        let token = u8::try_from(histories.values().map(|history| history.answers.len()).sum::<usize>() + 1).unwrap();
        let history = histories.entry(row).or_default();
        if freshness != Freshness::Any
            && let Some(missing) = acknowledged.iter().find(|token| !chain.contains(token))
        {
            history.stale.push(format!("a {freshness:?} read of {chain:?} has not seen {missing}"));
        }
        if freshness == Freshness::Fresh {
            if chain.len() < fresh {
                history.stale.push(format!("a fresh read of {chain:?} after one of length {fresh}"));
            }
            history.fresh = history.fresh.max(chain.len());
        }
        history.seen.push(chain.clone());
        // Whoever crashes from here on leaves an unknown.
        history.answers.insert(token, Answer::Unknown);
        token
    };
    chain.push(token);
    let version = match expect {
        Expect::Absent => 1,
        Expect::Version(version) => version + 1 + hand.dice.below(2),
    };
    let becomes = Image { version, expires_at: None, values: &[chain.into()] };
    let change = Change { table: TableId(0), key: &key, expect, becomes };
    let verdict = hand.store.decide(Decision { change, along: &[], now: hand.clock.now() }).await;
    let mut histories = histories.lock().unwrap();
    let history = histories.entry(row).or_default();
    history.answers.insert(token, Answer::of(&verdict, |verdict| *verdict == Verdict::Done));
    if let Ok(Verdict::Lost { current: Current::Is(row), .. }) = verdict {
        history.seen.push(tokens(Some(&row)).0);
    }
}

/// One run of one seed: what is wrong with its history, if anything.
pub(super) fn check<S: Subject>(seed: u64, fresh: impl Fn(&Simulation) -> S) -> Result<Tally, Wrong> {
    let simulation = Simulation::new(seed, faults(seed));
    let (store, histories) = (fresh(&simulation), Histories::default());
    simulation.block_on(store.apply(&Step::Create(shape().table().clone()))).unwrap().unwrap();
    let shared = histories.clone();
    let act = move |hand: Hand<S>| -> keyloom_store::BoxFuture<'static, ()> { Box::pin(act(hand, shared.clone())) };
    clients(&simulation, &store, (4, 6), act);
    quiet_tail(&simulation)?;
    let mut tally = Tally::default();
    for (row, history) in &*histories.lock().unwrap() {
        let key = [Value::from(format!("row {row}"))];
        // The first read finishes what was left unfinished, so that the others find the same.
        let last = [Freshness::Fresh, Freshness::Settled, Freshness::Settled].map(|freshness| {
            let get = Get { table: TableId(0), key: &key, freshness, now: simulation.clock().now() };
            tokens(simulation.block_on(store.get(get)).unwrap().unwrap().row.as_ref()).0
        });
        if last.iter().any(|chain| *chain != last[0]) {
            return Err(format!("after the tail row {row} is {last:?}"));
        }
        let judged = judge(history, &last[0]);
        tally += judged.map_err(|wrong| format!("row {row}, which ends as {:?}: {wrong}", last[0]))?;
    }
    Ok(tally)
}

fn judge(history: &History, last: &Chain) -> Result<Tally, Wrong> {
    let mut tally = Tally::default();
    if let Some(stale) = history.stale.first() {
        return Err(stale.clone());
    }
    for (token, answer) in &history.answers {
        match (answer, last.iter().filter(|there| *there == token).count()) {
            (Answer::Done, 1) | (Answer::Not, 0) | (Answer::Unknown, 0 | 1) => {
                tally.count(*answer, last.contains(token));
            }
            (answer, times) => return Err(format!("{token} was answered {answer:?} and is there {times} times")),
        }
    }
    match history.seen.iter().find(|seen| !last.starts_with(seen)) {
        Some(seen) => Err(format!("somebody saw {seen:?}")),
        None => Ok(tally),
    }
}

/// A run in which nothing was in doubt would show little.
fn lively(tally: &Tally) {
    let Tally { done, not, unknown_and_done, unknown_and_not } = *tally;
    let all = done + not + unknown_and_done + unknown_and_not;
    assert!([done, not, unknown_and_done, unknown_and_not].iter().all(|some| some * 50 > all), "{tally:?}");
}

#[test]
fn decisions_on_items_linearize() {
    lively(&clean(2_000, |seed| check(seed, ItemStore::new)));
}

#[test]
fn decisions_on_the_wide_store_linearize() {
    lively(&clean(2_000, |seed| check(seed, WideStore::new)));
}

#[test]
#[ignore = "some minutes: for changes of the scheduler or the stores"]
fn decisions_linearize_for_long() {
    clean(200_000, |seed| check(seed, ItemStore::new));
    clean(200_000, |seed| check(seed, WideStore::new));
}
