use std::{collections::BTreeMap, time::Duration};

use keyloom_store::{Fault, Shape, TableId};
use keyloom_value::{Value, key};

use crate::{
    request::At,
    standing::{Cell, Standing, cells},
};

/// An index: rows of a decided table in another order, some time behind it.
#[derive(Debug, Default)]
pub(super) struct Index {
    rows: BTreeMap<At, Standing>,
    places: BTreeMap<At, At>,
    /// Changes that are under way, by the moment and the item.
    coming: BTreeMap<(Duration, At), Entry>,
    /// When the last change of each item arrives, so that the next one comes after it.
    arrivals: BTreeMap<At, Duration>,
}

/// Where an index holds a row, and what; `None` when it does not hold it.
pub(super) type Entry = Option<(At, Standing)>;

impl Index {
    /// The rows that have arrived.
    pub(super) fn rows(&mut self, now: Duration) -> &BTreeMap<At, Standing> {
        while let Some(change) = self.coming.first_entry() {
            if change.key().0 > now {
                break;
            }
            let ((_, item), entry) = change.remove_entry();
            self.becomes(item, entry);
        }
        &self.rows
    }

    /// Makes an item's entry so, at about that moment: changes of one item arrive in their order.
    pub(super) fn send(&mut self, item: &At, entry: Entry, at: Duration) {
        let last = self.arrivals.get(item).map_or(Duration::ZERO, |last| *last + Duration::from_micros(1));
        let at = at.max(last);
        self.arrivals.insert(item.clone(), at);
        self.coming.insert((at, item.clone()), entry);
    }

    /// When the last change arrives that is under way.
    pub(super) fn last_arrival(&self) -> Option<Duration> {
        self.coming.last_key_value().map(|((at, _), _)| *at)
    }

    fn becomes(&mut self, item: At, entry: Entry) {
        if let Some(place) = self.places.remove(&item) {
            self.rows.remove(&place);
        }
        if let Some((place, standing)) = entry {
            self.places.insert(item, place.clone());
            self.rows.insert(place, standing);
        }
    }
}

/// What an index holds of a row: nothing when the row has no value for its key.
pub(super) fn entry(
    (index, own): (TableId, &Shape),
    base: &Shape,
    item: &At,
    standing: &Standing,
) -> Result<Entry, Fault> {
    let Standing::Put { version, expires_at, cells: stored } = standing else { return Ok(None) };
    let item_key = item.key();
    let key_values = key::decode(&item_key, base.key_parts())?;
    let names: Vec<&str> = base.table().column_names().collect();
    let keys = key_values.len();
    let value = |name: &str| -> Result<Value<'_>, Fault> {
        let Some(at) = names.iter().position(|known| *known == name) else { return Ok(Value::Null) };
        if at < keys {
            return Ok(key_values[at].clone());
        }
        let kind = &base.table().groups[0].columns[at - keys].kind;
        match stored.get(at - keys).and_then(Cell::as_deref) {
            Some(bytes) => Ok(keyloom_value::canonical::decode(bytes, kind)?),
            None => Ok(Value::Null),
        }
    };
    let table = own.table();
    let own_key = table.key_names().map(value).collect::<Result<Vec<_>, _>>()?;
    if own_key.iter().any(Value::is_null) {
        return Ok(None);
    }
    let (partition, sort) = own_key.split_at(table.partition.len());
    let place = At {
        table: index,
        partition: key::encode(partition, own.partition_parts())?,
        sort: key::encode(sort, own.sort_parts())?,
    };
    let columns = &table.groups[0].columns;
    let values = columns.iter().map(|column| value(&column.name)).collect::<Result<Vec<_>, _>>()?;
    let cells = cells(columns, &values)?;
    Ok(Some((place, Standing::Put { version: *version, expires_at: *expires_at, cells })))
}
