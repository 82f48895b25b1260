//! Seeded scripts on the model: two of them agree, and a store with a fault is caught, by a script and by a case.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    future::Future,
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use keyloom_contract::{Case, Script, agree, cases};
use keyloom_store::{
    Abilities, Along, Change, Decision, Define, Expect, Fault, Freshness, Get, Got, GroupImage, Inspect, Inspection,
    Millis, Model, Placement, Placing, Range, Resume, Rows, Segment, Shape, Slice, Step, Store, Sweep, Swept, TableId,
    Verdict,
};
use keyloom_value::Value;

/// The model never waits.
fn block_on(mut future: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
    let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(()), "the model answers at once");
}

#[test]
fn two_models_agree() {
    agree(0..3, 10_000, || (Model::new(), Model::new()), |_, _, script| block_on(script));
}

/// Ways in which a store could be wrong and still look right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// A removal wins against a put of its version.
    EqualRemovalWins,
    /// A removal of what is not there leaves no fence.
    ForgetsFences,
    /// An expired row no longer fences.
    ForgetsExpired,
    /// An absent column leaves what an older version had.
    KeepsOlderCells,
    /// A placement with a late group is late as a whole.
    OneVersionForTheRow,
    /// A cursor is not looked at.
    DropsCursor,
    /// The row under the cursor comes again.
    RepeatsCursor,
    /// A bound that is out is taken for in.
    TakesBoundsIn,
    /// The bounds of a descending column are not turned.
    SwapsBounds,
    /// Slices go by their own clock.
    SlicesIgnoreNow,
    /// A decision does not look at the version.
    DecidesBlindly,
    /// A decision takes an expired row for present.
    DecidesOnExpired,
    /// Placements ride along also with a decision that is lost.
    PlacesWhenLost,
    /// A check is not made.
    SkipsChecks,
    /// Answers come in another order than the keys.
    TurnsAnswers,
    /// A sweep ends with its first call.
    SweepsOnce,
}

const ALL: [Wrong; 16] = [
    Wrong::EqualRemovalWins,
    Wrong::ForgetsFences,
    Wrong::ForgetsExpired,
    Wrong::KeepsOlderCells,
    Wrong::OneVersionForTheRow,
    Wrong::DropsCursor,
    Wrong::RepeatsCursor,
    Wrong::TakesBoundsIn,
    Wrong::SwapsBounds,
    Wrong::SlicesIgnoreNow,
    Wrong::DecidesBlindly,
    Wrong::DecidesOnExpired,
    Wrong::PlacesWhenLost,
    Wrong::SkipsChecks,
    Wrong::TurnsAnswers,
    Wrong::SweepsOnce,
];

/// A model with a fault.
struct Faulty {
    model: Model,
    wrong: Wrong,
}

impl Faulty {
    fn new(wrong: Wrong) -> Self {
        Self { model: Model::new(), wrong }
    }

