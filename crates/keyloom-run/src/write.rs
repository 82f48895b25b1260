//! `create` and `update`: one decision on the source row, and what rides along.

use keyloom_model::{Expr, Fill, Literal};
use keyloom_store::{
    Along, Change, Current, Decision, Expect, Fault, Freshness, Get, GroupImage, Image, Placement, Placing, Row, Store,
    Verdict,
};
use keyloom_value::{Kind, Value, json::Unfit, key, to_text};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    digest::digest,
    evaluate::{BuiltIn, Scope},
    idempotency::IdempotencyKey,
    inputs::Inputs,
    problem::Problem,
    program::{EntityPlan, RECEIPTS, Reservation, Write, grace_ms},
    read::millis,
    record::{Record, TOKENS_MAX, Token},
    run::{Call, Run, put},
    size::within_size,
};

type Owned = Value<'static>;

/// How often a write that lost against another looks again before it gives up.
const TRIES_MAX: usize = 32;

/// The request that a write answers.
struct Request {
    key: IdempotencyKey,
    token: Token,
    now_us: i64,
}

/// Another row that a decision decides along: a unique value that is taken or set free.
struct Reserve<'a> {
    reservation: &'a Reservation,
    key: Vec<Owned>,
    expect: Expect,
    taken: bool,
}

/// How one try to decide ended.
enum Tried {
    Done,
    /// A row was not as expected: the source itself, or a reservation.
    Lost {
        at: usize,
        current: Current,
    },
    Unknown,
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

    /// Every field of a new row: as sent, as assigned, or as its declaration fills it.
    fn new_values(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        inputs: &Inputs,
        request: &Request,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        let mut values = vec![Value::Null; entity.fields.len()];
        for (at, field) in declared.fields.iter().enumerate() {
            let (name, kind) = &entity.fields[at];
            let scope = Scope {
                fields: &entity.fields,
                row: &values,
                built_in: BuiltIn::default(),
                inputs,
                now_us: request.now_us,
            };
            let mut value = match &plan.assigned[at] {
                Some(typed) => scope.value(&typed.expr, &typed.kind)?,
                None => Value::Null,
            };
            if value.is_null() {
                value = match &field.fill {
                    Fill::Default(expr) => scope.value(expr, kind)?,
                    Fill::New => request.key.identity(&self.program.catalog.name, &entity.name, name, kind),
                    Fill::NowOnWrite => scope.value(&Expr::Literal(Literal::Now), kind)?,
                    _ => Value::Null,
                };
            }
            values[at] = value;
        }
        self.finish(entity, values, inputs, request.now_us)
    }

    /// The row after an update, or the reason why it is not made.
    fn changed_values(
        &self,
        plan: &Write,
        entity: &EntityPlan,
        there: &Record,
        call: &Call<'_>,
        now_us: i64,
    ) -> Result<Result<Vec<Owned>, String>, Problem> {
        let declared = self.declared(entity)?;
        let scope = Scope {
            fields: &entity.fields,
            row: &there.values,
            built_in: there.built_in(),
            inputs: &call.inputs,
            now_us,
        };
        for (test, reason) in &plan.conditions {
            if !scope.holds(test)? {
                return Ok(Err(reason.clone()));
            }
        }
        let mut values = there.values.clone();
        for (at, field) in declared.fields.iter().enumerate() {
            let kind = &entity.fields[at].1;
            if let Some(typed) = &plan.assigned[at] {
                values[at] = scope.value(&typed.expr, &typed.kind)?;
            } else if field.fill == Fill::NowOnWrite {
                values[at] = scope.value(&Expr::Literal(Literal::Now), kind)?;
            }
        }
        for states in &declared.states {
            let Some(at) = entity.field(&states.field).filter(|at| plan.assigned[*at].is_some()) else { continue };
            let kind = &entity.fields[at].1;
            let name = |value: &Owned| to_text(value, kind).map_err(|mismatch| Problem::Broken(mismatch.to_string()));
            let (from, to) = (name(&there.values[at])?, name(&values[at])?);
            if !states.changes.iter().any(|change| (&change.0, &change.1) == (&from, &to)) {
                return Ok(Err(format!("{}_is_{}", states.field, from.to_lowercase())));
            }
        }
        Ok(Ok(self.finish(entity, values, &call.inputs, now_us)?))
    }

    /// Derives what follows from the row itself, and looks whether every field may be as it is.
    fn finish(
        &self,
        entity: &EntityPlan,
        mut values: Vec<Owned>,
        inputs: &Inputs,
        now_us: i64,
    ) -> Result<Vec<Owned>, Problem> {
        let declared = self.declared(entity)?;
        for (at, field) in declared.fields.iter().enumerate() {
            if let Fill::Derived(expr) = &field.fill {
                let scope =
                    Scope { fields: &entity.fields, row: &values, built_in: BuiltIn::default(), inputs, now_us };
                values[at] = scope.value(expr, &entity.fields[at].1)?;
            }
        }
        for (value, field) in values.iter().zip(&declared.fields) {
            if value.is_null() && !field.optional {
                return Err(Unfit::new("it is missing").within(&field.name).into());
            }
            within_size(value, &field.ty, &self.program.catalog).map_err(|fault| fault.within(&field.name))?;
        }
        Ok(values)
    }

