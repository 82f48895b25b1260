//! A start with another layout than the one that runs: what is new is made, filled, compared, and then served.
//!
//! A system row holds the layout that runs. Whoever starts with one that has more writes it down first. Then processes that
//! act on the layout before must have ended or followed: each acts for a term on what it read, so a term later none is left,
//! and what they sent has arrived or is stopped by a touch. A list that is new goes through two such ends: in the first, rows
//! that leave a place there are removed and none is placed; in the second all place them. Then the source is swept and
//! what follows is derived, as by a repair; what a verification finds nothing wrong with is served. Several may do all
//! of this at once, and one who is cut off is gone on with by the next. Nothing is ever dropped.
//!
//! In a store that no other process can open there is nobody to wait for.

mod compare;
mod record;

use std::{sync::Arc, time::Duration};

use keyloom_plan::Companions;
use keyloom_store::{Define, Fault, Shape, Store, Sweep};

use crate::{
    environment::Environment,
    problem::Problem,
    program::{Program, SYSTEM},
    read::millis,
    run::Run,
    verify::{Report, Verified, Verify},
};
pub use compare::Changes;
use compare::{Compared, derived, show_versions};
use record::Place;
pub use record::{LayoutRecord, Level};

/// How often it is noted how far filling is.
const NOTED_US: i64 = 2_000_000;
/// How long one who waits sleeps at most, so that he can say that he does.
const PAUSE: Duration = Duration::from_secs(1);

/// The layout that somebody starts with.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Its text, where it is another one than the store remembers.
    pub text: Option<&'a str>,
    /// Nobody else can open the store.
    pub alone: bool,
}

/// A run that may not be served before its new tables are.
pub struct Changing {
    run: Run,
    record: LayoutRecord,
    version: u64,
    alone: bool,
    phase: Phase,
    noted_us: i64,
}

enum Phase {
    /// Those who act on the layout before are waited for, since this moment.
    Ends {
        since_us: i64,
    },
    Fills(Box<Verify>),
    Verifies(Box<Verify>),
    Ready,
}

/// What one step of a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// It looked at so many rows.
    Rows(u64),
    /// Nothing is to be done for so long.
    Waits(Duration),
    /// Another process has changed the record: all is to be compared again.
    Again,
    /// What is new can't be filled: why. What was served before runs again.
    Wrong(Vec<String>),
    /// All may be served.
    Ready,
}

impl Run {
    /// What a start would do; nothing is changed.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn changes<S: Store + Define>(
        program: &Program,
        wanted: Wanted<'_>,
        store: &S,
        environment: &dyn Environment,
    ) -> Result<Changes, Fault> {
        let described = store.describe().await?;
        let there: Vec<Arc<Shape>> = described.iter().map(|(_, shape)| Arc::clone(shape)).collect();
        let program = program.clone().arranged(&there);
        let record = LayoutRecord::of(store, environment).await?;
        let is_first = record.is_none();
        let before = record.unwrap_or_else(|| LayoutRecord::before(&described));
        let compared = Compared { program: &program, there: &there, before: &before };
        let reasons = compared.reasons(store.abilities());
        if !reasons.is_empty() {
            return Ok(Changes { reasons, steps: Vec::new(), filled: Vec::new(), is_new: true });
        }
        let steps = compared.steps(store.abilities())?;
        let after = compared.after(wanted.text, &steps, wanted.alone);
        let filled = derived(&program).into_iter().map(|(table, _)| program.tables[table].name.clone());
        let filled = filled.filter(|table| after.levels.contains_key(table)).collect();
        Ok(Changes { reasons, steps, filled, is_new: is_first || !after.is_as(&before) })
    }

    /// Opens a store by a layout, which is remembered there. What it has more than the one before is made. Nothing where
    /// another process has changed the record meanwhile: then all is to be compared again.
    ///
    /// # Errors
    /// When the store holds another catalog, the change is more than an addition, or the store fails.
    pub async fn open_by<S: Store + Define + Sweep>(
        program: Program,
        wanted: Wanted<'_>,
        store: Arc<S>,
        environment: Arc<dyn Environment>,
    ) -> Result<Option<Changing>, Fault> {
        let now = || millis(environment.now_us());
        let described = store.describe().await?;
        let there: Vec<Arc<Shape>> = described.iter().map(|(_, shape)| Arc::clone(shape)).collect();
        let mut program = program.arranged(&there);
        let mut standing = match Place::among(&described) {
            Some(at) => at.read(&*store, now()).await?,
            None => None,
        };
        let before = standing.as_ref().map_or_else(|| LayoutRecord::before(&described), |(_, record)| record.clone());
        let compared = Compared { program: &program, there: &there, before: &before };
        if let Some(reason) = compared.reasons(store.abilities()).into_iter().next() {
            return Err(Fault::refused(reason));
        }
        let steps = compared.steps(store.abilities())?;
        let after = compared.after(wanted.text, &steps, wanted.alone);
        // What was kept up without a record is written down before there is more: else nobody could tell it apart.
        if let (None, Some(at)) = (&standing, Place::among(&described)) {
            at.write(&*store, now(), None, &before).await?;
            standing = at.read(&*store, now()).await?;
        }
        // Tables come before the record that names them: whoever reads it finds them.
        show_versions(&mut program, &after.shows);
        let run = Self::made(program, steps, store, environment).await?;
        let version = match &standing {
            Some((version, record)) if record.is_as(&after) => Some(*version),
            standing => run.publish(standing.as_ref().map(|(version, _)| *version), &after).await?,
        };
        Ok(version.map(|version| {
            let record = match standing {
                Some((_, record)) if record.is_as(&after) => record,
                _ => after,
            };
            Changing::new(run, record, version, wanted.alone)
        }))
    }

    /// Opens a store by a layout that another process has written down, to go on with what is served. Nothing is made: whoever
    /// wrote it has made its tables.
    ///
    /// # Errors
    /// When this program can't be run by it, or the store fails.
    pub async fn open_along<S: Store + Define + Sweep>(
        program: Program,
        record: &LayoutRecord,
        store: Arc<S>,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, Fault> {
        let described = store.describe().await?;
        let there: Vec<Arc<Shape>> = described.iter().map(|(_, shape)| Arc::clone(shape)).collect();
        let mut program = program.arranged(&there);
        let compared = Compared { program: &program, there: &there, before: record };
        if let Some(reason) = compared.reasons(store.abilities()).into_iter().next() {
            return Err(Fault::refused(reason));
        }
        if !compared.steps(store.abilities())?.is_empty() {
            return Err(Fault::Broken("a table of the layout that runs is not there".into()));
        }
        show_versions(&mut program, &record.shows);
        let mut run = Self::made(program, Vec::new(), store, environment).await?;
        run.know(record);
        run.begin_term().await?;
        Ok(run)
    }

    /// The record as it stands, and the version of its row.
    pub(crate) async fn layout_record(&self) -> Result<Option<(u64, LayoutRecord)>, Fault> {
        let (table, shape) = self.table(SYSTEM);
        Place { table, shape }.read(&self.store, millis(self.now_us())).await
    }

    /// Writes a record over one of this version; nothing where that does not stand any more.
    async fn publish(&self, before: Option<u64>, record: &LayoutRecord) -> Result<Option<u64>, Fault> {
        let (table, shape) = self.table(SYSTEM);
        Place { table, shape }.write(&self.store, millis(self.now_us()), before, record).await
    }

    /// Acts by the levels of a record from now on.
    pub(crate) fn know(&mut self, record: &LayoutRecord) {
        self.epoch = record.epoch;
        let level = |table: &keyloom_store::Table| record.levels.get(&table.name).copied();
        self.levels = self.program.tables.iter().map(level).collect();
    }
}

