//! Reads: which question is asked, and its answer.

mod beside;
mod found;
mod merge;
mod page;
mod ranges;
mod starts;
mod trail;

use keyloom_plan::Wants;
use keyloom_store::{Freshness, Get, Millis, Store};
use keyloom_value::Value;

pub(crate) use found::{Columns, Found};
pub(crate) use merge::{FILLS_MAX, Position};

use crate::{
    answer::Answer,
    evaluate::{BuiltIn, Item, Scope},
    inputs::Inputs,
    problem::Problem,
    program::{Access, EntityPlan, Question, Reach, Read},
    record::Record,
    reserve::held_by,
    run::{Call, Run},
    work::{Promise, promise},
};

type Owned = Value<'static>;

/// How often a unique value is looked up that passes to another row meanwhile.
pub(crate) const PASSES_MAX: u64 = 4;

/// What is known before anything is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) inputs: &'a Inputs,
    /// The row that a list comes with.
    pub(crate) item: Option<Item<'a>>,
    pub(crate) now_us: i64,
}

impl<'a> Asking<'a> {
    /// What an expression sees of a row.
    pub(crate) fn scope(&'a self, entity: &'a EntityPlan, row: &'a [Value<'a>], built_in: BuiltIn) -> Scope<'a> {
        Scope { fields: &entity.fields, row, built_in, item: self.item, inputs: self.inputs, now_us: self.now_us }
    }
}

impl Run {
    pub(crate) async fn read(&self, plan: &Read, call: &Call<'_>) -> Result<Answer, Problem> {
        let asking = Asking { inputs: &call.inputs, item: None, now_us: self.now_us() };
        let order = ordered(plan, call)?;
        let question = chosen(&plan.questions, order, &call.inputs)?;
        let access = &question.access;
        promise(plan.promise(question, &call.inputs));
        if !matches!(access.wants, Wants::Rows { .. }) && (call.limit.is_some() || call.cursor.is_some()) {
            return Err(Problem::Input(format!("`{}` has no pages: no `limit` and no `cursor`", call.pattern)));
        }
        match access.wants {
            Wants::Row => {
                let answers = self.rows(plan, access, &[asking]).await?;
                Ok(answers.into_iter().next().flatten().unwrap_or(Answer::NoRow))
            }
            Wants::Count { up_to } => Box::pin(self.count(access, &asking, up_to)).await,
            Wants::Rows { .. } | Wants::All => Box::pin(self.page(access, order, call, &asking)).await,
        }
    }

    /// Several rows by their keys, in the order in which they are asked for; nothing for one that is not there.
    ///
    /// # Errors
    /// When there is no such pattern, or it takes no more than one key, or fewer than these.
    pub async fn get_batch(&self, pattern: &str, items: &[Inputs]) -> Result<Vec<Option<Answer>>, Problem> {
        let plan = self.reading(pattern)?;
        let Some(max) = plan.batch else {
            return Err(Problem::Input(format!("`{pattern}` takes one key at a time")));
        };
        if items.len() as u64 > max {
            return Err(Problem::Input(format!("{} items, but at most {max} are taken at a time", items.len())));
        }
        let Some(first) = items.first() else { return Ok(Vec::new()) };
        let question = chosen(&plan.questions, None, first)?;
        let access = &question.access;
        promise(plan.promise(question, first));
        let now_us = self.now_us();
        let asking: Vec<Asking<'_>> = items.iter().map(|inputs| Asking { inputs, item: None, now_us }).collect();
        self.rows(plan, access, &asking).await
    }

