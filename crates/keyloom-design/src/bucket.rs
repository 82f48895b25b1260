//! Partitions that would hold more than the engine can are cut by time: by the coarsest step that fits.

use keyloom_model::layout::{Bucket, Holds, Layout, Part, Partition, Table};
use keyloom_model::{Catalog, Class, Type};
use keyloom_plan::{Program, Reach, access, walked};

/// The steps, the coarsest first.
pub(crate) const STEPS: [Bucket; 4] = [Bucket::Year, Bucket::Month, Bucket::Day, Bucket::Hour];

/// The layout with partitions cut that would outgrow the engine, if any would and everybody who reads them can.
pub(crate) fn cut(program: &Program) -> Option<Layout> {
    let cells_max = program.abilities.limits.partition_cells_max?;
    let mut layout = program.layout.clone();
    let mut any = false;
    for (table, stored) in layout.tables.iter_mut().zip(&program.tables) {
        let cells = stored.groups.iter().map(|group| group.columns.len() as u64).sum();
        let mut cut = table.clone();
        if let (Some(part), Partition::By(parts)) =
            (step(&program.catalog, table, cells, cells_max), &mut cut.partition)
        {
            parts.push(part);
            if is_read(program, &cut) {
                *table = cut;
                any = true;
            }
        }
    }
    any.then_some(layout)
}

/// Whether a table answers all that it is asked when it is cut like this, and nothing is counted from it.
pub(crate) fn is_read(program: &Program, cut: &Table) -> bool {
    let counts =
        |table: &Table| matches!(&table.holds, Holds::Kept { upkeep, .. } if upkeep.from.as_ref() == Some(&cut.name));
    let mut reads = program.reads.iter().filter(|plan| plan.access.table == cut.name);
    !program.layout.tables.iter().any(counts)
        && reads.all(|plan| match access::serve(&program.catalog, &program.layout, &plan.asked, cut) {
            Ok(access) => match &access.reach {
                Reach::Slice(slice) => walked(&program.catalog, &plan.asked, slice).is_some(),
                Reach::Get { .. } | Reach::Via { .. } => true,
            },
            Err(_) => false,
        })
}

/// The bucket that a table needs, where one is needed.
fn step(catalog: &Catalog, table: &Table, cells: u64, cells_max: u64) -> Option<Part> {
    let (Holds::Source { entity, .. } | Holds::Projection { entity, .. }) = &table.holds else { return None };
    let entity = catalog.entity(entity)?;
    if entity.class(catalog).0 != Class::Append || table.all_tenants || table.partition.bucket().is_some() {
        return None;
    }
    let parts = table.partition.parts();
    if parts.is_empty() {
        return None;
    }
    let field = &table.sort.first().filter(|item| !item.nulls_last)?.field;
    let hours = match entity.field(field).filter(|field| !field.optional)?.ty {
        Type::Timestamp { .. } | Type::Uuid7 => true,
        Type::Date => false,
        _ => return None,
    };
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let by: Vec<&str> = parts.iter().map(Part::field).filter(|field| tenant != Some(field)).collect();
    // The largest group of these rows: of the same fields, or of fewer.
    let group = entity.groups.iter().find(|group| {
        group.by.iter().all(|field| by.contains(&field.as_str()))
            && (group.filter.is_none() || group.filter == table.filter)
            && group.rows.per.is_some()
    })?;
    let (worst, per) = (group.rows.worst?, group.rows.per?.milliseconds().max(1));
    let rows = |within: u64| u128::from(worst) * u128::from(within) / u128::from(per) * u128::from(cells);
    if rows(entity.kept_for()?.milliseconds()) <= u128::from(cells_max) {
        return None;
    }
    let fits =
        |step: &&Bucket| (hours || **step != Bucket::Hour) && rows(step.unit().milliseconds()) <= u128::from(cells_max);
    STEPS.iter().find(fits).map(|step| Part::Bucket(*step, field.clone()))
}
