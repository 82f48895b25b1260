use std::sync::{Arc, Mutex};

use keyloom_model::{Catalog, Endpoint, Pattern};
use keyloom_store::{
    Abilities, BoxedStore, BoxedSweep, Change, Current, Decision, Define, Discipline, Expect, Fault, Freshness, Get,
    Image, Millis, Shape, Step, Store, Sweep, Table, TableId, Verdict, steps,
};
use keyloom_value::{Kind, Value, json::to_json};
use serde_json::{Map, Value as Json};

use crate::{
    answer::Answer,
    bucket::Remembered,
    caller::Caller,
    changing::Level,
    dirty::Mark,
    environment::Environment,
    idempotency::IdempotencyKey,
    inputs::{InputKinds, Inputs, Takes, input_kinds},
    problem::Problem,
    program::{EntityPlan, Plan, Program, Read, SYSTEM},
    protocol::Protocol,
    settle::SETTLED,
    term::Term,
    work::Metered,
};

/// A program on a store.
pub struct Run {
    pub(crate) program: Program,
    pub(crate) store: Metered,
    /// The same store, for jobs that look at all rows.
    pub(crate) sweep: BoxedSweep,
    /// The handles and shapes of the program's tables, in its order.
    pub(crate) tables: Vec<(TableId, Arc<Shape>)>,
    /// Which of them are not served yet, and what is done with them.
    pub(crate) levels: Vec<Option<Level>>,
    /// The epoch of the layout.
    pub(crate) epoch: u64,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) secret: [u8; 32],
    pub(crate) protocol: Protocol,
    /// Marks of the dirty log that are done and are not yet said to be.
    pub(crate) owed: Mutex<Vec<Mark>>,
    /// The buckets that this process has named.
    pub(crate) named: Remembered,
}

/// One call of a pattern.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// Its name.
    pub pattern: &'a str,
    /// What it takes.
    pub inputs: Inputs,
    /// The idempotency key of a write.
    pub key: Option<&'a str>,
    /// The order of a list that has several; the first one unless stated.
    pub order: Option<&'a str>,
    /// At most so many rows.
    pub limit: Option<u64>,
    /// Where a page goes on.
    pub cursor: Option<&'a str>,
}

