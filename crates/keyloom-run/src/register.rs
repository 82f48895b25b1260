//! Which row a write by a unique value is about.
//!
//! A value passes from row to row, so whoever holds it when a request is repeated need not be the one that its first attempt
//! met: he would be changed as well, or the caller told that there is none. So whose row it is is written down before
//! anything is decided there. It is written once: every other attempt reads it, or loses against it, and goes to the same
//! row.

use keyloom_store::{Change, Current, Decision, Expect, Fault, Freshness, Get, Image, Millis, Row, Store, Verdict};
use keyloom_value::Value;

use crate::{
    digest::digest,
    follow::LOOKS_MAX,
    problem::Problem,
    program::EntityPlan,
    read::millis,
    record::Record,
    reserve::held_by,
    run::Run,
    write::{Request, contended},
};

type Owned = Value<'static>;

/// The unique value by which a request names its row.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) reservation: usize,
    pub(crate) value: Vec<Owned>,
}

impl Named {
    /// Whether a row has the value.
    pub(crate) fn is_of(&self, entity: &EntityPlan, record: &Record) -> bool {
        held_by(entity, record, &entity.reservations[self.reservation]).as_ref() == Some(&self.value)
    }
}

impl Run {
    /// The key of the row that a request is about, the same for all its attempts: when nobody held the value, the one that it is
    /// to make, if it makes one.
    pub(crate) async fn registered(
        &self,
        entity: &EntityPlan,
        named: &Named,
        new: Option<Result<Vec<Owned>, Problem>>,
        request: &Request,
    ) -> Result<Option<Vec<Owned>>, Problem> {
        let Some(register) = self.program.register().filter(|_| self.protocol.registers) else {
            return match self.holding(entity, named, request.now_us).await? {
                None => new.transpose(),
                holder => Ok(holder),
            };
        };
        let table = self.table(register).0;
        let id = digest("register", &[entity.name.as_bytes(), &request.token.token]);
        let key = [Value::from(id.to_vec())];
        // A first attempt finds nothing there, and is told by the decision if it is none.
        let mut look = request.repeated;
        for _ in 0..LOOKS_MAX {
            let now_us = self.now_us();
            if look {
                let get = Get { table, key: &key, freshness: Freshness::Fresh, now: millis(now_us) };
                if let Some(row) = self.store.get(get).await?.row {
                    return self.registered_in(register, entity, &row, request);
                }
            }
            look = true;
            let holder = match self.holding(entity, named, now_us).await? {
                None => new.clone().transpose()?,
                holder => holder,
            };
            // A refusal at first sight is not the last word; that of a repeat is, so it is written down.
            if holder.is_none() && !request.repeated {
                return Ok(None);
            }
            let row = holder.as_ref().map(|key| self.key_bytes(entity.source.table, key)).transpose()?;
            let values = [Value::from(request.token.inputs.to_vec()), row.map_or(Value::Null, Value::from)];
            let version = u64::try_from(now_us).unwrap_or(0).max(2);
            // Somewhat longer than the request may be repeated: clocks differ.
            let until = Millis(request.token.birth_ms).plus(self.program.retries_ms() + 120_000);
            let becomes = Image { version, expires_at: Some(until), values: &values };
            let change = Change { table, key: &key, expect: Expect::Absent, becomes };
            match self.store.decide(Decision { change, along: &[], now: millis(now_us) }).await {
                Ok(Verdict::Done) => return Ok(holder),
                Ok(Verdict::Lost { current: Current::Is(row), .. }) => {
                    return self.registered_in(register, entity, &row, request);
                }
                // If it was written down after all, the next look finds it.
                Ok(Verdict::Lost { .. }) | Err(Fault::Unknown(_)) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Err(contended())
    }

    /// The key of the row that holds the value now.
    async fn holding(&self, entity: &EntityPlan, named: &Named, now_us: i64) -> Result<Option<Vec<Owned>>, Problem> {
        let value = Some(named.value.clone());
        let holder = self.holder(entity, named.reservation, value, Freshness::Fresh, now_us).await?;
        Ok(holder.map(|holder| entity.source_key(&holder)))
    }

    /// The key of the row that was written down.
    fn registered_in(
        &self,
        register: usize,
        entity: &EntityPlan,
        row: &Row,
        request: &Request,
    ) -> Result<Option<Vec<Owned>>, Problem> {
        let (_, shape) = self.table(register);
        let cell = |name: &str| shape.column(name).map_or(Ok(Value::Null), |at| row.value(shape, at));
        match (cell("inputs")?, cell("row")?) {
            (Value::Bytes(inputs), _) if *inputs != request.token.inputs => Err(Problem::KeyReused),
            (Value::Bytes(_), Value::Bytes(key)) => self.key_values(entity.source.table, &key).map(Some),
            (Value::Bytes(_), Value::Null) => Ok(None),
            _ => Err(Problem::Broken("what a request is about can't be read".into())),
        }
    }
}