    fn declared(&self, entity: &EntityPlan) -> Result<&keyloom_model::Entity, Problem> {
        let found = self.program.catalog.entity(&entity.name);
        found.ok_or_else(|| Problem::Broken(format!("there is no entity `{}`", entity.name)))
    }

    /// The version that this very request made before, if the row remembers it.
    pub(crate) async fn absorbed(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        there: &Record,
        token: &Token,
        now_us: i64,
    ) -> Result<Option<u64>, Problem> {
        let (inputs, version) = match there.tokens.iter().find(|known| known.token == token.token) {
            Some(known) => (known.inputs.to_vec(), known.version),
            // Whatever the row forgot was born at or before its floor.
            None if token.birth_ms > there.floor_ms => return Ok(None),
            None => match self.receipt(entity, key, token, now_us).await? {
                Some(receipt) => receipt,
                None => return Ok(None),
            },
        };
        if inputs == token.inputs { Ok(Some(version)) } else { Err(Problem::KeyReused) }
    }

    async fn receipt(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        token: &Token,
        now_us: i64,
    ) -> Result<Option<(Vec<u8>, u64)>, Problem> {
        let (table, shape) = self.table(RECEIPTS);
        let id = [self.receipt_key(entity, key, token)?];
        let got = self.store.get(Get { table, key: &id, freshness: Freshness::Fresh, now: millis(now_us) }).await?;
        let Some(row) = got.row else { return Ok(None) };
        let cell = |name: &str| shape.column(name).map_or(Ok(Value::Null), |at| row.value(shape, at));
        match (cell("inputs")?, cell("version")?) {
            (Value::Bytes(inputs), Value::Int(version)) => Ok(Some((inputs.into_owned(), version.cast_unsigned()))),
            _ => Err(Problem::Broken("a receipt can't be read".into())),
        }
    }

    fn receipt_key(&self, entity: &EntityPlan, key: &[Owned], token: &Token) -> Result<Owned, Problem> {
        let (_, shape) = self.table(entity.source.table);
        let key = key::encode(key, shape.key_parts()).map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        Ok(Value::from(digest("receipt", &[entity.name.as_bytes(), &key, &token.token]).to_vec()))
    }

    /// Takes the requests out of a row that it need not remember: those that can't be repeated any more, and above the
    /// bound the oldest, which get receipts.
    fn forget(&self, record: &mut Record, now_us: i64) -> Vec<Token> {
        let horizon = now_us.div_euclid(1_000).saturating_sub(self.program.retries_ms());
        record.tokens.retain(|token| token.birth_ms >= horizon);
        let surplus = record.tokens.len().saturating_sub(TOKENS_MAX);
        let forgotten: Vec<Token> = record.tokens.drain(..surplus).collect();
        record.floor_ms = forgotten.iter().map(|token| token.birth_ms).fold(record.floor_ms, i64::max);
        forgotten
    }

