//! How many rows a table has, how many come, and how long they stay.

use keyloom_model::layout::{Counted, Holds, Partition, Table};
use keyloom_model::{Catalog, Entity, Expiry, Expr, Fill, Origin, TimeSpan};
use keyloom_plan::{Does, Fixed, Program, Test, rows_of, tests};

use crate::quantity::{Quantity, share};
use crate::time::{Calls, MONTH_MS, in_span};

/// The rows of a table over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// On the day for which the catalog states its volumes.
    pub now: Quantity,
    /// New ones in a month.
    pub month: Quantity,
    /// How long each stays, in milliseconds; `None` where nothing ends it, or nothing says when it begins to end.
    pub kept_ms: Option<u64>,
}

impl Rows {
    /// How many there are so much later. Where rows end, there are never more than come while one stays.
    pub fn after(&self, span_ms: u64) -> Quantity {
        let come = |span_ms: u64| self.month.part(span_ms.into(), MONTH_MS.into());
        if span_ms == 0 {
            return self.now.clone();
        }
        let Some(kept_ms) = self.kept_ms else { return self.now.plus(&come(span_ms)) };
        if span_ms >= kept_ms {
            // Whatever stood there at first has ended.
            return come(kept_ms);
        }
        let all = self.now.plus(&come(span_ms));
        match (all.whole(), come(kept_ms).whole()) {
            (Some(rows), Some(steady)) => {
                // Fewer than now they are only when those of today end.
                let now = self.now.whole().unwrap_or(0);
                Quantity::known(rows.min(steady.max(now)))
            }
            _ => all,
        }
    }

    /// As many as there are when as many end as come; `None` where they grow without end.
    pub fn steady(&self) -> Option<Quantity> {
        self.kept_ms.map(|kept_ms| self.after(kept_ms))
    }

    /// A part of them, in millionths.
    fn part(&self, millionths: &Quantity) -> Self {
        let part = |rows: &Quantity| rows.times(millionths).part(1, 1_000_000);
        Self { now: part(&self.now), month: part(&self.month), kept_ms: self.kept_ms }
    }
}

/// The rows of a table of the layout.
pub(crate) fn of_table(program: &Program, table: &Table) -> Rows {
    let catalog = &program.catalog;
    let open = |what: &str| Quantity::open(format!("{what} of table {}", table.name));
    let unknown = || Rows { now: open("rows"), month: open("growth"), kept_ms: None };
    let Some(entity) = rows_of(catalog, table).and_then(|name| catalog.entity(name)) else { return unknown() };
    match &table.holds {
        Holds::Source { .. } => of_entity(program, entity),
        Holds::Projection { .. } => {
            let filter = table.filter.as_ref().map_or(&[][..], Expr::conjuncts);
            of_entity(program, entity).part(&passing(entity, filter))
        }
        Holds::Reservations { unique, .. } => {
            let unique = entity.unique.iter().find(|known| known.name == *unique);
            let filter = unique.and_then(|unique| unique.filter.as_ref()).map_or(&[][..], Expr::conjuncts);
            // Who frees a value and when is no reason to count fewer: reservations have no end of their own.
            Rows { kept_ms: None, ..of_entity(program, entity).part(&passing(entity, filter)) }
        }
        Holds::Kept { .. } => of_entity(program, entity),
        Holds::Contributions(Counted::Field { .. } | Counted::Rollup(_)) => of_entity(program, entity),
        Holds::Newest { .. } => one_each(catalog, entity, &fields(catalog, table)).unwrap_or_else(unknown),
        Holds::Numbers { .. } => {
            let per = fields(catalog, table);
            one_each(catalog, entity, &per).unwrap_or_else(unknown)
        }
    }
}

