//! What a read answers, from plain lists of rows.

use std::{cell::Cell, cmp::Ordering, collections::BTreeMap};

use keyloom_model::{
    Action, Aggregate, Catalog, Direction, Endpoint, Entity, Field, Fill, Kept, Limit, Path, Pattern, Read, ReadVerb,
    Returns, Root,
};
use keyloom_value::{Kind, Value, compare, json::to_json};
use serde_json::{Map, Value as Json};

use super::{
    Fields, Owned, Sent,
    expression::Scope,
    field_kind, identity_fields, tenant_field,
    writing::{ends_ms, reference_key},
};

/// All rows that are there, by entity.
pub(crate) type Library = BTreeMap<String, Vec<Fields>>;

/// What is to be answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expected {
    Row(Option<Json>),
    /// These, in this order.
    Rows {
        rows: Vec<Json>,
    },
    /// So many of these: no order is promised.
    Some {
        rows: Vec<Json>,
        count: usize,
    },
    Count {
        count: u64,
        at_least: bool,
    },
}

/// A moment and a caller, and the rows that are there.
pub(crate) struct Reader<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) library: &'a Library,
    pub(crate) sent: &'a Sent,
    pub(crate) now_us: i64,
    /// The key breaks ties against the direction of the order's last part: the language does not say which way it goes.
    pub(crate) turned: bool,
    /// Set where more than one answer is right: of rows that come first or last at one moment any may be it.
    pub(crate) unsure: Cell<bool>,
}

/// What a pattern that reads answers.
pub(crate) fn answer(reader: &Reader<'_>, pattern: &Pattern, order: Option<&str>) -> Option<Expected> {
    let Action::Read(read) = &pattern.action else { return None };
    let entity = reader.catalog.entity(&read.selection.entity)?;
    let mut rows = reader.selected(read, entity, None);
    match read.verb {
        ReadVerb::Get => {
            let row = rows.pop();
            Some(Expected::Row(row.map(|row| {
                let mut shown = reader.shown(&read.returns, entity, row);
                for with in &read.with {
                    if let Some(other) = reader.catalog.entity(&with.read.selection.entity) {
                        let mut rows = reader.selected(&with.read, other, Some(row));
                        reader.sort(&mut rows, &with.read, other, None);
                        if let Some(Limit::First(first) | Limit::Page(first)) = with.read.limit {
                            rows.truncate(usize::try_from(first).unwrap_or(usize::MAX));
                        }
                        let rows = rows.iter().map(|row| Json::Object(reader.shown(&with.read.returns, other, row)));
                        shown.insert(with.name.clone(), rows.collect());
                    }
                }
                Json::Object(shown)
            })))
        }
        ReadVerb::List => {
            reader.sort(&mut rows, read, entity, order);
            let count = match read.limit {
                Some(Limit::First(first)) => rows.len().min(usize::try_from(first).unwrap_or(usize::MAX)),
                _ => rows.len(),
            };
            let ordered = !read.selection.orders.is_empty();
            rows.truncate(if ordered { count } else { usize::MAX });
            let rows = rows.iter().map(|row| Json::Object(reader.shown(&read.returns, entity, row))).collect();
            Some(if ordered { Expected::Rows { rows } } else { Expected::Some { rows, count } })
        }
        ReadVerb::Count => {
            let (count, up_to) = (rows.len() as u64, read.up_to.unwrap_or(u64::MAX));
            Some(Expected::Count { count: count.min(up_to), at_least: count > up_to })
        }
    }
}

/// Whether a row is one that the pattern reads, while it has not ended.
pub(crate) fn belongs(catalog: &Catalog, read: &Read, sent: &Sent, row: &Fields, now_us: i64) -> bool {
    let library = Library::new();
    let reader = Reader { catalog, library: &library, sent, now_us, turned: false, unsure: Cell::new(false) };
    catalog.entity(&read.selection.entity).is_some_and(|entity| reader.is_asked_for(read, entity, None, row))
}

/// What an answer shows of the row's own fields.
pub(crate) fn shows(catalog: &Catalog, returns: &Returns, entity: &Entity, row: &Fields) -> Map<String, Json> {
    let mut shown = Map::new();
    for path in returned(catalog, returns, entity) {
        if let (Root::Own, Some(value)) = (&path.root, row.get(&path.field)) {
            put(&mut shown, &[path.field.as_str()], value, field_kind(catalog, entity, &path.field).as_ref());
        }
    }
    shown
}

/// The fields of an answer.
fn returned(catalog: &Catalog, returns: &Returns, entity: &Entity) -> Vec<Path> {
    let fields = |keep: &dyn Fn(&Field) -> bool| -> Vec<Path> {
        entity.fields.iter().filter(|field| keep(field)).map(|field| Path::own(&field.name)).collect()
    };
    match returns {
        Returns::Paths(paths) => paths.clone(),
        Returns::Default => fields(&|field| Endpoint::holds(catalog, field)),
        Returns::All | Returns::Before | Returns::After => fields(&|_| true),
    }
}

