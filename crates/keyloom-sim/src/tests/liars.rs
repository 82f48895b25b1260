//! Stores that lie, each in its own way, between the clients and a store that does not. The judge must catch every one.

use std::sync::atomic::{AtomicU64, Ordering};

use keyloom_contract::history::Wrong;
use keyloom_store::{Abilities, Decision, Fault, Freshness, Get, Got, Millis, Placement, Rows, Slice, Store, Verdict};

use super::histories;
use crate::WideStore;

/// How a store lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// What is unknown of a decision is told as not done.
    DoubtIsNotDone,
    /// What is unknown of a decision is told as lost.
    DoubtIsLost,
    /// What is unknown of a decision is told as done.
    DoubtIsDone,
    /// A decision now and then is acknowledged and not made.
    DropsDecisions,
    /// A placement now and then is acknowledged and not made.
    DropsPlacements,
    /// What is unknown of a placement is told as done.
    DoubtIsPlaced,
    /// What is unknown of a placement is told as not done.
    DoubtIsNotPlaced,
    /// Of rows that are placed together now and then one is left out, and the rest is in doubt.
    TearsBatches,
    /// Reads are whatever is nearest, whatever was asked for.
    ReadsStale,
}

struct Liar {
    honest: WideStore,
    lie: Lie,
    calls: AtomicU64,
}

impl Liar {
    /// Whether it is time for a lie that would be found too easily if it were told always.
    fn now_and_then(&self, lie: Lie) -> bool {
        self.lie == lie && self.calls.fetch_add(1, Ordering::Relaxed) % 10 == 9
    }
}

impl Store for Liar {
    fn abilities(&self) -> &Abilities {
        self.honest.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        let freshness = if self.lie == Lie::ReadsStale { Freshness::Any } else { at.freshness };
        self.honest.get(Get { freshness, ..at }).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.honest.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.honest.slice(of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        if self.now_and_then(Lie::DropsDecisions) {
            return Ok(Verdict::Done);
        }
        match (self.honest.decide(what).await, self.lie) {
            (Err(Fault::Unknown(cause)), Lie::DoubtIsNotDone) => Err(Fault::NotDone(cause)),
            (Err(Fault::Unknown(_)), Lie::DoubtIsLost) => {
                Ok(Verdict::Lost { at: 0, current: keyloom_store::Current::NotSaid })
            }
            (Err(Fault::Unknown(_)), Lie::DoubtIsDone) => Ok(Verdict::Done),
            (answer, _) => answer,
        }
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        if self.now_and_then(Lie::DropsPlacements) {
            return Ok(());
        }
        if together && self.now_and_then(Lie::TearsBatches) {
            self.honest.place(&rows[1..], together, now).await?;
            return Err(Fault::Unknown("it broke in the middle".into()));
        }
        match (self.honest.place(rows, together, now).await, self.lie) {
            (Err(Fault::Unknown(_)), Lie::DoubtIsPlaced) => Ok(()),
            (Err(Fault::Unknown(cause)), Lie::DoubtIsNotPlaced) => Err(Fault::NotDone(cause)),
            (answer, _) => answer,
        }
    }
}

/// Looks for a seed in which the lie comes out.
fn caught(lie: Lie, within: u64, as_expected: impl Fn(&Wrong) -> bool) {
    let judged = |seed| {
        let told = |honest| Liar { honest, lie, calls: AtomicU64::new(0) };
        let judgement = histories::run(seed, WideStore::new, told).unwrap();
        judgement.wrong.into_iter().find(|wrong| as_expected(wrong))
    };
    let found = (0..within).find_map(|seed| Some((seed, judged(seed)?)));
    let (seed, wrong) = found.unwrap_or_else(|| panic!("{within} seeds did not show that a store {lie:?}"));
    println!("{lie:?}: caught after {} of at most {within} seeds: {wrong}", seed + 1);
}

fn is_false(wrong: &Wrong) -> bool {
    matches!(wrong, Wrong::False(_))
}

fn is_lost(wrong: &Wrong) -> bool {
    matches!(wrong, Wrong::Lost(_))
}

#[test]
fn doubts_that_are_denied_are_caught() {
    caught(Lie::DoubtIsNotDone, 50, is_false);
    caught(Lie::DoubtIsLost, 50, is_false);
    caught(Lie::DoubtIsDone, 50, is_lost);
    caught(Lie::DoubtIsPlaced, 50, is_lost);
    caught(Lie::DoubtIsNotPlaced, 50, is_false);
}

#[test]
fn writes_that_are_dropped_are_caught() {
    caught(Lie::DropsDecisions, 50, is_lost);
    caught(Lie::DropsPlacements, 50, is_lost);
}

#[test]
fn batches_that_are_torn_are_caught() {
    caught(Lie::TearsBatches, 50, is_false);
}

#[test]
fn reads_that_are_stale_are_caught() {
    caught(Lie::ReadsStale, 50, is_false);
}
