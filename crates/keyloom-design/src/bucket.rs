//! Partitions that would hold more than the engine can are cut by time: by the coarsest step that fits.

use keyloom_model::layout::{Bucket, Holds, Layout, Part, Partition, Table};
use keyloom_model::{Catalog, Class, Entity, Expr, Fill, Literal, TimeUnit, Type};
use keyloom_plan::Program;

/// The steps, the coarsest first, with their lengths.
const STEPS: [(Bucket, TimeUnit); 4] = [
    (Bucket::Year, TimeUnit::Year),
    (Bucket::Month, TimeUnit::Month),
    (Bucket::Day, TimeUnit::Day),
    (Bucket::Hour, TimeUnit::Hour),
];

/// The layout with partitions cut that would outgrow the engine, if any would.
pub(crate) fn cut(program: &Program) -> Option<Layout> {
    let cells_max = program.abilities.limits.partition_cells_max?;
    let mut layout = program.layout.clone();
    let mut any = false;
    for (table, stored) in layout.tables.iter_mut().zip(&program.tables) {
        let cells = stored.groups.iter().map(|group| group.columns.len() as u64).sum();
        if let Some(part) = step(&program.catalog, table, cells, cells_max)
            && let Partition::By(parts) = &mut table.partition
        {
            parts.push(part);
            any = true;
        }
    }
    any.then_some(layout)
}

/// The bucket that a table needs, where one is needed and legal.
fn step(catalog: &Catalog, table: &Table, cells: u64, cells_max: u64) -> Option<Part> {
    let (Holds::Source { entity, .. } | Holds::Projection { entity, .. }) = &table.holds else { return None };
    let entity = catalog.entity(entity)?;
    if entity.class(catalog).0 != Class::Append || table.all_tenants {
        return None;
    }
    let parts = table.partition.parts();
    if parts.is_empty() || parts.iter().any(|part| matches!(part, Part::Bucket(..))) {
        return None;
    }
    let field = &table.sort.first()?.field;
    if !given_by_the_clock(catalog, entity, field) {
        return None;
    }
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let by: Vec<&str> = parts.iter().map(Part::field).filter(|field| tenant != Some(field)).collect();
    // The largest group of these rows: of the same fields, or of fewer.
    let group = entity.groups.iter().find(|group| {
        group.by.iter().all(|field| by.contains(&field.as_str()))
            && (group.filter.is_none() || group.filter == table.filter)
            && group.rows.per.is_some()
    })?;
    let (worst, per) = (group.rows.worst?, group.rows.per?.milliseconds().max(1));
    let kept = entity.kept_for()?.milliseconds();
    let rows = |within: u64| u128::from(worst) * u128::from(within) / u128::from(per) * u128::from(cells);
    if rows(kept) <= u128::from(cells_max) {
        return None;
    }
    let hours = matches!(entity.field(field)?.ty, Type::Timestamp { .. } | Type::Uuid7);
    let fits = |(step, unit): &&(Bucket, TimeUnit)| {
        (hours || *step != Bucket::Hour) && rows(unit.milliseconds()) <= u128::from(cells_max)
    };
    STEPS.iter().find(fits).map(|(step, _)| Part::Bucket(*step, field.clone()))
}

/// Whether nobody can send another time than now: a row dated otherwise would lie in a bucket that no reader looks into.
fn given_by_the_clock(catalog: &Catalog, entity: &Entity, field: &str) -> bool {
    let Some(known) = entity.field(field).filter(|field| !field.optional) else { return false };
    let now = match (&known.fill, &known.ty) {
        (Fill::Default(value), Type::Timestamp { .. } | Type::Date) => *value == Expr::Literal(Literal::Now),
        (Fill::New, Type::Uuid7) => true,
        _ => false,
    };
    let is_sent = catalog.patterns.iter().any(|pattern| {
        pattern.writes().iter().any(|(_, write)| {
            let assigned = write.assignments.iter().any(|assignment| assignment.path.field == field);
            let sent = pattern.inputs.iter().any(|input| input.name == field);
            write.entity == entity.name && (assigned || sent || write.takes.iter().any(|taken| taken == field))
        })
    });
    now && !is_sent
}