impl Run {
    /// Defines the tables, and remembers in the store what must outlive the process.
    ///
    /// # Errors
    /// When the store holds another catalog or other tables, or fails.
    pub async fn open<S: Store + Define + Sweep>(
        program: Program,
        store: Arc<S>,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, Fault> {
        let described = store.describe().await?;
        let there: Vec<Arc<Shape>> = described.iter().map(|(_, shape)| Arc::clone(shape)).collect();
        let program = program.arranged(&there);
        let (steps, new) = missing(&program, &there, store.abilities())?;
        if let Some((_, lacks)) = new.first() {
            return Err(Fault::refused(format!(
                "{lacks}, and rows that are there are not in it yet: `keyloom up` makes and fills it"
            )));
        }
        let mut run = Self::made(program, steps, store, environment).await?;
        if let Some((_, record)) = run.layout_record().await? {
            run.know(&record);
        }
        Ok(run)
    }

    /// Makes what is missing.
    pub(crate) async fn made<S: Store + Define + Sweep>(
        program: Program,
        steps: Vec<Step>,
        store: Arc<S>,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, Fault> {
        for step in steps {
            store.apply(&step).await?;
        }
        let described = store.describe().await?;
        let found = |name: &str| described.iter().find(|(_, shape)| shape.table().name == name).cloned();
        let tables = program.tables.iter().map(|table| found(&table.name)).collect::<Option<Vec<_>>>();
        let tables = tables.ok_or(Fault::Broken("a table that was just made is not there".into()))?;
        let mut run = Self {
            program,
            sweep: BoxedSweep::new(Arc::clone(&store)),
            store: Metered::new(BoxedStore::new(store), tables.clone(), Term::endless(Arc::clone(&environment))),
            levels: vec![None; tables.len()],
            epoch: 0,
            tables,
            environment,
            secret: [0; 32],
            protocol: Protocol::AS_DESIGNED,
            owed: Mutex::default(),
            named: Remembered::default(),
        };
        let name = run.program.catalog.name.clone();
        let held = run.remembered("catalog", name.as_bytes()).await?;
        if held != name.as_bytes() {
            let held = String::from_utf8_lossy(&held).into_owned();
            return Err(Fault::refused(format!("this store holds the catalog `{held}`, not `{name}`")));
        }
        let mut fresh = [0; 32];
        run.environment.random(&mut fresh);
        let kept = run.remembered("cursor secret", &fresh).await?;
        run.secret =
            kept.try_into().map_err(|_| Fault::Broken("the secret of the cursors has another length".into()))?;
        if run.program.has_log() {
            // Whoever marked anything has opened the store before.
            let long_ago = run.now_us().div_euclid(1_000) - 2 * run.protocol.settle_ms;
            run.remembered(SETTLED, &long_ago.div_euclid(run.protocol.span_ms).to_le_bytes()).await?;
        }
        Ok(run)
    }

    /// The steps that [`Run::open`] would take to make the program's tables.
    ///
    /// # Errors
    /// When the store holds other tables, or fails.
    pub async fn steps<S: Store + Define>(program: &Program, store: &S) -> Result<Vec<Step>, Fault> {
        let there: Vec<Arc<Shape>> = store.describe().await?.into_iter().map(|(_, shape)| shape).collect();
        Ok(missing(&program.clone().arranged(&there), &there, store.abilities())?.0)
    }

    /// The catalog that is run.
    pub fn catalog(&self) -> &Catalog {
        &self.program.catalog
    }

    /// The pattern of that name, unless it is served elsewhere.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.program.catalog.pattern(name).filter(|pattern| Endpoint::method_of(pattern).is_some())
    }

    /// The tables that it reads and writes, with their names.
    pub fn tables(&self) -> impl Iterator<Item = (TableId, &str)> {
        self.tables.iter().map(|(id, shape)| (*id, shape.table().name.as_str()))
    }

    /// The tables whose rows follow those of an entity; none where they ride along with every decision.
    pub fn followers(&self) -> impl Iterator<Item = (&str, &str)> {
        let entities =
            self.program.entities.iter().filter(|_| self.program.companions == keyloom_plan::Companions::Follow);
        entities.flat_map(|entity| {
            let tables = entity.projections.iter().map(|projection| projection.table);
            tables.map(|table| (entity.name.as_str(), self.program.tables[table].name.as_str()))
        })
    }

    /// How many marks of the dirty log are done and not yet said to be.
    pub fn marks_owed(&self) -> usize {
        self.owed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len()
    }

    /// Whether the store answers: reads one row that is always there.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), Problem> {
        let key = [Value::from("catalog")];
        let now = Millis(self.now_us().div_euclid(1_000));
        let get = Get { table: self.table(SYSTEM).0, key: &key, freshness: Freshness::Any, now };
        self.store.get(get).await?;
        Ok(())
    }

    /// Reads inputs from a JSON object.
    ///
    /// # Errors
    /// When they are not what the pattern takes.
    pub fn inputs_from_object(&self, pattern: &Pattern, caller: &Caller, body: &Json) -> Result<Inputs, Problem> {
        Takes::new(&self.program.catalog, pattern, &self.input_kinds(pattern), caller).read_object(body)
    }

    /// Reads inputs from query parameters.
    ///
    /// # Errors
    /// When they are not what the pattern takes.
    pub fn inputs_from_query(
        &self,
        pattern: &Pattern,
        caller: &Caller,
        query: &[(String, String)],
    ) -> Result<Inputs, Problem> {
        Takes::new(&self.program.catalog, pattern, &self.input_kinds(pattern), caller).read_query(query)
    }

    /// Runs a pattern.
    ///
    /// # Errors
    /// When it has no answer.
    pub async fn call(&self, call: &Call<'_>) -> Result<Answer, Problem> {
        match self.plan(call.pattern) {
            Some(Plan::Read(plan)) => self.read(plan, call).await,
            // What a write is in the middle of is large. It has its own place, or every read would be copied about with it.
            Some(Plan::Write(plan)) => Box::pin(self.write(plan, call)).await,
            Some(Plan::Outside) | None => Err(Problem::Input(format!("there is no pattern `{}`", call.pattern))),
        }
    }

    /// What a pattern takes; looked up again where it is none of this catalog's.
    fn input_kinds(&self, pattern: &Pattern) -> InputKinds {
        let position = self.program.catalog.patterns.iter().position(|known| known.name == pattern.name);
        let known = position.and_then(|position| self.program.input_kinds.get(position));
        known.map_or_else(|| input_kinds(&self.program.catalog, pattern), Arc::clone)
    }

