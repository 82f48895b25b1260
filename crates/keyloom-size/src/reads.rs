//! What the reads of a pattern take, as the executor runs them.

use keyloom_model::layout::Question;
use keyloom_model::{Freshness as Asks, Path, Pattern, Root};
use keyloom_plan::{Component, Fixed, Reach, ReadPlan, Slice, Wants, selection};
use keyloom_store::{Call, Freshness};

use crate::effort::Cost;
use crate::ground::Ground;
use crate::quantity::{Between, share};

/// What one call of a pattern reads. Its orders and optional inputs are alternatives; lists of its `with` come on top.
pub(crate) fn of_pattern(ground: &Ground<'_>, pattern: &Pattern) -> Cost {
    let mut parts: Vec<(Option<&String>, Cost)> = Vec::new();
    for plan in ground.program.reads_of(&pattern.name) {
        let Question::Pattern { with, .. } = &plan.asked.question else { continue };
        let cost = of_plan(ground, plan);
        match parts.iter_mut().find(|(part, _)| *part == with.as_ref()) {
            Some((_, known)) => *known = std::mem::take(known).or(cost),
            None => parts.push((with.as_ref(), cost)),
        }
    }
    parts.into_iter().fold(Cost::default(), |all, (_, cost)| all.plus(cost))
}

/// What one question takes. The rates of batches count rows, so a batch is not multiplied.
fn of_plan(ground: &Ground<'_>, plan: &ReadPlan) -> Cost {
    let access = &plan.access;
    let is_target = plan.asked.wants == Wants::Row && plan.asked.returns.is_empty();
    // A write looks at its row before it decides; that look may be older, since the decision tells.
    let fresh = plan.asked.freshness == Some(Asks::Latest) && !is_target;
    let freshness = if fresh { Freshness::Fresh } else { Freshness::Settled };
    let rows = rows(ground, plan);
    let cost = match &access.reach {
        Reach::Get { .. } => get(ground, &access.table, freshness),
        Reach::Via { reservations, .. } => {
            get(ground, reservations, freshness).plus(get(ground, &access.table, freshness))
        }
        Reach::Slice(slice) => {
            let partitions = partitions(plan, slice);
            sliced(ground, &access.table, rows, rows_worst(ground, plan), partitions)
        }
    };
    access.looks_up.iter().zip(0..).fold(cost, |cost, (path, at)| {
        let earlier = access.looks_up.iter().take(at).any(|other| other.root == path.root && path.root != Root::Own);
        if earlier { cost } else { cost.plus(look_up(ground, plan, path, rows)) }
    })
}

/// One row by its key.
pub(crate) fn get(ground: &Ground<'_>, table: &str, freshness: Freshness) -> Cost {
    let bytes = ground.bytes(table).typical;
    Cost::on(table, ground.effort(&Call::Get { bytes, freshness }))
}

/// Rows of some partitions.
fn sliced(ground: &Ground<'_>, table: &str, rows: Between<u128>, worst: u128, partitions: Between<u128>) -> Cost {
    let bytes = ground.bytes(table).typical;
    let one = |rows: u128, partitions: u128| {
        let rows = u64::try_from(rows.div_ceil(partitions.max(1))).unwrap_or(u64::MAX);
        let call = Call::Slice { rows, bytes: rows.saturating_mul(bytes), freshness: Freshness::Settled };
        Cost::on(table, ground.effort(&call)).times(Between::exactly(partitions.max(1)))
    };
    // The busiest partition is a large one: of it a call reads as much as it may.
    let rows_worst = u64::try_from(worst).unwrap_or(u64::MAX);
    let call = Call::Slice { rows: rows_worst, bytes: rows_worst.saturating_mul(bytes), freshness: Freshness::Settled };
    one(rows.low, partitions.low).or(one(rows.high, partitions.high)).at_worst(table, ground.effort(&call))
}

/// How many rows a call looks at: typically as many as the group has, and no more than the bound of the plan. Where neither
/// the group nor `matches` is stated, anything up to the bound.
fn rows(ground: &Ground<'_>, plan: &ReadPlan) -> Between<u128> {
    let bound = plan.at_most.map_or(u128::from(u64::MAX), |reads| u128::from(reads.rows));
    let batch = u128::from(plan.asked.batch.max(1));
    let bound = bound / batch;
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
    let group = of.and_then(|of| ground.catalog().group_size(of)).filter(|size| size.rows.per.is_none());
    match group.and_then(|size| size.rows.typical) {
        Some(typical) => read.map(|rows| rows.min(typical.into())),
        // A group that grows is longer than a page most of its time; of others nobody knows.
        None if of.and_then(|of| ground.catalog().group_size(of)).is_some_and(|size| size.rows.per.is_some()) => read,
        None => Between { low: 0, high: read.high },
    }
}

/// How many rows a call looks at in the worst group.
fn rows_worst(ground: &Ground<'_>, plan: &ReadPlan) -> u128 {
    let bound = plan.at_most.map(|reads| u128::from(reads.rows / plan.asked.batch.max(1)));
    let group = selection(ground.catalog(), &plan.asked).and_then(|of| ground.catalog().group_size(of));
    let worst = group.filter(|size| size.rows.per.is_none()).and_then(|size| size.rows.worst).map(u128::from);
    bound.into_iter().chain(worst).min().unwrap_or(0)
}

/// How many partitions a call reads.
fn partitions(plan: &ReadPlan, slice: &Slice) -> Between<u128> {
    let batch = u128::from(plan.asked.batch.max(1));
    let high = plan.at_most.map_or(1, |reads| u128::from(reads.partitions) / batch).max(1);
    let merged = slice.partition.iter().map(|component| match component {
        Component::Field(_, to) => values(to),
        Component::Buckets { .. } => Between { low: 1, high },
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
fn look_up(ground: &Ground<'_>, plan: &ReadPlan, path: &Path, rows: Between<u128>) -> Cost {
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
    let Some(table) = table else { return Cost::without(format!("what {} looks up: {path}", plan.asked.question)) };
    let each = get(ground, table, Freshness::Settled).into_looked_up();
    if fixed || plan.asked.wants == Wants::Row {
        return each;
    }
    let low = if matches!(path.root, Root::Own) { rows.low } else { rows.low.min(1) };
    let worst = Between { low, high: rows_worst(ground, plan).max(rows.high) };
    Cost { looked_up: each.clone().times(worst).looked_up, ..each.times(Between { low, high: rows.high }) }
}
