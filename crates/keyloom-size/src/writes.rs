//! What the writes of a pattern take, as the executor carries them out.

use keyloom_model::layout::{Keeper, Way};
use keyloom_model::{Action, By, ByItem, Class, Expr, Fill, Origin, Path, Pattern, Selection, Step, WriteVerb};
use keyloom_plan::{Companions, Does, Effect, Expects, When, WritePlan};
use keyloom_store::{Call, Freshness, IndexChange, RowChange};

use crate::effort::{Cost, Effort};
use crate::ground::Ground;
use crate::quantity::Between;
use crate::reads::get;

/// What one call of a pattern writes, with what it must look at for that.
pub(crate) fn of_pattern(ground: &Ground<'_>, pattern: &Pattern) -> Cost {
    match &pattern.action {
        Action::Write(write) => {
            // The rate of a batch counts its rows.
            let plans = ground.program.writes_of(&pattern.name);
            plans.fold(Cost::default(), |all, plan| all.plus(of_plan(ground, plan, write.verb, false)))
        }
        Action::Atomic(steps) => atomic(ground, pattern, steps),
        Action::Claim(claim) => {
            let Some(source) = ground.source(&claim.selection.entity) else { return Cost::default() };
            let bytes = ground.bytes(source).typical;
            let one = decide(ground, source, &changed(bytes, bytes), false);
            let claimed = one.times(Between { low: 0, high: claim.up_to.into() });
            claimed.plus(Cost::without(format!("what {} changes in projections", pattern.name)))
        }
        Action::Read(_) | Action::Outside(_) => Cost::default(),
    }
}

/// The steps of an atomic are one decision.
fn atomic(ground: &Ground<'_>, pattern: &Pattern, steps: &[Step]) -> Cost {
    let together = steps.len() > 1;
    let mut cost = Cost::default();
    for (at, step) in steps.iter().enumerate() {
        let (each, one) = match step {
            Step::Write { each, write } => {
                let plans = ground.program.writes_of(&pattern.name).filter(|plan| plan.step == Some(at));
                let one = plans.fold(Cost::default(), |all, plan| {
                    let looks = plan.effects.iter().any(|effect| effect.does == Does::Decides(Expects::Version));
                    let look = ground.source(&plan.entity).filter(|_| looks);
                    let look = look.map_or_else(Cost::default, |table| get(ground, table, Freshness::Settled));
                    all.plus(look).plus(of_plan(ground, plan, write.verb, together))
                });
                (each, one)
            }
            Step::Check { each, entity, .. } => {
                let Some(source) = ground.source(entity) else { continue };
                let bytes = ground.bytes(source).typical;
                let held = ground.program.companions == Companions::Ride;
                let look = get(ground, source, Freshness::Settled);
                let check = || unwritten(decide(ground, source, &changed(bytes, bytes), together));
                (each, if held { look.plus(check()) } else { look })
            }
        };
        let times = each.as_ref().map_or(Between::exactly(1), |each| Between { low: 1, high: u128::from(each.max) });
        cost = cost.plus(one.times(times));
    }
    cost
}

fn of_plan(ground: &Ground<'_>, plan: &WritePlan, verb: WriteVerb, together: bool) -> Cost {
    let rides = ground.program.companions == Companions::Ride && plan.class == Class::Decided;
    let along = |effect: &&Effect| rides && effect.does.rows_along() > 0 && !is_source(effect);
    let always = plan.effects.iter().filter(along).any(|effect| effect.when == When::Always);
    let maybe = plan.effects.iter().any(|effect| along(&effect));
    let mut cost = Cost::default();
    for effect in &plan.effects {
        if ground.is_index(&effect.table) {
            // The engine does it with the source.
            continue;
        }
        let one = if is_source(effect) {
            let alone = source(ground, plan, effect, verb, together || always, false);
            alone.or(source(ground, plan, effect, verb, together || maybe, true))
        } else {
            companion(ground, plan, effect, verb, rides)
        };
        cost = cost.plus(one.often(often(effect.when)));
    }
    cost
}

fn is_source(effect: &Effect) -> bool {
    matches!(effect.does, Does::Decides(_) | Does::Places | Does::Clears)
}

/// How often, in millionths.
fn often(when: When) -> Between<u128> {
    match when {
        When::Always => Between::exactly(1_000_000),
        When::Share(millionths) => Between::exactly(millionths.into()),
        When::Sometimes => Between { low: 0, high: 1_000_000 },
    }
}

/// The row of the source, and what the engine does in its indexes; with `maybe` also what happens only sometimes.
fn source(
    ground: &Ground<'_>,
    plan: &WritePlan,
    effect: &Effect,
    verb: WriteVerb,
    together: bool,
    maybe: bool,
) -> Cost {
    let bytes = ground.bytes(&effect.table);
    let indexes: Vec<IndexChange> = plan
        .effects
        .iter()
        .filter(|other| ground.is_index(&other.table) && (maybe || other.when == When::Always))
        .filter_map(|other| {
            let held = ground.bytes(&other.table).typical;
            Some(match (&other.does, verb) {
                (Does::Puts(_), WriteVerb::Create) => IndexChange::Enters { new: held },
                (Does::Puts(_), _) => IndexChange::Stays { old: held, new: held },
                (Does::Moves(_), _) => IndexChange::Moves { old: held, new: held },
                (Does::Removes(_), _) => IndexChange::Leaves { old: held },
                _ => return None,
            })
        })
        .collect();
    let (old, new) = match verb {
        WriteVerb::Create => (0, bytes.typical),
        WriteVerb::Put | WriteVerb::Update => (bytes.typical, bytes.typical),
        WriteVerb::Delete => (bytes.typical, 0),
    };
    let change = RowChange { old, new, indexes: &indexes };
    match effect.does {
        Does::Decides(_) => decide(ground, &effect.table, &change, together),
        Does::Clears => place(ground, &effect.table, &RowChange { new: bytes.trace, ..change }, true),
        _ => place(ground, &effect.table, &change, false),
    }
}

