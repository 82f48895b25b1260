use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    abilities::Abilities,
    fault::Fault,
    schema::{Column, Discipline, Shape, Table, TableId},
};

/// The tables of a store.
pub trait Define: Send + Sync {
    /// The tables that are there, with their handles.
    fn describe(&self) -> impl Future<Output = Result<Vec<(TableId, Arc<Shape>)>, Fault>> + Send;

    /// Takes one step of a plan. A step that was taken already does nothing.
    fn apply(&self, step: &Step) -> impl Future<Output = Result<(), Fault>> + Send;
}

/// One legal change of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A new table.
    Create(Table),
    /// A column at the end of a group; rows that are there have none.
    AddColumn {
        /// The table.
        table: String,
        /// Position of the group.
        group: usize,
        /// The column.
        column: Column,
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
    let (Step::Create(Table { name, .. }) | Step::AddColumn { table: name, .. } | Step::Drop { table: name }) = step;
    let found = there.iter().map(|shape| shape.table()).find(|table| table.name == *name);
    match (step, found) {
        (Step::Create(table), None) => {
            sound(table, std::slice::from_ref(table), there, abilities)?;
            Ok(Taking::Create(Shape::of(table.clone())?))
        }
        // Columns may have been added since it was created.
        (Step::Create(table), Some(found)) if additions(table, found, &mut Vec::new()).is_ok() => Ok(Taking::Nothing),
        (Step::Create(table), Some(found)) => {
            additions(found, table, &mut Vec::new())?;
            Err(Fault::refused(format!("table `{name}` is there with fewer columns; add them one by one")))
        }
        (Step::AddColumn { .. }, None) => Err(Fault::refused(format!("there is no table `{name}` to add a column to"))),
        (Step::AddColumn { group, column, .. }, Some(found)) => {
            let mut wanted = found.clone();
            let columns = wanted.groups.get_mut(*group).map(|group| &mut group.columns);
            let columns = columns.ok_or_else(|| Fault::refused(format!("table `{name}` has no group {group}")))?;
            if columns.contains(column) {
                return Ok(Taking::Nothing);
            }
            columns.push(column.clone());
            sound(&wanted, std::slice::from_ref(&wanted), there, abilities)?;
            Ok(Taking::Reshape(Shape::of(wanted)?))
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
/// taken. Tables that are there and not wanted stay: nothing is dropped that nobody named.
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
    let Some(base) = tables().find(|base| base.name == *of && base.discipline == Discipline::Decided) else {
        return refuse(format!("there is no decided table `{of}` to index"));
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

fn additions(found: &Table, wanted: &Table, steps: &mut Vec<Step>) -> Result<(), Fault> {
    let refuse = |what: &str| {
        Err(Fault::refused(format!("table `{}`: {what} can't be changed; make a table of another name", wanted.name)))
    };
    if found.partition != wanted.partition || found.sort != wanted.sort {
        return refuse("its key");
    }
    if found.discipline != wanted.discipline {
        return refuse("its discipline");
    }
    if found.groups.len() != wanted.groups.len() || found.grace_ms != wanted.grace_ms {
        return refuse("its column groups or its grace");
    }
    for (group, (there, wanted_group)) in found.groups.iter().zip(&wanted.groups).enumerate() {
        let Some(added) = wanted_group.columns.strip_prefix(there.columns.as_slice()) else {
            return refuse("a column that is there");
        };
        steps.extend(added.iter().map(|column| Step::AddColumn {
            table: wanted.name.clone(),
            group,
            column: column.clone(),
        }));
    }
    Ok(())
}
