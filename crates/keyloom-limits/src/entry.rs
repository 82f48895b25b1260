//! What stands in an index for a row.

use keyloom_store::{
    Along, ColumnAt, Dialect, Fault, Image, IndexChange, Millis, Row, RowBuilder, RowSizes, Shape, State, TableId,
};
use keyloom_value::{Value, key};

use crate::{
    charge::{self, Charge},
    tables::Held,
};

type Owned = Value<'static>;

/// A row of a table that has indexes.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub(crate) key: Vec<Owned>,
    pub(crate) version: u64,
    pub(crate) expires_at: Option<Millis>,
    pub(crate) cells: Vec<Owned>,
    pub(crate) sizes: RowSizes,
}

impl Content {
    /// What is stored; `None` when the root is not there.
    pub(crate) fn of_row(shape: &Shape, row: &Row, sizes: RowSizes) -> Result<Option<Self>, Fault> {
        let section = row.section(0)?;
        let State::Put { expires_at } = section.state else { return Ok(None) };
        let columns = shape.table().groups[0].columns.len();
        let cell = |column| row.value(shape, ColumnAt::Cell { group: 0, column }).map(Value::into_owned);
        let key = row.key(shape)?.into_iter().map(Value::into_owned).collect();
        let cells = (0..columns).map(cell).collect::<Result<_, _>>()?;
        Ok(Some(Self { key, version: section.version, expires_at, cells, sizes }))
    }

    /// The value of a column, by its name.
    fn named(&self, shape: &Shape, name: &str) -> Owned {
        let value = match shape.column(name) {
            Some(ColumnAt::Key(at)) => self.key.get(at),
            Some(ColumnAt::Cell { column, .. }) => self.cells.get(column),
            None => None,
        };
        value.cloned().unwrap_or(Value::Null)
    }
}

/// A row of an index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: Vec<Owned>,
    pub(crate) version: u64,
    pub(crate) expires_at: Option<Millis>,
    pub(crate) values: Vec<Owned>,
}

impl Entry {
    /// What an index has of a row; a row without a value for the index's key is not in it.
    pub(crate) fn of(index: &Shape, base: &Shape, content: &Content) -> Option<Self> {
        let named = |name: &str| content.named(base, name);
        let key: Vec<Owned> = index.table().key_names().map(named).collect();
        if key.iter().any(Value::is_null) {
            return None;
        }
        let values = index.table().groups[0].columns.iter().map(|column| named(&column.name)).collect();
        Some(Self { key, version: content.version, expires_at: content.expires_at, values })
    }

    /// As the store below has it.
    pub(crate) fn row(&self, index: &Shape) -> Result<Row, Fault> {
        let mut body = RowBuilder::new();
        body.put(self.version, self.expires_at, &index.table().groups[0].columns, &self.values)?;
        Ok(Row::new(key::encode(&self.key, index.key_parts())?.into(), body.finish()))
    }

    fn partition(&self, index: &Shape) -> Result<Vec<u8>, Fault> {
        let partition = &self.key[..index.table().partition.len()];
        Ok(key::encode(partition, index.partition_parts())?)
    }
}

/// What becomes of a row in one index.
#[derive(Debug, Clone)]
pub(crate) struct Moved {
    pub(crate) index: TableId,
    pub(crate) old: Option<Entry>,
    pub(crate) new: Option<Entry>,
}

impl Moved {
    /// What becomes of a row in all indexes of its table.
    pub(crate) fn all(held: &Held, old: Option<&Content>, new: Option<&Content>) -> Vec<Self> {
        let moved = |(index, shape): &(TableId, std::sync::Arc<Shape>)| {
            let entry = |content: Option<&Content>| Entry::of(shape, &held.shape, content?);
            Self { index: *index, old: entry(old), new: entry(new) }
        };
        held.indexes.iter().map(moved).filter(|moved| moved.old.is_some() || moved.new.is_some()).collect()
    }

    /// What it takes of the partitions of the index.
    pub(crate) fn charges(
        &self,
        dialect: &dyn Dialect,
        held: &Held,
        old: Option<&Content>,
        new: Option<&Content>,
        charges: &mut Vec<Charge>,
    ) -> Result<(), Fault> {
        let Some((_, shape)) = held.indexes.iter().find(|(index, _)| *index == self.index) else { return Ok(()) };
        let bytes = |content: Option<&Content>| {
            content
                .and_then(|content| dialect.index_row_bytes(shape.table(), held.table(), &content.sizes))
                .unwrap_or(0)
        };
        let (old_bytes, new_bytes) = (bytes(old), bytes(new));
        let mut add = |entry: &Entry, change| {
            let work = charge::entry(dialect, change);
            charges.push(Charge::new(self.index, &entry.partition(shape)?, work));
            Ok::<_, Fault>(())
        };
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.key == new.key => {
                add(new, IndexChange::Stays { old: old_bytes, new: new_bytes })
            }
            (old, new) => {
                old.iter().try_for_each(|old| add(old, IndexChange::Leaves { old: old_bytes }))?;
                new.iter().try_for_each(|new| add(new, IndexChange::Enters { new: new_bytes }))
            }
        }
    }

    /// What rides along below.
    pub(crate) fn along(&self) -> impl Iterator<Item = Along<'_>> {
        let stays = matches!((&self.old, &self.new), (Some(old), Some(new)) if old.key == new.key);
        let removed = self.old.iter().filter(move |_| !stays);
        let removed = removed.map(|old| Along::Remove { table: self.index, key: &old.key });
        removed.chain(self.new.iter().map(|new| Along::Put {
            table: self.index,
            key: &new.key,
            becomes: Image { version: new.version, expires_at: new.expires_at, values: &new.values },
        }))
    }

    /// What takes it back.
    pub(crate) fn undone(self) -> Self {
        Self { index: self.index, old: self.new, new: self.old }
    }
}
