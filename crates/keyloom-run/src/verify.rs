//! Verifying: does what stands in every table follow from the source rows? And repairing what does not.
//!
//! Source rows are swept, and what follows from each is looked up; then rows of lists and unique values are swept, and the
//! source of each is looked up; then kept values are added up again. Memory holds a piece at a time.
//!
//! What seems to differ is a suspect, not a difference. Writers are at work: the source was seen before them and the list
//! behind, or a writer has decided a row and not yet placed what follows. So a suspect is looked at again, at one version
//! of its source. Where companions follow, it differs only if its source still has the version that was seen, and the
//! dirty log, read in between, has no undone mark of it: whoever decided that version marked it before, and would have
//! come to everything before the mark was done. Else it is looked at again later.

mod due;
mod marks;
mod mend;
mod report;
mod sums;
mod walk;

use std::{collections::BTreeSet, time::Duration};

use futures_util::{StreamExt, stream};
use keyloom_plan::Companions;
use keyloom_store::{ColumnAt, Row};
use keyloom_value::Value;
use serde_json::{Value as Json, json};

use crate::{
    carry::place,
    digest::digest,
    follow::uncounted,
    judge::Checked,
    problem::Problem,
    program::{EntityPlan, Index, Kept, Projection},
    record::Record,
    run::Run,
};
use due::{Differs, Place, Sight};
pub use report::{Named, Report, TableReport};
use sums::Sums;
use walk::{Walk, hex, unhex};

type Owned = Value<'static>;

/// How many rows are decided once more side by side.
const SIDE_BY_SIDE: usize = 16;
/// How many suspects are held before they are looked at again.
const SUSPECTS_MAX: usize = 1_000;
/// For how long a suspect that is under way each time is looked at; then nothing is said about it.
const PATIENCE_US: i64 = 600_000_000;
/// How long those wait that are under way.
const PAUSE: Duration = Duration::from_secs(2);
/// Rows that are placed together are seen together after this time at the latest, where the engine places them at once.
const TOGETHER_MS: i64 = 2_000;
/// How many unique values are remembered that were found at a foreigner, so that they are not counted from both sides.
const FOREIGN_MAX: usize = 10_000;

/// A verification or a repair, as far as it has come.
pub struct Verify {
    mends: bool,
    /// It is the first one of tables that are new: what is missing is missing because nobody has placed it.
    fills: bool,
    /// Only these tables are looked at.
    only: BTreeSet<usize>,
    stage: usize,
    walk: Walk,
    sums: Option<Sums>,
    suspects: Vec<Suspect>,
    rounds: u32,
    foreign: BTreeSet<[u8; 16]>,
    report: Report,
    safe: Json,
}

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// It looked at so many rows.
    Rows(u64),
    /// Rows are under way: nothing is to be done for so long.
    Waits(Duration),
    /// All was looked at.
    All,
}

/// A source row of which something seems to differ.
struct Suspect {
    entity: usize,
    /// The bytes of its key.
    key: Vec<u8>,
    /// Where something stands that does not seem to follow.
    places: BTreeSet<Place>,
    /// The version that it was seen with; none where there was no row.
    version: Option<u64>,
    /// The rows that it copies from, as they were seen when it was last looked at.
    copied: Vec<Checked>,
    since_us: i64,
}