impl Changing {
    fn new(mut run: Run, record: LayoutRecord, version: u64, alone: bool) -> Self {
        run.know(&record);
        let since_us = run.environment.steady_us();
        let phase = if record.levels.is_empty() { Phase::Ready } else { Phase::Ends { since_us } };
        Self { run, record, version, alone, phase, noted_us: since_us }
    }

    /// Goes by these rules from now on.
    #[cfg(any(test, feature = "trial"))]
    pub fn obey(&mut self, protocol: crate::protocol::Protocol) {
        self.run.protocol = protocol;
    }

    /// The run, to look at.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The epoch of the layout.
    pub fn epoch(&self) -> u64 {
        self.record.epoch
    }

    /// What is done, for people who wait; nothing where all is ready.
    pub fn doing(&self) -> Option<String> {
        match &self.phase {
            Phase::Ends { .. } if self.alone => None,
            Phase::Ends { .. } => Some("waiting for processes that act on the layout before".into()),
            Phase::Fills(job) => Some(format!("filling {}: {}", self.new_tables(), self.far(job))),
            Phase::Verifies(job) => Some(format!("comparing {}: {}", self.new_tables(), self.far(job))),
            Phase::Ready => None,
        }
    }

    fn far(&self, job: &Verify) -> String {
        let at = job.at(&self.run).map_or(String::new(), |table| format!(", at {table}"));
        format!("{} rows{at}", job.report().rows())
    }

