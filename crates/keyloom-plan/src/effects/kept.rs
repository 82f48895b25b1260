//! Values that are kept from rows, and how they follow.

use keyloom_model::layout::{Counted, Holds, Keeper, Part, Table, Way};
use keyloom_model::{
    Aggregate, Arithmetic, Catalog, Class, Entity, Expiry, Expr, Fill, Kept, Literal, Origin, Path, Type, WriteVerb,
};

use super::{Does, Effect, Scope, When, often::and};
use crate::{question::normal, stored::Companions};

impl Scope<'_> {
    /// Kept values and rollups that follow this row.
    pub(super) fn feeds(&self, effects: &mut Vec<Effect>) {
        for other in &self.catalog.entities {
            for field in &other.fields {
                let Fill::Kept(kept) = &field.fill else { continue };
                let filter = kept.filter.as_ref().map_or(&[][..], Expr::conjuncts);
                let reads = [Some(&kept.through), kept.field.as_ref(), kept.by.as_ref()].into_iter().flatten();
                let Some(when) = self.feeds_when(&kept.entity, filter, reads.map(String::as_str)) else { continue };
                for table in &self.layout.tables {
                    let does = match &table.holds {
                        Holds::Kept { entity, field: of, upkeep } if (entity, of) == (&other.name, &field.name) => {
                            Does::Keeps(upkeep.way.unwrap_or_else(|| way_of(self.catalog, kept, self.companions)))
                        }
                        Holds::Contributions(Counted::Field { entity, field: of })
                            if (entity, of) == (&other.name, &field.name) =>
                        {
                            Does::Contributes
                        }
                        _ => continue,
                    };
                    self.in_groups(table, does, when, &[&kept.through], effects);
                }
            }
            let Origin::Rollup(rollup) = &other.origin else { continue };
            let filter = rollup.filter.as_ref().map_or(&[][..], Expr::conjuncts);
            let time = rollup.every.iter().map(|(_, of, _)| of.as_str());
            let values = rollup.values.iter().flat_map(|value| {
                let filter = value.filter.iter().flat_map(Expr::paths).filter_map(Path::own_field);
                value.field.iter().chain(&value.by).map(String::as_str).chain(filter)
            });
            let group: Vec<&str> = rollup.by.iter().map(String::as_str).chain(time).collect();
            let reads = group.iter().copied().chain(values);
            let Some(when) = self.feeds_when(&rollup.of, filter, reads) else { continue };
            for table in &self.layout.tables {
                let does = match &table.holds {
                    Holds::Source { entity, upkeep, .. } if *entity == other.name => {
                        let aggregates = rollup.values.iter().map(|value| value.aggregate);
                        let ways = aggregates.map(|aggregate| way(aggregate, self.class, self.companions));
                        // One row holds all values, so the way that needs most is taken for all.
                        let all = if ways.clone().any(|way| way == Way::Recount) { Way::Recount } else { Way::Rider };
                        Does::Keeps(upkeep.way.unwrap_or(all))
                    }
                    Holds::Projection { entity, keeper } if *entity == other.name => Does::Puts(*keeper),
                    Holds::Contributions(Counted::Rollup(of)) if *of == other.name => Does::Contributes,
                    _ => continue,
                };
                self.in_groups(table, does, when, &group, effects);
            }
        }
    }

    /// What is kept of a group follows; of two groups where the write may take the row from one to another.
    fn in_groups(&self, table: &Table, does: Does, when: When, group: &[&str], effects: &mut Vec<Effect>) {
        let effect = Effect { table: table.name.clone(), does, when };
        effects.push(effect.clone());
        if self.write.verb == WriteVerb::Update && group.iter().any(|field| self.changed.contains(field)) {
            effects.push(Effect { when: and(when, When::Sometimes), ..effect });
        }
    }

    /// How often a write feeds a value that is kept from rows of `entity` that pass `filter`; `None` for never.
    fn feeds_when<'b>(&self, entity: &str, filter: &'b [Expr], reads: impl Iterator<Item = &'b str>) -> Option<When> {
        if entity != self.entity.name {
            return None;
        }
        match self.write.verb {
            WriteVerb::Create => self.stands(filter, &[]),
            WriteVerb::Delete => Some(self.share(filter)),
            WriteVerb::Put => Some(When::Sometimes),
            WriteVerb::Update => {
                let tested = filter.iter().flat_map(Expr::paths).filter_map(Path::own_field);
                let touched = reads.chain(tested).any(|field| self.changed.contains(&field));
                touched.then(|| self.share(filter))
            }
        }
    }
}

