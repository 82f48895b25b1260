//! What every store refuses in the same words: verbs of another discipline, keys of another length, requests above the
//! limits. A store calls these first; what is left is for its engine to do.

use std::ops::Bound;

use keyloom_value::Value;

use crate::{
    abilities::{Abilities, Atomic},
    fault::Fault,
    read::{Freshness, Get, Slice},
    schema::{Discipline, Shape},
    write::{Change, Expect, Image, Placement, Placing, VERSION_MAX},
};

/// Looks a get through.
///
/// # Errors
/// `Refused` when it can never work.
pub fn get(shape: &Shape, at: &Get<'_>) -> Result<(), Fault> {
    if let Discipline::Indexed { .. } = shape.table().discipline {
        return refused(shape, "an index is read by slice");
    }
    whole_key(shape, at.key)
}

/// Looks a slice through.
///
/// # Errors
/// `Refused` when it can never work.
pub fn slice(shape: &Shape, of: &Slice<'_>, abilities: &Abilities) -> Result<(), Fault> {
    if let Discipline::Indexed { .. } = shape.table().discipline {
        let freshest = abilities.indexes.map_or(Freshness::Any, |indexes| indexes.freshest);
        if of.freshness > freshest {
            return refused(shape, "an index of this engine can't be read that fresh");
        }
    }
    let (partition, sort) = (shape.table().partition.len(), shape.table().sort.len());
    if of.partition.len() != partition {
        return refused(shape, "a slice is of one partition: its whole key is needed");
    }
    if of.within.equal.len() > sort {
        return refused(shape, "a range has more components than the sort key");
    }
    let bounded = (of.within.low, of.within.high) != (Bound::Unbounded, Bound::Unbounded);
    if bounded && of.within.equal.len() == sort {
        return refused(shape, "a range bounds a component behind the last");
    }
    if of.after.is_some_and(|after| after.len() != sort) {
        return refused(shape, "a slice goes on after a whole sort key");
    }
    if of.rows_max == 0 || of.bytes_max == 0 {
        return refused(shape, "a slice asks for one row at least");
    }
    Ok(())
}

/// Looks at a table that is to be swept.
///
/// # Errors
/// `Refused` when it is an index.
pub fn sweep(shape: &Shape) -> Result<(), Fault> {
    match &shape.table().discipline {
        Discipline::Indexed { of } => Err(Fault::refused(format!("an index can't be swept, but `{of}` can"))),
        Discipline::Decided | Discipline::Carried | Discipline::Placed => Ok(()),
    }
}

/// Looks a decided row through.
///
/// # Errors
/// `Refused` when it can never work.
pub fn change(shape: &Shape, change: &Change<'_>) -> Result<(), Fault> {
    decided(shape, change.key)?;
    if let Expect::Version(expected) = change.expect
        && change.becomes.version <= expected
    {
        return refused(shape, "a decision raises the version");
    }
    image(shape, &change.becomes)
}

