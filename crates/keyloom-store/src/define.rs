use std::{fmt, sync::Arc};

use keyloom_value::Kind;
use serde::{Deserialize, Serialize};

use crate::{
    abilities::Abilities,
    fault::Fault,
    schema::{Column, Discipline, Shape, SortColumn, Table, TableId},
};

/// The tables of a store.
pub trait Define: Send + Sync {
    /// The tables that are there, with their handles.
    fn describe(&self) -> impl Future<Output = Result<Vec<(TableId, Arc<Shape>)>, Fault>> + Send;

    /// Takes one step of a plan. A step that was taken already does nothing.
    fn apply(&self, step: &Step) -> impl Future<Output = Result<(), Fault>> + Send;

    /// What each step of a plan says to the engine, in the engine's own words where it has any. Nothing is applied.
    fn script(&self, steps: &[Step]) -> impl Future<Output = Result<Vec<String>, Fault>> + Send {
        let script = steps.iter().map(Step::to_string).collect();
        async { Ok(script) }
    }
}

/// One legal change of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A new table.
    Create(Table),
    /// A column at the end of a group; rows that are there have none. Writers that know nothing of it may still be at work:
    /// nobody may put anything into it before they have ended.
    AddColumn {
        /// The table.
        table: String,
        /// Position of the group.
        group: usize,
        /// The column.
        column: Column,
    },
    /// A column whose enumeration or struct grew.
    Extend {
        /// The table.
        table: String,
        /// The column, of the key or a group.
        column: String,
        /// What may stand in it from now on: [`Kind::extends`] what could.
        kind: Kind,
    },
    /// A table and all its rows are gone.
    Drop {
        /// The table.
        table: String,
    },
}

/// What a step comes to, seen from the tables that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taking {
    /// It was taken already.
    Nothing,
    /// A table of this shape is new.
    Create(Shape),
    /// A table has this shape from now on.
    Reshape(Shape),
    /// A table is gone.
    Drop,
}

/// Looks a step through before a store takes it, so that every store takes the same ones.
///
/// # Errors
/// `Refused` when it is no legal step from the tables that are there.
pub fn taking(there: &[Arc<Shape>], step: &Step, abilities: &Abilities) -> Result<Taking, Fault> {
    let name = step.table();
    let found = there.iter().map(|shape| shape.table()).find(|table| table.name == name);
    match (step, found) {
        (Step::Create(table), None) => {
            sound(table, std::slice::from_ref(table), there, abilities)?;
            Ok(Taking::Create(Shape::of(table.clone())?))
        }
        // It may have grown since it was created.
        (Step::Create(table), Some(found)) => {
            let mut missing = Vec::new();
            additions(found, table, &mut missing)?;
            if missing.is_empty() {
                return Ok(Taking::Nothing);
            }
            Err(Fault::refused(format!("table `{name}` is there with fewer columns; add them one by one")))
        }
        (Step::AddColumn { .. } | Step::Extend { .. }, None) => {
            Err(Fault::refused(format!("there is no table `{name}` to change")))
        }
        (Step::AddColumn { .. } | Step::Extend { .. }, Some(found)) => {
            let changed = step.changed(found)?;
            if changed == *found {
                return Ok(Taking::Nothing);
            }
            sound(&changed, std::slice::from_ref(&changed), there, abilities)?;
            Ok(Taking::Reshape(Shape::of(changed)?))
        }
        (Step::Drop { .. }, None) => Ok(Taking::Nothing),
        (Step::Drop { .. }, Some(_)) => {
            let stands =
                |shape: &&Arc<Shape>| matches!(&shape.table().discipline, Discipline::Indexed { of } if of == name);
            if let Some(index) = there.iter().find(stands) {
                let index = &index.table().name;
                return Err(Fault::refused(format!("index `{index}` stands on table `{name}`; drop the index first")));
            }
            Ok(Taking::Drop)
        }
    }
}

