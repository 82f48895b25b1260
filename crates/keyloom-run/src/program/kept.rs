//! Kept values: which rows feed them, and where they stand.

use keyloom_model::{
    Aggregate, Entity, Expr, Fill,
    layout::{Holds, Table as Laid, Way},
};
use keyloom_plan::Program as Planned;
use keyloom_value::Kind;

use super::{NotYet, Program};
use crate::evaluate;

/// A value that is kept from other rows.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) table: usize,
    /// Whose value it is, and which field.
    pub(crate) owner: usize,
    pub(crate) field: usize,
    pub(crate) aggregate: Aggregate,
    /// The kind of the value, or of the sum of which it is the mean.
    pub(crate) kind: Kind,
    /// The key of the table, in fields of the owner.
    pub(crate) key: Vec<usize>,
    /// Whose rows feed it.
    pub(crate) feeder: usize,
    /// The same key, in fields of a row that feeds it.
    pub(crate) through: Vec<usize>,
    /// What of such a row is added up.
    pub(crate) of: Option<usize>,
    /// Which rows count.
    pub(crate) filter: Option<Expr>,
}

impl Program {
    /// The kept values of a layout.
    pub(super) fn kept(&mut self, planned: &Planned, found: &mut Vec<NotYet>) {
        let first = planned.system.len();
        for (at, laid) in planned.layout.tables.iter().enumerate() {
            let Holds::Kept { entity, field, upkeep } = &laid.holds else { continue };
            let Some(owner) = self.catalog.entity(entity) else { continue };
            let bound = match upkeep.way {
                Some(Way::Rider) | None => self.kept_in(first + at, laid, owner, field),
                Some(Way::Recount) => Err(Some("a kept value that is counted again".to_owned())),
                Some(Way::Newest) => Err(Some("a kept value that is the newest".to_owned())),
            };
            match bound {
                Ok(kept) => self.kept.push(kept),
                Err(what) => {
                    let on = format!("tables.{}", laid.name);
                    found.extend(what.map(|what| NotYet { at: on, what }));
                }
            }
        }
    }

    /// One of them; nothing is said where an entity is not run, since that was said there.
    fn kept_in(&self, table: usize, laid: &Laid, owner: &Entity, field: &str) -> Result<Kept, Option<String>> {
        let Some(Fill::Kept(kept)) = owner.field(field).map(|field| &field.fill) else { return Err(None) };
        let at = |name: &str| self.entities.iter().position(|plan| plan.name == name).ok_or(None);
        let (owner_at, feeder_at) = (at(&owner.name)?, at(&kept.entity)?);
        let (own, feeder) = (&self.entities[owner_at], &self.entities[feeder_at]);
        let declared = self.catalog.entity(&kept.entity).ok_or(None)?;
        if feeder.expires.is_some() {
            return Err(Some(format!("`{field}` is kept from rows that end")));
        }
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
        let of = match &kept.field {
            Some(name) => Some(feeder.field(name).ok_or(None)?),
            None => None,
        };
        let field_at = own.field(field).ok_or(None)?;
        let kind = own.fields[field_at].1.clone();
        Ok(Kept {
            table,
            owner: owner_at,
            field: field_at,
            aggregate: kept.aggregate,
            kind,
            key,
            feeder: feeder_at,
            through,
            of,
            filter: kept.filter.clone(),
        })
    }
}