    /// How a pattern is run, if there is one of that name.
    pub(crate) fn plan(&self, name: &str) -> Option<&Plan> {
        let position = self.program.catalog.patterns.iter().position(|pattern| pattern.name == name)?;
        self.program.plans.get(position)
    }

    /// The plan of a pattern that reads.
    pub(crate) fn reading(&self, name: &str) -> Result<&Read, Problem> {
        match self.plan(name) {
            Some(Plan::Read(plan)) => Ok(plan),
            _ => Err(Problem::Input(format!("there is no pattern `{name}` that reads"))),
        }
    }

    /// The identity that a create with this key gives to its row, if the server makes it.
    ///
    /// # Errors
    /// When the key is none.
    pub fn new_identity(&self, entity: &str, caller: &Caller, key: &str) -> Result<Option<Json>, Problem> {
        let key = self.idempotency_key(Some(key), caller)?;
        let Some(plan) = self.program.entities.iter().find(|plan| plan.name == entity) else { return Ok(None) };
        let [field] = *plan.own_key() else { return Ok(None) };
        let (name, kind) = &plan.fields[field];
        let value = key.identity(&self.program.catalog.name, entity, name, kind);
        Ok(to_json(&value, kind).ok())
    }

    pub(crate) fn idempotency_key(&self, key: Option<&str>, caller: &Caller) -> Result<IdempotencyKey, Problem> {
        let key = key.ok_or_else(|| {
            Problem::Key(
                "this write needs the header `Idempotency-Key`, new for each request and the same when a request is \
                 repeated: a uuid of version 7, or `name;unix-ms`, a name of up to 64 characters and the milliseconds \
                 since 1970"
                    .into(),
            )
        })?;
        IdempotencyKey::read(key, caller, self.now_us().div_euclid(1_000), self.program.retries_ms())
    }

    pub(crate) fn now_us(&self) -> i64 {
        self.environment.now_us()
    }

    pub(crate) fn table(&self, at: usize) -> (TableId, &Shape) {
        let (id, shape) = &self.tables[at];
        (*id, shape)
    }

    pub(crate) fn entity(&self, at: usize) -> &EntityPlan {
        &self.program.entities[at]
    }

    /// What the system row of this name holds; this, if there was none.
    async fn remembered(&self, name: &str, otherwise: &[u8]) -> Result<Vec<u8>, Fault> {
        let (table, shape) = self.table(SYSTEM);
        let (key, values) = ([Value::from(name)], [Value::from(otherwise)]);
        let now = Millis(self.now_us().div_euclid(1_000));
        let fresh = Get { table, key: &key, freshness: Freshness::Fresh, now };
        // Read first: who can't write now, because the disk is full, can still read what is there.
        let mut row = self.store.get(fresh).await?.row;
        if row.is_none() {
            let becomes = Image { version: 1, expires_at: None, values: &values };
            let change = Change { table, key: &key, expect: Expect::Absent, becomes };
            row = match self.store.decide(Decision { change, along: &[], now }).await? {
                Verdict::Done => return Ok(otherwise.to_vec()),
                Verdict::Lost { current: Current::Is(row), .. } => Some(row),
                Verdict::Lost { .. } => self.store.get(fresh).await?.row,
            };
        }
        let column = shape.column("value");
        match (&row, column) {
            (Some(row), Some(column)) => match row.value(shape, column)? {
                Value::Bytes(bytes) => Ok(bytes.into_owned()),
                _ => Err(Fault::Broken("a system row is empty".into())),
            },
            _ => Err(Fault::Broken("a system row is not there".into())),
        }
    }
}

/// The steps that give a store the tables that a program lacks there, and the tables that are to be filled then, each with
/// what it lacks.
#[expect(clippy::type_complexity, reason = "two lists")]
pub(crate) fn missing(
    program: &Program,
    there: &[Arc<Shape>],
    abilities: &Abilities,
) -> Result<(Vec<Step>, Vec<(usize, String)>), Fault> {
    program.tables.iter().try_for_each(|table| keeps_all_values(table, there))?;
    program.entities.iter().try_for_each(|entity| has_all_values(program, entity, there))?;
    let new = program.entities.iter().flat_map(|entity| lacking(program, entity, there)).collect();
    Ok((sources_last(program, steps(there, &program.tables, abilities)?), new))
}

