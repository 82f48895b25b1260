//! Repair: what differs is brought right, by the same fences as a write.
//!
//! The source row is read, and what does not follow from it is removed at one above its version: no row of that version
//! stands there, and a later one has a higher version. What follows is placed. If that does not help, the source is
//! touched, whose version passes the clock then, so that rows and removals made by hand are overtaken as well. An absent
//! source is touched at once: its absence becomes a row, which fences. Where companions ride along, all of that is one
//! touch which carries them. Nothing is ever removed because it was seen to be absent.

use std::collections::BTreeSet;

use keyloom_plan::Companions;
use keyloom_store::{Along, Change, Expect, Fault, Freshness, Image, Verdict};
use keyloom_value::Value;

use super::due::{Differs, Due, Place, reservation};
use crate::{
    carry::Companion,
    follow::uncounted,
    problem::Problem,
    program::EntityPlan,
    record::Record,
    reserve::{Held, Reserve, held_by},
    run::Run,
    touch::touched,
};

type Owned = Value<'static>;

/// How often it is tried: others may write the same row.
const TRIES_MAX: usize = 6;
/// How many rows ride along with one touch.
const ALONG_MAX: usize = 20;

/// Why a difference stays.
pub(super) type Left = Option<String>;

impl Run {
    /// Brings right what differs of a source row; what stays, and why.
    pub(super) async fn mend(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        suspects: &BTreeSet<Place>,
    ) -> Result<Left, Problem> {
        let mut why = None;
        for attempt in 0..TRIES_MAX {
            let sight = self.look(entity, key, suspects).await?;
            if sight.differences.is_empty() {
                return Ok(None);
            }
            why = self.mend_once(entity, key, &sight.differences, attempt > 0).await?;
        }
        if self.look(entity, key, suspects).await?.differences.is_empty() {
            return Ok(None);
        }
        Ok(why.or_else(|| Some("a row could not be brought right, because it changes or the store fails".into())))
    }

    /// Places what follows from a source row, and removes what does not; by a higher version where one did not help.
    pub(super) async fn mend_once(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        differences: &[(Differs, Place)],
        overtake: bool,
    ) -> Result<Left, Problem> {
        let (names, differences): (Vec<_>, Vec<_>) =
            differences.iter().cloned().partition(|(_, place)| Some(place.table) == self.program.buckets);
        for (_, name) in names {
            self.name_again(name.table, self.key_values(name.table, &name.key)?).await?;
        }
        if differences.is_empty() {
            return Ok(None);
        }
        let differences = &differences[..];
        match (&entity.source.hidden, self.program.companions) {
            (None, _) => self.mend_placed(entity, key, differences, overtake).await,
            (Some(_), Companions::Ride) => self.mend_carried(entity, key, differences).await,
            (Some(_), Companions::Follow) => self.mend_followed(entity, key, differences, overtake).await,
        }
    }

    async fn mend_followed(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        differences: &[(Differs, Place)],
        overtake: bool,
    ) -> Result<Left, Problem> {
        let there = self.source(entity, key, Freshness::Fresh, self.now_us()).await?;
        let record = match there {
            Some(there) if !overtake => there,
            there => match self.touch(entity, key, there).await? {
                Some(record) => record,
                None => return Ok(None),
            },
        };
        let own = self.own_places(entity, &record)?;
        let version = match self.protocol.repairs_by_version {
            true => record.version + 1,
            false => u64::try_from(self.now_us()).unwrap_or(0),
        };
        let mut removed = Vec::new();
        let mut left = None;
        for (differs, place) in differences {
            if entity.reservations.iter().any(|reservation| reservation.table == place.table) {
                left = self.mend_reservation(entity, &record, *differs, place).await?.or(left);
            } else if *differs == Differs::Extra && !own.contains(place) {
                let key = self.key_values(place.table, &place.key)?;
                removed.push(Companion { table: place.table, key, version, values: None, expires_at: None });
            }
        }
        // What is not acknowledged is seen by the next look.
        self.project(entity, &record, None).await;
        if self.place(&removed).await.is_ok() {
            // It may have been counted while it stood there.
            let groups = self.groups(entity, &removed.iter().collect::<Vec<_>>());
            if !self.recount(&groups).await {
                return Err(uncounted());
            }
        }
        Ok(left)
    }

