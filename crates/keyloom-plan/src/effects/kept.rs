//! Values that are kept from rows, and how they follow.

use keyloom_model::layout::{Counted, Holds, Table, Way};
use keyloom_model::{Aggregate, Class, Expr, Fill, Origin, Path, WriteVerb};

use super::{Does, Effect, Scope, When, often::and};
use crate::stored::Companions;

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
                            Does::Keeps(upkeep.way.unwrap_or_else(|| way(kept.aggregate, self.class, self.companions)))
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

/// How a kept value follows its rows, where the layout does not say.
pub fn way(aggregate: Aggregate, feeder: Class, companions: Companions) -> Way {
    use Aggregate::{Average, Count, First, Last, Max, Min, Sum};
    match (aggregate, feeder) {
        // Rows that never change only push a first, last, least or greatest value further.
        (Min | Max | First | Last, Class::Append) => Way::Newest,
        (Count | Sum | Average, Class::Decided) if companions == Companions::Ride => Way::Rider,
        (Count | Sum | Average | Min | Max | First | Last, _) => Way::Recount,
    }
}
