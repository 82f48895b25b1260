//! Kept values: all rows that feed them are added up again.
//!
//! Every row that changes a value decides it, too. So a value whose version is the same before and after all rows were
//! looked at must be the sum of what was seen; one that has another version by then is looked at again. There may be
//! more values than memory holds: they are taken by ranges of a digest of their keys, as many at a time as fit.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_store::{Change, Decision, Expect, Fault, Freshness, Get, Image, Row, Store, Verdict};
use keyloom_value::Value;

use super::{
    due::{Differs, Place},
    report::Report,
    walk::Walk,
};
use crate::{digest::digest, kept::Share, problem::Problem, program::Kept, read::millis, record::Record, run::Run};

type Owned = Value<'static>;

/// How many values are held at once.
const VALUES_MAX: usize = 200_000;
/// How often all rows are looked at for values that change meanwhile.
const LOOKS_MAX: u32 = 5;

/// Values of one kind, while they are added up.
pub(super) struct Sums {
    /// Digests from here on are under way, up to the end.
    from: u64,
    until: u64,
    /// Only these, because they changed when they were looked at before.
    only: Option<BTreeSet<Vec<u8>>>,
    looks: u32,
    values: BTreeMap<Vec<u8>, Sum>,
    step: Step,
}

struct Sum {
    expect: Expect,
    stands: Option<Share>,
    follows: Option<Share>,
}

enum Step {
    /// What stands is read.
    Standing(Walk),
    /// What feeds it is added up.
    Feeding(Walk),
    /// Both are compared.
    Comparing,
}

impl Sums {
    pub(super) fn new() -> Self {
        Self {
            from: 0,
            until: u64::MAX,
            only: None,
            looks: 0,
            values: BTreeMap::new(),
            step: Step::Standing(Walk::default()),
        }
    }

    /// One step; how many rows it looked at, `None` at the end.
    pub(super) async fn next(
        &mut self,
        run: &Run,
        kept: &Kept,
        mend: bool,
        report: &mut Report,
    ) -> Result<Option<u64>, Problem> {
        match &mut self.step {
            Step::Standing(walk) => match walk.next(run, kept.table).await? {
                Some(rows) => {
                    for row in &rows {
                        let sum = Sum {
                            expect: Expect::Version(row.version()?),
                            stands: Some(run.standing_share(kept, Some(row))?),
                            follows: None,
                        };
                        self.hold(row.key_bytes().to_vec(), |_| sum);
                    }
                    Ok(Some(rows.len() as u64))
                }
                None => {
                    self.step = Step::Feeding(Walk::default());
                    Ok(Some(0))
                }
            },
            Step::Feeding(walk) => {
                let entity = run.entity(kept.feeder);
                match walk.next(run, entity.source.table).await? {
                    Some(rows) => {
                        self.feed(run, kept, &rows)?;
                        Ok(Some(rows.len() as u64))
                    }
                    None => {
                        self.step = Step::Comparing;
                        Ok(Some(0))
                    }
                }
            }
            Step::Comparing => self.compare(run, kept, mend, report).await,
        }
    }

    /// Holds a value, if it is among those that are looked at; those with the highest digests wait where there are too many.
    fn hold(&mut self, key: Vec<u8>, sum: impl FnOnce(Option<Sum>) -> Sum) {
        let at = digest_of(&key);
        let wanted = self.only.as_ref().is_none_or(|only| only.contains(&key));
        if !wanted || at < self.from || at > self.until {
            return;
        }
        let held = self.values.remove(&key);
        self.values.insert(key, sum(held));
        if self.values.len() > VALUES_MAX {
            self.until = self.from + (self.until - self.from) / 2;
            let until = self.until;
            self.values.retain(|key, _| digest_of(key) <= until);
        }
    }

    fn feed(&mut self, run: &Run, kept: &Kept, rows: &[Row]) -> Result<(), Problem> {
        let entity = run.entity(kept.feeder);
        let (_, shape) = run.table(entity.source.table);
        for row in rows {
            let record = Record::read(row, shape, &entity.source)?;
            let Some((key, share)) = run.share(kept, &record) else { continue };
            let mut odd = None;
            self.hold(run.key_bytes(kept.table, &key)?, |held| {
                let mut sum = held.unwrap_or(Sum { expect: Expect::Absent, stands: None, follows: None });
                sum.follows = match sum.follows.take().map(|so_far| so_far.plus(&share)) {
                    Some(Err(problem)) => {
                        odd = Some(problem);
                        None
                    }
                    Some(Ok(total)) => Some(total),
                    None => Some(share),
                };
                sum
            });
            odd.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    async fn compare(
        &mut self,
        run: &Run,
        kept: &Kept,
        mend: bool,
        report: &mut Report,
    ) -> Result<Option<u64>, Problem> {
        let mut again = BTreeSet::new();
        let values = std::mem::take(&mut self.values);
        for (key, sum) in values {
            let none = run.standing_share(kept, None)?;
            let (stands, follows) = (sum.stands.as_ref().unwrap_or(&none), sum.follows.as_ref().unwrap_or(&none));
            if stands.is_as(follows, kept) {
                report.compared(run, kept.table, 1);
                continue;
            }
            let values = run.key_values(kept.table, &key)?;
            let (table, now) = (run.table(kept.table).0, millis(run.now_us()));
            let get = Get { table, key: &values, freshness: Freshness::Fresh, now };
            let row = run.store.get(get).await?.row;
            let expect = row.map(|row| row.version()).transpose()?.map_or(Expect::Absent, Expect::Version);
            if expect != sum.expect {
                again.insert(key);
                continue;
            }
            let differs = match (&sum.stands, follows.is_nothing()) {
                (None, _) => Differs::Missing,
                (Some(_), true) => Differs::Extra,
                (Some(_), false) => Differs::Stale,
            };
            let place = Place { table: kept.table, key };
            // Where it has changed meanwhile, also by an earlier try of this very decision, it is looked at again.
            if mend && !decide(run, kept, &values, expect, follows.clone()).await? {
                again.insert(place.key);
                continue;
            }
            // An extra one is counted as compared when it is found.
            report.compared(run, kept.table, u64::from(differs != Differs::Extra));
            report.found(run, differs, &place)?;
            if mend {
                report.mended_at(run, &place);
            }
        }
        self.looks += 1;
        self.step = Step::Standing(Walk::default());
        if !again.is_empty() && self.looks < LOOKS_MAX {
            self.only = Some(again);
            return Ok(Some(0));
        }
        report.moving += again.len() as u64;
        (self.only, self.looks) = (None, 0);
        if self.until == u64::MAX {
            return Ok(None);
        }
        (self.from, self.until) = (self.until + 1, u64::MAX);
        Ok(Some(0))
    }
}

/// Brings a value right, if nobody has decided it since.
async fn decide(run: &Run, kept: &Kept, key: &[Owned], expect: Expect, share: Share) -> Result<bool, Problem> {
    let now_us = run.now_us();
    let clock = u64::try_from(now_us).unwrap_or(0).max(2);
    let version = match expect {
        Expect::Version(version) => clock.max(version + 2),
        Expect::Absent => clock,
    };
    let values = share.columns(kept);
    let becomes = Image { version, expires_at: None, values: &values };
    let change = Change { table: run.table(kept.table).0, key, expect, becomes };
    match run.store.decide(Decision { change, along: &[], now: millis(now_us) }).await {
        Ok(verdict) => Ok(verdict == Verdict::Done),
        Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

fn digest_of(key: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = digest("kept value", &[key]);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}