    /// Brings a unique value right that is decided by itself. A mark stands for it as long as it is under way, and the row
    /// is touched before anything is believed of it.
    async fn mend_reservation(
        &self,
        entity: &EntityPlan,
        record: &Record,
        differs: Differs,
        place: &Place,
    ) -> Result<Left, Problem> {
        let reservation = reservation(entity, place.table)?;
        let key = self.key_values(place.table, &place.key)?;
        let (source_key, own) = (entity.source_key(record), entity.identity(record));
        let held = self.held(entity, reservation, &key, Freshness::Fresh).await?;
        let expect = held.as_ref().map_or(Expect::Absent, |held| Expect::Version(held.version));
        if differs == Differs::Extra {
            let mine = held.is_some_and(|held| held.owner.as_ref() == Some(&own));
            let there = self.source(entity, &source_key, Freshness::Fresh, self.now_us()).await?;
            if mine
                && let Some(touched) = self.touch(entity, &source_key, there).await?
                && held_by(entity, &touched, reservation).as_ref() != Some(&key)
            {
                self.set_free(entity, &own, &Reserve { reservation, key, expect, taken: false }).await;
            }
            return Ok(None);
        }
        if let Some(other) = held.and_then(|held| held.owner).filter(|owner| *owner != own) {
            let there = entity.source_key_of(&other);
            let before = self.source(entity, &there, Freshness::Fresh, self.now_us()).await?;
            let Some(touched) = self.touch(entity, &there, before).await? else { return Ok(None) };
            if held_by(entity, &touched, reservation).as_ref() == Some(&key) {
                return Ok(Some(self.shared(entity, &reservation.unique, &own, &other)));
            }
        }
        let reserve = Reserve { reservation, key, expect, taken: true };
        let mark = self.mark(entity, &source_key, std::slice::from_ref(&reserve)).await?;
        let now_us = self.now_us();
        let version = reserve.version_above(now_us);
        let claimed = self.decide_reservation(entity, &reserve, Some(own.clone()), now_us).await;
        let there = self.source(entity, &source_key, Freshness::Fresh, self.now_us()).await?;
        let Some(touched) = self.touch(entity, &source_key, there).await? else { return Ok(None) };
        if held_by(entity, &touched, reservation).as_ref() == Some(&reserve.key) || claimed != Ok(Verdict::Done) {
            // A claim that is not certain leaves its mark to those who settle.
            if claimed.is_ok() && self.project(entity, &touched, None).await {
                self.owe(vec![mark]);
            }
            return Ok(None);
        }
        let free = Reserve { expect: Expect::Version(version), taken: false, ..reserve };
        if self.set_free(entity, &own, &free).await && self.project(entity, &touched, None).await {
            self.owe(vec![mark]);
        }
        Ok(None)
    }

    async fn mend_carried(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        differences: &[(Differs, Place)],
    ) -> Result<Left, Problem> {
        let now_us = self.now_us();
        let there = self.source(entity, key, Freshness::Fresh, now_us).await?;
        let before = there.as_ref().map(|there| there.version);
        let record = touched(entity, key, there, now_us);
        let mut due = self.due(entity, &record, now_us)?;
        let mut of_row: Vec<(&Record, &mut Due)> = due.iter_mut().map(|due| (&record, due)).collect();
        let copied = self.copy_into_due(entity, &mut of_row).await?;
        let own = self.own_places(entity, &record)?;
        let mut left = None;
        let mut wanted = Vec::new();
        for (differs, place) in differences.iter().take(ALONG_MAX) {
            let due = own.iter().position(|own| own == place).map(|at| &due[at]);
            let key = self.key_values(place.table, &place.key)?;
            let Some(reservation) = entity.reservations.iter().find(|known| known.table == place.table) else {
                wanted.push(Carried::Row { table: place.table, key, due });
                continue;
            };
            let held = self.held(entity, reservation, &key, Freshness::Fresh).await?;
            let identity = entity.identity(&record);
            if let Some(other) = held.as_ref().and_then(|held: &Held| held.owner.clone()).filter(|one| *one != identity)
            {
                let there = entity.source_key_of(&other);
                let there = self.source(entity, &there, Freshness::Fresh, now_us).await?;
                if there.is_some_and(|there| held_by(entity, &there, reservation).as_ref() == Some(&key)) {
                    left = Some(self.shared(entity, &reservation.unique, &identity, &other));
                    continue;
                }
            }
            let expect = held.map_or(Expect::Absent, |held| Expect::Version(held.version));
            let reserve = Reserve { reservation, key, expect, taken: due.is_some() };
            let (values, expires_at) = self.owned_by(entity, due.map(|_| identity), now_us);
            if *differs != Differs::Extra || due.is_none() {
                wanted.push(Carried::Value { reserve, values, expires_at });
            }
        }
        if wanted.is_empty() {
            return Ok(left);
        }
        let held = copied.iter().map(|row| {
            let expect = row.version.map_or(Expect::Absent, Expect::Version);
            Along::Check { table: self.table(row.table).0, key: &row.key, expect }
        });
        let put = wanted.iter().filter_map(|carried| match carried {
            Carried::Row { due: Some(Due::Row(row)), .. } => Some(row),
            Carried::Row { .. } | Carried::Value { .. } => None,
        });
        self.name_buckets(put).await?;
        let along: Vec<Along<'_>> = wanted.iter().map(|carried| self.along(carried, now_us)).chain(held).collect();
        match self.decide_source(entity, before, &record, &along, now_us).await {
            Ok(_) | Err(Fault::NotDone(_) | Fault::Unknown(_) | Fault::Busy { .. }) => Ok(left),
            Err(fault) => Err(fault.into()),
        }
    }

