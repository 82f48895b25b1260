//! Companions that follow: the row is marked, decided, and then its companions are placed.
//!
//! Whoever dies on the way leaves the mark behind, by which [`Run::settle`](crate::Run::settle) finishes what he began. A
//! row names the places that it has left, so that its companions can be derived from it alone, at any time, by anybody.

use futures_util::future::try_join;
use keyloom_plan::Companions;
use keyloom_store::{Expect, Fault, Freshness, GroupImage, Placement, Placing, Store, Verdict};
use keyloom_value::Value;

use crate::{
    carry::{Companion, Intent, Tried, tried},
    copies::{Walked, changes_copies, copied_in},
    dirty::Mark,
    problem::Problem,
    program::EntityPlan,
    read::millis,
    record::{Record, Stale},
    recount::Group,
    reserve::Reserve,
    run::Run,
};

type Owned = Value<'static>;

/// How often placements are sent before they are left to others.
const PLACE_TRIES_MAX: usize = 3;
/// How often somebody looks for what became of a decision.
pub(crate) const LOOKS_MAX: usize = 8;

impl Run {
    pub(crate) async fn follow(&self, intent: &Intent<'_>, marks: &mut Vec<Mark>) -> Result<Tried, Problem> {
        let Intent { entity, now_us, .. } = *intent;
        let key = entity.source_key(intent.record);
        let receipts = self.receipts(entity, &key, intent.forgotten)?;
        if self.protocol.receipts_first {
            self.place(&receipts).await?;
        }
        let (stale, dropped) = self.stale(intent)?;
        let record = Record { stale, ..intent.record.clone() };
        // What has no companions can't lose any.
        let fells = entity.fells(intent.before, &record);
        let changes = self.protocol.walks_copiers && changes_copies(entity, intent.before, &record);
        let followed = !entity.projections.is_empty() || !intent.reserves.is_empty() || fells || changes;
        let marked = self.mark_try(intent, followed, marks);
        let (Some(before_this_try), ()) = try_join(marked, self.drop_places(entity, &dropped)).await? else {
            return Ok(Tried::Lost);
        };
        let own = entity.identity(&record);
        for reserve in intent.reserves.iter().filter(|reserve| reserve.taken) {
            if !self.claim(entity, &own, reserve).await? {
                return Ok(Tried::Lost);
            }
        }
        let before = intent.before.map(|before| before.version);
        let verdict = self.decide_source(entity, before, &record, &[], now_us).await;
        if verdict != Ok(Verdict::Done) {
            return tried(verdict, false);
        }
        let is_new_part = self.is_new_part(entity, intent.before, &record);
        let visible = self.derive(entity, &record, intent.before, is_new_part).await
            && (!changes || self.touch_copiers(entity, &record, None).await == Ok(Walked::All));
        let mut done = visible;
        for reserve in intent.reserves.iter().filter(|reserve| !reserve.taken) {
            done &= self.set_free(entity, &own, reserve).await;
        }
        if !self.protocol.receipts_first {
            done &= self.place(&receipts).await.is_ok();
        }
        if done {
            self.owe_tried(marks, before_this_try);
        }
        Ok(Tried::Done { visible })
    }

    /// Sees to it that whatever follows from a record is there, for one who only found it; whether all is acknowledged.
    pub(crate) async fn show(&self, entity: &EntityPlan, record: &Record) -> bool {
        let shown = match self.program.companions {
            Companions::Follow if self.protocol.shows_found => self.derive(entity, record, None, true).await,
            Companions::Follow => return true,
            Companions::Ride => self.fell(entity, record, false).await.unwrap_or(false),
        };
        shown && self.touch_copiers(entity, record, None).await == Ok(Walked::All)
    }

    /// Derives the projections from a record, and what is counted from them; whether all is acknowledged. Anybody may do so
    /// at any time: what is older loses by its version. Who has just changed the row says what it was before: what stands
    /// as it stood is no reason to count again.
    pub(crate) async fn project(&self, entity: &EntityPlan, record: &Record, before: Option<&Record>) -> bool {
        let Ok(removed) = self.stale_rows(record) else { return false };
        let standing = self.standing(entity, record);
        let groups = self.groups_changed(entity, &standing, &removed, before);
        if !self.protocol.places_first && !self.recount(&groups).await {
            return false;
        }
        // First where it stands, then where it stood: a reader sees a row that moves twice rather than not at all.
        let placed = self.place_images(entity, record, standing).await.is_ok() && self.place(&removed).await.is_ok();
        placed && (!self.protocol.places_first || self.recount(&groups).await)
    }

