//! Reads, question by question: which table, which ranges of it, what is tested on rows.

use keyloom_model::{
    Direction, Entity, Expr, Freshness as Stated, Function, OrderItem, Path, Pattern, Read as ReadModel, ReadVerb,
    Returns, Root,
    layout::{Bucket, Question as Address},
};
use keyloom_plan::{
    Component, Fixed, Program as Planned, Reach as PlannedReach, ReadPlan, Slice, Wants, Within, walked,
};
use keyloom_store::{ColumnAt, Freshness};
use keyloom_value::{Kind, Value};

use super::{Bound, Copied, EntityPlan, From, KeyPart, Outputs, Plan, Program, Projection, Typed, one};
use crate::{
    bucket::{self, Cut},
    evaluate,
    work::Promise,
};

/// A pattern that reads.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    /// The names of its orders, where a caller chooses one.
    pub(crate) orders: Vec<String>,
    /// How many keys one call may send, where it sends several.
    pub(crate) batch: Option<u64>,
    pub(crate) questions: Vec<Question>,
    /// Lists that come with the row, by their names.
    pub(crate) with: Vec<(String, Vec<Question>)>,
}

/// One of the questions that a pattern is, by what a caller sends.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    order: Option<String>,
    /// The optional inputs that are sent.
    sent: Vec<String>,
    pub(crate) access: Access,
    /// What one call reads at most, with the lists that come with its rows.
    pub(crate) promise: Option<Promise>,
}

/// How a question is answered.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) entity: usize,
    pub(crate) reach: Reach,
    /// Tested on rows that were read.
    pub(crate) remains: Vec<Expr>,
    /// The kept values that are tested: they are looked up before.
    pub(crate) tested: Vec<usize>,
    pub(crate) wants: Wants,
    pub(crate) outputs: Outputs,
    pub(crate) freshness: Freshness,
}

/// How rows are reached.
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    /// A row of the source, by its key.
    Get(Vec<Choice>),
    /// The row that holds a unique value.
    Via { reservation: usize, value: Vec<Choice> },
    /// Rows that stand together.
    Slices(Slices),
}

/// Ranges of a table.
#[derive(Debug, Clone)]
pub(crate) struct Slices {
    pub(crate) table: usize,
    /// It is the source itself, where rows may stand that are gone.
    pub(crate) is_source: bool,
    /// Where each field is, if it is there.
    pub(crate) columns: Vec<Option<ColumnAt>>,
    /// Fields that are absent where this column says so.
    pub(crate) flags: Vec<(usize, ColumnAt)>,
    /// Where the fields of other rows are that it holds.
    pub(crate) copied: Vec<ColumnAt>,
    pub(crate) partition: Vec<Choice>,
    /// The first sort columns, as far as they are fixed.
    pub(crate) equal: Vec<Choice>,
    /// Tests on the next one.
    pub(crate) bounds: Vec<Bounds>,
    /// Rows are read against the order in which they stand.
    pub(crate) backward: bool,
    /// Rows that have ended are among them.
    pub(crate) shows_ended: bool,
    /// How many rows one call looks at, at most.
    pub(crate) rows_max: u64,
    /// What says in turn which of two rows comes first.
    pub(crate) turns: Vec<Turn>,
    /// What stands behind the equal columns in the sort key says which row it is, so no two rows are equal there.
    pub(crate) identified: bool,
    /// Rows stand in several buckets, which are read one after the other.
    pub(crate) walks: Option<Walks>,
}

/// How the buckets of a list are walked through.
#[derive(Debug, Clone)]
pub(crate) struct Walks {
    pub(crate) cut: Cut,
    /// The kind of what is cut, which stands behind the equal columns in the sort key.
    pub(crate) kind: Kind,
    /// Whether the latest bucket comes first, along the order in which rows stand.
    pub(crate) latest_first: bool,
    /// How many buckets of a group one call reads at most, and how many names of them.
    pub(crate) buckets_max: u64,
    pub(crate) names_max: u64,
}

