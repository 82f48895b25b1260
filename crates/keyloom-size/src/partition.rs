//! How large partitions are: the groups of the catalog that stand together.

use keyloom_model::layout::{Holds, Part, Table};
use keyloom_model::{By, ByItem, Distribution, Entity, Expr, Group, GroupSize, KnownBy, Path, Selection};
use keyloom_plan::{Program, Reach, ReadPlan, rows_of, selection};

use crate::quantity::{Quantity, Three};
use crate::rows::{Rows, fields, kept_ms};

/// The rows of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionRows {
    /// What it is partitioned by, as the layout writes it.
    pub by: Vec<String>,
    /// How many rows: in all, or in each span of `per_ms`.
    pub rows: Three,
    /// The span in which so many come, where partitions grow.
    pub per_ms: Option<u64>,
    /// How long a row stays.
    pub kept_ms: Option<u64>,
}

impl PartitionRows {
    /// How many rows there are so long after the first came.
    pub fn after(&self, span_ms: u64) -> Three {
        let Some(per_ms) = self.per_ms else { return self.rows.clone() };
        let span_ms = self.kept_ms.map_or(span_ms, |kept_ms| kept_ms.min(span_ms));
        self.rows.map(|rows| rows.part(span_ms.into(), per_ms.max(1).into()))
    }

    /// When the worst partition has more rows than so many, counted from its first; `None` for never, or not known.
    pub fn crosses(&self, limit: u128) -> Option<u64> {
        let rows = self.rows.worst.value()?;
        let Some(per_ms) = self.per_ms else { return (rows > limit).then_some(0) };
        // The first moment at which rows * span / per exceeds the limit.
        let span_ms = (limit.saturating_add(1)).saturating_mul(per_ms.into()).div_ceil(rows.max(1));
        let span_ms = u64::try_from(span_ms).unwrap_or(u64::MAX);
        let reached = rows > 0 && self.kept_ms.is_none_or(|kept_ms| span_ms <= kept_ms);
        reached.then_some(span_ms)
    }
}

/// The partitions of a table; `None` where each is one row.
pub(crate) fn of_table(program: &Program, table: &Table, rows: &Rows) -> Option<PartitionRows> {
    if table.sort.is_empty() {
        return None;
    }
    let catalog = &program.catalog;
    let entity = catalog.entity(rows_of(catalog, table)?)?;
    let by: Vec<String> = table.partition.parts().iter().map(written).collect();
    let fields = fields(catalog, table);
    let bucket = table.partition.bucket().map(|(step, _)| step.unit().milliseconds());
    let kept_ms = kept_ms(catalog, entity);
    let name = || if fields.is_empty() { "all".to_owned() } else { fields.join(", ") };
    let stated = stated(program, table, entity, &fields);
    let Some(size) = stated.filter(|size| size.known_by != KnownBy::Volume) else {
        let whole = fields.is_empty().then(|| whole(program, table, entity, rows));
        let open = Quantity::open(format!("entities.{}.groups.{}", entity.name, name()));
        let worst = match at_least(table, entity, &fields).filter(|_| bucket.is_none()) {
            Some(rows) => Quantity::known(rows).plus(&open),
            None => open.clone(),
        };
        let rows = whole.unwrap_or_else(|| Three { typical: open.clone(), p99: open, worst });
        return Some(PartitionRows { by, rows, per_ms: None, kept_ms });
    };
    let open = |part: &str| format!("entities.{}.groups.{} ({part})", entity.name, name());
    let Distribution { typical, p99, worst, per } = size.rows;
    let three = Three {
        typical: Quantity::stated(typical, || open("typical")),
        p99: Quantity::stated(p99, || open("p99")),
        worst: Quantity::stated(worst, || open("worst")),
    };
    let per_ms = per.map(|per| per.milliseconds().max(1));
    Some(match (per_ms, bucket) {
        (Some(per_ms), Some(step_ms)) => {
            // What comes in a step, at least one row: a bucket without rows is none.
            let rows = three.map(|rows| match rows.part(step_ms.into(), per_ms.into()) {
                none if none.value() == Some(0) => Quantity::known(1_u64),
                some => some,
            });
            PartitionRows { by, rows, per_ms: None, kept_ms }
        }
        (per_ms, _) => PartitionRows { by, rows: three, per_ms, kept_ms },
    })
}

