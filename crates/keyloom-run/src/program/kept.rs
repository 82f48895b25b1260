//! Kept values: which rows feed them, and where they stand.

use keyloom_model::{
    Aggregate, Entity, Expr, Fill,
    layout::{Counted, Holds, Table as Laid, Upkeep, Way},
};
use keyloom_plan::{Program as Planned, counts_again, way_of};
use keyloom_store::{ColumnAt, Shape};
use keyloom_value::Kind;

use super::{EntityPlan, NotYet, Program};
use crate::evaluate;

/// A value that is kept from other rows.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) table: usize,
    /// Whose value it is, and which field.
    pub(crate) owner: usize,
    pub(crate) field: usize,
    pub(crate) aggregate: Aggregate,
    pub(crate) way: Way,
    /// What it is counted again from, where that is its way.
    pub(crate) counts: Option<Counts>,
    /// The kind of the value, or of the sum of which it is the mean.
    pub(crate) kind: Kind,
    /// The key of the table, in fields of the owner.
    pub(crate) key: Vec<usize>,
    /// Whose rows feed it.
    pub(crate) feeder: usize,
    /// The same key, in fields of a row that feeds it.
    pub(crate) through: Vec<usize>,
    /// What of such a row is added up, or is the value where it comes first or last.
    pub(crate) of: Option<usize>,
    /// In which order it comes first or last.
    pub(crate) by: Option<usize>,
    /// Which rows count.
    pub(crate) filter: Option<Expr>,
}

/// The table that a value is counted again from: the rows of a group stand together.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    pub(crate) table: usize,
    /// Where each field of a row that counts is, if it is there.
    pub(crate) columns: Vec<Option<ColumnAt>>,
    /// Which component of the value's key each component of the partition is.
    pub(crate) partition: Vec<usize>,
}

impl Kept {
    /// Whether it is at any moment what the rows add up to, so that it can be compared with them. What is counted again
    /// lags behind them for a while.
    pub(crate) fn adds_up(&self) -> bool {
        self.way == Way::Rider
    }

    /// The key of the value that a row of the counted table counts for.
    pub(crate) fn key_at<T: Clone>(counts: &Counts, key: &[T]) -> Vec<T> {
        let at = |component: usize| counts.partition.iter().position(|known| *known == component);
        (0..counts.partition.len()).filter_map(|component| Some(key[at(component)?].clone())).collect()
    }
}

impl EntityPlan {
    /// Whether a field is kept from other rows, and stands by itself. A source that can't be run has no columns at all.
    pub(super) fn is_kept(&self, field: usize) -> bool {
        self.source.columns.get(field).is_none_or(Option::is_none)
    }
}

impl Program {
    /// The kept values of a layout.
    pub(super) fn kept(&mut self, planned: &Planned, found: &mut Vec<NotYet>) {
        let first = planned.system.len();
        for (at, laid) in planned.layout.tables.iter().enumerate() {
            let Holds::Kept { entity, field, upkeep } = &laid.holds else { continue };
            let Some(owner) = self.catalog.entity(entity) else { continue };
            match self.kept_in(first + at, laid, owner, field, upkeep, planned) {
                Ok(kept) => self.kept.push(kept),
                Err(what) => {
                    let on = format!("tables.{}", laid.name);
                    found.extend(what.map(|what| NotYet { at: on, what }));
                }
            }
        }
    }