/// What says which of two rows of a list comes first, where those before it are equal; along the order in which rows stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// So many of the sort columns behind the equal ones.
    Columns(usize),
    /// A component of partition and equal columns, counted together, of which each range has one value; whether the largest
    /// comes first.
    Ranges { at: usize, descending: bool },
}

/// The values that a component of a key may have.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// This one.
    One(Typed),
    /// One of several.
    OneOf(Vec<Typed>),
    /// One of a list that is sent.
    Sent(String),
    /// The step of time in which this one lies.
    Bucket(Bucket, Typed),
    /// The caller's tenant.
    Tenant,
    /// Always the same.
    Constant(Value<'static>),
}

/// One end, or both, of a range.
#[derive(Debug, Clone)]
pub(crate) enum Bounds {
    Ends {
        low: Option<(Typed, bool)>,
        high: Option<(Typed, bool)>,
    },
    /// The same of what a function makes of a field of this kind.
    Of {
        function: Function,
        kind: Kind,
        low: Option<(Typed, bool)>,
        high: Option<(Typed, bool)>,
    },
    /// All texts that begin so.
    Prefix(Typed),
}

/// How the rows of several ranges are put in order: by the fields that are asked for, each of which is a column or has one value
/// in each range; then by all columns, and by what else the ranges fix, in the direction of the order's last part.
fn turns(
    plan: &EntityPlan,
    projection: &Projection,
    found: &ReadPlan,
    backward: bool,
    fixed: [&[Choice]; 2],
) -> Vec<Turn> {
    let several = |choice: &Choice| matches!(choice, Choice::OneOf(_) | Choice::Sent(_));
    let mut many: Vec<usize> =
        fixed.into_iter().flatten().enumerate().filter(|(_, choice)| several(choice)).map(|(at, _)| at).collect();
    let fixed: usize = fixed.into_iter().map(<[Choice]>::len).sum();
    let descending = |item: &OrderItem| (item.direction == Direction::Descending) != backward;
    let (mut turns, mut last) = (Vec::new(), false);
    for item in &found.asked.order {
        let field = plan.field(&item.path.field);
        let is_it = |part: &KeyPart| match part {
            KeyPart::Field(known) | KeyPart::Flagged(known) => Some(*known) == field,
            KeyPart::IsAbsent(_) | KeyPart::All | KeyPart::Bucket(..) => false,
        };
        let Some(at) = projection.key.iter().position(is_it) else { continue };
        if at >= fixed {
            turns.push(Turn::Columns(at - fixed + 1));
        } else if many.contains(&at) {
            turns.push(Turn::Ranges { at, descending: descending(item) });
            many.retain(|known| *known != at);
        } else {
            // What has one value orders nothing.
            continue;
        }
        last = descending(item);
    }
    turns.push(Turn::Columns(projection.key.len() - fixed));
    turns.extend(many.into_iter().map(|at| Turn::Ranges { at, descending: last }));
    turns
}

impl Read {
    /// The question that a call asks: of just the optional inputs that are sent, or of all of them. Tests on inputs that
    /// are not sent are dropped, so the latter is always right.
    pub(crate) fn question<'a>(
        questions: &'a [Question],
        order: Option<&str>,
        is_sent: impl Fn(&str) -> bool,
    ) -> Option<&'a Question> {
        let ordered = || questions.iter().filter(|question| question.order.as_deref() == order);
        let all = ordered().max_by_key(|question| question.sent.len())?;
        let sent = all.sent.iter().filter(|name| is_sent(name));
        ordered().find(|question| question.sent.iter().eq(sent.clone())).or(Some(all))
    }
}

