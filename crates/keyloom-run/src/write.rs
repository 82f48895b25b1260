//! Writes of decided rows: what is decided, and what is answered.

use futures_util::{StreamExt, stream};
use keyloom_model::WriteVerb;
use keyloom_store::Freshness;
use keyloom_value::{Kind, Value};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    caller::Caller,
    carry::{Intent, Tried},
    idempotency::IdempotencyKey,
    inputs::Inputs,
    judge::Next,
    outcome::Asked,
    problem::Problem,
    program::{Answers, EntityPlan, Plan, Target, Write},
    read::{Asking, Found},
    receipts::Absorbed,
    record::{Record, Token},
    register::Named,
    reserve::Reserving,
    run::{Call, Run, put},
    shown::{Object, Shown},
};

type Owned = Value<'static>;

/// How often a write that lost against another looks again before it gives up.
const TRIES_MAX: usize = 32;
/// How many items of a batch are under way at once.
const SIDE_BY_SIDE: usize = 16;

/// The request that a write answers.
pub(crate) struct Request {
    pub(crate) key: IdempotencyKey,
    pub(crate) caller: [u8; 16],
    pub(crate) token: Token,
    pub(crate) now_us: i64,
    /// It stands for all requests with the same fields.
    pub(crate) once: bool,
    /// It makes a row, and a row that is there is in its way.
    pub(crate) creates: bool,
    /// An earlier attempt may be under way, so that a refusal must be decided.
    pub(crate) repeated: bool,
    /// The unique value by which it names its row, if it does.
    pub(crate) named: Option<Named>,
    /// The key of the source row that it names; empty for one that it makes.
    pub(crate) target: Vec<Owned>,
    /// The fields of a row that it always makes, once they are looked up; else empty.
    pub(crate) filled: Vec<Owned>,
}

impl Run {
    pub(crate) async fn write(&self, plan: &Write, call: &Call<'_>) -> Result<Answer, Problem> {
        if plan.batch.is_some() {
            return Err(Problem::Input(format!("`{}` takes its inputs as a list of items", call.pattern)));
        }
        self.write_one(plan, call, 0).await
    }

