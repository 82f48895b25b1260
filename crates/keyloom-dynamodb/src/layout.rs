//! How a table lies in DynamoDB: what its key attributes are, and those of its indexes.

use std::{borrow::Cow, sync::Arc};

use keyloom_store::{Discipline, Fault, Shape};
use keyloom_value::{Value, key::Part};

use crate::key::{KeyAttribute, is_native};

/// A partition key that does not stand for itself; of an index, with its name behind a point.
const PARTITION: &str = "kl_p";
/// A sort key that does not stand for itself; of an index, with its name behind a point.
const SORT: &str = "kl_s";
/// The version of a decided or carried row.
pub(crate) const VERSION: &str = "kl_v";
/// The fence of a placed group: twice its version, and one for a put. Group n above 0 has its number behind.
pub(crate) const RANK: &str = "kl_r";
/// From when on a row or group is not there, in milliseconds.
pub(crate) const END: &str = "kl_x";
/// From when on DynamoDB may forget the item, in seconds.
pub(crate) const FORGET: &str = "kl_ttl";

/// A table, or an index, as it lies in DynamoDB.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The table as it was defined.
    pub shape: Arc<Shape>,
    /// The table of DynamoDB that holds it.
    pub table: String,
    /// The index of DynamoDB, when it is one.
    pub index: Option<String>,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, when there is one.
    pub sort: Option<KeyAttribute>,
    /// The indexes that its rows are in.
    pub indexes: Vec<Arc<Layout>>,
}

impl Layout {
    /// How a table lies there, with the indexes that are known of it.
    pub(crate) fn of(prefix: &str, shape: Arc<Shape>, indexes: Vec<Arc<Self>>) -> Self {
        let name = |own: &str, parts: &[Part], ordered: bool, column: &str| match parts {
            [one] if is_native(one, ordered) => (column.to_owned(), true),
            _ => (own.to_owned(), false),
        };
        let table = shape.table();
        let (partition_name, native) = name(PARTITION, shape.partition_parts(), false, &table.partition[0].name);
        let partition = KeyAttribute { name: partition_name, parts: shape.partition_parts().to_vec(), native };
        let sort = table.sort.first().map(|first| {
            let (name, native) = name(SORT, shape.sort_parts(), true, &first.name);
            KeyAttribute { name, parts: shape.sort_parts().to_vec(), native }
        });
        Self { table: full_name(prefix, &table.name), shape, index: None, partition, sort, indexes }
    }

    /// How an index of a table lies there. An attribute of the table serves where it is what the key needs: a number as it
    /// is, a text only as the table's own key, since as a column it may be empty.
    pub(crate) fn of_index(shape: Arc<Shape>, base: &Self) -> Self {
        let table = shape.table();
        let name = &table.name;
        let attribute = |own: &str, parts: &[Part], ordered: bool, column: Option<&str>| {
            let keys = [Some(&base.partition), base.sort.as_ref()];
            let own = format!("{own}.{name}");
            let (called, native) = match (parts, column) {
                ([one], Some(column)) if is_native(one, ordered) => {
                    let as_key = keys.into_iter().flatten().any(|key| key.native && key.name == column);
                    let as_column = !base.shape.table().key_names().any(|key| key == column);
                    let plain = !matches!(one.kind, keyloom_value::Kind::Text | keyloom_value::Kind::Bytes);
                    (if as_key || as_column && plain { column.to_owned() } else { own }, true)
                }
                _ => (own, false),
            };
            KeyAttribute { name: called, parts: parts.to_vec(), native }
        };
        let first = table.partition.first().map(|column| column.name.as_str());
        let partition = attribute(PARTITION, shape.partition_parts(), false, first);
        let first = table.sort.first().map(|column| column.name.as_str());
        let sort = first.map(|first| attribute(SORT, shape.sort_parts(), true, Some(first)));
        let index = Some(name.clone());
        Self { table: base.table.clone(), shape, index, partition, sort, indexes: Vec::new() }
    }

