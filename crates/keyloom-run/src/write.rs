//! `create` and `update`: what is decided, and what is answered.

use keyloom_store::{Current, Expect, Freshness, Get, Row, Store};
use keyloom_value::{Kind, Value};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    carry::Tried,
    idempotency::IdempotencyKey,
    problem::Problem,
    program::{EntityPlan, Write},
    read::millis,
    record::{Record, Token},
    reserve::{Reserve, reserved_key},
    run::{Call, Run, put},
};

type Owned = Value<'static>;

/// How often a write that lost against another looks again before it gives up.
const TRIES_MAX: usize = 32;

/// The request that a write answers.
pub(crate) struct Request {
    pub(crate) key: IdempotencyKey,
    token: Token,
    pub(crate) now_us: i64,
}

impl Run {
    pub(crate) async fn create(&self, plan: &Write, call: &Call<'_>) -> Result<Answer, Problem> {
        let entity = self.entity(plan.entity);
        let request = self.request(call)?;
        let version = u64::try_from(request.now_us).unwrap_or(0).max(2);
        let record = Record {
            version,
            created_us: request.now_us,
            updated_us: request.now_us,
            floor_ms: 0,
            tokens: vec![Token { version, ..request.token }],
            values: self.new_values(plan, entity, &call.inputs, &request)?,
            rest: Vec::new(),
        };
        let key = source_key(entity, &record);
        let mut reserves = Vec::new();
        for reservation in &entity.reservations {
            if let Some(key) = reserved_key(reservation, &record) {
                reserves.push(Reserve { reservation, key, expect: Expect::Absent, taken: true });
            }
        }
        for _ in 0..TRIES_MAX {
            match self.decide(entity, None, &record, &reserves, &[], request.now_us).await? {
                Tried::Done => return self.applied(entity, &record, version),
                Tried::Unknown => return self.unknown(entity, &key, &request.token, None).await,
                Tried::Lost { at: 0, current } => {
                    let Some(there) = self.current(entity.source.table, &key, current, request.now_us).await? else {
                        continue;
                    };
                    let there = self.record(entity, &there)?;
                    return match self.absorbed(entity, &key, &there, &request.token, request.now_us).await? {
                        Some(version) => self.applied(entity, &there, version),
                        None => Ok(Answer::NotApplied { reason: "exists".into() }),
                    };
                }
                Tried::Lost { at, current } => {
                    let Some(reserve) = reserves.get_mut(at - 1) else { continue };
                    let table = reserve.reservation.table;
                    match self.current(table, &reserve.key, current, request.now_us).await? {
                        None => reserve.expect = Expect::Absent,
                        Some(row) if self.is_free(table, &row)? => reserve.expect = Expect::Version(row.version()?),
                        Some(_) => return Ok(Answer::NotApplied { reason: reserve.reservation.unique.clone() }),
                    }
                }
            }
        }
        Err(contended())
    }

    pub(crate) async fn update(&self, plan: &Write, call: &Call<'_>) -> Result<Answer, Problem> {
        let entity = self.entity(plan.entity);
        let request = self.request(call)?;
        let key = self.constants(entity, &plan.key, &call.inputs, request.now_us)?;
        for _ in 0..TRIES_MAX {
            let Some(there) = self.source(entity, &key, Freshness::Fresh, request.now_us).await? else {
                return Ok(Answer::NotApplied { reason: "absent".into() });
            };
            if let Some(version) = self.absorbed(entity, &key, &there, &request.token, request.now_us).await? {
                return self.applied(entity, &there, version);
            }
            let values = match self.changed_values(plan, entity, &there, call, request.now_us)? {
                Ok(values) => values,
                Err(reason) => return Ok(Answer::NotApplied { reason }),
            };
            let version = u64::try_from(request.now_us).unwrap_or(0).max(there.version + 2);
            let mut record = Record { version, updated_us: request.now_us, values, ..there.clone() };
            record.tokens.push(Token { version, ..request.token });
            let forgotten = self.forget(&mut record, request.now_us);
            let reserves = match self.reserves(entity, &there, &record, request.now_us).await? {
                Ok(reserves) => reserves,
                Err(reason) => return Ok(Answer::NotApplied { reason }),
            };
            match self.decide(entity, Some(&there), &record, &reserves, &forgotten, request.now_us).await? {
                Tried::Done => return self.applied(entity, &record, version),
                Tried::Lost { .. } => {}
                Tried::Unknown => {
                    return self.unknown(entity, &key, &request.token, Some(there.version)).await;
                }
            }
        }
        Ok(Answer::NotApplied { reason: "conflict".into() })
    }

    fn request(&self, call: &Call<'_>) -> Result<Request, Problem> {
        if call.limit.is_some() || call.cursor.is_some() {
            return Err(Problem::Input("a write has no `limit` and no `cursor`".into()));
        }
        let key = self.idempotency_key(call.key)?;
        let inputs = call.inputs.digest(call.pattern)?;
        let token = Token { token: key.token(), birth_ms: key.birth_ms, inputs, version: 0 };
        Ok(Request { key, token, now_us: self.now_us() })
    }

    /// The row that stood in the way; read where the engine did not say.
    async fn current(
        &self,
        table: usize,
        key: &[Owned],
        current: Current,
        now_us: i64,
    ) -> Result<Option<Row>, Problem> {
        match current {
            Current::Absent => Ok(None),
            Current::Is(row) => Ok(Some(row)),
            Current::NotSaid => self.row(table, key, now_us).await,
        }
    }

    pub(crate) async fn row(&self, table: usize, key: &[Owned], now_us: i64) -> Result<Option<Row>, Problem> {
        let (table, _) = self.table(table);
        Ok(self.store.get(Get { table, key, freshness: Freshness::Fresh, now: millis(now_us) }).await?.row)
    }

    fn record(&self, entity: &EntityPlan, row: &Row) -> Result<Record, Problem> {
        Ok(Record::read(row, self.table(entity.source.table).1, &entity.source.columns)?)
    }

    pub(crate) fn applied(&self, entity: &EntityPlan, record: &Record, version: u64) -> Result<Answer, Problem> {
        let mut key = Map::new();
        for field in &entity.key {
            let (name, kind): &(String, Kind) = &entity.fields[*field];
            put(&mut key, std::slice::from_ref(name), &record.values[*field], kind)?;
        }
        Ok(Answer::Applied { key: Json::Object(key), version })
    }
}

pub(crate) fn source_key(entity: &EntityPlan, record: &Record) -> Vec<Owned> {
    entity.source.key.iter().map(|field| record.values[*field].clone()).collect()
}

fn contended() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "others change the same row all the time; nothing was done".into(),
    }
}