fn put(object: &mut Map<String, Json>, names: &[&str], value: &Owned, kind: Option<&Kind>) {
    let Some(json) = kind.filter(|_| !value.is_null()).and_then(|kind| to_json(value, kind).ok()) else { return };
    match names {
        [name] => drop(object.insert((*name).to_owned(), json)),
        [first, second] => {
            let inner = object.entry(*first).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(inner) = inner {
                inner.insert((*second).to_owned(), json);
            }
        }
        _ => {}
    }
}

impl<'a> Reader<'a> {
    fn rows(&self, entity: &Entity) -> &'a [Fields] {
        self.library.get(&entity.name).map_or(&[], Vec::as_slice)
    }

    fn selected(&self, read: &Read, entity: &Entity, item: Option<&Fields>) -> Vec<&'a Fields> {
        self.rows(entity).iter().filter(|row| self.is_selected(read, entity, item, row)).collect()
    }

    fn is_selected(&self, read: &Read, entity: &Entity, item: Option<&Fields>, row: &Fields) -> bool {
        let alive = ends_ms(self.catalog, entity, row).is_none_or(|ends| ends > self.now_us.div_euclid(1_000));
        alive && self.is_asked_for(read, entity, item, row)
    }

    fn is_asked_for(&self, read: &Read, entity: &Entity, item: Option<&Fields>, row: &Fields) -> bool {
        let looked = Cell::new(false);
        let Self { catalog, sent, now_us, .. } = *self;
        let scope = Scope { catalog, entity, row, sent, item, now_us, looked: &looked };
        let by = read.selection.by.items().iter().all(|one| {
            let Some(kind) = field_kind(catalog, entity, &one.path.field) else { return false };
            let (have, want) = (row.get(&one.path.field), scope.value(&one.value, &kind));
            have.is_some_and(|have| want.is_ok_and(|want| compare(have, &want) == Some(Ordering::Equal)))
        });
        let filtered = read.selection.filter.as_ref().is_none_or(|filter| scope.holds(filter) == Ok(true));
        self.is_own(entity, row) && by && filtered
    }

    /// Whether the row is one of the caller's tenant.
    fn is_own(&self, entity: &Entity, row: &Fields) -> bool {
        let Some((field, kind)) = tenant_field(self.catalog, entity) else { return true };
        let tenant = self.sent.tenant.as_deref().and_then(|text| keyloom_value::from_text(text, &kind).ok());
        row.get(field) == tenant.as_ref()
    }

    fn sort(&self, rows: &mut [&'a Fields], read: &Read, entity: &Entity, order: Option<&str>) {
        let orders = &read.selection.orders;
        let chosen = order.and_then(|name| orders.iter().find(|order| order.name == name)).or(orders.first());
        let items = chosen.map_or(&[][..], |order| &order.items);
        let falls = items.last().is_some_and(|item| item.direction == Direction::Descending) != self.turned;
        let tie = if falls { Direction::Descending } else { Direction::Ascending };
        let keys = entity.key.iter().map(|key| (key.as_str(), tie));
        let parts: Vec<(&str, Direction)> =
            items.iter().map(|item| (item.path.field.as_str(), item.direction)).chain(keys).collect();
        rows.sort_by(|a, b| {
            let each = parts.iter().map(|(name, direction)| match (a.get(*name), b.get(*name)) {
                (Some(a), Some(b)) => {
                    let order = compare(a, b).unwrap_or(Ordering::Equal);
                    if *direction == Direction::Descending { order.reverse() } else { order }
                }
                // Rows without it come last, whatever the direction.
                (a, b) => a.is_none().cmp(&b.is_none()),
            });
            each.fold(Ordering::Equal, Ordering::then)
        });
    }

    fn shown(&self, returns: &Returns, entity: &Entity, row: &Fields) -> Map<String, Json> {
        let mut shown = Map::new();
        for path in returned(self.catalog, returns, entity) {
            match &path.root {
                Root::Own => {
                    let kind = field_kind(self.catalog, entity, &path.field);
                    let value = self.value(entity, &path.field, row);
                    put(&mut shown, &[path.field.as_str()], &value, kind.as_ref());
                }
                Root::Reference { field, entity: other } => {
                    let (Some(field), Some(other)) = (entity.field(field), self.catalog.entity(other)) else {
                        continue;
                    };
                    let Some(key) = reference_key(self.catalog, entity, field, row) else { continue };
                    let names = identity_fields(self.catalog, other);
                    let is = |row: &&Fields| names.iter().zip(&key).all(|(name, value)| row.get(*name) == Some(value));
                    let alive = |row: &&Fields| {
                        ends_ms(self.catalog, other, row).is_none_or(|ends| ends > self.now_us.div_euclid(1_000))
                    };
                    let Some(there) = self.rows(other).iter().filter(alive).find(is) else { continue };
                    let value = self.value(other, &path.field, there);
                    let name = field.name.strip_suffix("_id").unwrap_or(&field.name);
                    put(
                        &mut shown,
                        &[name, &path.field],
                        &value,
                        field_kind(self.catalog, other, &path.field).as_ref(),
                    );
                }
                Root::Edge { .. } | Root::Item(_) => {}
            }
        }
        shown
    }

    /// The value of a field, kept from other rows where it is.
    fn value(&self, entity: &Entity, field: &str, row: &Fields) -> Owned {
        match entity.field(field).map(|field| &field.fill) {
            Some(Fill::Kept(kept)) => self.kept(entity, field, kept, row).unwrap_or(Value::Null),
            _ => row.get(field).cloned().unwrap_or(Value::Null),
        }
    }

    fn kept(&self, owner: &Entity, field: &str, kept: &Kept, row: &Fields) -> Option<Owned> {
        let feeder = self.catalog.entity(&kept.entity)?;
        let through = feeder.field(&kept.through)?;
        let own: Vec<Option<&Owned>> = identity_fields(self.catalog, owner).iter().map(|name| row.get(*name)).collect();
        let sent = Sent::default();
        let looked = Cell::new(false);
        let feeds = |other: &&Fields| {
            let Self { catalog, now_us, .. } = *self;
            let scope = Scope { catalog, entity: feeder, row: other, sent: &sent, item: None, now_us, looked: &looked };
            let points = reference_key(catalog, feeder, through, other)
                .is_some_and(|key| key.iter().map(Some).collect::<Vec<_>>() == own);
            let alive = ends_ms(catalog, feeder, other).is_none_or(|ends| ends > now_us.div_euclid(1_000));
            points && alive && kept.filter.as_ref().is_none_or(|filter| scope.holds(filter) == Ok(true))
        };
        let mut rows: Vec<&Fields> = self.rows(feeder).iter().filter(feeds).collect();
        if let Some(by) = &kept.by {
            let order = |a: &&Fields, b: &&Fields| match (a.get(by), b.get(by)) {
                (Some(a), Some(b)) => compare(a, b).unwrap_or(Ordering::Equal),
                _ => Ordering::Equal,
            };
            rows.retain(|row| row.contains_key(by));
            rows.sort_by(order);
        }
        let kind = field_kind(self.catalog, owner, field)?;
        let Some(of) = &kept.field else { return Some(Value::Int(rows.len() as i64)) };
        let of_kind = field_kind(self.catalog, feeder, of)?;
        let values: Vec<&Owned> = rows.iter().filter_map(|row| row.get(of)).collect();
        let best = |order: Ordering| {
            let better = |best: Option<&'a Owned>, one: &'a Owned| match best {
                Some(best) if compare(one, best) != Some(order) => Some(best),
                _ => Some(one),
            };
            values.iter().fold(None, |best, one| better(best, one)).cloned()
        };
        match kept.aggregate {
            Aggregate::Count => Some(Value::Int(values.len() as i64)),
            Aggregate::Sum => Some(match kind {
                Kind::Decimal { .. } => Value::Decimal(values.iter().map(|value| decimal(value)).sum()),
                Kind::Float => Value::Float(values.iter().map(|value| float(value, &of_kind)).sum()),
                _ => Value::Int(values.iter().map(|value| int(value)).sum()),
            }),
            Aggregate::Average if values.is_empty() => None,
            Aggregate::Average => {
                let count = values.len();
                Some(match kind {
                    Kind::Float => {
                        Value::Float(values.iter().map(|value| float(value, &of_kind)).sum::<f64>() / count as f64)
                    }
                    Kind::Decimal { .. } => {
                        Value::Decimal(values.iter().map(|value| decimal(value)).sum::<i128>() / count as i128)
                    }
                    _ => Value::Int(values.iter().map(|value| int(value)).sum::<i64>() / count as i64),
                })
            }
            Aggregate::Min => best(Ordering::Less),
            Aggregate::Max => best(Ordering::Greater),
            Aggregate::First => self.furthest(kept, of, rows.iter()),
            Aggregate::Last => self.furthest(kept, of, rows.iter().rev()),
        }
    }

    /// The value of the first of these rows that has one.
    fn furthest<'b>(&self, kept: &Kept, of: &str, rows: impl Iterator<Item = &'b &'b Fields>) -> Option<Owned> {
        let mut rows = rows.filter(|row| row.contains_key(of));
        let first = rows.next()?;
        let by = kept.by.as_ref()?;
        let mut tied = rows.take_while(|row| row.get(by) == first.get(by));
        self.unsure.set(self.unsure.get() || tied.any(|row| row.get(of) != first.get(of)));
        first.get(of).cloned()
    }
}

fn int(value: &Owned) -> i64 {
    if let Value::Int(value) = value { *value } else { 0 }
}

fn decimal(value: &Owned) -> i128 {
    if let Value::Decimal(value) = value { *value } else { 0 }
}

fn float(value: &Owned, kind: &Kind) -> f64 {
    match (value, kind) {
        (Value::Float(value), _) => *value,
        (Value::Int(value), _) => *value as f64,
        (Value::Decimal(value), Kind::Decimal { scale }) => *value as f64 / 10_f64.powi(i32::from(*scale)),
        _ => 0.0,
    }
}