/// What follows from a write in another table.
fn companion(ground: &Ground<'_>, plan: &WritePlan, effect: &Effect, verb: WriteVerb, rides: bool) -> Cost {
    let table = effect.table.as_str();
    let bytes = ground.bytes(table);
    let (row, trace) = (bytes.typical, bytes.trace);
    let before = if verb == WriteVerb::Create { 0 } else { row };
    let decided = |old, new| decide(ground, table, &changed(old, new), rides);
    let placed = |old, new| place(ground, table, &changed(old, new), false);
    let removed = |keeper: Keeper| match keeper {
        Keeper::Carried if rides => decided(row, 0),
        _ => place(ground, table, &changed(row, trace), true),
    };
    let put = |keeper: Keeper, old| match keeper {
        Keeper::Carried if rides => decided(old, row),
        _ => placed(old, row),
    };
    match &effect.does {
        Does::Puts(keeper) => put(*keeper, before),
        Does::Moves(keeper) => removed(*keeper).plus(put(*keeper, 0)),
        Does::Removes(keeper) => removed(*keeper),
        Does::Reserves => decided(0, row),
        Does::Exchanges => decided(row, 0).plus(decided(0, row)),
        Does::Frees => decided(row, 0),
        Does::Checks { held: true } => unwritten(decided(row, row)),
        Does::Checks { held: false } => get(ground, table, Freshness::Settled),
        Does::Adds { rides: false } if rides => decided(0, row),
        Does::Adds { .. } => placed(0, row),
        Does::Keeps(Way::Rider) | Does::Numbers => decided(row, row),
        Does::Keeps(Way::Newest) | Does::Contributes => placed(row, row),
        Does::Keeps(Way::Recount) => {
            let look = get(ground, table, Freshness::Fresh);
            look.plus(recounted(ground, plan, table)).plus(decide(ground, table, &changed(row, row), false))
        }
        Does::Touches => Cost::without(format!("the rows of {table} that {} touches", plan.pattern)),
        Does::Marks => placed(0, row).plus(place(ground, table, &changed(row, trace), true)),
        Does::Decides(_) | Does::Places | Does::Clears => Cost::default(),
    }
}

/// A group is read and counted again: as many rows as a typical one has.
fn recounted(ground: &Ground<'_>, plan: &WritePlan, table: &str) -> Cost {
    let open = || Cost::without(format!("the rows that {} counts again for {table}", plan.pattern));
    let Some(owner) = ground.entity(table) else { return open() };
    let groups = owner.fields.iter().filter_map(|field| match &field.fill {
        Fill::Kept(kept) if kept.entity == plan.entity && ground.kept(&owner.name, &field.name) == Some(table) => {
            Some((vec![kept.through.clone()], kept.filter.clone()))
        }
        _ => None,
    });
    let rollup = match &owner.origin {
        Origin::Rollup(rollup) => Some((rollup.by.clone(), rollup.filter.clone())),
        _ => None,
    };
    let Some((by, filter)) = groups.chain(rollup).next() else { return open() };
    let by = by.iter().map(|field| ByItem { path: Path::own(field), value: Expr::Path(Path::own(field)) }).collect();
    let selection = Selection {
        entity: plan.entity.clone(),
        by: By::Fields(by),
        filter,
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    };
    let size = ground.catalog().group_size(&selection).filter(|size| size.rows.per.is_none());
    let (Some(rows), Some(from)) = (size.and_then(|size| size.rows.typical), ground.source(&plan.entity)) else {
        return open();
    };
    let bytes = rows.saturating_mul(ground.bytes(from).typical);
    Cost::on(from, ground.effort(&Call::Slice { rows, bytes, freshness: Freshness::Settled }))
}

fn changed(old: u64, new: u64) -> RowChange<'static> {
    RowChange { old, new, indexes: &[] }
}

/// A row that is decided, alone or as one of several that are decided together.
fn decide(ground: &Ground<'_>, table: &str, change: &RowChange<'_>, together: bool) -> Cost {
    let effort = if together {
        // What a row costs in company: half of two equal ones.
        ground.effort(&Call::Decide { rows: &[*change, *change] }).part(1, 2)
    } else {
        ground.effort(&Call::Decide { rows: std::slice::from_ref(change) })
    };
    Cost::on(table, Effort { decisions: 1_000, ..written(effort, change.new == 0) })
}

/// A row that is placed.
fn place(ground: &Ground<'_>, table: &str, change: &RowChange<'_>, removed: bool) -> Cost {
    let effort = ground.effort(&Call::Place { rows: std::slice::from_ref(change), together: false });
    Cost::on(table, written(effort, removed))
}

fn written(effort: Effort, removed: bool) -> Effort {
    Effort { rows: 1_000, removed: if removed { 1_000 } else { 0 }, ..effort }
}

/// A row that is only looked at within a decision is not written.
fn unwritten(mut cost: Cost) -> Cost {
    for effort in [&mut cost.total.low, &mut cost.total.high].into_iter().chain(cost.tables.values_mut()) {
        effort.rows = 0;
    }
    cost
}
