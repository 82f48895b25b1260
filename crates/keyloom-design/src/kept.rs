//! Kept values and rollups: where each stands, and what it is counted again from.

use keyloom_model::layout::{Counted, Holds, Question, SortItem, Table, Upkeep, Way};
use keyloom_model::{Direction, Entity, Expr, Fill, Literal, Origin, Path};
use keyloom_plan::{Asked, Fixed, Test, Wants, Within, access, counts_again, tests, way, way_of};

use crate::{Designer, structure};

/// Gives an entity the tables of its kept fields, or of the rollup that it is. Those of values that are kept from entities which
/// are not looked at do not say what they are counted from.
pub(crate) fn values(designer: &mut Designer<'_>, entity: &Entity, is_looked_at: impl Fn(&str) -> bool) {
    for field in &entity.fields {
        let Fill::Kept(kept) = &field.fill else { continue };
        let is_there = |holds: &Holds| matches!(holds, Holds::Kept { entity: of, field: kept, .. } if *of == entity.name && *kept == field.name);
        if designer.holds(is_there) {
            continue;
        }
        let Some(feeder) = designer.catalog.entity(&kept.entity) else { continue };
        let way = way_of(designer.catalog, kept, designer.companions);
        let reads = kept.field.iter().chain(&kept.by).cloned().collect();
        let key: Vec<&str> = entity.key.iter().map(String::as_str).collect();
        let from = (way == Way::Recount && is_looked_at(&feeder.name)).then(|| {
            let counted = Counted::Field { entity: entity.name.clone(), field: field.name.clone() };
            let join = feeder.field(&kept.through).map_or_else(Vec::new, |reference| feeder.join(reference, entity));
            let by = join.into_iter().map(|(own, _)| own.to_owned()).collect();
            let rows = Rows { by, time: None, filter: kept.filter.as_ref(), reads };
            contributions(designer, feeder, counted, &rows)
        });
        let upkeep = Upkeep { way: Some(way), from, every: None };
        let holds = Holds::Kept { entity: entity.name.clone(), field: field.name.clone(), upkeep };
        let name = designer.names.table(&format!("{}_{}", entity.name, field.name), &[], None, None);
        let table = designer.keyed(name, holds, entity, &key);
        designer.layout.tables.push(table);
    }
    let Origin::Rollup(rollup) = &entity.origin else { return };
    let is_kept = |holds: &Holds| matches!(holds, Holds::Source { entity: of, upkeep, .. } if *of == entity.name && *upkeep != Upkeep::default());
    if designer.holds(is_kept) {
        return;
    }
    let Some(feeder) = designer.catalog.entity(&rollup.of) else { return };
    let class = feeder.class(designer.catalog).0;
    let ways = rollup.values.iter().map(|value| way(value.aggregate, class, designer.companions));
    // One row holds all values, so what one of them needs is done for all.
    let all = if ways.clone().all(|way| way == Way::Rider) { Way::Rider } else { Way::Recount };
    let from = (all == Way::Recount && is_looked_at(&feeder.name)).then(|| {
        let reads = rollup.values.iter().flat_map(|value| {
            let tested = value.filter.iter().flat_map(Expr::paths).filter_map(Path::own_field).map(str::to_owned);
            value.field.iter().chain(&value.by).cloned().chain(tested)
        });
        let reads = reads.collect();
        let time = rollup.every.as_ref().map(|(_, of, _)| of.clone());
        let rows = Rows { by: rollup.by.clone(), time, filter: rollup.filter.as_ref(), reads };
        contributions(designer, feeder, Counted::Rollup(entity.name.clone()), &rows)
    });
    let every = (all == Way::Recount).then_some(rollup.freshness).flatten();
    for table in &mut designer.layout.tables {
        if let Holds::Source { entity: of, upkeep, .. } = &mut table.holds
            && *of == entity.name
        {
            *upkeep = Upkeep { way: Some(all), from: from.clone(), every };
        }
    }
}

/// Which rows a value is counted again from.
struct Rows<'a> {
    by: Vec<String>,
    /// The timestamp whose range is one step.
    time: Option<String>,
    filter: Option<&'a Expr>,
    /// The fields that are read.
    reads: Vec<String>,
}

/// The table from which a value is counted again: one that has the rows, else one of contributions.
fn contributions(designer: &mut Designer<'_>, feeder: &Entity, counted: Counted, rows: &Rows<'_>) -> String {
    let (catalog, tenant) = (designer.catalog, designer.catalog.tenant.as_ref().filter(|_| feeder.per_tenant));
    let nothing = || Expr::Literal(Literal::Now);
    let mut known: Vec<Test> = tenant
        .map(|tenant| Test::Fixes { field: tenant.field.clone(), to: Fixed::Tenant })
        .into_iter()
        .chain(rows.by.iter().map(|field| Test::Fixes { field: field.clone(), to: Fixed::To(nothing()) }))
        .chain(rows.time.iter().map(|field| Test::Bounds {
            field: field.clone(),
            within: Within::Ends { low: Some((nothing(), true)), high: Some((nothing(), false)) },
        }))
        .collect();
    known.extend(tests(feeder, &[], rows.filter, &[]));
    let asked = Asked {
        question: Question::Support {
            entity: feeder.name.clone(),
            field: rows.by.first().cloned().unwrap_or_default(),
        },
        wants: Wants::All,
        entity: feeder.name.clone(),
        tests: known,
        order: Vec::new(),
        returns: rows.reads.iter().map(Path::own).collect(),
        one_per: Vec::new(),
        freshness: None,
        all_tenants: false,
        batch: 1,
    };
    let stays = |table: &Table| match &counted {
        Counted::Field { entity, field } => {
            catalog.entity(entity).is_some_and(|owner| counts_again(catalog, owner, field, table))
        }
        Counted::Rollup(_) => true,
    };
    let serves = |table: &&Table| match access::serve(catalog, &designer.layout, &asked, table) {
        // A range that remains would read the whole group for each step.
        Ok(found) => found.remains.is_empty() && found.reach.spread() == 0 && stays(table),
        Err(_) => false,
    };
    if let Some(table) = designer.layout.tables.iter().find(serves) {
        return table.name.clone();
    }
    let of = match &counted {
        Counted::Field { entity, field } => format!("{entity}_{field}"),
        Counted::Rollup(rollup) => rollup.clone(),
    };
    let name = designer.names.table(&format!("{of}_counts"), &[], None, None);
    let by: Vec<&str> = rows.by.iter().map(String::as_str).collect();
    let ascending =
        |field: &String| SortItem { field: field.clone(), direction: Direction::Ascending, nulls_last: false };
    let sort: Vec<SortItem> =
        rows.time.iter().chain(&feeder.key).filter(|field| !rows.by.contains(field)).map(ascending).collect();
    let mut seen: Vec<&str> = by.clone();
    let sort: Vec<SortItem> = sort
        .into_iter()
        .filter(|item| {
            let first = !seen.contains(&item.field.as_str());
            if first {
                seen.push(feeder.field(&item.field).map_or("", |field| field.name.as_str()));
            }
            first
        })
        .collect();
    let mut columns: Vec<String> = Vec::new();
    for field in &rows.reads {
        if !seen.contains(&field.as_str()) && !columns.contains(field) {
            columns.push(field.clone());
        }
    }
    let table = designer.keyed(name.clone(), Holds::Contributions(counted), feeder, &by);
    let partition = structure::partition(catalog, feeder, &by);
    designer.layout.tables.push(Table { partition, sort, columns: Some(columns), ..table });
    name
}