    /// The attributes of a whole key.
    pub(crate) fn key_attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        [&self.partition].into_iter().chain(&self.sort)
    }

    /// A whole key, taken apart into what belongs to each of its attributes.
    pub(crate) fn split<'a, 'v>(
        &'a self,
        key: &'a [Value<'v>],
    ) -> impl Iterator<Item = (&'a KeyAttribute, &'a [Value<'v>])> {
        let (partition, sort) = key.split_at(self.partition.parts.len().min(key.len()));
        self.key_attributes().zip([partition, sort])
    }

    /// The components of a key that do not stand for themselves in its attributes, with their positions in the key.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = (usize, &str, &Part)> {
        let (partition, all) = (self.partition.parts.len(), self.shape.key_parts());
        let hidden = move |at: usize| {
            if at < partition { !self.partition.native } else { self.sort.as_ref().is_some_and(|sort| !sort.native) }
        };
        let names = self.shape.table().key_names();
        names.zip(all).enumerate().filter(move |(at, _)| hidden(*at)).map(|(at, (name, part))| (at, name, part))
    }
}

/// What a table is called in DynamoDB.
pub(crate) fn full_name(prefix: &str, table: &str) -> String {
    format!("{prefix}.{table}")
}

/// The name of the fence of a group.
pub(crate) fn rank_name(group: usize) -> Cow<'static, str> {
    numbered(RANK, group)
}

/// The name of the end of a group.
pub(crate) fn end_name(group: usize) -> Cow<'static, str> {
    numbered(END, group)
}

fn numbered(name: &'static str, group: usize) -> Cow<'static, str> {
    if group == 0 { name.into() } else { format!("{name}{group}").into() }
}

/// Whether an attribute of that name is the store's own. The run time has `kl_` columns too, which are ordinary ones here.
fn is_ours(name: &str) -> bool {
    let behind = |of: &str| name.strip_prefix(of);
    let numbered = |of: &str| behind(of).is_some_and(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
    let keyed = |of: &str| behind(of).is_some_and(|index| index.is_empty() || index.starts_with('.'));
    [VERSION, FORGET].contains(&name) || numbered(RANK) || numbered(END) || keyed(PARTITION) || keyed(SORT)
}

/// Whether DynamoDB lets a table's name have it.
fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// Looks at what all tables are to begin with.
pub(crate) fn refuse_prefix(prefix: &str) -> Result<(), Fault> {
    if (1..=200).contains(&prefix.len()) && prefix.bytes().all(is_legal) {
        return Ok(());
    }
    Err(Fault::refused(format!("the prefix `{prefix}` of the tables: 1 to 200 letters, digits and `_`, `.`, `-`")))
}

/// Looks at a table that is to be made: whether DynamoDB can hold it under these names.
pub(crate) fn refuse(prefix: &str, shape: &Shape) -> Result<(), Fault> {
    let table = shape.table();
    let refused = |what: String| Err(Fault::refused(format!("table `{}`: {what}", table.name)));
    if !table.name.bytes().all(is_legal) {
        return refused("a name on DynamoDB has letters, digits and `_`, `.`, `-`".into());
    }
    if table.name == crate::schema::TABLE {
        return refused("the name is Keyloom's own".into());
    }
    if full_name(prefix, &table.name).len() > 255 {
        return refused(format!("with its prefix `{prefix}` the name is longer than 255 bytes"));
    }
    if let Discipline::Indexed { .. } = table.discipline
        && table.name.len() < 3
    {
        return refused("the name of an index on DynamoDB has at least 3 bytes".into());
    }
    if let Some(name) = table.column_names().find(|name| name.is_empty() || name.len() > 255 || is_ours(name)) {
        return refused(format!(
            "a column can't be called `{name}`: names have 1 to 255 bytes, and some are Keyloom's"
        ));
    }
    // An update names every column, and DynamoDB takes 300 operators in one.
    let columns: usize = table.groups.iter().map(|group| group.columns.len()).sum();
    if table.groups.len() > 1 && columns + shape.key_parts().len() + 4 * table.groups.len() > 250 {
        return refused("with several column groups at most 250 columns can be changed at once on DynamoDB".into());
    }
    Ok(())
}