#[derive(Clone, Copy)]
enum Stage<'a> {
    /// What follows from the rows of an entity.
    Sources(usize),
    /// A list: whose are its rows?
    Lists {
        entity: usize,
        table: usize,
    },
    /// Unique values: whose are they?
    Uniques {
        entity: usize,
        table: usize,
    },
    /// Rows whose end something new follows from.
    Ends(usize),
    Kept(&'a Kept),
    /// Values that are counted again, and were never counted.
    Counted(&'a Kept),
}

impl Verify {
    /// One that only looks.
    pub fn new(run: &Run) -> Self {
        let mut new = Self {
            mends: false,
            fills: false,
            only: served(run),
            stage: 0,
            walk: Walk::default(),
            sums: None,
            suspects: Vec::new(),
            rounds: 0,
            foreign: BTreeSet::new(),
            report: Report::new(run),
            safe: Json::Null,
        };
        new.safe = new.to_json(run);
        new
    }

    /// One that also brings right what differs.
    pub fn mending(run: &Run) -> Self {
        let mut new = Self { mends: true, ..Self::new(run) };
        new.safe = new.to_json(run);
        new
    }

    /// One that looks at some tables alone.
    pub(crate) fn of(run: &Run, tables: &[usize]) -> Self {
        Self { only: tables.iter().copied().collect(), ..Self::new(run) }
    }

    /// One that brings right some tables that are new, from where an earlier one was cut off.
    pub(crate) fn filling(run: &Run, tables: &[usize], from: Option<&Json>) -> Self {
        let resumed = from.and_then(|from| Self::resumed(run, true, from));
        let job = resumed.unwrap_or_else(|| Self::mending(run));
        Self { only: tables.iter().copied().collect(), fills: true, ..job }
    }

    /// One that goes on where another was; `None` where that one was of other tables or of the other kind.
    pub fn resumed(run: &Run, mends: bool, checkpoint: &Json) -> Option<Self> {
        let json = checkpoint;
        if json.get("of")?.as_str()? != hex(&tables_digest(run)) || json.get("mends")?.as_bool()? != mends {
            return None;
        }
        let entities = run.program.entities.len() as u64;
        let suspect = |json: &Json| {
            let place = |json: &Json| {
                let table = json.get(0)?.as_u64().filter(|table| *table < run.tables.len() as u64)?;
                Some(Place { table: usize::try_from(table).ok()?, key: unhex(json.get(1)?)? })
            };
            Some(Suspect {
                entity: usize::try_from(json.get("entity")?.as_u64().filter(|entity| *entity < entities)?).ok()?,
                key: unhex(json.get("key")?)?,
                places: json.get("places")?.as_array()?.iter().map(place).collect::<Option<_>>()?,
                version: json.get("version")?.as_u64(),
                copied: Vec::new(),
                // A long break is no time in which it was looked at.
                since_us: json.get("since")?.as_i64()?.max(run.now_us() - PATIENCE_US / 2),
            })
        };
        let foreign = |json: &Json| unhex(json)?.try_into().ok();
        Some(Self {
            mends,
            fills: false,
            only: served(run),
            stage: usize::try_from(json.get("stage")?.as_u64()?).ok()?,
            walk: Walk::from_json(json.get("walk")?)?,
            sums: None,
            suspects: json.get("suspects")?.as_array()?.iter().map(suspect).collect::<Option<_>>()?,
            rounds: 0,
            foreign: json.get("foreign")?.as_array()?.iter().map(foreign).collect::<Option<_>>()?,
            report: Report::from_json(json.get("report")?)?,
            safe: json.clone(),
        })
    }

    /// Where another process could go on.
    pub fn checkpoint(&self) -> &Json {
        &self.safe
    }

    /// What was found so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The table that is looked at, for people who wait.
    pub fn at<'a>(&self, run: &'a Run) -> Option<&'a str> {
        let table = match *self.stages(run).get(self.stage)? {
            Stage::Sources(entity) | Stage::Ends(entity) => run.entity(entity).source.table,
            Stage::Lists { table, .. } | Stage::Uniques { table, .. } => table,
            Stage::Kept(kept) | Stage::Counted(kept) => kept.table,
        };
        Some(&run.program.tables[table].name)
    }

    /// The next step.
    ///
    /// # Errors
    /// When the store fails or a row can't be read. After [`Problem::Busy`] the step may be taken again.
    pub async fn next(&mut self, run: &Run) -> Result<Verified, Problem> {
        let stages = self.stages(run);
        // A value at a foreigner is found from the side of its holder first, and is not counted again then.
        let all_seen = match stages.get(self.stage) {
            None => true,
            Some(Stage::Uniques { .. }) => self.walk.is_new(),
            Some(_) => false,
        };
        if self.suspects.len() >= SUSPECTS_MAX || all_seen && !self.suspects.is_empty() {
            let did = self.look_again(run).await?;
            self.safe = self.to_json(run);
            return Ok(did);
        }
        let Some(stage) = stages.get(self.stage) else { return Ok(Verified::All) };
        let before = self.walk.clone();
        let looked = match self.step(run, *stage).await {
            Ok(looked) => looked,
            Err(problem) => {
                // The same rows are to be looked at again; what was added up may lack some of them.
                (self.walk, self.sums) = (before, None);
                return Err(problem);
            }
        };
        if looked.is_none() {
            self.stage += 1;
            (self.walk, self.sums) = (Walk::default(), None);
        }
        // Kept values are added up from the beginning.
        if self.sums.is_none() {
            self.safe = self.to_json(run);
        }
        Ok(Verified::Rows(looked.unwrap_or(0)))
    }

    /// Looks at the next rows of a stage; `None` at its end.
    async fn step(&mut self, run: &Run, stage: Stage<'_>) -> Result<Option<u64>, Problem> {
        match stage {
            Stage::Sources(entity) => self.sources(run, entity).await,
            Stage::Lists { entity, table } | Stage::Uniques { entity, table } => self.derived(run, entity, table).await,
            Stage::Ends(entity) => self.ends(run, entity).await,
            Stage::Kept(kept) => {
                let sums = self.sums.get_or_insert_with(Sums::new);
                sums.next(run, kept, self.mends, &mut self.report).await
            }
            Stage::Counted(kept) => self.counted(run, kept).await,
        }
    }

    /// What is looked at.
    fn stages<'a>(&self, run: &'a Run) -> Vec<Stage<'a>> {
        let mut stages = all_stages(run);
        stages.retain(|stage| match stage {
            Stage::Sources(entity) => {
                let plan = run.entity(*entity);
                let lists = plan.projections.iter().map(|list| list.table);
                let mut tables = lists.chain(plan.reservations.iter().map(|unique| unique.table));
                let indexed = self.indexes(plan).next().is_some();
                indexed || self.looks_at(plan.source.table) || tables.any(|table| self.looks_at(table))
            }
            Stage::Lists { table, .. } | Stage::Uniques { table, .. } => self.looks_at(*table),
            Stage::Ends(entity) => self.fills && run.follow_end(*entity).any(|table| self.looks_at(table)),
            Stage::Kept(kept) => self.looks_at(kept.table),
            Stage::Counted(kept) => self.fills && self.looks_at(kept.table),
        });
        stages
    }

    /// The lists of an entity that the engine is to keep from now on.
    fn indexes<'a>(&self, plan: &'a EntityPlan) -> impl Iterator<Item = &'a Index> {
        plan.indexes.iter().filter(|index| self.fills && self.looks_at(index.list.table))
    }

    /// Decides rows once more that the engine is to show in a list and can't yet, or shows and must not.
    async fn show(&mut self, run: &Run, plan: &EntityPlan, rows: &[Row], records: &[Record]) -> Result<(), Problem> {
        let (_, shape) = run.table(plan.source.table);
        let mut again = Vec::new();
        for (row, record) in rows.iter().zip(records).filter(|(_, record)| !record.gone) {
            let mut shown = false;
            for index in self.indexes(plan) {
                // Also where it is said already: who said so may not have known the index itself.
                let said = row.value(shape, ColumnAt::Cell { group: 0, column: index.shown })?;
                shown |= !said.is_null() || place(plan, &index.list, record).is_some();
            }
            again.extend(shown.then(|| plan.source_key(record)));
        }
        let decided: Vec<_> = again.iter().map(|key| run.decide_again(plan, key, |_| true)).collect();
        let decided: Vec<Result<bool, Problem>> = stream::iter(decided).buffered(SIDE_BY_SIDE).collect().await;
        for decided in decided {
            if !decided? {
                self.report.left("a row could not be decided again, because it changes or the store fails".into());
            }
        }
        Ok(())
    }

    fn looks_at(&self, table: usize) -> bool {
        self.only.contains(&table)
    }

    /// Marks the ends of the next source rows; `None` at the end.
    async fn ends(&mut self, run: &Run, entity: usize) -> Result<Option<u64>, Problem> {
        let plan = run.entity(entity);
        let (_, shape) = run.table(plan.source.table);
        let Some(rows) = self.walk.next(run, plan.source.table).await? else { return Ok(None) };
        let records = rows.iter().map(|row| Record::read(row, shape, &plan.source));
        let records = records.collect::<Result<Vec<_>, _>>()?;
        run.mark_ends(plan, &records).await?;
        Ok(Some(rows.len() as u64))
    }

    /// Counts the groups of the next rows that feed a value; `None` at the end. Rows of a group stand together.
    async fn counted(&mut self, run: &Run, kept: &Kept) -> Result<Option<u64>, Problem> {
        let Some(counts) = &kept.counts else { return Ok(None) };
        let Some(rows) = self.walk.next(run, counts.table).await? else { return Ok(None) };
        let (_, shape) = run.table(counts.table);
        let mut last = None;
        for row in &rows {
            let key: Vec<Owned> = row.key(shape)?.into_iter().map(Value::into_owned).collect();
            let group = Kept::key_at(counts, &key);
            if last.as_ref() != Some(&group) && !run.recount_group(kept, group.clone()).await {
                return Err(uncounted());
            }
            last = Some(group);
        }
        Ok(Some(rows.len() as u64))
    }

    /// What follows from the next source rows; `None` at the end.
    async fn sources(&mut self, run: &Run, entity: usize) -> Result<Option<u64>, Problem> {
        let plan = run.entity(entity);
        let (_, shape) = run.table(plan.source.table);
        let Some(rows) = self.walk.next(run, plan.source.table).await? else { return Ok(None) };
        let now_us = run.now_us();
        let mut records = Vec::with_capacity(rows.len());
        let mut due = Vec::new();
        for row in &rows {
            let record = Record::read(row, shape, &plan.source)?;
            for follows in run.due(plan, &record, now_us)?.into_iter().filter(|due| self.looks_at(due.table())) {
                // Rows that stand together are most often in one bucket.
                let is_same =
                    |(_, known): &(usize, due::Due)| matches!(known, due::Due::Name(_)) && known.key() == follows.key();
                if !matches!(follows, due::Due::Name(_)) || !due.iter().any(is_same) {
                    due.push((records.len(), follows));
                }
            }
            records.push(record);
        }
        let mut of_rows: Vec<_> = due.iter_mut().map(|(at, due)| (&records[*at], due)).collect();
        run.copy_into_due(plan, &mut of_rows).await?;
        let places: Vec<_> = due.iter().map(|(_, due)| (due.table(), due.key())).collect();
        let found = run.rows_at(&places).await?;
        self.show(run, plan, &rows, &records).await?;
        let there = records.iter().filter(|record| !record.gone).count();
        self.report.compared(run, plan.source.table, there as u64);
        for ((at, due), row) in due.iter().zip(found) {
            self.report.compared(run, due.table(), 1);
            let differs = run.differs(plan, due, row.as_ref())?;
            if self.fills && differs.is_none() && shows_older(run, plan, due, row.as_ref())? {
                let stale = [(Differs::Stale, run.place_of(due)?)];
                run.mend_once(plan, &plan.source_key(&records[*at]), &stale, false).await?;
            }
            let Some(differs) = differs else { continue };
            if self.fills {
                // Bringing a row right brings all right that follows from it.
                let left = run.mend(plan, &plan.source_key(&records[*at]), &BTreeSet::new()).await?;
                let place = run.place_of(due)?;
                self.report.found(run, differs, &place)?;
                match left {
                    None => self.report.mended_at(run, &place),
                    Some(why) => self.report.left(why),
                }
            } else {
                let key = rows[*at].key_bytes().to_vec();
                self.suspect(entity, key, Some(records[*at].version), None, now_us);
            }
        }
        Ok(Some((rows.len() + due.len()) as u64))
    }

    /// Whose the next rows of a list or of unique values are, and whether they are; `None` at the end.
    async fn derived(&mut self, run: &Run, entity: usize, table: usize) -> Result<Option<u64>, Problem> {
        let plan = run.entity(entity);
        let Some(rows) = self.walk.next(run, table).await? else { return Ok(None) };
        let now_us = run.now_us();
        let mut owners = Vec::with_capacity(rows.len());
        for row in &rows {
            owners.push(run.source_of(plan, table, row)?);
        }
        let owned: Vec<(&Row, &Vec<Owned>)> =
            rows.iter().zip(&owners).filter_map(|(row, owner)| Some((row, owner.as_ref()?))).collect();
        let places: Vec<_> = owned.iter().map(|(_, owner)| (plan.source.table, owner.as_slice())).collect();
        let sources = run.rows_at(&places).await?;
        let (_, shape) = run.table(plan.source.table);
        let unique = plan.reservations.iter().any(|reservation| reservation.table == table);
        for ((row, owner), source) in owned.into_iter().zip(sources) {
            let record = source.map(|source| Record::read(&source, shape, &plan.source)).transpose()?;
            let due = record.as_ref().map_or(Ok(Vec::new()), |record| run.due(plan, record, now_us))?;
            let place = Place { table, key: row.key_bytes().to_vec() };
            // Values of rows that have ended long ago are set free by whoever wants them.
            let mut follows = record.is_none() && plan.expires.is_some() && unique;
            for due in due.iter().filter(|due| due.table() == table) {
                follows |= run.place_of(due)? == place;
            }
            if !follows && !self.foreign.contains(&place_digest(&place)) {
                let key = run.key_bytes(plan.source.table, owner)?;
                self.suspect(entity, key, record.map(|record| record.version), Some(place), now_us);
            }
        }
        Ok(Some(rows.len() as u64))
    }

    fn suspect(&mut self, entity: usize, key: Vec<u8>, version: Option<u64>, place: Option<Place>, since_us: i64) {
        let known = self.suspects.iter_mut().find(|known| known.entity == entity && known.key == key);
        match known {
            Some(known) => known.places.extend(place),
            None => {
                let places = place.into_iter().collect();
                self.suspects.push(Suspect { entity, key, places, version, copied: Vec::new(), since_us });
            }
        }
    }

    /// Looks at the suspects again: some are none, some differ, some are under way.
    async fn look_again(&mut self, run: &Run) -> Result<Verified, Problem> {
        let follows = run.program.companions == Companions::Follow;
        let mut undone = BTreeSet::new();
        if follows || run.program.entities.iter().any(EntityPlan::copies) {
            if self.rounds > 0 {
                // Whoever settles elsewhere may have stopped. What it could not settle is seen in the log.
                drop(run.settle().await);
            }
            let mut rows: BTreeSet<(usize, Vec<u8>)> =
                self.suspects.iter().map(|suspect| (suspect.entity, suspect.key.clone())).collect();
            for row in self.suspects.iter().flat_map(|suspect| &suspect.copied) {
                rows.insert(run.named(row)?);
            }
            undone = run.undone(&rows).await?;
        }
        let mut waiting = Vec::new();
        let mut looked = 0;
        while let Some(mut suspect) = self.suspects.pop() {
            let certain = match self.judge(run, &mut suspect, follows, &undone).await {
                Ok(certain) => certain,
                Err(problem) => {
                    self.suspects.push(suspect);
                    self.suspects.append(&mut waiting);
                    return Err(problem);
                }
            };
            looked += 1;
            if certain {
                continue;
            }
            if run.now_us() - suspect.since_us < PATIENCE_US {
                waiting.push(suspect);
            } else {
                self.report.moving += 1;
            }
        }
        self.suspects = waiting;
        if self.suspects.is_empty() {
            self.rounds = 0;
            return Ok(Verified::Rows(looked));
        }
        self.rounds += 1;
        Ok(Verified::Waits(PAUSE))
    }

    /// Whether all is said about a suspect: that it differs, or that it does not.
    async fn judge(
        &mut self,
        run: &Run,
        suspect: &mut Suspect,
        follows: bool,
        undone: &BTreeSet<(usize, Vec<u8>)>,
    ) -> Result<bool, Problem> {
        let plan = run.entity(suspect.entity);
        let key = run.key_values(plan.source.table, &suspect.key)?;
        let mut sight = run.look(plan, &key, &suspect.places).await?;
        sight.differences.retain(|(_, place)| self.looks_at(place.table));
        if sight.differences.is_empty() {
            return Ok(true);
        }
        let same = suspect.version == sight.version;
        suspect.version = sight.version;
        // What it copies may have changed, and whoever changed that may not have come to this row yet.
        let mut copies_under_way = suspect.copied != sight.copied;
        for row in &sight.copied {
            copies_under_way |= undone.contains(&run.named(row)?);
        }
        suspect.copied.clone_from(&sight.copied);
        let patience_ms = match (&plan.source.hidden, follows) {
            (Some(_), _) => 0,
            (None, true) => run.protocol.settle_ms,
            (None, false) => TOGETHER_MS,
        };
        let waited = run.now_us() - suspect.since_us >= patience_ms * 1_000;
        let under_way = follows && (!same || undone.contains(&(suspect.entity, suspect.key.clone())));
        if sight.moving || under_way || copies_under_way || !waited {
            return Ok(false);
        }
        self.found(run, plan, &key, suspect, sight).await?;
        Ok(true)
    }

    async fn found(
        &mut self,
        run: &Run,
        plan: &EntityPlan,
        key: &[Owned],
        suspect: &Suspect,
        sight: Sight,
    ) -> Result<(), Problem> {
        let left = if self.mends { run.mend(plan, key, &suspect.places).await? } else { None };
        for (differs, place) in &sight.differences {
            self.report.found(run, *differs, place)?;
            if self.mends && left.is_none() {
                self.report.mended_at(run, place);
            }
            let unique = plan.reservations.iter().any(|reservation| reservation.table == place.table);
            if unique && *differs == Differs::Stale && self.foreign.len() < FOREIGN_MAX {
                self.foreign.insert(place_digest(place));
            }
        }
        left.into_iter().for_each(|why| self.report.left(why));
        Ok(())
    }

    fn to_json(&self, run: &Run) -> Json {
        let suspect = |suspect: &Suspect| {
            let place = |place: &Place| json!([place.table, hex(&place.key)]);
            json!({
                "entity": suspect.entity,
                "key": hex(&suspect.key),
                "places": suspect.places.iter().map(place).collect::<Vec<_>>(),
                "version": suspect.version,
                "since": suspect.since_us,
            })
        };
        json!({
            "of": hex(&tables_digest(run)),
            "mends": self.mends,
            "stage": self.stage,
            "walk": self.walk.to_json(),
            "suspects": self.suspects.iter().map(suspect).collect::<Vec<_>>(),
            "foreign": self.foreign.iter().map(|digest| hex(digest)).collect::<Vec<_>>(),
            "report": self.report.to_json(),
        })
    }
}

