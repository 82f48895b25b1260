//! `create` and `update`: what is decided, and what is answered.

use keyloom_store::Freshness;
use keyloom_value::{Kind, Value};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    carry::{Intent, Tried},
    idempotency::IdempotencyKey,
    problem::Problem,
    program::{EntityPlan, Write},
    read::Asking,
    record::{Record, Token},
    reserve::Reserving,
    run::{Call, Run, put},
};

type Owned = Value<'static>;

/// How often a write that lost against another looks again before it gives up.
const TRIES_MAX: usize = 32;

/// The request that a write answers.
pub(crate) struct Request {
    pub(crate) key: IdempotencyKey,
    pub(crate) caller: [u8; 16],
    pub(crate) token: Token,
    pub(crate) now_us: i64,
}

/// The values that a row is to have, or the reason why it is not written.
type Next = Result<Result<Vec<Owned>, String>, Problem>;

impl Run {
    pub(crate) async fn create(&self, plan: &Write, call: &Call<'_>) -> Result<Answer, Problem> {
        let entity = self.entity(plan.entity);
        let request = self.request(call)?;
        let values = self.new_values(plan, entity, &call.inputs, &request)?;
        let key: Vec<Owned> = entity.source.key.iter().map(|field| values[*field].clone()).collect();
        let next = |there: Option<&Record>| match there {
            Some(_) => Ok(Err("exists".to_owned())),
            None => Ok(Ok(values.clone())),
        };
        // Nearly all are new, so nobody looks first: the decision tells.
        self.write(entity, &key, &request, None, next).await?.ok_or_else(contended)
    }

    pub(crate) async fn update(&self, plan: &Write, call: &Call<'_>) -> Result<Answer, Problem> {
        let entity = self.entity(plan.entity);
        let request = self.request(call)?;
        let asking = Asking { inputs: &call.inputs, item: None, now_us: request.now_us };
        // A row without a part of its key is not there.
        let Some(key) = self.key(entity, &plan.key, &asking)? else {
            return Ok(Answer::NotApplied { reason: "absent".into() });
        };
        let next = |there: Option<&Record>| match there {
            Some(there) => self.changed_values(plan, entity, there, call, request.now_us),
            None => Ok(Err("absent".to_owned())),
        };
        let answer = self.write(entity, &key, &request, Some(Freshness::Settled), next).await?;
        Ok(answer.unwrap_or(Answer::NotApplied { reason: "conflict".into() }))
    }

    /// Tries until the row is decided or there is an answer without; `None` when others were always first.
    async fn write(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        request: &Request,
        mut look: Option<Freshness>,
        next: impl Fn(Option<&Record>) -> Next + Send + Sync,
    ) -> Result<Option<Answer>, Problem> {
        let mut marks = Vec::new();
        for tries in 0..TRIES_MAX {
            let there = match look {
                Some(freshness) => self.source(entity, key, freshness, request.now_us).await?,
                None => None,
            };
            // A decision judges by itself; but what is answered without one was read fresh.
            let looked = look.replace(Freshness::Fresh);
            let fresh = looked == Some(Freshness::Fresh);
            if let Some(there) = &there
                && let Some(version) = self.absorbed(entity, key, there, &request.token, request.now_us).await?
            {
                if !fresh {
                    continue;
                }
                return self.found(entity, there, version).await.map(Some);
            }
            let refused = |reason| Ok(Some(Answer::NotApplied { reason }));
            let values = match next(there.as_ref().filter(|there| !there.gone))? {
                Ok(values) => values,
                Err(reason) if fresh => return refused(reason),
                Err(_) => continue,
            };
            let mut record = successor(there.as_ref(), values, request);
            let forgotten = self.forget(&mut record, request.now_us);
            let reserves = match self.reserves(entity, there.as_ref(), &record, looked.is_some(), tries).await? {
                Reserving::Ready(reserves) => reserves,
                Reserving::Taken(reason) if fresh => return refused(reason),
                Reserving::Taken(_) | Reserving::Again => continue,
            };
            let intent = Intent {
                entity,
                before: there.as_ref(),
                record: &record,
                reserves: &reserves,
                forgotten: &forgotten,
                now_us: request.now_us,
            };
            match self.carry_out(&intent, &mut marks).await? {
                Tried::Done { visible } => return self.applied(entity, &record, record.version, visible).map(Some),
                Tried::Lost => {}
                Tried::Unknown => {
                    let expected = there.map(|there| there.version);
                    match self.resolve(entity, key, &request.token, expected).await {
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

    fn request(&self, call: &Call<'_>) -> Result<Request, Problem> {
        if call.limit.is_some() || call.cursor.is_some() {
            return Err(Problem::Input("a write has no `limit` and no `cursor`".into()));
        }
        let key = self.idempotency_key(call.key, call.inputs.caller())?;
        let inputs = call.inputs.digest(call.pattern)?;
        let token = Token { token: key.token(), birth_ms: key.birth_ms, inputs, version: 0 };
        Ok(Request { key, caller: call.inputs.caller().seal(), token, now_us: self.now_us() })
    }

    /// The answer to a request that a row has absorbed before.
    pub(crate) async fn found(&self, entity: &EntityPlan, there: &Record, version: u64) -> Result<Answer, Problem> {
        let visible = self.show(entity, there).await;
        self.applied(entity, there, version, visible)
    }

    fn applied(&self, entity: &EntityPlan, record: &Record, version: u64, visible: bool) -> Result<Answer, Problem> {
        let mut key = Map::new();
        for field in entity.own_key() {
            let (name, kind): &(String, Kind) = &entity.fields[*field];
            put(&mut key, std::slice::from_ref(name), &record.values[*field], kind)?;
        }
        Ok(Answer::Applied { key: Json::Object(key), version, visible })
    }
}

/// The row that a request makes of what is there.
fn successor(there: Option<&Record>, values: Vec<Owned>, request: &Request) -> Record {
    let clock = u64::try_from(request.now_us).unwrap_or(0).max(2);
    let version = there.map_or(clock, |there| clock.max(there.version + 2));
    let mut tokens = there.map_or_else(Vec::new, |there| there.tokens.clone());
    tokens.push(Token { version, ..request.token });
    Record {
        version,
        created_us: there.filter(|there| !there.gone).map_or(request.now_us, |there| there.created_us),
        updated_us: request.now_us,
        floor_ms: there.map_or(0, |there| there.floor_ms),
        tokens,
        stale: Vec::new(),
        gone: false,
        values,
        rest: there.map_or_else(Vec::new, |there| there.rest.clone()),
    }
}

fn contended() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "others change the same row all the time; nothing was done".into(),
    }
}
