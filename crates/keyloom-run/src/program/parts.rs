//! Parts of a row: where they are found when it is deleted.

use keyloom_model::{Entity, WriteVerb, layout::Question as Address};
use keyloom_plan::{Component, Fixed, Program as Planned, Reach};
use keyloom_store::{ColumnAt, Shape};

use super::{Bound, EntityPlan, Program, one};

/// Rows that are deleted with another one.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    /// Whose rows they are.
    pub(crate) entity: usize,
    /// The list of them.
    pub(crate) table: usize,
    /// The partition of that list and the first columns of its sort key, in fields of the whole.
    pub(crate) partition: Vec<usize>,
    pub(crate) equal: Vec<usize>,
    /// Where the key of their source stands in it.
    pub(crate) key: Vec<ColumnAt>,
    /// The fields of a part that the key of the whole's source equals.
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
    pub(super) fn parts(&mut self, planned: &Planned, found: &mut Vec<super::NotYet>) {
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
                        found.extend(words.into_iter().map(|what| super::NotYet { at: at.clone(), what }));
                    }
                }
            }
        }
    }

    fn parts_of(&self, whole: usize, planned: &Planned) -> Bound<Vec<Parts>> {
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
            all.push(self.part(whole, part, planned)?);
        }
        Ok(all)
    }

    fn part(&self, whole: usize, part: &Entity, planned: &Planned) -> Bound<Parts> {
        let (at, plan, _) = self.target(&part.name)?;
        let (own, declared) = (&self.entities[whole], self.catalog.entity(&self.entities[whole].name));
        let declared = declared.ok_or_else(Vec::new)?;
        let points = |to: &&keyloom_model::Field| to.reference.as_ref().is_some_and(|to| to.entity == own.name);
        let reference = part.fields.iter().find(points).ok_or_else(Vec::new)?;
        if !reference.reference.as_ref().is_some_and(|reference| reference.must_exist) {
            // A part could come after the walk that deletes them; the look at what must exist is what stops it.
            return one(format!(
                "`delete` of a row with parts that need not point to one that is there: write `-> {} must exist` in {}",
                own.name, part.name
            ));
        }
        let question = Address::Support { entity: part.name.clone(), field: reference.name.clone() };
        let access = &planned.read(&question).ok_or_else(Vec::new)?.access;
        let Reach::Slice(slice) = &access.reach else { return one(format!("parts of {} without a list", own.name)) };
        let list = plan.projections.iter().find(|known| self.tables[known.table].name == access.table);
        let list = list.filter(|_| access.remains.is_empty() && slice.range.is_none());
        let list = list.ok_or_else(|| vec![format!("parts of {} in `{}`", own.name, access.table)])?;
        let join = part.join(reference, declared);
        let of_whole = |field: &str, to: &Fixed| match to {
            Fixed::Tenant => own.tenant,
            _ => join.iter().find(|(part, _)| *part == field).and_then(|(_, whole)| own.field(whole)),
        };
        let odd = || vec![format!("parts of {} by this list: `{}`", own.name, access.table)];
        let component = |component: &Component| match component {
            Component::Field(field, to) => of_whole(field, to),
            Component::Buckets { .. } => None,
        };
        let partition = slice.partition.iter().map(component).collect::<Option<Vec<usize>>>().ok_or_else(odd)?;
        let equal = slice.equal.iter().map(|(field, to)| of_whole(field, to));
        let equal = equal.collect::<Option<Vec<usize>>>().filter(|_| list.flags.is_empty()).ok_or_else(odd)?;
        let shape = Shape::of(self.tables[list.table].clone()).map_err(|_| odd())?;
        let key = plan.source.key.iter().map(|field| shape.column(&plan.fields[*field].0));
        let key = key.collect::<Option<Vec<ColumnAt>>>().filter(|_| !partition.is_empty()).ok_or_else(odd)?;
        let (_, through) = self.joined(plan, part, reference, declared).ok_or_else(odd)?;
        Ok(Parts { entity: at, table: list.table, partition, equal, key, through })
    }
}

impl EntityPlan {
    /// Whether rows go with one of its own.
    pub(crate) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }
}