/// Looks a row through that a decision looks at or changes.
///
/// # Errors
/// `Refused` when it is of another discipline, or its key is not whole.
pub fn decided(shape: &Shape, key: &[Value<'_>]) -> Result<(), Fault> {
    obeys(shape, &Discipline::Decided, "is not decided")?;
    whole_key(shape, key)
}

/// Looks a carried row through.
///
/// # Errors
/// `Refused` when it is of another discipline, or its key is not whole.
pub fn carried(shape: &Shape, key: &[Value<'_>]) -> Result<(), Fault> {
    obeys(shape, &Discipline::Carried, "is not carried")?;
    whole_key(shape, key)
}

/// Looks an image through.
///
/// # Errors
/// `Refused` when it has more values than there are columns, or a version that not every engine can hold.
pub fn image(shape: &Shape, image: &Image<'_>) -> Result<(), Fault> {
    version(shape, image.version)?;
    if image.values.len() <= shape.table().groups[0].columns.len() {
        return Ok(());
    }
    refused(shape, "an image has more values than there are columns")
}

/// Looks a placement through.
///
/// # Errors
/// `Refused` when it can never work.
pub fn placement(shape: &Shape, placement: &Placement<'_>) -> Result<(), Fault> {
    obeys(shape, &Discipline::Placed, "is not placed")?;
    whole_key(shape, placement.key)?;
    let (groups, versions): (Vec<usize>, Vec<u64>) = match placement.placing {
        Placing::Put { groups, .. } => groups.iter().map(|image| (image.group, image.version)).unzip(),
        Placing::Remove { groups } => groups.iter().copied().unzip(),
    };
    versions.into_iter().try_for_each(|placed| version(shape, placed))?;
    if groups.is_empty() {
        return refused(shape, "a placement without a column group");
    }
    let all = &shape.table().groups;
    if groups.iter().enumerate().any(|(at, group)| *group >= all.len() || groups[..at].contains(group)) {
        return refused(shape, "a placement names a column group twice, or one that is not there");
    }
    if let Placing::Put { groups, .. } = placement.placing
        && groups.iter().any(|image| image.values.len() > all[image.group].columns.len())
    {
        return refused(shape, "a placement has more values than there are columns");
    }
    Ok(())
}

/// Looks at how much rides along with a decision.
///
/// # Errors
/// `Refused` when that is more than the engine does at once.
pub fn along(rows: usize, bytes: u64, abilities: &Abilities) -> Result<(), Fault> {
    let engine = abilities.engine;
    match abilities.atomic {
        Atomic::Row if rows > 1 => Err(Fault::refused(format!("on {engine} nothing rides along with a decision"))),
        Atomic::Rows { rows_max, .. } if rows > rows_max as usize => {
            Err(Fault::refused(format!("{rows} rows in one decision, but {engine} takes {rows_max}")))
        }
        Atomic::Rows { bytes_max, .. } if bytes > bytes_max => {
            Err(Fault::refused(format!("{bytes} bytes in one decision, but {engine} takes {bytes_max}")))
        }
        Atomic::Row | Atomic::Rows { .. } => Ok(()),
    }
}

/// Looks at how much is to be placed together.
///
/// # Errors
/// `Refused` when that is more than the engine does at once.
pub fn together(rows: usize, bytes: u64, abilities: &Abilities) -> Result<(), Fault> {
    let (engine, limits) = (abilities.engine, &abilities.limits);
    if rows > limits.together_rows_max as usize {
        let max = limits.together_rows_max;
        return Err(Fault::refused(format!("{rows} rows placed together, but {engine} takes {max}")));
    }
    if bytes > limits.together_bytes_max {
        let max = limits.together_bytes_max;
        return Err(Fault::refused(format!("{bytes} bytes placed together, but {engine} takes {max}")));
    }
    Ok(())
}

/// Looks at the size of a key.
///
/// # Errors
/// `Refused` when it is above the engine's limits.
pub fn key_sizes(shape: &Shape, partition: usize, sort: usize, abilities: &Abilities) -> Result<(), Fault> {
    let limits = &abilities.limits;
    if partition > limits.partition_key_bytes_max as usize {
        return too_large(shape, "a partition key", partition, limits.partition_key_bytes_max.into(), abilities);
    }
    if sort > limits.sort_key_bytes_max as usize {
        return too_large(shape, "a sort key", sort, limits.sort_key_bytes_max.into(), abilities);
    }
    Ok(())
}

/// Looks at the size of a row, its key included.
///
/// # Errors
/// `Refused` when it is above the engine's limit.
pub fn row_size(shape: &Shape, bytes: usize, abilities: &Abilities) -> Result<(), Fault> {
    if bytes as u64 > abilities.limits.row_bytes_max {
        return too_large(shape, "a row", bytes, abilities.limits.row_bytes_max, abilities);
    }
    Ok(())
}

fn too_large(shape: &Shape, what: &str, bytes: usize, max: u64, abilities: &Abilities) -> Result<(), Fault> {
    let (name, engine) = (&shape.table().name, abilities.engine);
    Err(Fault::refused(format!("table `{name}`: {what} of {bytes} bytes, but {engine} takes {max}")))
}

/// Refuses a row that is named twice.
///
/// # Errors
/// Always `Refused`.
pub fn twice<T>() -> Result<T, Fault> {
    Err(Fault::refused("one row is named twice in one call"))
}

fn version(shape: &Shape, version: u64) -> Result<(), Fault> {
    if (1..=VERSION_MAX).contains(&version) {
        return Ok(());
    }
    refused(shape, "a version lies between 1 and 2^63 - 2")
}

fn whole_key(shape: &Shape, key: &[Value<'_>]) -> Result<(), Fault> {
    if key.len() == shape.key_parts().len() {
        return Ok(());
    }
    refused(shape, "the whole key is needed")
}

fn obeys(shape: &Shape, discipline: &Discipline, otherwise: &str) -> Result<(), Fault> {
    if shape.table().discipline == *discipline {
        return Ok(());
    }
    Err(Fault::refused(format!("table `{}` {otherwise}", shape.table().name)))
}

fn refused(shape: &Shape, what: &str) -> Result<(), Fault> {
    Err(Fault::refused(format!("table `{}`: {what}", shape.table().name)))
}