impl Program {
    pub(super) fn read(&self, pattern: &Pattern, read: &ReadModel, planned: &Planned) -> Bound<Plan> {
        let mut words = Vec::new();
        let mut refuse = |is: bool, what: &str| {
            if is {
                words.push(what.to_owned());
            }
        };
        for one in std::iter::once(read).chain(read.with.iter().map(|with| &with.read)) {
            refuse(one.through.is_some(), "`through`");
            refuse(!one.one_per.is_empty(), "`one_per`");
        }
        if !words.is_empty() {
            return Err(words);
        }
        let mut bound = Read { orders: Vec::new(), batch: read.batch, questions: Vec::new(), with: Vec::new() };
        if read.selection.orders.len() > 1 {
            bound.orders = read.selection.orders.iter().map(|order| order.name.clone()).collect();
        }
        for plan in planned.reads_of(&pattern.name) {
            let Address::Pattern { with, order, sent, .. } = &plan.asked.question else { continue };
            let (returns, own) = match with {
                None => (&read.returns, &mut bound.questions),
                Some(name) => {
                    let Some(with) = read.with.iter().find(|with| with.name == *name) else { continue };
                    let at = bound.with.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                        bound.with.push((name.clone(), Vec::new()));
                        bound.with.len() - 1
                    });
                    (&with.read.returns, &mut bound.with[at].1)
                }
            };
            let access = self.access(plan, returns, read.verb == ReadVerb::Count && with.is_none())?;
            let promise = self.promise(plan, &access);
            own.push(Question { order: order.clone(), sent: sent.clone(), access, promise });
        }
        if bound.questions.is_empty() {
            // Why nothing answers it was said as a refusal of the plan.
            return Err(Vec::new());
        }
        bound.promise_lists();
        Ok(Plan::Read(Box::new(bound)))
    }

    fn access(&self, found: &ReadPlan, returns: &Returns, counts: bool) -> Bound<Access> {
        let (at, plan, entity) = self.target(&found.asked.entity)?;
        for test in &found.access.remains {
            if test.paths().iter().any(|path| matches!(path.root, Root::Reference { .. })) {
                // The plan has refused it.
                return Err(Vec::new());
            }
            let words = evaluate::not_yet(test, entity);
            if !words.is_empty() {
                return Err(words);
            }
        }
        let mut tested: Vec<usize> = Vec::new();
        for path in found.access.remains.iter().flat_map(Expr::paths) {
            let Some(field) = plan.field(&path.field).filter(|field| plan.is_kept(*field)) else { continue };
            let kept = self.kept_at(plan, field).ok_or_else(Vec::new)?;
            if !tested.contains(&kept) {
                tested.push(kept);
            }
        }
        let list = plan.lists().find(|list| self.tables[list.table].name == found.access.table);
        let copied = list.map_or(&[][..], |list| &list.copies);
        let outputs = if counts { Outputs::default() } else { self.outputs(returns, plan, entity, copied)? };
        let reach = match &found.access.reach {
            PlannedReach::Get { key } => Reach::Get(source_choices(plan, entity, key)?),
            PlannedReach::Via { reservations, value } => {
                let named = |known: &super::Reservation| self.tables[known.table].name == *reservations;
                let Some(reservation) = plan.reservations.iter().position(named) else { return Err(Vec::new()) };
                Reach::Via { reservation, value: choices(plan, entity, value)? }
            }
            PlannedReach::Slice(slice) => Reach::Slices(self.slices(plan, entity, found, slice)?),
        };
        let freshness = match (found.asked.freshness, &reach) {
            (Some(Stated::Latest), Reach::Get(_) | Reach::Via { .. }) => Freshness::Fresh,
            // Pages from replicas of different age would lose rows that are settled, and so would a value and its holder.
            (Some(Stated::Within(_)), Reach::Get(_)) => Freshness::Any,
            // An index is as fresh as it is: what its caller has seen is put beside it.
            (_, Reach::Slices(slices)) if plan.index(slices.table).is_some() => Freshness::Any,
            _ => Freshness::Settled,
        };
        let wants = found.asked.wants;
        Ok(Access { entity: at, reach, remains: found.access.remains.clone(), tested, wants, outputs, freshness })
    }

    fn slices(&self, plan: &EntityPlan, entity: &Entity, found: &ReadPlan, slice: &Slice) -> Bound<Slices> {
        let is_source = self.tables.get(plan.source.table).is_some_and(|table| table.name == found.access.table);
        let source = is_source.then(|| plan.source.as_list());
        let named = |projection: &&Projection| self.tables[projection.table].name == found.access.table;
        let Some(projection) = source.as_ref().or_else(|| plan.lists().find(named)) else {
            // What is not run of a projection was said of its table.
            return Err(Vec::new());
        };
        let mut partition = Vec::new();
        // So stands what is listed by nothing, and the only row.
        let only = plan.only.map(KeyPart::Field);
        if projection.key.first().is_some_and(|first| *first == KeyPart::All || Some(*first) == only) {
            partition.push(Choice::Constant(super::ALL));
        }
        let mut walks = None;
        for component in &slice.partition {
            match component {
                Component::Field(field, to) => partition.push(choice(plan, entity, field, to)?),
                Component::Bucket { step, field, to } => {
                    partition.push(choice(plan, entity, field, to)?.in_bucket(*step));
                }
                Component::Buckets { step, field, .. } => {
                    walks = Some((Cut { at: partition.len(), step: *step }, field));
                    // Each bucket takes its place when it is read.
                    partition.push(Choice::Constant(bucket::component(*step, 0)));
                }
            }
        }
        let mut equal = Vec::new();
        for (field, to) in &slice.equal {
            equal.extend(self.flag(plan, projection, field));
            equal.push(choice(plan, entity, field, to)?);
        }
        let mut bounds = Vec::new();
        if let Some((field, within)) = &slice.range {
            equal.extend(self.flag(plan, projection, field));
            let Some(kind) = plan.field(field).map(|field| &plan.fields[field].1) else { return Err(Vec::new()) };
            bounds = within.iter().map(|within| bounds_of(within, entity, kind)).collect::<Bound<_>>()?;
        }
        let walked = walked(&self.catalog, &found.asked, slice).flatten();
        let walks = walks.map(|(cut, field)| -> Bound<Walks> {
            let sort = self.tables[projection.table].sort.get(equal.len());
            let kind = plan.field(field).map(|field| plan.fields[field].1.clone()).ok_or_else(Vec::new)?;
            Ok(Walks {
                cut,
                kind,
                latest_first: sort.is_some_and(|column| column.descending),
                buckets_max: walked.map_or(u64::MAX, |walked| walked.buckets),
                names_max: walked.map_or(u64::MAX, |walked| walked.buckets.saturating_mul(2)),
            })
        });
        let walks = walks.transpose()?;
        let turns = turns(plan, projection, found, slice.backward, [&partition, &equal]);
        let behind = projection.key.iter().skip(partition.len() + equal.len());
        let behind: Vec<KeyPart> = behind.copied().collect();
        let identified = plan.key.iter().all(|field| behind.contains(&KeyPart::Field(*field)));
        Ok(Slices {
            identified,
            table: projection.table,
            is_source,
            columns: projection.columns.clone(),
            flags: projection.flags.clone(),
            copied: projection.copies.iter().map(Copied::at).collect(),
            partition,
            equal,
            bounds,
            backward: slice.backward,
            turns,
            // The end of a decided row is that of its memory; an index knows no other.
            shows_ended: plan.expires.is_some() && plan.index(projection.table).is_some(),
            rows_max: found.at_most.map_or(u64::MAX, |at_most| {
                let names = walked.map_or(0, |walked| walked.names);
                (at_most.rows / found.asked.batch.max(1)).saturating_sub(names)
            }),
            walks,
        })
    }

    /// Says of each projection whether a read shows or tests the version of its rows.
    pub(super) fn versions_shown(&mut self) {
        let mut shown = Vec::new();
        for plan in &self.plans {
            let Plan::Read(read) = plan else { continue };
            let with = read.with.iter().flat_map(|(_, questions)| questions);
            for access in read.questions.iter().chain(with).map(|question| &question.access) {
                let Reach::Slices(slices) = &access.reach else { continue };
                let fields = &self.entities[access.entity].fields;
                let own = |path: &&Path| fields.iter().any(|(name, _)| *name == path.field);
                let tested = access.remains.iter().flat_map(Expr::paths).any(|path| !own(&path));
                if tested || access.outputs.items.iter().any(|(_, from)| matches!(from, From::BuiltIn(_))) {
                    shown.push(slices.table);
                }
            }
        }
        for projection in self.entities.iter_mut().flat_map(|entity| &mut entity.projections) {
            projection.shows_version = shown.contains(&projection.table);
        }
    }

    /// That a field is there, where a flag before it says whether it is.
    fn flag(&self, plan: &EntityPlan, projection: &Projection, field: &str) -> Option<Choice> {
        let field = plan.field(field)?;
        let flagged = projection.flags.iter().any(|(known, _)| *known == field);
        flagged.then_some(Choice::Constant(Value::Bool(false)))
    }
}

