//! Rows that point to another one and follow it: parts, which are deleted with it, and rows that copy its fields. Where they
//! are found.

use keyloom_model::{Entity, Field, layout::Question as Address};
use keyloom_plan::{Component, Fixed, Program as Planned, Reach};
use keyloom_store::{ColumnAt, Shape};

use super::{Bound, EntityPlan, NotYet, Program, one};
use crate::record::Record;

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
    /// Where the key of their source stands in it; nowhere where it is always the same.
    pub(crate) key: Vec<Option<ColumnAt>>,
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
    /// Says of each entity whose rows are deleted which parts it has, and of those to what they belong.
    pub(super) fn parts(&mut self, planned: &Planned, found: &mut Vec<NotYet>) {
        for part in &planned.catalog.entities {
            let Some((reference, whole)) = part.felled_by(&planned.catalog) else { continue };
            let Some(at) = self.entities.iter().position(|plan| plan.name == whole.name) else { continue };
            match self.support(at, part, reference, planned) {
                Ok(parts) => {
                    self.entities[parts.entity].whole = Some(Whole { entity: at, fields: parts.through.clone() });
                    self.entities[at].parts.push(parts);
                }
                Err(words) => {
                    let at = format!("entities.{}", part.name);
                    found.extend(words.into_iter().map(|what| NotYet { at: at.clone(), what }));
                }
            }
        }
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
            Component::Bucket { .. } | Component::Buckets { .. } => None,
        };
        let partition = slice.partition.iter().map(component).collect::<Option<Vec<usize>>>().ok_or_else(odd)?;
        let equal = slice.equal.iter().map(|(field, to)| of_other(field, to));
        let equal = equal.collect::<Option<Vec<usize>>>().filter(|_| list.flags.is_empty()).ok_or_else(odd)?;
        let shape = Shape::of(self.tables[list.table].clone()).map_err(|_| odd())?;
        let key = plan.source.key.iter().map(|part| {
            let field = part.field()?;
            if plan.only == Some(field) { Some(None) } else { shape.column(&plan.fields[field].0).map(Some) }
        });
        let key = key.collect::<Option<Vec<_>>>().filter(|_| !partition.is_empty()).ok_or_else(odd)?;
        let (_, through) = self.joined(plan, entity, reference, declared).ok_or_else(odd)?;
        Ok(Support { entity: at, table: list.table, partition, equal, key, through })
    }
}

impl EntityPlan {
    /// Whether rows go with one of its own when it changes like this. One that was gone before has had its mark.
    pub(crate) fn fells(&self, before: Option<&Record>, after: &Record) -> bool {
        !self.parts.is_empty() && after.is_deleted() && before.is_some_and(|before| !before.gone)
    }
}