    /// The unique values that an update takes and sets free, or the reason why it can't.
    async fn reserves<'a>(
        &self,
        entity: &'a EntityPlan,
        there: &Record,
        record: &Record,
        now_us: i64,
    ) -> Result<Result<Vec<Reserve<'a>>, String>, Problem> {
        let mut reserves = Vec::new();
        for reservation in &entity.reservations {
            let (old, new) = (reserved_key(reservation, there), reserved_key(reservation, record));
            if old == new {
                continue;
            }
            let table = reservation.table;
            if let Some(key) = new {
                let expect = match self.row(table, &key, now_us).await? {
                    None => Expect::Absent,
                    Some(row) if self.is_free(table, &row)? => Expect::Version(row.version()?),
                    Some(_) => return Ok(Err(reservation.unique.clone())),
                };
                reserves.push(Reserve { reservation, key, expect, taken: true });
            }
            if let Some(key) = old {
                let row = self.row(table, &key, now_us).await?;
                let row =
                    row.ok_or_else(|| Problem::Broken("a unique value that a row holds is not reserved".into()))?;
                reserves.push(Reserve { reservation, key, expect: Expect::Version(row.version()?), taken: false });
            }
        }
        Ok(Ok(reserves))
    }

    /// One try: the source row, its reservations, its projections, its receipts.
    async fn decide(
        &self,
        entity: &EntityPlan,
        before: Option<&Record>,
        record: &Record,
        reserves: &[Reserve<'_>],
        forgotten: &[Token],
        now_us: i64,
    ) -> Result<Tried, Problem> {
        let retries_ms = self.program.retries_ms();
        let key = source_key(entity, record);
        let mut image = record.image(entity.source.own.iter().copied());
        image.resize(self.columns(entity.source.table), Value::Null);
        let change = Change {
            table: self.table(entity.source.table).0,
            key: &key,
            expect: before.map_or(Expect::Absent, |before| Expect::Version(before.version)),
            becomes: Image { version: record.version, expires_at: None, values: &image },
        };

        let owner: Vec<Owned> = entity.key.iter().map(|field| record.values[*field].clone()).collect();
        let nobody = vec![Value::Null; owner.len()];
        let free_until = millis(now_us).plus(grace_ms(retries_ms));
        let reserved = reserves.iter().map(|reserve| {
            let above = match reserve.expect {
                Expect::Version(version) => version + 2,
                Expect::Absent => 0,
            };
            let (values, expires_at) = if reserve.taken { (&owner, None) } else { (&nobody, Some(free_until)) };
            let becomes = Image { version: record.version.max(above), expires_at, values };
            let table = self.table(reserve.reservation.table).0;
            Along::Decide(Change { table, key: &reserve.key, expect: reserve.expect, becomes })
        });

        let places: Vec<Projected> = entity
            .projections
            .iter()
            .map(|projection| Projected {
                table: projection.table,
                old: before.and_then(|before| fields(before, &projection.key)),
                new: fields(record, &projection.key),
                values: {
                    let own = projection.own.iter().map(|field| record.values[*field].clone());
                    own.chain(std::iter::repeat(Value::Null)).take(self.columns(projection.table)).collect()
                },
            })
            .collect();
        let carried = places.iter().flat_map(|place| {
            let table = self.table(place.table).0;
            let becomes = Image { version: record.version, expires_at: None, values: &place.values };
            let moved = place.old.as_ref().filter(|old| Some(*old) != place.new.as_ref());
            let put = place.new.as_ref().map(|key| Along::Put { table, key, becomes });
            put.into_iter().chain(moved.map(|key| Along::Remove { table, key }))
        });

        let receipts = forgotten
            .iter()
            .map(|token| {
                let values = [Value::from(token.inputs.to_vec()), Value::Int(token.version.cast_signed())];
                Ok((token, [self.receipt_key(entity, &key, token)?], values))
            })
            .collect::<Result<Vec<_>, Problem>>()?;
        let groups: Vec<[GroupImage<'_>; 1]> =
            receipts.iter().map(|(_, _, values)| [GroupImage { group: 0, version: record.version, values }]).collect();
        let placed = receipts.iter().zip(&groups).map(|((token, key, _), groups)| {
            // Somewhat longer than the request may be repeated: clocks differ.
            let expires_at = Some(keyloom_store::Millis(token.birth_ms).plus(retries_ms + 120_000));
            let placing = Placing::Put { groups, expires_at };
            Along::Place(Placement { table: self.table(RECEIPTS).0, key, placing })
        });
        let along: Vec<Along<'_>> = reserved.chain(carried).chain(placed).collect();

        match self.store.decide(Decision { change, along: &along, now: millis(now_us) }).await {
            Ok(Verdict::Done) => Ok(Tried::Done),
            Ok(Verdict::Lost { at, current }) => Ok(Tried::Lost { at, current }),
            Err(Fault::Unknown(_)) => Ok(Tried::Unknown),
            Err(Fault::Refused(cause)) => Err(Problem::Input(cause.into_owned())),
            Err(fault) => Err(fault.into()),
        }
    }

    /// How many columns a table has; it may have more than the catalog knows.
    fn columns(&self, table: usize) -> usize {
        self.table(table).1.table().groups.first().map_or(0, |group| group.columns.len())
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

    async fn row(&self, table: usize, key: &[Owned], now_us: i64) -> Result<Option<Row>, Problem> {
        let (table, _) = self.table(table);
        Ok(self.store.get(Get { table, key, freshness: Freshness::Fresh, now: millis(now_us) }).await?.row)
    }

    fn record(&self, entity: &EntityPlan, row: &Row) -> Result<Record, Problem> {
        Ok(Record::read(row, self.table(entity.source.table).1, &entity.source.columns)?)
    }

    /// Whether nobody holds a reserved value.
    fn is_free(&self, table: usize, row: &Row) -> Result<bool, Problem> {
        let owner = keyloom_store::ColumnAt::Cell { group: 0, column: 0 };
        Ok(row.value(self.table(table).1, owner)?.is_null())
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

/// Where a record stands in a projection, before and after.
struct Projected {
    table: usize,
    old: Option<Vec<Owned>>,
    new: Option<Vec<Owned>>,
    values: Vec<Owned>,
}

/// The values of these fields; a row without one of them is not in the table.
fn fields(record: &Record, fields: &[usize]) -> Option<Vec<Owned>> {
    let values: Vec<Owned> = fields.iter().map(|field| record.values[*field].clone()).collect();
    (!values.iter().any(Value::is_null)).then_some(values)
}

fn source_key(entity: &EntityPlan, record: &Record) -> Vec<Owned> {
    entity.source.key.iter().map(|field| record.values[*field].clone()).collect()
}

/// The unique value of a record; one with an absent part collides with nobody.
fn reserved_key(reservation: &Reservation, record: &Record) -> Option<Vec<Owned>> {
    fields(record, &reservation.fields)
}

fn contended() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_millis(200),
        cause: "others change the same row all the time; nothing was done".into(),
    }
}