    /// One of them; nothing is said where an entity is not run, since that was said there.
    fn kept_in(
        &self,
        table: usize,
        laid: &Laid,
        owner: &Entity,
        field: &str,
        upkeep: &Upkeep,
        planned: &Planned,
    ) -> Result<Kept, Option<String>> {
        let Some(Fill::Kept(kept)) = owner.field(field).map(|field| &field.fill) else { return Err(None) };
        let at = |name: &str| self.entities.iter().position(|plan| plan.name == name).ok_or(None);
        let (owner_at, feeder_at) = (at(&owner.name)?, at(&kept.entity)?);
        let (own, feeder) = (&self.entities[owner_at], &self.entities[feeder_at]);
        let declared = self.catalog.entity(&kept.entity).ok_or(None)?;
        let words = kept.filter.iter().flat_map(|filter| evaluate::not_yet(filter, declared)).next();
        if words.is_some() {
            return Err(words);
        }
        let names: Vec<&str> = self.tables.get(table).ok_or(None)?.key_names().collect();
        let key = names.iter().map(|name| own.field(name)).collect::<Option<Vec<usize>>>().ok_or(None)?;
        let reference = declared.field(&kept.through).ok_or(None)?;
        let join = declared.join(reference, owner);
        let through = |field: &usize| {
            if own.tenant == Some(*field) {
                return feeder.tenant;
            }
            let (from, _) = join.iter().find(|(_, to)| *to == own.fields[*field].0)?;
            feeder.field(from)
        };
        let through = key.iter().map(through).collect::<Option<Vec<usize>>>();
        let through = through.ok_or_else(|| Some(format!("`{}` by this key", laid.name)))?;
        let named = |name: &Option<String>| match name {
            Some(name) => feeder.field(name).map(Some).ok_or(None),
            None => Ok(None),
        };
        let (of, by) = (named(&kept.field)?, named(&kept.by)?);
        let asked = way_of(&self.catalog, kept, self.companions);
        let way = upkeep.way.unwrap_or(asked);
        let counts = match way {
            Way::Recount => Some(self.counts(owner, field, feeder, &through, upkeep, planned)?),
            Way::Rider | Way::Newest if way == asked => None,
            Way::Rider | Way::Newest => {
                return Err(Some(format!("`way: {}` here: write `way: {}`", way.name(), asked.name())));
            }
        };
        let unread = |counts: &Counts| of.into_iter().chain(by).find(|field| counts.columns[*field].is_none());
        if let Some(lacks) = counts.as_ref().and_then(unread) {
            return Err(Some(format!("`{field}` is counted from a table without `{}`", feeder.fields[lacks].0)));
        }
        let field_at = own.field(field).ok_or(None)?;
        let kind = own.fields[field_at].1.clone();
        Ok(Kept {
            table,
            owner: owner_at,
            field: field_at,
            aggregate: kept.aggregate,
            way,
            counts,
            kind,
            key,
            feeder: feeder_at,
            through,
            of,
            by,
            filter: kept.filter.clone(),
        })
    }

    /// What a value is counted again from.
    fn counts(
        &self,
        owner: &Entity,
        field: &str,
        feeder: &EntityPlan,
        through: &[usize],
        upkeep: &Upkeep,
        planned: &Planned,
    ) -> Result<Counts, Option<String>> {
        let counted = Counted::Field { entity: owner.name.clone(), field: field.to_owned() };
        let is_stated = |table: &Laid| match &upkeep.from {
            Some(from) => table.name == *from,
            None => table.holds == Holds::Contributions(counted.clone()),
        };
        let found = planned.layout.tables.iter().position(is_stated);
        let at = found.ok_or_else(|| Some(format!("`{field}` without a table that it is counted from")))?;
        let laid = &planned.layout.tables[at];
        if !counts_again(&self.catalog, owner, field, laid) {
            let name = &laid.name;
            return Err(Some(format!(
                "`{field}` counted from `{name}`, where others stand with the rows that count: write `counts: {}.{field}`",
                owner.name
            )));
        }
        let table = planned.system.len() + at;
        let made = self.tables.get(table).ok_or(None)?;
        let shape = Shape::of(made.clone()).map_err(|fault| Some(fault.cause().to_owned()))?;
        let component = |name: &str| {
            let field = feeder.field(name)?;
            through.iter().position(|known| *known == field)
        };
        let partition = made.partition.iter().map(|column| component(&column.name)).collect::<Option<Vec<usize>>>();
        let columns = feeder.fields.iter().map(|(name, _)| shape.column(name)).collect();
        Ok(Counts { table, columns, partition: partition.ok_or(None)? })
    }
}