/// The steps in an order in which a source comes after what is derived from it: if it is there, nothing is missing but what
/// is new. What the engine keeps from it can only come behind it.
pub(crate) fn sources_last(program: &Program, mut steps: Vec<Step>) -> Vec<Step> {
    let is_source = |name: &str| program.entities.iter().any(|entity| program.tables[entity.source.table].name == name);
    steps.sort_by_key(|step| match step {
        Step::Create(Table { discipline: Discipline::Indexed { .. }, .. }) => 2,
        Step::Create(table) if is_source(&table.name) => 1,
        _ => 0,
    });
    steps
}

/// Rows that are there are missing from a table that is new, and have nothing in a column that is new. A field that the source
/// gains at the same time has nothing to be filled with.
fn lacking(program: &Program, entity: &EntityPlan, there: &[Arc<Shape>]) -> Vec<(usize, String)> {
    let found = |table: usize| {
        let name = &program.tables[table].name;
        there.iter().find(|shape| shape.table().name == *name)
    };
    let Some(source) = found(entity.source.table) else { return Vec::new() };
    let derived = entity.lists().map(|list| list.table);
    let kept = program.kept.iter().filter(|kept| program.entities[kept.feeder].name == entity.name);
    let derived = derived.chain(kept.map(|kept| kept.table));
    let derived = derived.chain(entity.reservations.iter().map(|reservation| reservation.table));
    let lacks = derived.filter_map(|table| {
        let wanted = &program.tables[table];
        let lacks = match found(table) {
            None => format!("table `{}` is new", wanted.name),
            Some(old) => {
                let list = entity.projections.iter().find(|list| list.table == table);
                let copied = |name: &str| {
                    let copies = list.into_iter().flat_map(|list| &list.copies);
                    copies.into_iter().any(|copied| keyloom_plan::copied_column(&copied.path) == name)
                };
                let known = |name: &str| source.column(name).is_some() || copied(name);
                let unfilled = wanted.column_names().find(|name| old.column(name).is_none() && known(name))?;
                format!("column `{unfilled}` of table `{}` is new", wanted.name)
            }
        };
        Some((table, lacks))
    });
    lacks.collect()
}

/// Rows that are there have nothing in a field that is new, so it must be optional.
fn has_all_values(program: &Program, entity: &EntityPlan, there: &[Arc<Shape>]) -> Result<(), Fault> {
    let name = &program.tables[entity.source.table].name;
    let Some(source) = there.iter().find(|shape| shape.table().name == *name) else { return Ok(()) };
    let declared = program.catalog.entity(&entity.name);
    for (field, _) in &entity.source.own {
        let name = &entity.fields[*field].0;
        let optional = declared.and_then(|entity| entity.field(name)).is_none_or(|field| field.optional);
        if !optional && source.column(name).is_none() {
            return Err(Fault::refused(format!(
                "`{name}` of {} is new, and rows that are there have no value of it: write a `?` behind its type, or begin \
                 with empty data",
                entity.name
            )));
        }
    }
    Ok(())
}

/// A store lets a process start that knows less than is there, because another may have added to it. A catalog is not
/// another process: rows may hold what it has taken away, and would be unreadable.
fn keeps_all_values(table: &Table, there: &[Arc<Shape>]) -> Result<(), Fault> {
    let Some(known) = there.iter().find(|shape| shape.table().name == table.name) else { return Ok(()) };
    let columns = table.groups.iter().flat_map(|group| &group.columns);
    let keys = table.partition.iter().map(|column| (&column.name, &column.kind));
    let keys = keys.chain(table.sort.iter().map(|column| (&column.name, &column.kind)));
    for (name, kind) in keys.chain(columns.map(|column| (&column.name, &column.kind))) {
        if let (Kind::Enum(variants), Some(Kind::Enum(stored))) =
            (kind, known.column(name).and_then(|at| known.kind(at)))
            && let Some(lost) = stored.iter().find(|old| !variants.iter().any(|variant| variant.name == old.name))
        {
            return Err(Fault::refused(format!(
                "`{name}` has lost the value {}, but rows in `{}` may have it: keep it in the catalog",
                lost.name, table.name
            )));
        }
    }
    Ok(())
}

/// Puts a field into an object. An absent one is left out.
pub(crate) fn put(object: &mut Map<String, Json>, name: &str, value: &Value<'_>, kind: &Kind) -> Result<(), Problem> {
    if !value.is_null() {
        let json = to_json(value, kind).map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        object.insert(name.to_owned(), json);
    }
    Ok(())
}