/// The fields that a table is partitioned by, but for the tenant.
pub(crate) fn fields<'a>(catalog: &Catalog, table: &'a Table) -> Vec<&'a str> {
    let parts = match &table.partition {
        Partition::All => &[][..],
        Partition::By(parts) => parts,
    };
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let own = parts.iter().filter_map(|part| match part {
        keyloom_model::layout::Part::Field(field) => Some(field.as_str()),
        keyloom_model::layout::Part::Bucket(..) => None,
    });
    own.filter(|field| Some(*field) != tenant).collect()
}

/// The rows of an entity: as stated, or as other numbers of the catalog give them.
fn of_entity(program: &Program, entity: &Entity) -> Rows {
    let catalog = &program.catalog;
    let name = &entity.name;
    let volume = entity.volume;
    let stated = volume.and_then(|volume| volume.growth).map(|rate| in_span(rate, MONTH_MS));
    let kept_ms = kept_ms(catalog, entity);
    let now = Quantity::stated(volume.and_then(|volume| volume.rows), || format!("entities.{name}.volume.rows"));
    let month = match (&entity.origin, stated) {
        (_, Some(month)) => Quantity::known(month),
        (Origin::Rollup(rollup), None) => steps(catalog, entity, rollup),
        (Origin::Event { .. } | Origin::History { .. }, None) => added(program, entity),
        (Origin::Declared | Origin::Elsewhere, None) => Quantity::open(format!("entities.{name}.volume.growth")),
    };
    Rows { now, month, kept_ms }
}

/// A rollup has at most one row for each thing and each step of time.
fn steps(catalog: &Catalog, entity: &Entity, rollup: &keyloom_model::Rollup) -> Quantity {
    let open = || Quantity::open(format!("entities.{}.volume.growth", entity.name));
    let Some((step, _, _)) = &rollup.every else { return open() };
    let by: Vec<&str> = rollup.by.iter().map(String::as_str).collect();
    let Some(of) = catalog.entity(&rollup.of) else { return open() };
    match one_each(catalog, of, &by) {
        Some(things) => things.now.part(MONTH_MS.into(), step.milliseconds().max(1).into()),
        None => open(),
    }
}

/// How many rows of an event or a history come with the writes that add them.
fn added(program: &Program, entity: &Entity) -> Quantity {
    let is_source = |table: &&Table| matches!(&table.holds, Holds::Source { entity: of, .. } if *of == entity.name);
    let Some(table) = program.layout.tables.iter().find(is_source) else {
        return Quantity::open(format!("entities.{}.volume.growth", entity.name));
    };
    let mut month = Quantity::known(0_u64);
    for plan in &program.writes {
        let adds =
            |effect: &&keyloom_plan::Effect| effect.table == table.name && matches!(effect.does, Does::Adds { .. });
        let times = plan.effects.iter().filter(adds).count();
        if let Some(pattern) = program.catalog.pattern(&plan.pattern).filter(|_| times > 0) {
            month = month.plus(&Calls::of(&pattern.name, pattern.rate).month.part(times as u128, 1));
        }
    }
    month
}

/// One row for each value of these fields, where they are the key of an entity, or point to one, or are none.
fn one_each(catalog: &Catalog, entity: &Entity, fields: &[&str]) -> Option<Rows> {
    let rows = |of: &Entity| Rows {
        now: Quantity::stated(of.volume.and_then(|volume| volume.rows), || format!("entities.{}.volume.rows", of.name)),
        month: Quantity::stated(of.volume.and_then(|volume| volume.growth).map(|rate| in_span(rate, MONTH_MS)), || {
            format!("entities.{}.volume.growth", of.name)
        }),
        kept_ms: kept_ms(catalog, of),
    };
    match fields {
        [] => {
            let tenants = catalog.tenant.as_ref().filter(|_| entity.per_tenant);
            let now = tenants.map_or_else(
                || Quantity::known(1_u64),
                |tenant| Quantity::stated(tenant.count, || "tenant.count".to_owned()),
            );
            Some(Rows { now, month: Quantity::known(0_u64), kept_ms: None })
        }
        [field] => {
            let reference = entity.field(field)?.reference.as_ref()?;
            catalog.entity(&reference.entity).map(rows)
        }
        _ => None,
    }
}