/// The legal steps that lead from the tables that are there to those that are wanted, in the order in which they must be
/// taken. Tables and columns that are there and not wanted stay: nothing is dropped that nobody named, and a process that
/// knows less than is there can start.
///
/// # Errors
/// `Refused` when a wanted table is not sound, is more than the engine can do, or is there with another key, discipline or
/// other columns: that is a new table.
pub fn steps(there: &[Arc<Shape>], wanted: &[Table], abilities: &Abilities) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    for (at, table) in wanted.iter().enumerate() {
        if wanted[..at].iter().any(|other| other.name == table.name) {
            return Err(Fault::refused(format!("two tables are called `{}`", table.name)));
        }
        let found = there.iter().map(|shape| shape.table()).find(|known| known.name == table.name);
        sound(table, wanted, there, abilities)?;
        match found {
            None => steps.push(Step::Create(table.clone())),
            Some(found) => additions(found, table, &mut steps)?,
        }
    }
    // An index stands on its table, so it comes after it.
    steps.sort_by_key(|step| matches!(step, Step::Create(Table { discipline: Discipline::Indexed { .. }, .. })));
    Ok(steps)
}

fn sound(table: &Table, wanted: &[Table], there: &[Arc<Shape>], abilities: &Abilities) -> Result<(), Fault> {
    Shape::of(table.clone())?;
    let refuse = |what: String| Err(Fault::refused(format!("table `{}`: {what}", table.name)));
    let engine = abilities.engine;
    if table.groups.len() > abilities.column_groups_max as usize {
        let max = abilities.column_groups_max;
        return refuse(format!("{} column groups, but {engine} has at most {max}", table.groups.len()));
    }
    if table.discipline == Discipline::Carried && abilities.atomic == crate::Atomic::Row {
        return refuse(format!("on {engine} nothing rides along with a decision"));
    }
    let Discipline::Indexed { of } = &table.discipline else { return Ok(()) };
    let Some(indexes) = abilities.indexes else { return refuse(format!("{engine} keeps no indexes")) };
    // A table that is there is not counted again where it is wanted.
    let others =
        there.iter().map(|shape| shape.table()).filter(|known| wanted.iter().all(|own| own.name != known.name));
    let tables = || wanted.iter().chain(others.clone());
    let written = |base: &&Table| matches!(base.discipline, Discipline::Decided | Discipline::Placed);
    let Some(base) = tables().find(|base| base.name == *of && base.groups.len() == 1).filter(written) else {
        return refuse(format!("there is no decided or placed table `{of}` with one column group to index"));
    };
    let (own, base_shape) = (Shape::of(table.clone())?, Shape::of(base.clone())?);
    let kind = |shape: &Shape, name: &str| shape.column(name).and_then(|at| shape.kind(at).cloned());
    if let Some(name) = table.column_names().find(|name| kind(&own, name) != kind(&base_shape, name)) {
        return refuse(format!("`{of}` has no column `{name}` of that kind"));
    }
    if let Some(name) = base.key_names().find(|key| !table.key_names().any(|name| name == *key)) {
        return refuse(format!("its key lacks `{name}` of the key of `{of}`, so two rows would be one"));
    }
    let same = tables().filter(|other| other.discipline == table.discipline).count();
    if same > indexes.per_table_max as usize {
        return refuse(format!("{same} indexes of `{of}`, but {engine} has at most {}", indexes.per_table_max));
    }
    Ok(())
}

