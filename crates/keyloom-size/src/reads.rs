//! What the reads of a pattern take, as the executor runs them.

use keyloom_model::layout::Question;
use keyloom_model::{By, ByItem, Expr, Freshness as Asks, GroupSize, Path, Pattern, Root, Selection};
use keyloom_plan::{BUCKETS, Component, Fixed, Reach, ReadPlan, Slice, Walked, Wants, selection, walked};
use keyloom_store::Freshness;

use crate::effort::Cost;
use crate::ground::Ground;
use crate::quantity::{Between, share};
use crate::visits::{ALWAYS, Beside, Often, Visit, Visits};

/// What one call of a pattern reads. Its orders and optional inputs are alternatives; lists of its `with` come on top.
pub(crate) fn of_pattern(ground: &Ground<'_>, pattern: &Pattern) -> Cost {
    let mut parts: Vec<(Option<&String>, Cost)> = Vec::new();
    for plan in ground.program.reads_of(&pattern.name) {
        let Question::Pattern { with, .. } = &plan.asked.question else { continue };
        let cost = ground.cost(&ground.read(plan));
        match parts.iter_mut().find(|(part, _)| *part == with.as_ref()) {
            Some((_, known)) => *known = std::mem::take(known).or(cost),
            None => parts.push((with.as_ref(), cost)),
        }
    }
    parts.into_iter().fold(Cost::default(), |all, (_, cost)| all.plus(cost))
}

impl Ground<'_> {
    /// The calls of one question. The rates of batches count rows, so a batch is not multiplied.
    pub fn read(&self, plan: &ReadPlan) -> Visits {
        let access = &plan.access;
        let is_target = plan.asked.wants == Wants::Row && plan.asked.returns.is_empty();
        // A write looks at its row before it decides; that look may be older, since the decision tells.
        let fresh = plan.asked.freshness == Some(Asks::Latest) && !is_target;
        let freshness = if fresh { Freshness::Fresh } else { Freshness::Settled };
        // Where an age is stated, any replica may answer for a row that is got by its key.
        let bounded = matches!(plan.asked.freshness, Some(Asks::Within(_))) && !is_target;
        let got = if bounded { Freshness::Any } else { freshness };
        let mut visits = Visits::default();
        let once = Between::exactly(ALWAYS);
        match &access.reach {
            Reach::Get { .. } => visits.visit(get(&access.table, got), once),
            Reach::Via { reservations, .. } => {
                visits.visit(get(reservations, freshness), once);
                visits.visit(get(&access.table, freshness), once);
            }
            Reach::Slice(slice) => {
                visits.beside.extend(buckets(self, plan).map(names));
                visits.beside.push(sliced(self, plan, slice));
            }
        }
        for (at, path) in access.looks_up.iter().enumerate() {
            let earlier =
                access.looks_up.iter().take(at).any(|other| other.root == path.root && path.root != Root::Own);
            if !earlier {
                look_up(self, plan, path, &mut visits);
            }
        }
        visits
    }
}

/// One row by its key.
pub(crate) fn get(table: &str, freshness: Freshness) -> Visit {
    Visit::Get { table: table.to_owned(), freshness }
}

/// Which buckets there are, where a range does not say so itself.
fn names(walked: Walked) -> Beside {
    let of = |rows: u64| Visit::Slice { table: BUCKETS.to_owned(), rows, freshness: Freshness::Settled };
    let often = Often { least: of(1), most: of(walked.buckets), millionths: Between { low: 0, high: ALWAYS } };
    often.into()
}

/// Rows of some partitions.
fn sliced(ground: &Ground<'_>, plan: &ReadPlan, slice: &Slice) -> Beside {
    let (rows, partitions) = (rows(ground, plan), partitions(ground, plan, slice));
    let table = &plan.access.table;
    // An index follows its table, and no read of it can wait for that.
    let freshness = if ground.is_index(table) { Freshness::Any } else { Freshness::Settled };
    let of =
        |rows: u128| Visit::Slice { table: table.clone(), rows: u64::try_from(rows).unwrap_or(u64::MAX), freshness };
    let visit = Often {
        least: of(rows.low.div_ceil(partitions.low)),
        most: of(rows.high.div_ceil(partitions.high)),
        millionths: partitions.map(|partitions| partitions.saturating_mul(ALWAYS)),
    };
    // The busiest partition is a large one: of it a call reads as much as it may.
    Beside { visit, worst: Some((of(rows_worst(ground, plan)), ALWAYS)), looked_up: false }
}

/// How many rows a call looks at: typically as many as the group has, and no more than the bound of the plan. Where neither
/// the group nor `matches` is stated, anything up to the bound.
fn rows(ground: &Ground<'_>, plan: &ReadPlan) -> Between<u128> {
    let bound = bound(ground, plan).unwrap_or(u128::from(u64::MAX));
    let of = selection(ground.catalog(), &plan.asked);
    let wanted = match plan.asked.wants {
        Wants::Row => return Between::exactly(1),
        Wants::Rows { page, goes_on } => u128::from(page) + u128::from(goes_on),
        Wants::Count { up_to } => u128::from(up_to),
        Wants::All => u128::from(u64::MAX),
    };
    let read = if plan.access.remains.is_empty() {
        Between::exactly(wanted.min(bound))
    } else {
        match of.and_then(|of| of.matches) {
            Some(matches) => Between::exactly(share(wanted, 1_000_000, matches.millionths.max(1).into()).min(bound)),
            None => Between { low: wanted.min(bound), high: bound },
        }
    };
    let group = looked_through(ground, plan);
    match group.as_ref().filter(|size| size.rows.per.is_none()).and_then(|size| size.rows.typical) {
        Some(typical) => read.map(|rows| rows.min(typical.into())),
        // A group that grows is longer than a page most of its time; of others nobody knows.
        None if group.is_some_and(|size| size.rows.per.is_some()) => read,
        None => Between { low: 0, high: read.high },
    }
}

