//! Rows as items, and items as rows.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use keyloom_store::{Abilities, Column, Fault, GroupImage, Image, Millis, Row, RowBuilder, Section, Shape, refuse};
use keyloom_value::{Value, key as key_form};

use crate::{
    key::{missing, size as key_size},
    layout::{FORGET, Layout, VERSION, end_name, rank_name},
    number, value,
};

/// The attributes of an item by their names.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// What an item may have, names and values.
const ITEM_BYTES_MAX: usize = 400 << 10;

/// How much longer than a row must be kept DynamoDB keeps it, whatever its clock says.
const MARGIN_SECONDS: i64 = 86_400;

/// The key of a row, after a look at its sizes.
pub(crate) fn key(layout: &Layout, key: &[Value<'_>], abilities: &Abilities) -> Result<Item, Fault> {
    let mut attributes = Item::new();
    let mut sizes = [0, 0];
    for ((attribute, values), bytes) in layout.split(key).zip(&mut sizes) {
        let stored = attribute.attribute(values)?;
        *bytes = key_size(&stored);
        attributes.insert(attribute.name.clone(), stored);
    }
    refuse::key_sizes(&layout.shape, sizes[0], sizes[1], abilities)?;
    Ok(attributes)
}

/// A row whose key is known, while its item is put together.
pub(crate) struct Draft<'a> {
    layout: &'a Layout,
    abilities: &'a Abilities,
    key: &'a [Value<'a>],
    /// The item so far.
    pub item: Item,
}