impl Run {
    /// A source row as marks name it: whose it is, and the bytes of its key.
    fn named(&self, row: &Checked) -> Result<(usize, Vec<u8>), Problem> {
        let at = self.program.entities.iter().position(|entity| entity.source.table == row.table);
        Ok((at.unwrap_or(usize::MAX), self.key_bytes(row.table, &row.key)?))
    }

    /// The key of the source row that a row of a list or of unique values belongs to; nobody's where a value is free.
    fn source_of(&self, entity: &EntityPlan, table: usize, row: &Row) -> Result<Option<Vec<Owned>>, Problem> {
        let (_, shape) = self.table(table);
        if let Some(reservation) = entity.reservations.iter().find(|reservation| reservation.table == table) {
            let key: Vec<Owned> = row.key(shape)?.into_iter().map(Value::into_owned).collect();
            let owner = self.held_in(entity, reservation, &key, row)?.owner;
            return Ok(owner.map(|owner| entity.source_key_of(&owner)));
        }
        let list = entity.projections.iter().find(|list| list.table == table);
        let odd = || Problem::Broken(format!("`{}` does not say whose its rows are", shape.table().name));
        let list = list.ok_or_else(odd)?;
        let mut values = vec![Value::Null; entity.fields.len()];
        for field in entity.source.fields() {
            values[field] = row.value(shape, list.columns[field].ok_or_else(odd)?)?.into_owned();
        }
        Ok(Some(entity.source_key_in(&values)))
    }
}