    fn new_tables(&self) -> String {
        self.unfilled()
            .into_iter()
            .map(|table| self.run.program.tables[table].name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The derived tables that are not served yet.
    fn unfilled(&self) -> Vec<usize> {
        let unserved = |table: &usize| self.run.levels[*table].is_some();
        derived(&self.run.program).into_iter().map(|(table, _)| table).filter(unserved).collect()
    }

    /// The next step of the change.
    ///
    /// # Errors
    /// When the store fails. After [`Problem::Busy`] the step may be taken again.
    pub async fn next(&mut self) -> Result<Changed, Problem> {
        match &mut self.phase {
            Phase::Ready => Ok(Changed::Ready),
            Phase::Ends { since_us } => {
                let since_us = *since_us;
                self.ends(since_us).await
            }
            Phase::Fills(job) => {
                let did = job.next(&self.run).await?;
                let (checkpoint, report) = (job.checkpoint().clone(), job.report().clone());
                if did == Verified::All {
                    if !report.unmended.is_empty() {
                        return self.withdrawn(report.unmended).await;
                    }
                    self.phase = Phase::Verifies(Box::new(Verify::of(&self.run, &self.unfilled())));
                    return Ok(Changed::Rows(0));
                }
                let now_us = self.run.environment.steady_us();
                if now_us - self.noted_us >= NOTED_US {
                    self.noted_us = now_us;
                    self.note(checkpoint).await?;
                }
                Ok(changed(did))
            }
            Phase::Verifies(job) => {
                let did = job.next(&self.run).await?;
                if did != Verified::All {
                    return Ok(changed(did));
                }
                let wrong = wrong(job.report());
                if !wrong.is_empty() {
                    return self.withdrawn(wrong).await;
                }
                let levels = std::collections::BTreeMap::new();
                let after = LayoutRecord { levels, previous: None, ..self.record.clone() };
                if !self.publish(after).await? {
                    return Ok(Changed::Again);
                }
                self.phase = Phase::Ready;
                Ok(Changed::Ready)
            }
        }
    }

    /// Lets the layout run again that was served before, because this one can't be. What was placed in new tables stays; should
    /// they come back, they are filled and compared like any other.
    async fn withdrawn(&mut self, why: Vec<String>) -> Result<Changed, Problem> {
        if let Some(previous) = self.record.previous.clone()
            && !self.publish(*previous).await?
        {
            return Ok(Changed::Again);
        }
        Ok(Changed::Wrong(why))
    }

    /// Notes where filling could go on. Another process may be at it as well; it notes as much.
    async fn note(&mut self, checkpoint: serde_json::Value) -> Result<(), Problem> {
        let noted = LayoutRecord { checkpoint: Some(checkpoint), ..self.record.clone() };
        if let Some(version) = self.run.publish(Some(self.version), &noted).await? {
            (self.version, self.record) = (version, noted);
        }
        Ok(())
    }

    /// Waits until nobody acts on the layout before, and nothing of theirs is under way.
    async fn ends(&mut self, since_us: i64) -> Result<Changed, Problem> {
        let protocol = self.run.protocol;
        let is_first = self.record.levels.values().any(|level| *level == Level::Removing);
        let waits = !self.alone && (protocol.removes_first || !is_first);
        if waits && protocol.waits_for_terms {
            let late_ms = self.run.program.late_ms().unwrap_or(protocol.arrives_ms);
            let left_us = since_us + (protocol.term_ms + late_ms) * 1_000 - self.run.environment.steady_us();
            if left_us > 0 {
                return Ok(Changed::Waits(Duration::from_micros(left_us.unsigned_abs()).min(PAUSE)));
            }
        }
        let follows = self.run.program.companions == Companions::Follow;
        if waits && protocol.drains && follows && !self.run.settle_all().await? {
            return Ok(Changed::Waits(PAUSE));
        }
        if is_first {
            let mut after = self.record.clone();
            after.levels.values_mut().for_each(|level| *level = Level::Written);
            if !self.publish(after).await? {
                return Ok(Changed::Again);
            }
            self.phase = Phase::Ends { since_us: self.run.environment.steady_us() };
            return Ok(Changed::Rows(0));
        }
        let job = Verify::filling(&self.run, &self.unfilled(), self.record.checkpoint.as_ref());
        self.phase = Phase::Fills(Box::new(job));
        Ok(Changed::Rows(0))
    }

    /// Writes the next epoch down; whether nobody else has written meanwhile. Somebody who only noted how far he is may have.
    async fn publish(&mut self, after: LayoutRecord) -> Result<bool, Problem> {
        let after = LayoutRecord { epoch: self.record.epoch + 1, checkpoint: None, ..after };
        let mut version = self.run.publish(Some(self.version), &after).await?;
        if version.is_none()
            && let Some((stands, record)) = self.run.layout_record().await?
            && record.epoch == self.record.epoch
        {
            version = self.run.publish(Some(stands), &after).await?;
        }
        let Some(version) = version else { return Ok(false) };
        self.run.know(&after);
        (self.version, self.record) = (version, after);
        Ok(true)
    }

    /// The run, where all is ready. Where others may change the layout, it acts on it for a term, which it renews.
    ///
    /// # Errors
    /// When it is not ready, or the store fails.
    pub async fn done(self) -> Result<Run, Fault> {
        if !matches!(self.phase, Phase::Ready) {
            return Err(Fault::refused("the layout is being changed"));
        }
        if !self.alone {
            self.run.begin_term().await?;
        }
        Ok(self.run)
    }
}

fn changed(did: Verified) -> Changed {
    match did {
        Verified::Rows(rows) => Changed::Rows(rows),
        Verified::Waits(span) => Changed::Waits(span),
        Verified::All => Changed::Rows(0),
    }
}

/// What a verification found.
fn wrong(report: &Report) -> Vec<String> {
    if report.differences() == 0 {
        return Vec::new();
    }
    let named = report.named.iter().map(|named| format!("{} in {}: {}", named.differs, named.table, named.key));
    named.collect()
}