    /// The rows that are asked for, each with the lists that come with it.
    async fn rows(&self, plan: &Read, access: &Access, asking: &[Asking<'_>]) -> Result<Vec<Option<Answer>>, Problem> {
        let entity = self.entity(access.entity);
        let now_us = asking.first().map_or(0, |asking| asking.now_us);
        let (mut found, mut whose) = (Vec::with_capacity(asking.len()), Vec::with_capacity(asking.len()));
        for (at, there) in self.records(access, asking).await?.into_iter().enumerate() {
            let Some(mut there) = there else { continue };
            self.with_kept(access, std::slice::from_mut(&mut there), now_us).await?;
            if passes(access, entity, &asking[at], &there)? {
                found.push(there);
                whose.push(at);
            }
        }
        let rows = self.shown(entity, &access.outputs, &found.iter().collect::<Vec<_>>(), now_us).await?;
        let mut answers = vec![None; asking.len()];
        for ((at, found), mut row) in whose.into_iter().zip(&found).zip(rows) {
            for (name, questions) in &plan.with {
                let values = found.values()?;
                let joined = Asking { item: Some(Item { fields: &entity.fields, row: &values }), ..asking[at] };
                let access = &chosen(questions, None, asking[at].inputs)?.access;
                row.put_rows(name, &Box::pin(self.first_rows(access, &joined)).await?);
            }
            answers[at] = Some(Answer::Row { row: row.shown(), version: found.version()? });
        }
        Ok(answers)
    }

    /// The source rows that are asked for.
    async fn records(&self, access: &Access, asking: &[Asking<'_>]) -> Result<Vec<Option<Found<'_>>>, Problem> {
        let entity = self.entity(access.entity);
        match &access.reach {
            Reach::Get(key) => {
                let keys = asking.iter().map(|asking| self.key(entity, key, asking)).collect::<Result<Vec<_>, _>>()?;
                // Who has seen a row sees it again, whichever replica is nearest.
                let seen = asking.iter().any(|asking| asking.inputs.seen_of(access.entity).next().is_some());
                let freshness = if seen { access.freshness.max(Freshness::Settled) } else { access.freshness };
                self.sources(entity, &keys, freshness, asking).await
            }
            Reach::Via { reservation, value } => {
                let mut records = Vec::with_capacity(asking.len());
                for asking in asking {
                    let value = self.key(entity, value, asking)?;
                    let holder = self.holder(entity, *reservation, value, access.freshness, asking.now_us);
                    // Few rows are asked for by a unique value, and all others would be copied about with this.
                    records.push(Box::pin(holder).await?.map(Found::of));
                }
                Ok(records)
            }
            Reach::Slices(_) => Err(Problem::Broken("one row is asked for, and a list is planned".into())),
        }
    }

    /// The rows of these keys; nothing for a key that lacks a component.
    async fn sources<'a>(
        &'a self,
        entity: &'a EntityPlan,
        keys: &[Option<Vec<Owned>>],
        freshness: Freshness,
        asking: &[Asking<'_>],
    ) -> Result<Vec<Option<Found<'a>>>, Problem> {
        let (table, shape) = self.table(entity.source.table);
        let whole = keys.iter().zip(asking).filter_map(|(key, asking)| Some((key.as_ref()?, asking)));
        let gets = whole.map(|(key, asking)| Get { table, key, freshness, now: millis(asking.now_us) });
        let gets: Vec<Get<'_>> = gets.collect();
        let mut got = match &gets[..] {
            [one] => vec![self.store.get(*one).await],
            many => self.store.get_many(many).await,
        }
        .into_iter();
        let columns = Columns::of_source(shape, &entity.source);
        let mut found = Vec::with_capacity(keys.len());
        for (key, asking) in keys.iter().zip(asking) {
            let row = match key.as_ref().and_then(|_| got.next()) {
                Some(got) => got?.row.map(|row| columns.found(row)),
                None => None,
            };
            found.push(match row {
                Some(row) if row.is_alive(entity, asking.now_us)? => Some(row),
                _ => None,
            });
        }
        Ok(found)
    }

    /// The row that holds a unique value. Between the two reads the value may pass to another; then it is looked up again.
    pub(crate) async fn holder(
        &self,
        entity: &EntityPlan,
        reservation: usize,
        value: Option<Vec<Owned>>,
        freshness: Freshness,
        now_us: i64,
    ) -> Result<Option<Record>, Problem> {
        let Some(value) = value else { return Ok(None) };
        let reservation = &entity.reservations[reservation];
        let mut seen = None;
        for _ in 0..PASSES_MAX {
            let Some(held) = self.held(entity, reservation, &value, freshness).await? else { return Ok(None) };
            let Some(owner) = held.owner.filter(|_| seen != Some(held.version)) else { return Ok(None) };
            seen = Some(held.version);
            let there = self.source(entity, &entity.source_key_of(&owner), freshness, now_us).await?;
            let there = self.alive(entity, there, now_us)?;
            if let Some(there) = there.filter(|there| held_by(entity, there, reservation).as_ref() == Some(&value)) {
                return Ok(Some(there));
            }
        }
        Ok(None)
    }

    /// What stands in a source row: also that it is gone.
    pub(crate) async fn source(
        &self,
        entity: &EntityPlan,
        key: &[Owned],
        freshness: Freshness,
        now_us: i64,
    ) -> Result<Option<Record>, Problem> {
        let (table, shape) = self.table(entity.source.table);
        let got = self.store.get(Get { table, key, freshness, now: millis(now_us) }).await?;
        Ok(got.row.map(|row| Record::read(&row, shape, &entity.source)).transpose()?)
    }
}

impl Read {
    /// What one call of a question reads at most, with what its caller presents to the lists of its answer.
    fn promise(&self, question: &Question, inputs: &Inputs) -> Option<Promise> {
        let with = self.with.iter().flat_map(|(_, lists)| lists.first());
        let lists = with.chain([question]).map(|list| list.access.beside());
        let each = lists.fold(Promise::default(), Promise::plus).times(self.batch.unwrap_or(1));
        question.promise.map(|most| most.plus(each.times(inputs.seen())))
    }
}

/// The order that a call asks for, where there are several.
fn ordered<'a>(plan: &'a Read, call: &Call<'_>) -> Result<Option<&'a str>, Problem> {
    let Some(asked) = call.order else { return Ok(plan.orders.first().map(String::as_str)) };
    match plan.orders.iter().find(|order| *order == asked) {
        Some(order) => Ok(Some(order)),
        None if plan.orders.is_empty() => Err(Problem::Input(format!("`{}` has no `order` to choose", call.pattern))),
        None => {
            let asked: String = asked.chars().take(60).collect();
            let known = plan.orders.join(", ");
            Err(Problem::Input(format!("`order`: there is no order `{asked}`; it has: {known}")))
        }
    }
}

fn chosen<'a>(questions: &'a [Question], order: Option<&str>, inputs: &Inputs) -> Result<&'a Question, Problem> {
    let found = Read::question(questions, order, |name| inputs.has(name));
    found.ok_or_else(|| Problem::Broken("a question has no plan".into()))
}

/// Whether a row passes what remains to be tested.
pub(crate) fn passes(
    access: &Access,
    entity: &EntityPlan,
    asking: &Asking<'_>,
    found: &Found<'_>,
) -> Result<bool, Problem> {
    if access.remains.is_empty() {
        return Ok(true);
    }
    let values = found.values()?;
    let scope = asking.scope(entity, &values, found.built_in()?);
    for test in &access.remains {
        if !scope.holds(test)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn millis(now_us: i64) -> Millis {
    Millis(now_us.div_euclid(1_000))
}