/// All that may be looked at, in this order.
fn all_stages(run: &Run) -> Vec<Stage<'_>> {
    let entities = || run.program.entities.iter().enumerate();
    let sources = entities().map(|(entity, _)| Stage::Sources(entity));
    let lists = entities().flat_map(|(entity, plan)| {
        let lists = plan.projections.iter().filter(|list| says_whose(plan, list));
        lists.map(move |list| Stage::Lists { entity, table: list.table })
    });
    let uniques = entities().flat_map(|(entity, plan)| {
        plan.reservations.iter().map(move |unique| Stage::Uniques { entity, table: unique.table })
    });
    let kept = run.program.kept.iter().filter(|kept| kept.adds_up());
    let counted = run.program.kept.iter().filter(|kept| kept.counts.is_some());
    let ends = entities().map(|(entity, _)| Stage::Ends(entity));
    let values = kept.map(Stage::Kept).chain(counted.map(Stage::Counted));
    sources.chain(lists).chain(uniques).chain(ends).chain(values).collect()
}

/// Whether a list that shows versions shows an older one than the source has: it was not shown when the row was placed.
fn shows_older(run: &Run, plan: &EntityPlan, due: &due::Due, row: Option<&Row>) -> Result<bool, Problem> {
    let (due::Due::Row(due), Some(row)) = (due, row) else { return Ok(false) };
    Ok(run.shows_version(plan, due.table) && row.version()? < due.version)
}

/// The tables that hold all that they should; others are being filled.
fn served(run: &Run) -> BTreeSet<usize> {
    (0..run.tables.len()).filter(|table| run.levels[*table].is_none()).collect()
}

/// Whether rows of a list say which source row they are of. A source that is not keyed by its identity alone can't be
/// found from a list that lacks another part of its key.
fn says_whose(entity: &EntityPlan, list: &Projection) -> bool {
    entity.source.fields().all(|field| list.columns[field].is_some())
}

/// Stands for the tables, so that nobody goes on in others.
fn tables_digest(run: &Run) -> [u8; 16] {
    let names: Vec<&[u8]> = run.program.tables.iter().map(|table| table.name.as_bytes()).collect();
    digest("verify", &names)
}

fn place_digest(place: &Place) -> [u8; 16] {
    digest("place", &[&(place.table as u64).to_le_bytes(), &place.key])
}