/// How a kept field follows its rows, where the layout does not say.
pub fn way_of(catalog: &Catalog, kept: &Kept, companions: Companions) -> Way {
    let feeder = catalog.entity(&kept.entity);
    let order = kept.by.as_ref().and_then(|by| feeder?.field(by));
    // The order is the version, whose last digits tell equal moments apart.
    let by_time = order.is_some_and(|field| matches!(field.ty, Type::Timestamp { micros: false }));
    match way(kept.aggregate, feeder.map_or(Class::Decided, |feeder| feeder.class(catalog).0), companions) {
        Way::Newest if !by_time || !ends_in_order(kept, feeder) => Way::Recount,
        way => way,
    }
}

/// Whether the row that comes last ends last, so that the value ends with it: rows end equally long after the time that they
/// are ordered by, or never.
fn ends_in_order(kept: &Kept, feeder: Option<&Entity>) -> bool {
    match feeder.and_then(|feeder| feeder.expires.as_ref()) {
        Some(Expiry::At(Expr::Arithmetic(Arithmetic::Add, moment, span))) => {
            let by = |path: &Path| kept.by.is_some() && path.own_field() == kept.by.as_deref();
            kept.aggregate == Aggregate::Last
                && matches!(&**moment, Expr::Path(path) if by(path))
                && matches!(&**span, Expr::Literal(Literal::Span(_)))
        }
        Some(Expiry::At(_)) => false,
        Some(Expiry::Forever) | None => true,
    }
}

/// How an aggregate follows its rows.
pub fn way(aggregate: Aggregate, feeder: Class, companions: Companions) -> Way {
    use Aggregate::{Average, Count, First, Last, Max, Min, Sum};
    match (aggregate, feeder) {
        // Rows that never change only push a first or last value further.
        (First | Last, Class::Append) => Way::Newest,
        (Count | Sum | Average, Class::Decided) if companions == Companions::Ride => Way::Rider,
        (Count | Sum | Average | Min | Max | First | Last, _) => Way::Recount,
    }
}

/// Whether a kept field can be counted again from a table: it has the rows that count and no others, and those of one group
/// stand together. One that moves while they are read may be missed or met twice; who moves it counts again behind that.
pub fn counts_again(catalog: &Catalog, owner: &Entity, field: &str, table: &Table) -> bool {
    let Some(Fill::Kept(kept)) = owner.field(field).map(|field| &field.fill) else { return false };
    let Some(feeder) = catalog.entity(&kept.entity) else { return false };
    let Some(reference) = feeder.field(&kept.through) else { return false };
    let tests = |filter: &Option<Expr>| {
        let tests = filter.as_ref().map_or(&[][..], Expr::conjuncts).iter().map(|test| normal(feeder, test));
        tests.collect::<Vec<Expr>>()
    };
    let (wanted, stated) = (tests(&kept.filter), tests(&table.filter));
    let same = wanted.iter().all(|test| stated.contains(test)) && stated.iter().all(|test| wanted.contains(test));
    let appended = feeder.class(catalog).0 == Class::Append;
    let has_rows = match &table.holds {
        Holds::Contributions(Counted::Field { entity, field: of }) => (entity, of.as_str()) == (&owner.name, field),
        Holds::Projection { entity, keeper } => *entity == feeder.name && *keeper != Keeper::Index && same,
        Holds::Source { entity, .. } => *entity == feeder.name && appended && same,
        _ => false,
    };
    let tenant = catalog.tenant.as_ref().filter(|_| feeder.per_tenant).map(|tenant| tenant.field.as_str());
    let join = feeder.join(reference, owner);
    let group: Vec<&str> = tenant.into_iter().chain(join.iter().map(|(own, _)| *own)).collect();
    let parts = table.partition.parts();
    let in_group = |part: &Part| matches!(part, Part::Field(field) if group.contains(&field.as_str()));
    let together = !table.all_tenants && parts.len() == group.len() && parts.iter().all(in_group);
    let reads = kept.field.iter().chain(&kept.by);
    let holds = |field: &String| {
        let in_key =
            parts.iter().any(|part| part.field() == field) || table.sort.iter().any(|item| item.field == *field);
        in_key || table.columns.as_ref().is_some_and(|columns| columns.contains(field))
    };
    // What a list needs beside is not known before its columns are; a table of contributions states them.
    has_rows && together && reads.into_iter().all(holds)
}