impl<'a> Draft<'a> {
    /// An item that is nothing but its key, and its components where a person can read them.
    pub(crate) fn new(layout: &'a Layout, abilities: &'a Abilities, values: &'a [Value<'a>]) -> Result<Self, Fault> {
        let mut item = key(layout, values, abilities)?;
        for (at, name, part) in layout.hidden() {
            item.insert(name.to_owned(), value::attribute(&values[at], &part.kind)?);
        }
        Ok(Self { layout, abilities, key: values, item })
    }

    /// Adds the root of a decided or carried row.
    pub(crate) fn image(mut self, image: &Image<'_>) -> Result<Self, Fault> {
        self.item.insert(VERSION.to_owned(), AttributeValue::N(image.version.to_string()));
        self.end(0, image.expires_at);
        self.forget(image.expires_at.map(|end| forget_at(end, self.layout.shape.table().grace_ms)));
        self.columns(&self.layout.shape.table().groups[0].columns, image.values)?;
        let group = GroupImage { group: 0, version: image.version, values: image.values };
        self.sized(&[group], image.expires_at)
    }

    /// Adds groups of a placed row.
    pub(crate) fn groups(mut self, groups: &[GroupImage<'_>], expires_at: Option<Millis>) -> Result<Self, Fault> {
        for group in groups {
            let rank = rank(group.version, true);
            self.item.insert(rank_name(group.group).into_owned(), AttributeValue::N(rank.to_string()));
            self.end(group.group, expires_at);
            self.columns(&self.layout.shape.table().groups[group.group].columns, group.values)?;
        }
        self.sized(groups, expires_at)
    }

    /// Adds the fences of removals.
    pub(crate) fn removed(mut self, groups: &[(usize, u64)]) -> Self {
        for (group, version) in groups {
            let rank = rank(*version, false);
            self.item.insert(rank_name(*group).into_owned(), AttributeValue::N(rank.to_string()));
        }
        self
    }

    /// Says from when on DynamoDB may forget it, in seconds.
    pub(crate) fn forget(&mut self, at: Option<i64>) {
        if let Some(at) = at {
            self.item.insert(FORGET.to_owned(), AttributeValue::N(at.to_string()));
        }
    }

    fn end(&mut self, group: usize, expires_at: Option<Millis>) {
        if let Some(Millis(end)) = expires_at {
            self.item.insert(end_name(group).into_owned(), AttributeValue::N(end.to_string()));
        }
    }

    fn columns(&mut self, columns: &[Column], values: &[Value<'_>]) -> Result<(), Fault> {
        for (column, one) in columns.iter().zip(values).filter(|(_, one)| !one.is_null()) {
            let stored = value::attribute(one, &column.kind)
                .map_err(|mismatch| Fault::refused(format!("column `{}`: {mismatch}", column.name)))?;
            self.item.insert(column.name.clone(), stored);
        }
        self.indexed(columns, values)
    }

    /// Adds the keys under which the indexes find it.
    fn indexed(&mut self, columns: &[Column], values: &[Value<'_>]) -> Result<(), Fault> {
        let table = self.layout.shape.table();
        let named = |name: &str| {
            let in_key = table.key_names().position(|key| key == name).and_then(|at| self.key.get(at));
            in_key.or_else(|| values.get(columns.iter().position(|column| column.name == name)?))
        };
        for index in &self.layout.indexes {
            let there = index.shape.table().key_names().map(|name| named(name).filter(|one| !one.is_null()).cloned());
            // A row without a value for the index's key is not in it.
            let Some(whole) = there.collect::<Option<Vec<Value<'_>>>>() else { continue };
            self.item.extend(key(index, &whole, self.abilities)?);
        }
        Ok(())
    }

    /// Looks at the sizes, as we count them and as DynamoDB does.
    fn sized(self, groups: &[GroupImage<'_>], expires_at: Option<Millis>) -> Result<Self, Fault> {
        let shape = &self.layout.shape;
        // Values are looked through as well: a map that has a key twice, a struct that lacks a member.
        let mut body = RowBuilder::new();
        for group in groups {
            body.put(group.version, expires_at, &shape.table().groups[group.group].columns, group.values)?;
        }
        let form = key_form::encode(self.key, shape.key_parts())?;
        refuse::row_size(shape, form.len() + body.bytes().len(), self.abilities)?;
        let bytes = size(&self.item);
        if bytes > ITEM_BYTES_MAX {
            let (table, engine) = (&shape.table().name, self.abilities.engine);
            return Err(Fault::refused(format!(
                "table `{table}`: an item of {bytes} bytes, names and values, but {engine} takes {ITEM_BYTES_MAX}"
            )));
        }
        Ok(self)
    }
}

/// How many bytes an item has as DynamoDB counts them.
pub(crate) fn size(item: &Item) -> usize {
    item.iter().map(|(name, stored)| name.len() + value::size(stored)).sum()
}

/// The order of placements as one number: by version, and of one version a removal first.
pub(crate) fn rank(version: u64, put: bool) -> u64 {
    2 * version + u64::from(put)
}

/// When DynamoDB may forget what must be remembered for so long after a moment, in seconds.
pub(crate) fn forget_at(Millis(moment): Millis, grace_ms: i64) -> i64 {
    (moment.saturating_add(grace_ms).max(0) / 1_000).saturating_add(1 + MARGIN_SECONDS)
}

/// A row that was read.
#[derive(Debug)]
pub(crate) struct Found {
    /// As it is seen at the moment of the read.
    pub row: Row,
    /// Whether it is there.
    pub there: bool,
    /// Whether it is not, though one of its groups is.
    pub leftover: bool,
    /// How many bytes stand there.
    pub bytes: u64,
}

/// The key of an item, in key form.
pub(crate) fn form(layout: &Layout, item: &Item) -> Result<Vec<u8>, Fault> {
    let mut key = Vec::new();
    for attribute in layout.key_attributes() {
        let stored = item.get(&attribute.name).ok_or_else(missing)?;
        key.extend(attribute.values(stored)?);
    }
    key_form::encode(&key, layout.shape.key_parts()).map_err(broken)
}

/// The row of an item.
pub(crate) fn row(layout: &Layout, item: &Item, now: Millis) -> Result<Found, Fault> {
    let shape = &layout.shape;
    let mut body = RowBuilder::new();
    let mut groups_there = Vec::with_capacity(shape.table().groups.len());
    for group in 0..shape.table().groups.len() {
        groups_there.push(put_group(shape, item, group, now, &mut body)?);
    }
    let row = Row::new(form(layout, item)?.into(), body.finish());
    let there = groups_there[0];
    let leftover = !there && groups_there.contains(&true);
    let bytes = row.size() as u64;
    Ok(Found { row: row.as_of(now)?, there, leftover, bytes })
}

/// Adds what stands in a group, and says whether it is there.
fn put_group(shape: &Shape, item: &Item, group: usize, now: Millis, body: &mut RowBuilder) -> Result<bool, Fault> {
    let Some(version) = version(item, group)? else {
        body.keep(&Section::NEVER);
        return Ok(false);
    };
    let expires_at = end(item, group)?;
    let columns = &shape.table().groups[group].columns;
    let one = |column: &Column| match item.get(&column.name) {
        Some(stored) => value::value(stored, &column.kind).map_err(|malformed| {
            Fault::Broken(format!("table `{}`, column `{}`: {malformed}", shape.table().name, column.name).into())
        }),
        None => Ok(Value::Null),
    };
    // A column at the end that nobody knew of when the row was written is absent, like any other.
    let values = columns.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    body.put(version, expires_at, columns, &values).map_err(broken)?;
    Ok(expires_at.is_none_or(|end| end > now))
}

/// The version of a group that was put; `None` where there was never anything, or it was removed.
fn version(item: &Item, group: usize) -> Result<Option<u64>, Fault> {
    if group == 0
        && let Some(version) = whole(item, VERSION)?
    {
        return Ok(Some(version));
    }
    let rank = ranked(item, group)?.unwrap_or(0);
    Ok((rank % 2 == 1).then_some(rank / 2))
}

/// The fence of a group.
pub(crate) fn ranked(item: &Item, group: usize) -> Result<Option<u64>, Fault> {
    whole(item, &rank_name(group))
}

/// From when on a group is not there.
pub(crate) fn end(item: &Item, group: usize) -> Result<Option<Millis>, Fault> {
    Ok(whole(item, &end_name(group))?.map(Millis))
}

fn whole<T: TryFrom<i128>>(item: &Item, name: &str) -> Result<Option<T>, Fault> {
    match item.get(name) {
        None => Ok(None),
        Some(AttributeValue::N(text)) => Ok(Some(number::whole(text)?)),
        Some(_) => Err(Fault::Broken(format!("the attribute `{name}` is no number").into())),
    }
}

/// What is stored can't be read: a mismatch here is no fault of the caller.
fn broken(mismatch: keyloom_value::Mismatch) -> Fault {
    Fault::Broken(mismatch.to_string().into())
}