    /// The groups that a row enters, leaves or changes in.
    fn groups_changed(
        &self,
        entity: &EntityPlan,
        standing: &[Companion],
        removed: &[Companion],
        before: Option<&Record>,
    ) -> Vec<Group<'_>> {
        let counted = |row: &&Companion| self.is_counted(entity, row.table);
        let (standing, removed) = (standing.iter().filter(counted), removed.iter().filter(counted));
        let mut rows: Vec<&Companion> = standing.chain(removed.filter(|_| self.protocol.recounts_left)).collect();
        let Some(before) = before.filter(|_| !rows.is_empty()) else { return self.groups(entity, &rows) };
        let mut were = self.standing(entity, before);
        were.extend(self.stale_rows(before).unwrap_or_default());
        rows.retain(|row| !were.iter().any(|before| before.is_as(row)));
        self.groups(entity, &rows)
    }

    /// Places the images of a row. Those that hold fields of other rows come behind the others, among which is the one by which
    /// it is found when those change.
    async fn place_images(&self, entity: &EntityPlan, record: &Record, images: Vec<Companion>) -> Result<(), Problem> {
        let copies = |image: &Companion| copied_in(entity, image.table).next().is_some();
        let (mut copying, plain): (Vec<Companion>, Vec<Companion>) = images.into_iter().partition(copies);
        if !self.protocol.copies_hold {
            self.copy_into_images(entity, record, &mut copying).await?;
        }
        self.place(&plain).await?;
        if self.protocol.copies_hold {
            self.copy_into_images(entity, record, &mut copying).await?;
        }
        Ok(self.place(&copying).await?)
    }

    /// The places that the row has to name: those it leaves and those it named, without those where it stands and those that are
    /// to be dropped, which come second.
    ///
    /// Removed at the version that was read, a place is gone for good: what could come back is older than that. So it is named
    /// until the next decision and no longer. But where rows are counted, who drops a place counts its group again: there it is
    /// named until there are too many.
    fn stale(&self, intent: &Intent<'_>) -> Result<(Vec<Stale>, Vec<Companion>), Problem> {
        let Intent { entity, record, .. } = *intent;
        let Some(before) = intent.before.filter(|_| self.protocol.names_stale) else { return Ok(Default::default()) };
        let place = |table: usize, key: &[Owned]| {
            Ok(Stale { table: self.table(table).1.table().name.clone(), key: self.key_bytes(table, key)? })
        };
        let stands = self.places(entity, record);
        let stands = stands.iter().map(|row| place(row.table, &row.key)).collect::<Result<Vec<_>, Problem>>()?;
        let left = self.left(intent).into_iter().map(|(table, key)| place(table, &key));
        let left = left.collect::<Result<Vec<_>, Problem>>()?;
        let named: Vec<&Stale> = before.stale.iter().filter(|place| !stands.contains(place)).collect();
        let are_too_many = named.len() + left.len() > self.protocol.stale_max;
        let (mut stale, mut dropped) = (left, Vec::new());
        for place in named {
            let row = self.stale_row(place, before.version)?;
            match row.filter(|row| are_too_many || !self.is_counted(entity, row.table)) {
                Some(row) => dropped.push(row),
                None => stale.push(place.clone()),
            }
        }
        Ok((stale, dropped))
    }

    /// Removes places that a row has left, once for all.
    async fn drop_places(&self, entity: &EntityPlan, dropped: &[Companion]) -> Result<(), Problem> {
        self.place(dropped).await?;
        let groups = self.groups(entity, &dropped.iter().collect::<Vec<_>>());
        if self.protocol.recounts_dropped && !self.recount(&groups).await {
            return Err(uncounted());
        }
        Ok(())
    }

    /// Removals of the places that a record names.
    fn stale_rows(&self, record: &Record) -> Result<Vec<Companion>, Problem> {
        record.stale.iter().filter_map(|stale| self.stale_row(stale, record.version).transpose()).collect()
    }

    /// The removal of a place. A table that the layout has no more needs no rows removed.
    fn stale_row(&self, stale: &Stale, version: u64) -> Result<Option<Companion>, Problem> {
        let table = self.tables.iter().position(|(_, shape)| shape.table().name == stale.table);
        let Some(table) = table else { return Ok(None) };
        let key = self.key_values(table, &stale.key)?;
        Ok(Some(Companion { table, key, version, values: None, expires_at: None }))
    }

    /// Places companions, each by itself; sending them again is always right.
    pub(crate) async fn place(&self, rows: &[Companion]) -> Result<(), Fault> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut placed = Ok(());
        for _ in 0..PLACE_TRIES_MAX {
            placed = self.place_once(rows).await;
            if !matches!(placed, Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. })) {
                break;
            }
        }
        placed
    }

    /// Sends companions once, each by itself.
    pub(crate) async fn place_once(&self, rows: &[Companion]) -> Result<(), Fault> {
        let groups: Vec<[GroupImage<'_>; 1]> = rows.iter().map(Companion::group).collect();
        let removed: Vec<[(usize, u64); 1]> = rows.iter().map(|row| [(0, row.version)]).collect();
        let placements = rows.iter().zip(&groups).zip(&removed).map(|((row, groups), removed)| {
            let placing = match row.values {
                Some(_) => Placing::Put { groups, expires_at: row.expires_at },
                None => Placing::Remove { groups: removed },
            };
            Placement { table: self.table(row.table).0, key: &row.key, placing }
        });
        let placements: Vec<Placement<'_>> = placements.collect();
        self.name_buckets(rows.iter()).await?;
        self.store.place(&placements, false, millis(self.now_us())).await
    }

    /// Takes a unique value for a row that is not decided yet. It gets a new version also when the row has it already, so
    /// that nobody sets it free who looked before.
    async fn claim(&self, entity: &EntityPlan, own: &[Owned], reserve: &Reserve<'_>) -> Result<bool, Problem> {
        if !self.protocol.claims_again
            && let Some(held) = self.held(entity, reserve.reservation, &reserve.key, Freshness::Fresh).await?
            && held.owner.as_deref() == Some(own)
        {
            return Ok(true);
        }
        match self.decide_reservation(entity, reserve, Some(own.to_vec()), self.now_us()).await {
            Ok(verdict) => return Ok(verdict == Verdict::Done),
            Err(Fault::Unknown(_)) => {}
            Err(fault) => return Err(fault.into()),
        }
        for _ in 0..LOOKS_MAX {
            let held = self.held(entity, reserve.reservation, &reserve.key, Freshness::Fresh).await?;
            let expect = held.as_ref().map_or(Expect::Absent, |held| Expect::Version(held.version));
            let owner = held.and_then(|held| held.owner);
            if expect != reserve.expect {
                return Ok(owner.as_deref() == Some(own));
            }
            if self.decide_reservation(entity, reserve, owner, self.now_us()).await == Ok(Verdict::Done) {
                return Ok(false);
            }
        }
        Err(unresolved())
    }

    /// Sets a unique value free, if it is as it was seen before its owner was decided; whether that is certain.
    pub(crate) async fn set_free(&self, entity: &EntityPlan, own: &[Owned], reserve: &Reserve<'_>) -> bool {
        let mut expect = reserve.expect;
        if !self.protocol.frees_by_version
            && let Ok(Some(held)) = self.held(entity, reserve.reservation, &reserve.key, Freshness::Fresh).await
            && held.owner.as_deref() == Some(own)
        {
            expect = Expect::Version(held.version);
        }
        let reserve = Reserve { expect, key: reserve.key.clone(), ..*reserve };
        self.decide_reservation(entity, &reserve, None, self.now_us()).await == Ok(Verdict::Done)
    }
}

fn unresolved() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "what became of a reservation could not be seen; nothing was done".into(),
    }
}

pub(crate) fn uncounted() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "others change what is counted all the time; nothing was done".into(),
    }
}