/// The group that stands together: as the entity states it, else as a pattern does that reads it.
fn stated(program: &Program, table: &Table, entity: &Entity, fields: &[&str]) -> Option<GroupSize> {
    let item = |field: &&str| ByItem { path: Path::own(*field), value: Expr::Path(Path::own(*field)) };
    let of = Selection {
        entity: entity.name.clone(),
        by: if fields.is_empty() { By::All } else { By::Fields(fields.iter().map(item).collect()) },
        filter: table.filter.clone(),
        orders: Vec::new(),
        span: None,
        matches: None,
        group: None,
    };
    let by_entity = entity.group_size(&of).filter(|size| size.known_by != KnownBy::Identity);
    let same = by_entity.as_ref().is_some_and(|size| matches!(size.known_by, KnownBy::SameGroup(_)));
    if same {
        return by_entity;
    }
    // Of others the group is a part of what stands together.
    let all_of_it = |plan: &&ReadPlan| match &plan.access.reach {
        Reach::Slice(slice) => slice.equal.is_empty() && plan.access.remains.is_empty(),
        Reach::Get { .. } | Reach::Via { .. } => false,
    };
    let reads = program.reads.iter().filter(|plan| plan.access.table == table.name).filter(all_of_it);
    let groups = reads.filter_map(|plan| selection(&program.catalog, &plan.asked)?.group);
    let by_pattern = groups.map(|rows| GroupSize { rows, known_by: KnownBy::Pattern });
    by_pattern.max_by_key(|size| size.rows.worst).or(by_entity)
}

/// How many rows stand together at least at worst: a group by the same fields, or by more, of which only some rows are counted.
fn at_least(table: &Table, entity: &Entity, fields: &[&str]) -> Option<u64> {
    let is_part = |group: &&Group| {
        fields.iter().all(|field| group.by.iter().any(|known| known == field))
            && (table.filter.is_none() || group.filter == table.filter)
            && group.rows.per.is_none()
    };
    entity.groups.iter().filter(is_part).filter_map(|group| group.rows.worst).max()
}

/// All rows stand together: of everybody, or of one tenant.
fn whole(program: &Program, table: &Table, entity: &Entity, rows: &Rows) -> Three {
    let tenant = program.catalog.tenant.as_ref().filter(|_| entity.per_tenant && !table.all_tenants);
    let now = match table.holds {
        // A reservation never stands with others.
        Holds::Reservations { .. } => return Three { typical: one(), p99: one(), worst: one() },
        _ => &rows.now,
    };
    let Some(tenant) = tenant else { return Three { typical: now.clone(), p99: now.clone(), worst: now.clone() } };
    let count = Quantity::stated(tenant.count, || "tenant.count".to_owned());
    let typical = match count.value() {
        Some(count) => now.part(1, count),
        None => now.times(&count),
    };
    let busiest = Quantity::stated(tenant.busiest.map(|share| share.millionths), || "tenant.busiest".to_owned());
    Three {
        typical,
        p99: Quantity::open("the tenant of which one in a hundred is larger"),
        worst: now.times(&busiest).part(1, 1_000_000),
    }
}

fn written(part: &Part) -> String {
    match part {
        Part::Field(field) => field.clone(),
        Part::Bucket(step, field) => format!("{}({field})", step.name()),
    }
}

fn one() -> Quantity {
    Quantity::known(1_u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MONTH_MS;

    fn growing(worst: u64, kept_ms: Option<u64>) -> PartitionRows {
        let rows = Quantity::known(worst);
        let rows = Three { typical: rows.clone(), p99: rows.clone(), worst: rows };
        PartitionRows { by: Vec::new(), rows, per_ms: Some(MONTH_MS), kept_ms }
    }

    #[test]
    fn a_growing_partition_crosses_when_it_is_first_too_large() {
        let at = growing(100, None).crosses(1_000).unwrap();
        assert_eq!(growing(100, None).after(at).worst.whole(), Some(1_001));
        assert_eq!(growing(100, None).after(at - 1).worst.whole(), Some(1_000));
    }

    #[test]
    fn rows_that_end_before_keep_it_below() {
        assert_eq!(growing(100, Some(10 * MONTH_MS)).crosses(1_000), None);
        assert!(growing(100, Some(11 * MONTH_MS)).crosses(1_000).is_some());
        assert_eq!(growing(0, None).crosses(1_000), None);
    }
}