/// What the components of a key may be, each of its kind.
pub(super) fn choices(plan: &EntityPlan, entity: &Entity, fields: &[(String, Fixed)]) -> Bound<Vec<Choice>> {
    if fields.is_empty() {
        // The only row.
        return Ok(vec![Choice::Constant(super::ALL)]);
    }
    fields.iter().map(|(name, to)| choice(plan, entity, name, to)).collect()
}

/// What the components of the source's key may be.
pub(super) fn source_choices(plan: &EntityPlan, entity: &Entity, fields: &[(String, Fixed)]) -> Bound<Vec<Choice>> {
    let choices = choices(plan, entity, fields)?.into_iter().zip(&plan.source.key);
    let cut = |(choice, part): (Choice, &KeyPart)| match part {
        KeyPart::Bucket(step, _) => choice.in_bucket(*step),
        _ => choice,
    };
    Ok(choices.map(cut).collect())
}

impl Choice {
    /// The bucket of what it may be, where that is one value.
    fn in_bucket(self, step: Bucket) -> Self {
        match self {
            Self::One(typed) => Self::Bucket(step, typed),
            other => other,
        }
    }
}

fn choice(plan: &EntityPlan, entity: &Entity, name: &str, to: &Fixed) -> Bound<Choice> {
    let Some(field) = plan.field(name) else { return one(format!("`by: [{name}]`")) };
    let kind = &plan.fields[field].1;
    match to {
        Fixed::To(expr) => Ok(Choice::One(typed(expr, entity, kind)?)),
        Fixed::OneOf(values) => {
            Ok(Choice::OneOf(values.iter().map(|value| typed(value, entity, kind)).collect::<Bound<_>>()?))
        }
        Fixed::List { input, .. } => Ok(Choice::Sent(input.clone())),
        Fixed::Tenant => Ok(Choice::Tenant),
        Fixed::Through { .. } => one("`through`"),
    }
}