/// How long a row stays after it came; `None` where it stays for ever, or where what ends it begins later.
pub(crate) fn kept_ms(catalog: &Catalog, entity: &Entity) -> Option<u64> {
    if let Origin::History { of } = &entity.origin {
        let history = catalog.entity(of)?.history.as_ref()?;
        return history.keep.map(TimeSpan::milliseconds);
    }
    let Some(Expiry::At(expr)) = &entity.expires else { return None };
    let begins = |path: &&keyloom_model::Path| {
        let field = path.own_field().and_then(|name| entity.field(name));
        // A field that is set later, such as the moment of closing, does not say when the end begins.
        field.is_some_and(|field| !field.optional && !matches!(field.fill, Fill::NowOnWrite))
    };
    let paths = expr.paths();
    let all = !paths.is_empty() && paths.iter().all(begins);
    entity.kept_for().filter(|_| all).map(TimeSpan::milliseconds)
}

/// How many rows pass these tests, in millionths, by the shares of enums. That an optional field is there is assumed.
fn passing(entity: &Entity, filter: &[Expr]) -> Quantity {
    let mut passing = Quantity::known(1_000_000_u64);
    for test in filter {
        passing = passing.times(&test_share(entity, test)).part(1, 1_000_000);
    }
    passing
}

fn test_share(entity: &Entity, test: &Expr) -> Quantity {
    if matches!(test, Expr::IsNull { negated: true, .. }) {
        return Quantity::known(1_000_000_u64);
    }
    let open = || Quantity::open(format!("the share of {} where {test}", entity.name));
    let Some(Test::Fixes { field, to }) = tests(entity, &[], Some(test), &[]).pop() else { return open() };
    match enum_share(entity, &field, &to) {
        Some(millionths) => Quantity::known(share(millionths, 1, 1)),
        None => open(),
    }
}

fn enum_share(entity: &Entity, field: &str, to: &Fixed) -> Option<u128> {
    let keyloom_model::Type::Enum(variants) = &entity.field(field)?.ty else { return None };
    let of = |value: &Expr| match value {
        Expr::Literal(keyloom_model::Literal::Variant(name)) => {
            variants.iter().find(|variant| variant.name == *name)?.share.map(|share| u128::from(share.millionths))
        }
        _ => None,
    };
    match to {
        Fixed::To(value) => of(value),
        Fixed::OneOf(values) => values.iter().map(of).sum(),
        Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::YEAR_MS;

    fn rows(now: Quantity, month: u64, kept_ms: Option<u64>) -> Rows {
        Rows { now, month: Quantity::known(month), kept_ms }
    }

    #[test]
    fn rows_that_end_come_to_a_steady_state() {
        let kept = rows(Quantity::known(50_u64), 100, Some(10 * MONTH_MS));
        assert_eq!(kept.after(0).whole(), Some(50));
        assert_eq!(kept.after(5 * MONTH_MS).whole(), Some(550));
        assert_eq!(kept.after(9 * MONTH_MS + MONTH_MS / 2).whole(), Some(1_000));
        assert_eq!(kept.after(100 * MONTH_MS).whole(), Some(1_000));
    }

    #[test]
    fn rows_of_today_that_nobody_counted_are_known_when_they_have_ended() {
        let kept = rows(Quantity::open("volume"), 100, Some(10 * MONTH_MS));
        assert_eq!((kept.after(MONTH_MS).value(), kept.after(MONTH_MS).whole()), (Some(100), None));
        assert_eq!(kept.after(YEAR_MS).whole(), Some(1_000));
        assert_eq!(rows(Quantity::open("volume"), 1, None).after(YEAR_MS).whole(), None);
    }
}