/// The rows among which those of a question are looked for: its own group, or, where something remains to be tested, the one
/// that the known parts of the key make.
fn looked_through(ground: &Ground<'_>, plan: &ReadPlan) -> Option<GroupSize> {
    let own = selection(ground.catalog(), &plan.asked)?;
    let slice = match &plan.access.reach {
        Reach::Slice(slice) if !plan.access.remains.is_empty() && plan.access.reach.spread() == 0 => slice,
        _ => return ground.catalog().group_size(own),
    };
    let tenant = ground.catalog().tenant.as_ref().map(|tenant| tenant.field.as_str());
    let partition = slice.partition.iter().filter_map(|component| match component {
        Component::Field(field, _) => Some(field),
        Component::Bucket { .. } | Component::Buckets { .. } => None,
    });
    let known = partition.chain(slice.equal.iter().map(|(field, _)| field));
    let item = |field: &String| ByItem { path: Path::own(field), value: Expr::Path(Path::own(field)) };
    let by: Vec<ByItem> = known.filter(|field| Some(field.as_str()) != tenant).map(item).collect();
    ground.catalog().group_size(&Selection {
        entity: own.entity.clone(),
        by: if by.is_empty() { By::All } else { By::Fields(by) },
        filter: ground.program.layout.table(&plan.access.table)?.filter.clone(),
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    })
}

/// How many rows of its table a call looks at, at most.
fn bound(ground: &Ground<'_>, plan: &ReadPlan) -> Option<u128> {
    let rows = plan.at_most?.rows / plan.asked.batch.max(1);
    let names = buckets(ground, plan).map_or(0, |walked| walked.names);
    Some(rows.saturating_sub(names).into())
}

/// What a call reads of buckets at most, where its rows stand in several.
fn buckets(ground: &Ground<'_>, plan: &ReadPlan) -> Option<Walked> {
    let Reach::Slice(slice) = &plan.access.reach else { return None };
    walked(ground.catalog(), &plan.asked, slice).flatten()
}

/// How many rows a call looks at in the worst group.
fn rows_worst(ground: &Ground<'_>, plan: &ReadPlan) -> u128 {
    let bound = bound(ground, plan);
    let worst = looked_through(ground, plan)
        .filter(|size| size.rows.per.is_none())
        .and_then(|size| size.rows.worst)
        .map(u128::from);
    bound.into_iter().chain(worst).min().unwrap_or(0)
}

/// How many partitions a call reads.
fn partitions(ground: &Ground<'_>, plan: &ReadPlan, slice: &Slice) -> Between<u128> {
    let batch = u128::from(plan.asked.batch.max(1));
    let high = plan.at_most.map_or(1, |reads| u128::from(reads.partitions) / batch).max(1);
    let merged = slice.partition.iter().map(|component| match component {
        Component::Field(_, to) | Component::Bucket { to, .. } => values(to),
        Component::Buckets { .. } => {
            let most = buckets(ground, plan).map_or(high, |walked| walked.buckets.into());
            Between { low: 1, high: most.max(1) }
        }
    });
    let merged = merged.fold(Between::exactly(1_u128), |all, one| Between {
        low: all.low.saturating_mul(one.low),
        high: all.high.saturating_mul(one.high),
    });
    merged.map(|partitions| partitions.clamp(1, high))
}

/// How many values a fixed component has.
fn values(to: &Fixed) -> Between<u128> {
    match to {
        Fixed::To(_) | Fixed::Tenant => Between::exactly(1),
        Fixed::OneOf(values) => Between::exactly(values.len() as u128),
        Fixed::List { max, .. } => Between { low: 1, high: u128::from(*max) },
        Fixed::Through { max, .. } => Between { low: 1, high: max.map_or(u128::from(u64::MAX), u128::from) },
    }
}

/// What is looked up for the rows of an answer: one row where the partition says which, else up to one for each.
fn look_up(ground: &Ground<'_>, plan: &ReadPlan, path: &Path, visits: &mut Visits) {
    let (table, fixed) = match &path.root {
        Root::Reference { field, entity } => {
            // A kept value of the other row stands in a table of its own.
            let table = ground.kept(entity, &path.field).or_else(|| ground.source(entity));
            let fixed = match &plan.access.reach {
                Reach::Slice(slice) => slice.partition.iter().any(|component| {
                    matches!(component, Component::Field(name, to) if name == field && to.values_max() == Some(1))
                }),
                Reach::Get { .. } | Reach::Via { .. } => true,
            };
            (table, fixed)
        }
        Root::Own => (ground.kept(&plan.asked.entity, &path.field), false),
        Root::Edge { .. } | Root::Item(_) => (None, false),
    };
    let Some(table) = table else {
        visits.without.insert(format!("what {} looks up: {path}", plan.asked.question));
        return;
    };
    let (each, rows) = (get(table, Freshness::Settled), rows(ground, plan));
    let (times, worst) = if fixed || plan.asked.wants == Wants::Row {
        (Between::exactly(1), 1)
    } else {
        let low = if matches!(path.root, Root::Own) { rows.low } else { rows.low.min(1) };
        (Between { low, high: rows.high }, rows_worst(ground, plan).max(rows.high))
    };
    let worst = Some((each.clone(), worst.saturating_mul(ALWAYS)));
    visits.beside.push(Beside { visit: Often::once(each).times(times), worst, looked_up: true });
}