    async fn current(&self, table: TableId, key: &[Value<'_>], now: Millis) -> Option<keyloom_store::Row> {
        self.model.get(Get { table, key, freshness: Freshness::Fresh, now }).await.ok()?.row
    }

    async fn shape(&self, table: TableId) -> Arc<Shape> {
        let described = self.model.describe().await.unwrap();
        described.into_iter().find(|(id, _)| *id == table).unwrap().1
    }

    async fn place_one(&self, row: &Placement<'_>, now: Millis) -> Result<(), Fault> {
        let there = self.current(row.table, row.key, now).await;
        match (self.wrong, row.placing) {
            (Wrong::EqualRemovalWins, Placing::Remove { groups }) => {
                let groups: Vec<(usize, u64)> = groups.iter().map(|(group, version)| (*group, version + 1)).collect();
                let placing = Placing::Remove { groups: &groups };
                self.model.place(&[Placement { placing, ..*row }], false, now).await
            }
            (Wrong::ForgetsFences, Placing::Remove { .. }) if there.is_none() => Ok(()),
            (Wrong::ForgetsExpired, Placing::Put { groups, expires_at }) if there.is_none() => {
                // As if versions started anew behind what has ended.
                let ended = self.current(row.table, row.key, Millis(0)).await;
                let floor = ended.map_or(0, |row| row.version().unwrap() + 1);
                let groups: Vec<GroupImage<'_>> =
                    groups.iter().map(|image| GroupImage { version: image.version.max(floor), ..*image }).collect();
                let placing = Placing::Put { groups: &groups, expires_at };
                self.model.place(&[Placement { placing, ..*row }], false, now).await
            }
            (Wrong::KeepsOlderCells, Placing::Put { groups, expires_at }) => {
                let shape = self.shape(row.table).await;
                let merged: Vec<Vec<Value<'_>>> = groups
                    .iter()
                    .map(|image| {
                        let cell = |(column, value): (usize, &Value<'_>)| match &there {
                            Some(there) if value.is_null() => {
                                let at = keyloom_store::ColumnAt::Cell { group: image.group, column };
                                there.value(&shape, at).unwrap().into_owned()
                            }
                            _ => value.clone().into_owned(),
                        };
                        image.values.iter().enumerate().map(cell).collect()
                    })
                    .collect();
                let groups: Vec<GroupImage<'_>> =
                    groups.iter().zip(&merged).map(|(image, values)| GroupImage { values, ..*image }).collect();
                let placing = Placing::Put { groups: &groups, expires_at };
                self.model.place(&[Placement { placing, ..*row }], false, now).await
            }
            (Wrong::OneVersionForTheRow, Placing::Put { groups, .. })
                if there.is_some_and(|row| {
                    groups.iter().any(|image| image.version < row.section(image.group).unwrap().version)
                }) =>
            {
                Ok(())
            }
            _ => self.model.place(std::slice::from_ref(row), false, now).await,
        }
    }
}

impl Store for Faulty {
    fn abilities(&self) -> &Abilities {
        self.model.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.model.get(at).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let mut answers = self.model.get_many(at).await;
        if self.wrong == Wrong::TurnsAnswers {
            answers.reverse();
        }
        answers
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        let (mut of, within) = (of, of.within);
        match self.wrong {
            Wrong::DropsCursor => of.after = None,
            Wrong::TakesBoundsIn => {
                if let Bound::Excluded(high) = within.high {
                    of.within = Range { high: Bound::Included(high), ..within };
                }
            }
            Wrong::SwapsBounds => {
                let shape = self.shape(of.table).await;
                if shape.sort_parts().get(within.equal.len()).is_some_and(|part| part.descending) {
                    of.within = Range { low: within.high, high: within.low, ..within };
                }
            }
            Wrong::SlicesIgnoreNow => of.now = Millis(0),
            _ => {}
        }
        let mut rows = self.model.slice(of).await?;
        if let (Wrong::RepeatsCursor, Some(after)) = (self.wrong, of.after) {
            let key: Vec<Value<'_>> = of.partition.iter().chain(after).cloned().collect();
            if let Some(row) = self.current(of.table, &key, of.now).await.filter(|_| of.rows_max > 1) {
                rows.rows.insert(0, row);
            }
        }
        Ok(rows)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        let mut what = what;
        let kept: Vec<Along<'_>>;
        match self.wrong {
            Wrong::DecidesBlindly => {
                let current = self.current(what.change.table, what.change.key, what.now).await;
                if let Some(version) = current.map(|row| row.version().unwrap())
                    && version < what.change.becomes.version
                {
                    what.change = Change { expect: Expect::Version(version), ..what.change };
                }
            }
            Wrong::DecidesOnExpired => what.now = Millis(0),
            Wrong::SkipsChecks => {
                kept = what.along.iter().filter(|along| !matches!(along, Along::Check { .. })).copied().collect();
                what.along = &kept;
            }
            _ => {}
        }
        let verdict = self.model.decide(what).await?;
        if let (Wrong::PlacesWhenLost, Verdict::Lost { .. }) = (self.wrong, &verdict) {
            for along in what.along {
                if let Along::Place(placement) = along {
                    self.model.place(std::slice::from_ref(placement), false, what.now).await?;
                }
            }
        }
        Ok(verdict)
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let placed_apart = [
            Wrong::EqualRemovalWins,
            Wrong::ForgetsFences,
            Wrong::ForgetsExpired,
            Wrong::KeepsOlderCells,
            Wrong::OneVersionForTheRow,
        ];
        if let (true, [row]) = (placed_apart.contains(&self.wrong), rows) {
            return self.place_one(row, now).await;
        }
        self.model.place(rows, together, now).await
    }
}

impl Define for Faulty {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.model.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.model.apply(step).await
    }
}

impl Sweep for Faulty {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.model.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let mut swept = self.model.sweep(table, segment, from, rows_max, now).await?;
        if self.wrong == Wrong::SweepsOnce {
            swept.resume = None;
        }
        Ok(swept)
    }
}

impl Inspect for Faulty {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        self.model.inspect(table).await
    }
}

#[test]
fn every_fault_is_caught_and_cut_down_to_a_few_calls() {
    for wrong in ALL {
        let differs = |script: &Script| {
            let (model, faulty, found) = (Model::new(), Faulty::new(wrong), Mutex::new(None));
            block_on(Box::pin(async {
                let difference = script.compare(&model, &faulty).await.err();
                *found.lock().unwrap() = difference;
            }));
            found.into_inner().unwrap()
        };
        let model = Model::new();
        let script = Script::seeded(1, 2_000, [model.abilities(), model.abilities()]);
        let found = differs(&script).unwrap_or_else(|| panic!("{wrong:?} is not caught"));
        let (smallest, shown) = script.shrunk(found.clone(), 1_000, differs);
        println!("{wrong:?}: call {} of 2,000; cut down to {} calls", found.at, smallest.len());
        assert!(smallest.len() <= 12, "{wrong:?} needs few calls to be seen:\n{smallest}{shown}");
        assert!(differs(&smallest).is_some(), "{wrong:?}: what was cut down still differs");
    }
}

#[test]
fn every_fault_breaks_a_case() {
    for wrong in ALL {
        let breaks = |case: &Case<Faulty>| {
            let faulty = Faulty::new(wrong);
            catch_unwind(AssertUnwindSafe(|| block_on((case.run)(&faulty)))).is_err()
        };
        assert!(cases::<Faulty>().iter().any(breaks), "{wrong:?} keeps the contract");
    }
}

#[test]
#[should_panic(expected = "the shortest script found that differs has")]
fn a_difference_is_reported_with_the_shortest_script() {
    let fresh = || (Model::new(), Faulty::new(Wrong::DropsCursor));
    agree(7..8, 500, fresh, |_, _, script| block_on(script));
}

#[test]
fn a_seed_is_a_script() {
    let model = Model::new();
    let script = |seed| Script::seeded(seed, 500, [model.abilities(), model.abilities()]).to_string();
    assert_eq!(script(5), script(5), "the same seed writes the same script");
    assert_ne!(script(5), script(6));
}