/// The steps that give a table what it lacks of what is wanted.
fn additions(found: &Table, wanted: &Table, steps: &mut Vec<Step>) -> Result<(), Fault> {
    let refuse = |what: &str| {
        Err(Fault::refused(format!("table `{}`: {what} can't be changed; make a table of another name", wanted.name)))
    };
    if found.discipline != wanted.discipline {
        return refuse("its discipline");
    }
    if found.groups.len() != wanted.groups.len() || found.grace_ms != wanted.grace_ms {
        return refuse("its column groups or its grace");
    }
    if found.partition.len() != wanted.partition.len() || found.sort.len() != wanted.sort.len() {
        return refuse("its key");
    }
    let mut grown = |name: &str, old: &Kind, new: &Kind| {
        if !old.extends(new) {
            steps.push(Step::Extend { table: wanted.name.clone(), column: name.to_owned(), kind: new.clone() });
        }
        new.extends(old) || old.extends(new)
    };
    let mut same = |old: &Column, new: &Column| old.name == new.name && grown(&new.name, &old.kind, &new.kind);
    if !found.partition.iter().zip(&wanted.partition).all(|(old, new)| same(old, new)) {
        return refuse("its key");
    }
    let columns = |sort: &SortColumn| Column { name: sort.name.clone(), kind: sort.kind.clone() };
    let mut sorts = found.sort.iter().zip(&wanted.sort);
    if !sorts.all(|(old, new)| old.descending == new.descending && same(&columns(old), &columns(new))) {
        return refuse("its key");
    }
    let groups = || found.groups.iter().zip(&wanted.groups);
    if !groups().all(|(old, new)| old.columns.iter().zip(&new.columns).all(|(old, new)| same(old, new))) {
        return refuse("a column that is there");
    }
    for (group, (old, new)) in groups().enumerate() {
        let added = new.columns.iter().skip(old.columns.len());
        steps.extend(added.map(|column| Step::AddColumn { table: wanted.name.clone(), group, column: column.clone() }));
    }
    Ok(())
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(Table { name, discipline: Discipline::Indexed { of }, .. }) => {
                write!(f, "create index `{name}` of `{of}`")
            }
            Self::Create(Table { name, .. }) => write!(f, "create table `{name}`"),
            Self::AddColumn { table, column, .. } => write!(f, "add column `{}` to table `{table}`", column.name),
            Self::Extend { table, column, .. } => write!(f, "extend column `{column}` of table `{table}`"),
            Self::Drop { table } => write!(f, "drop table `{table}`"),
        }
    }
}

impl Step {
    /// The table that it is about.
    pub fn table(&self) -> &str {
        match self {
            Self::Create(Table { name: table, .. })
            | Self::AddColumn { table, .. }
            | Self::Extend { table, .. }
            | Self::Drop { table } => table,
        }
    }

    /// What a table that is there is after this step; the same if the step was taken already.
    ///
    /// # Errors
    /// `Refused` when the step does not fit the table.
    pub fn changed(&self, there: &Table) -> Result<Table, Fault> {
        let refuse = |what: String| Err(Fault::refused(format!("table `{}`: {what}", there.name)));
        let mut changed = there.clone();
        match self {
            Self::Create(_) | Self::Drop { .. } => {}
            Self::AddColumn { group, column, .. } => match changed.groups.get_mut(*group) {
                None => return refuse(format!("there is no column group {group}")),
                Some(group) => match group.columns.iter().find(|known| known.name == column.name) {
                    // It may have grown since it was added.
                    Some(known) if known.kind.extends(&column.kind) => {}
                    Some(_) => return refuse(format!("there is another column `{}`", column.name)),
                    None => group.columns.push(column.clone()),
                },
            },
            Self::Extend { column, kind, .. } => {
                let keys = changed.partition.iter_mut().map(|known| (&known.name, &mut known.kind));
                let keys = keys.chain(changed.sort.iter_mut().map(|known| (&known.name, &mut known.kind)));
                let cells = changed.groups.iter_mut().flat_map(|group| &mut group.columns);
                let mut all = keys.chain(cells.map(|known| (&known.name, &mut known.kind)));
                match all.find(|(name, _)| *name == column) {
                    None => return refuse(format!("there is no column `{column}`")),
                    Some((_, known)) if known.extends(kind) => {}
                    Some((_, known)) if kind.extends(known) => *known = kind.clone(),
                    Some(_) => return refuse(format!("`{column}` can't become another kind")),
                }
            }
        }
        Ok(Shape::of(changed)?.into_table())
    }
}