    /// Several writes, each with an answer of its own, in the order of the items. They are not atomic: each is applied or
    /// not by itself, and one may be applied before another that was sent before it.
    ///
    /// # Errors
    /// When there is no such pattern, or it takes one item at a time, or fewer than these.
    pub async fn write_batch(
        &self,
        pattern: &str,
        items: Vec<Inputs>,
        key: Option<&str>,
    ) -> Result<Vec<Result<Answer, Problem>>, Problem> {
        let Some(Plan::Write(plan)) = self.plan(pattern) else {
            return Err(Problem::Input(format!("there is no pattern `{pattern}` that writes")));
        };
        let Some(max) = plan.batch else {
            return Err(Problem::Input(format!("`{pattern}` takes one item at a time")));
        };
        if items.len() as u64 > max {
            return Err(Problem::Input(format!("{} items, but at most {max} are taken at a time", items.len())));
        }
        // A key that is none is a fault of the whole request, also where it has no items.
        if plan.once_per.is_empty() {
            self.idempotency_key(key, Caller::NOBODY)?;
        }
        let mut calls: Vec<(Call<'_>, [u8; 16], u32)> = Vec::with_capacity(items.len());
        for inputs in items {
            // Which of several equal items it is tells them apart, wherever they stand when they are sent again.
            let digest = inputs.digest(pattern, &inputs.caller().seal())?;
            let number = calls.iter().filter(|(_, known, _)| *known == digest).count();
            let call = Call { pattern, inputs, key, order: None, limit: None, cursor: None };
            calls.push((call, digest, u32::try_from(number).unwrap_or(u32::MAX)));
        }
        // Gathered first: a future that holds the closure can't be sent to another thread.
        let writes: Vec<_> = calls.iter().map(|(call, _, number)| self.write_one(plan, call, *number)).collect();
        Ok(stream::iter(writes).buffered(SIDE_BY_SIDE).collect().await)
    }

    /// One write; of several equal items of a batch, the one of this number.
    async fn write_one(&self, plan: &Write, call: &Call<'_>, number: u32) -> Result<Answer, Problem> {
        let entity = self.entity(plan.entity);
        let mut request = self.request(plan, call, number)?;
        if entity.source.hidden.is_none() {
            // Whatever is in the row must be the same when the request is repeated, so it happens when it was born.
            request.now_us = request.key.birth_ms.saturating_mul(1_000);
        }
        if let Target::New = plan.target {
            request.filled = self.filled(plan, entity, &call.inputs, &request)?;
        }
        let key = match &plan.target {
            Target::New | Target::Key(_) => self.own_row(plan, entity, call, &request)?,
            Target::Holder { reservation, value } => {
                let asking = Asking { inputs: &call.inputs, item: None, now_us: request.now_us };
                let value = self.key(entity, value, &asking)?;
                request.named = value.map(|value| Named { reservation: *reservation, value });
                // The row that there is to be if nobody holds the value.
                let new = plan.or_create.then(|| self.new_row(plan, entity, call, &request));
                match &request.named {
                    Some(named) => self.registered(entity, named, new, &request).await?,
                    None => None,
                }
            }
        };
        // A row without a part of its key is not there.
        let Some(key) = key else { return Ok(Answer::NotApplied { reason: "absent".into() }) };
        request.target = key;
        let answer = self.written(plan, entity, call, &request).await?;
        self.saying_seen(entity, &request.target, &request.caller, answer)
    }

    /// What becomes of a request whose row is known.
    async fn written(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Answer, Problem> {
        if entity.source.hidden.is_none() {
            return match plan.verb {
                WriteVerb::Put => self.put_blind(plan, entity, call, request).await,
                WriteVerb::Delete => self.delete_blind(entity, request).await,
                WriteVerb::Create | WriteVerb::Update => self.append(plan, entity, call, request).await,
            };
        }
        let answer = self.decided(plan, entity, call, request).await?;
        match plan.verb {
            WriteVerb::Create => answer.ok_or_else(contended),
            _ if request.repeated => answer.ok_or_else(contended),
            _ => Ok(answer.unwrap_or(Answer::NotApplied { reason: "conflict".into() })),
        }
    }

    /// The key of the row that a request makes or names; `None` where a part of it is absent, or it names a unique value.
    pub(crate) fn own_row(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Option<Vec<Owned>>, Problem> {
        match &plan.target {
            Target::New => self.new_row(plan, entity, call, request).map(Some),
            Target::Key(key) => {
                self.key(entity, key, &Asking { inputs: &call.inputs, item: None, now_us: request.now_us })
            }
            Target::Holder { .. } => Ok(None),
        }
    }

    /// The key of the row that a request makes.
    fn new_row(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Vec<Owned>, Problem> {
        let values = self.new_values(plan, entity, &call.inputs, request)?;
        // The key of rows that are only added may hold what follows from others.
        let values = self.derived(entity, values, &call.inputs, request.now_us)?;
        if let Some(field) = entity.source.fields().find(|field| values[*field].is_null()) {
            return Err(Problem::Input(format!("`{}`: it is missing", entity.fields[field].0)));
        }
        Ok(entity.source_key_in(&values))
    }

    /// Tries until the row is decided or there is an answer without; `None` when others were always first.
    async fn decided(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        call: &Call<'_>,
        request: &Request,
    ) -> Result<Option<Answer>, Problem> {
        let (key, now_us) = (&request.target, request.now_us);
        // Nearly all that are created are new, so nobody looks first: the decision tells.
        let mut look = (plan.verb != WriteVerb::Create).then_some(Freshness::Settled);
        let mut marks = Vec::new();
        for tries in 0..TRIES_MAX {
            let there = match look {
                Some(freshness) => self.source(entity, key, freshness, now_us).await?,
                None => None,
            };
            // A decision judges by itself; but what is answered without one was read fresh.
            let looked = look.replace(Freshness::Fresh);
            let fresh = looked == Some(Freshness::Fresh);
            if let Some(there) = &there
                && let Some(absorbed) = self.absorbed(entity, key, there, &request.token, now_us).await?
            {
                if !fresh {
                    continue;
                }
                return self.found(entity, there, absorbed).await.map(Some);
            }
            let alive = self.alive(entity, there.as_ref(), now_us)?;
            let record = match self.judge(plan, alive, call, request).await? {
                Next::Stands(values) => successor(there.as_ref(), values, request, alive.is_some()),
                Next::Gone => gone(entity, there.as_ref(), request),
                // The row itself remembers who made it: the same request is the same row.
                Next::Refused(_) if fresh && plan.verb == WriteVerb::Create && plan.is_memory => {
                    let Some(there) = alive else { continue };
                    return self.found(entity, there, Absorbed::Applied(there.version)).await.map(Some);
                }
                Next::Refused(reason) if fresh => match self.refuse(entity, there.as_ref(), request, reason).await? {
                    None => continue,
                    answer => return Ok(answer),
                },
                Next::Refused(_) => continue,
            };
            let mut record = record;
            let forgotten = self.forget(&mut record, now_us);
            let checks = match self.checks(plan, alive, &record, now_us).await? {
                Ok(checks) => checks,
                Err(reason) if fresh => match self.refuse(entity, there.as_ref(), request, reason).await? {
                    None => continue,
                    answer => return Ok(answer),
                },
                Err(_) => continue,
            };
            let reserves = match self.reserves(entity, there.as_ref(), &record, looked.is_some(), tries).await? {
                Reserving::Ready(reserves) => reserves,
                Reserving::Taken(reason) if fresh => {
                    // Somebody made the row meanwhile that was to be changed or made.
                    let is_named = |named: &Named| entity.reservations[named.reservation].unique == reason;
                    let made = plan.or_create && request.named.as_ref().is_some_and(is_named);
                    let reason = if made { "conflict".to_owned() } else { reason };
                    match self.refuse(entity, there.as_ref(), request, reason).await? {
                        None => continue,
                        answer => return Ok(answer),
                    }
                }
                Reserving::Taken(_) | Reserving::Again => continue,
            };
            if let Some(gone) =
                there.as_ref().filter(|there| there.is_deleted() && !record.gone && self.protocol.fells_first)
                && !self.fell(entity, gone, true).await?
            {
                continue;
            }
            let kept = self.kept_changes(plan.entity, there.as_ref(), &record, now_us).await?;
            let intent = Intent {
                entity,
                before: there.as_ref(),
                record: &record,
                reserves: &reserves,
                checks: &checks,
                kept: &kept,
                anew: false,
                forgotten: &forgotten,
                now_us,
            };
            match self.carry_out(&intent, &mut marks).await? {
                Tried::Done { visible } => {
                    let row = self.returned(plan, entity, alive, &record, now_us).await?;
                    return self.applied(entity, &record, record.version, row, visible).map(Some);
                }
                Tried::Lost => {}
                Tried::Unknown => {
                    let expected = there.map(|there| there.version);
                    match self.resolve(entity, key, &request.token, Asked::of(request, expected)).await {
                        Ok(Some(Answer::NotApplied { .. })) => {}
                        Ok(Some(answer)) => return Ok(Some(answer)),
                        // A look that fails as well tells nothing; the caller asks again.
                        Ok(None) | Err(_) => {
                            let token = self.outcome_token(entity, key, request, expected)?;
                            return Ok(Some(Answer::Unknown { token }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    pub(crate) fn request(&self, plan: &Write, call: &Call<'_>, number: u32) -> Result<Request, Problem> {
        let entity = self.entity(plan.entity);
        if call.limit.is_some() || call.cursor.is_some() || call.order.is_some() {
            return Err(Problem::Input("a write has no `limit`, no `cursor` and no `order`".into()));
        }
        let now_us = self.now_us();
        let mut key = match &plan.once_per[..] {
            [] => self.idempotency_key(call.key, call.inputs.caller())?,
            fields => {
                let always = plan.verb == WriteVerb::Create && entity.source.hidden.is_some();
                IdempotencyKey::once_per(call.pattern, fields, &call.inputs, now_us, self.program.retries_ms(), always)?
            }
        };
        let inputs = call.inputs.digest(call.pattern, &key.caller)?;
        if plan.batch.is_some() && plan.once_per.is_empty() {
            key = key.item(&inputs, number);
        }
        let token = Token { token: key.token(), birth_ms: key.birth_ms, inputs, version: 0, refused: None };
        // Whoever sends what happens once may do so again when more of it holds: a refusal is not his last word.
        let once = !plan.once_per.is_empty();
        let (creates, repeated) = (plan.verb == WriteVerb::Create, call.inputs.is_repeated() && !once);
        let (caller, named, target, filled) = (key.caller, None, Vec::new(), Vec::new());
        Ok(Request { caller, key, token, now_us, once, creates, repeated, named, target, filled })
    }

    /// The answer to a request that a row has absorbed before.
    pub(crate) async fn found(
        &self,
        entity: &EntityPlan,
        there: &Record,
        absorbed: Absorbed,
    ) -> Result<Answer, Problem> {
        match absorbed {
            Absorbed::Applied(version) => {
                let visible = self.show(entity, there).await;
                self.applied(entity, there, version, None, visible)
            }
            Absorbed::Refused(reason) => Ok(Answer::NotApplied { reason }),
        }
    }

    /// What the pattern returns of the row.
    pub(crate) async fn returned(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        before: Option<&Record>,
        after: &Record,
        now_us: i64,
    ) -> Result<Option<Shown>, Problem> {
        let (outputs, of) = match &plan.answers {
            Answers::Nothing => return Ok(None),
            Answers::Before(outputs) => (outputs, before),
            Answers::After(outputs) => (outputs, Some(after)),
        };
        let Some(of) = of else { return Ok(None) };
        // The write is done, whether or not what else the answer holds can be seen.
        let shown = self.shown(entity, outputs, &[&Found::of(of.clone())], now_us).await;
        Ok(shown.ok().and_then(|rows| rows.into_iter().next()).map(Object::shown))
    }

    pub(crate) fn applied(
        &self,
        entity: &EntityPlan,
        record: &Record,
        version: u64,
        row: Option<Shown>,
        visible: bool,
    ) -> Result<Answer, Problem> {
        let mut key = Map::new();
        for field in entity.own_key() {
            let (name, kind): &(String, Kind) = &entity.fields[*field];
            put(&mut key, name, &record.values[*field], kind)?;
        }
        Ok(Answer::Applied { key: Json::Object(key), version, row, visible, seen: None })
    }
}

/// The row that a request makes of what is there.
fn successor(there: Option<&Record>, values: Vec<Owned>, request: &Request, lives: bool) -> Record {
    let clock = u64::try_from(request.now_us).unwrap_or(0).max(2);
    let version = there.map_or(clock, |there| clock.max(there.version + 2));
    let mut tokens = there.map_or_else(Vec::new, |there| there.tokens.clone());
    tokens.push(Token { version, ..request.token.clone() });
    Record {
        version,
        created_us: there.filter(|_| lives).map_or(request.now_us, |there| there.created_us),
        updated_us: request.now_us,
        floor_ms: there.map_or(0, |there| there.floor_ms),
        tokens,
        stale: Vec::new(),
        gone: false,
        values,
        rest: there.map_or_else(Vec::new, |there| there.rest.clone()),
    }
}

/// The row that stands for one that is gone: who it was, and what it remembers.
fn gone(entity: &EntityPlan, there: Option<&Record>, request: &Request) -> Record {
    let mut values = vec![Value::Null; entity.fields.len()];
    entity.source.fill(&request.target, &mut values);
    let rest = there.map_or_else(Vec::new, |there| vec![Value::Null; there.rest.len()]);
    Record { gone: true, rest, ..successor(there, values, request, true) }
}

/// The answer to a request that others were always faster than.
pub(crate) fn contended() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "others change the same row all the time; nothing was done".into(),
    }
}