    fn along<'a>(&self, carried: &'a Carried<'_>, now_us: i64) -> Along<'a> {
        match carried {
            Carried::Row { table, key, due: Some(Due::Row(due)) } => {
                let values = due.values.as_deref().unwrap_or_default();
                let becomes = Image { version: due.version, expires_at: due.expires_at, values };
                Along::Put { table: self.table(*table).0, key, becomes }
            }
            Carried::Row { table, key, .. } => Along::Remove { table: self.table(*table).0, key },
            Carried::Value { reserve, values, expires_at } => {
                let becomes = Image { version: reserve.version_above(now_us), expires_at: *expires_at, values };
                let table = self.table(reserve.reservation.table).0;
                Along::Decide(Change { table, key: &reserve.key, expect: reserve.expect, becomes })
            }
        }
    }

    /// Rows that are placed have the version of their request. One that was added never changes, so any version of what
    /// follows from it is right, and a higher one overtakes what was made by hand.
    async fn mend_placed(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        differences: &[(Differs, Place)],
        overtake: bool,
    ) -> Result<Left, Problem> {
        let appended = self.is_append(entity);
        let there = self.source(entity, key, Freshness::Settled, self.now_us()).await?;
        let now_us = self.now_us();
        let clock = u64::try_from(now_us).unwrap_or(0);
        let mut rows = Vec::new();
        let mut left = None;
        for (_, place) in differences.iter().filter(|(differs, _)| *differs == Differs::Extra) {
            let key = self.key_values(place.table, &place.key)?;
            let Some(stands) = self.rows_at(&[(place.table, &key)]).await?.pop().flatten() else { continue };
            let stands = stands.version()?;
            let version = match &there {
                Some(there) if !appended => there.version + 1,
                Some(there) => there.version.max(stands) + 1,
                // Its request may be repeated and bring the row itself.
                None if may_come(stands, now_us, self.program.grace_ms()) => {
                    left = Some(format!(
                        "a list shows a row of {} that is not there; its request may still be repeated, so it is left \
                         for now",
                        entity.name
                    ));
                    continue;
                }
                None => stands + 1,
            };
            rows.push(Companion { table: place.table, key, version, values: None, expires_at: None });
        }
        let due = there.map_or(Ok(Vec::new()), |there| self.due(entity, &there, now_us))?;
        for due in due {
            let Due::Row(row) = due else { continue };
            let version = if overtake && appended { (row.version + 2).max(clock) & !1 } else { row.version };
            rows.push(Companion { version, ..row });
        }
        drop(self.place(&rows).await);
        Ok(left)
    }

    fn own_places(&self, entity: &EntityPlan, record: &Record) -> Result<Vec<Place>, Problem> {
        self.due(entity, record, self.now_us())?.iter().map(|due| self.place_of(due)).collect()
    }

    /// Nobody but people can say whose value it is.
    fn shared(&self, entity: &EntityPlan, unique: &str, one: &[Owned], other: &[Owned]) -> String {
        let words = |key: &[Owned]| {
            let values = entity.key.iter().zip(key).map(|(field, value)| {
                let (name, kind) = &entity.fields[*field];
                let json = keyloom_value::json::to_json(value, kind).unwrap_or_default();
                format!("{name} {json}")
            });
            values.collect::<Vec<_>>().join(", ")
        };
        format!(
            "{unique} of {}: {} and {} have the same value; change one of them",
            entity.name,
            words(one),
            words(other)
        )
    }
}

/// What rides along with a touch.
enum Carried<'a> {
    /// A row of a list: as it is due, or gone.
    Row { table: usize, key: Vec<Owned>, due: Option<&'a Due> },
    /// A unique value: of its holder, or free.
    Value { reserve: Reserve<'a>, values: Vec<Owned>, expires_at: Option<keyloom_store::Millis> },
}

/// Whether the request that made a row of this version may still be repeated.
fn may_come(version: u64, now_us: i64, grace_ms: i64) -> bool {
    let birth_us = i64::try_from(version).unwrap_or(i64::MAX);
    now_us.saturating_sub(birth_us) < grace_ms.saturating_mul(1_000)
}
