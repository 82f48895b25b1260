//! Rows that point to another one and follow it: parts, which are deleted with it, and rows that copy its fields. Where they
//! are found.

use keyloom_model::{Entity, Field, WriteVerb, layout::Question as Address};
use keyloom_plan::{Component, Fixed, Program as Planned, Reach};
use keyloom_store::{ColumnAt, Shape};

use super::{Bound, EntityPlan, NotYet, Program, one};

/// Rows that point to another one.
#[derive(Debug, Clone)]
pub(crate) struct Support {
    /// Whose rows they are.
    pub(crate) entity: usize,
    /// The list of them.
    pub(crate) table: usize,
    /// The partition of that list and the first columns of its sort key, in fields of the row that they point to.
    pub(crate) partition: Vec<usize>,
    pub(crate) equal: Vec<usize>,
    /// Where the key of their source stands in it.
    pub(crate) key: Vec<ColumnAt>,
    /// Their fields that the key of the other's source equals.
    pub(crate) through: Vec<usize>,
}

/// The row that a part belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Whole {
    pub(crate) entity: usize,
    /// The own fields that the key of its source equals.
    pub(crate) fields: Vec<usize>,
}

impl Program {
    /// Says of each entity that is deleted which parts it has, and of those to what they belong.
    pub(super) fn parts(&mut self, planned: &Planned, found: &mut Vec<NotYet>) {
        for pattern in &self.catalog.patterns.clone() {
            for (_, write) in pattern.writes() {
                let Some(at) = self.entities.iter().position(|plan| plan.name == write.entity) else { continue };
                if write.verb != WriteVerb::Delete || !self.entities[at].parts.is_empty() {
                    continue;
                }
                match self.parts_of(at, planned) {
                    Ok(parts) => {
                        for part in &parts {
                            self.entities[part.entity].whole = Some(Whole { entity: at, fields: part.through.clone() });
                        }
                        self.entities[at].parts = parts;
                    }
                    Err(words) => {
                        let at = format!("patterns.{}", pattern.name);
                        found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
                    }
                }
            }
        }
    }

    fn parts_of(&self, whole: usize, planned: &Planned) -> Bound<Vec<Support>> {
        let name = &self.entities[whole].name;
        let is_part = |of: &str| {
            let of = of.to_owned();
            move |entity: &&Entity| entity.part_of.as_ref() == Some(&of)
        };
        let mut all = Vec::new();
        for part in self.catalog.entities.iter().filter(is_part(name)) {
            if self.catalog.entities.iter().any(|other| is_part(&part.name)(&other)) {
                return one(format!("`delete` of a row whose parts have parts: {}", part.name));
            }
            let points = |to: &&Field| to.reference.as_ref().is_some_and(|to| to.entity == *name);
            let reference = part.fields.iter().find(points).ok_or_else(Vec::new)?;
            if !reference.reference.as_ref().is_some_and(|reference| reference.must_exist) {
                // A part could come after the walk that deletes them; the look at what must exist is what stops it.
                return one(format!(
                    "`delete` of a row with parts that need not point to one that is there: write `-> {name} must exist` in {}",
                    part.name
                ));
            }
            all.push(self.support(whole, part, reference, planned)?);
        }
        Ok(all)
    }

    /// Where the rows are found that point to those of an entity.
    pub(super) fn support(&self, to: usize, entity: &Entity, reference: &Field, planned: &Planned) -> Bound<Support> {
        let (at, plan, _) = self.target(&entity.name)?;
        let own = &self.entities[to];
        let declared = self.catalog.entity(&own.name).ok_or_else(Vec::new)?;
        let question = Address::Support { entity: entity.name.clone(), field: reference.name.clone() };
        let access = &planned.read(&question).ok_or_else(Vec::new)?.access;
        let Reach::Slice(slice) = &access.reach else {
            return one(format!("rows of {} that point to {} without a list", entity.name, own.name));
        };
        let odd =
            || vec![format!("rows of {} that point to {} by this list: `{}`", entity.name, own.name, access.table)];
        let list = plan.projections.iter().find(|known| self.tables[known.table].name == access.table);
        let list = list.filter(|_| access.remains.is_empty() && slice.range.is_none()).ok_or_else(odd)?;
        let join = entity.join(reference, declared);
        let of_other = |field: &str, to: &Fixed| match to {
            Fixed::Tenant => own.tenant,
            _ => join.iter().find(|(pointing, _)| *pointing == field).and_then(|(_, other)| own.field(other)),
        };
        let component = |component: &Component| match component {
            Component::Field(field, to) => of_other(field, to),
            Component::Buckets { .. } => None,
        };
        let partition = slice.partition.iter().map(component).collect::<Option<Vec<usize>>>().ok_or_else(odd)?;
        let equal = slice.equal.iter().map(|(field, to)| of_other(field, to));
        let equal = equal.collect::<Option<Vec<usize>>>().filter(|_| list.flags.is_empty()).ok_or_else(odd)?;
        let shape = Shape::of(self.tables[list.table].clone()).map_err(|_| odd())?;
        let key = plan.source.key.iter().map(|field| shape.column(&plan.fields[*field].0));
        let key = key.collect::<Option<Vec<ColumnAt>>>().filter(|_| !partition.is_empty()).ok_or_else(odd)?;
        let (_, through) = self.joined(plan, entity, reference, declared).ok_or_else(odd)?;
        Ok(Support { entity: at, table: list.table, partition, equal, key, through })
    }
}

impl EntityPlan {
    /// Whether rows go with one of its own.
    pub(crate) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }
}
