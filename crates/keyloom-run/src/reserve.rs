//! Unique values: who holds which is a row of its own, decided with the source or before and behind it.

use keyloom_store::{Change, ColumnAt, Decision, Expect, Fault, Freshness, Get, Image, Millis, Row, Store, Verdict};
use keyloom_value::Value;

use crate::{
    carry::{Intent, passes},
    problem::Problem,
    program::{EntityPlan, Reservation},
    read::millis,
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// A unique value that a decision takes or sets free.
pub(crate) struct Reserve<'a> {
    pub(crate) reservation: &'a Reservation,
    pub(crate) key: Vec<Owned>,
    pub(crate) expect: Expect,
    pub(crate) taken: bool,
}

/// What stands in a reservation.
pub(crate) struct Held {
    pub(crate) version: u64,
    /// The identity of the holder; nobody, if it is free.
    pub(crate) owner: Option<Vec<Owned>>,
}

/// What a write finds of the unique values that it wants.
pub(crate) enum Reserving<'a> {
    Ready(Vec<Reserve<'a>>),
    /// Somebody else holds one: the reason.
    Taken(String),
    /// Somebody else has one without holding it; that can't stay so.
    Again,
}

impl Reserve<'_> {
    /// A version above the one that stands there.
    pub(crate) fn version_above(&self, now_us: i64) -> u64 {
        let clock = u64::try_from(now_us).unwrap_or(0).max(2);
        match self.expect {
            Expect::Version(version) => clock.max(version + 2),
            Expect::Absent => clock,
        }
    }
}

/// The unique value that a row holds: one that is gone or does not pass the test holds none. One that has ended holds its
/// value until somebody decides that it is gone.
pub(crate) fn held_by(entity: &EntityPlan, record: &Record, reservation: &Reservation) -> Option<Vec<Owned>> {
    let holds = !record.gone && reservation.filter.as_ref().is_none_or(|filter| passes(entity, record, filter));
    if holds { record.fields(&reservation.fields) } else { None }
}

impl Run {
    /// The unique values that a write takes and sets free. Who has not looked expects the new ones to be absent, and is
    /// told by the decision.
    pub(crate) async fn reserves<'a>(
        &self,
        entity: &'a EntityPlan,
        there: Option<&Record>,
        record: &Record,
        looked: bool,
        tries: usize,
    ) -> Result<Reserving<'a>, Problem> {
        let own = entity.identity(record);
        let mut reserves = Vec::new();
        for reservation in &entity.reservations {
            let old = there.and_then(|there| held_by(entity, there, reservation));
            let new = held_by(entity, record, reservation);
            if old == new {
                continue;
            }
            if let Some(key) = new.filter(|_| self.is_kept_up(reservation.table)) {
                let held = if looked { self.held(entity, reservation, &key, Freshness::Fresh).await? } else { None };
                let expect = match held {
                    None => Expect::Absent,
                    Some(held) if held.owner.as_ref().is_none_or(|owner| *owner == own) => {
                        Expect::Version(held.version)
                    }
                    Some(held) => {
                        return Ok(if self.is_held(entity, reservation, &key, held, tries).await? {
                            Reserving::Taken(reservation.unique.clone())
                        } else {
                            Reserving::Again
                        });
                    }
                };
                reserves.push(Reserve { reservation, key, expect, taken: true });
            }
            if let Some(there) = there {
                reserves.extend(self.to_free(entity, reservation, there).await?);
            }
        }
        Ok(Reserving::Ready(reserves))
    }

    /// The unique value that a row holds and is to lose.
    pub(crate) async fn to_free<'a>(
        &self,
        entity: &EntityPlan,
        reservation: &'a Reservation,
        there: &Record,
    ) -> Result<Option<Reserve<'a>>, Problem> {
        let Some(key) = held_by(entity, there, reservation) else { return Ok(None) };
        let held = self.held(entity, reservation, &key, Freshness::Fresh).await?;
        let own = held.filter(|held| held.owner.as_ref() == Some(&entity.identity(there)));
        Ok(own.map(|held| Reserve { reservation, key, expect: Expect::Version(held.version), taken: false }))
    }

    /// What stands in the reservation of a value, if there is one.
    pub(crate) async fn held(
        &self,
        entity: &EntityPlan,
        reservation: &Reservation,
        key: &[Owned],
        freshness: Freshness,
    ) -> Result<Option<Held>, Problem> {
        let get = Get { table: self.table(reservation.table).0, key, freshness, now: millis(self.now_us()) };
        let row = self.store.get(get).await?.row;
        row.map(|row| self.held_in(entity, reservation, key, &row)).transpose()
    }

    /// What a row of a reservation says.
    pub(crate) fn held_in(
        &self,
        entity: &EntityPlan,
        reservation: &Reservation,
        key: &[Owned],
        row: &Row,
    ) -> Result<Held, Problem> {
        let (_, shape) = self.table(reservation.table);
        let cell = |column| Ok(row.value(shape, ColumnAt::Cell { group: 0, column })?.into_owned());
        let mut owner = (0..entity.owner_columns()).map(cell).collect::<Result<Vec<Owned>, Problem>>()?;
        let free = owner.iter().any(Value::is_null);
        // Of a tenant's only row the tenant says which it is.
        owner.truncate(entity.key.len() - usize::from(entity.tenant.is_some()));
        // The owner is of the same tenant, who stands in the key.
        if let Some(tenant) = entity.tenant {
            let at = reservation.fields.iter().position(|field| *field == tenant);
            owner.insert(0, at.map_or(Value::Null, |at| key[at].clone()));
        }
        Ok(Held { version: row.version()?, owner: (!free).then_some(owner) })
    }

    /// What a reservation becomes by an intent.
    pub(crate) fn reservation_image(&self, intent: &Intent<'_>, reserve: &Reserve<'_>) -> (Vec<Owned>, Option<Millis>) {
        let own = intent.entity.identity(intent.record);
        self.owned_by(intent.entity, reserve.taken.then_some(own), intent.now_us)
    }

    /// The columns of a reservation of this owner, and how long it lives: one that is free fences for a while.
    pub(crate) fn owned_by(
        &self,
        entity: &EntityPlan,
        owner: Option<Vec<Owned>>,
        now_us: i64,
    ) -> (Vec<Owned>, Option<Millis>) {
        match owner {
            Some(mut owner) => {
                let mut own = owner.split_off(usize::from(entity.tenant.is_some()));
                own.resize(entity.owner_columns(), Value::Int(0));
                (own, None)
            }
            None => {
                let until = millis(now_us).plus(self.program.grace_ms());
                (vec![Value::Null; entity.owner_columns()], Some(until))
            }
        }
    }

    /// Decides a reservation by itself.
    pub(crate) async fn decide_reservation(
        &self,
        entity: &EntityPlan,
        reserve: &Reserve<'_>,
        owner: Option<Vec<Owned>>,
        now_us: i64,
    ) -> Result<Verdict, Fault> {
        let (values, expires_at) = self.owned_by(entity, owner, now_us);
        let becomes = Image { version: reserve.version_above(now_us), expires_at, values: &values };
        let table = self.table(reserve.reservation.table).0;
        let change = Change { table, key: &reserve.key, expect: reserve.expect, becomes };
        self.store.decide(Decision { change, along: &[], now: millis(now_us) }).await
    }
}