fn typed(expr: &Expr, entity: &Entity, kind: &Kind) -> Bound<Typed> {
    // A list that comes with a row is joined to it by the row's own fields.
    let joined = matches!(expr, Expr::Path(path) if matches!(path.root, Root::Item(_)) && path.members.is_empty());
    let words = if joined { Vec::new() } else { evaluate::not_yet(expr, entity) };
    if words.is_empty() { Ok(Typed { expr: expr.clone(), kind: kind.clone() }) } else { Err(words) }
}

/// A range as bounds, if it is run.
fn bounds_of(within: &Within, entity: &Entity, kind: &Kind) -> Bound<Bounds> {
    let end = |end: &Option<(Expr, bool)>, kind: &Kind| -> Bound<Option<(Typed, bool)>> {
        let Some((expr, included)) = end else { return Ok(None) };
        Ok(Some((typed(expr, entity, kind)?, *included)))
    };
    match within {
        Within::Ends { low, high } => Ok(Bounds::Ends { low: end(low, kind)?, high: end(high, kind)? }),
        Within::Prefix(prefix) => Ok(Bounds::Prefix(typed(prefix, entity, kind)?)),
        Within::Of(function, inner) => {
            let made = match function {
                Function::Time | Function::Hour => Kind::Timestamp { micros: false },
                Function::Day | Function::Month => Kind::Date,
                Function::Year => Kind::Int,
                _ => return one(format!("a range of the function `{}`", function.name())),
            };
            let Within::Ends { low, high } = &**inner else {
                return one(format!("a range of the function `{}`", function.name()));
            };
            let (low, high) = (end(low, &made)?, end(high, &made)?);
            Ok(Bounds::Of { function: *function, kind: kind.clone(), low, high })
        }
    }
}
