//! The reference: every table a `BTreeMap` from key values to what stands there. It compares values, not bytes, and shares
//! no code with the stores it judges but what all refuse in the same words.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use keyloom_value::{Mismatch, Value, canonical, compare, key};

use crate::{
    abilities::{Abilities, Atomic, Indexes, Limits, no_objection},
    define::{Define, Step, Taking, taking},
    fault::Fault,
    inspect::{Inspect, Inspection},
    read::{Cost, End, Freshness, Get, Got, Rows, Slice},
    refuse,
    row::{Row, RowBuilder},
    schema::{ColumnAt, Discipline, Millis, Shape, TableId},
    store::Store,
    sweep::{Resume, Segment, Sweep, Swept},
    write::{Along, Change, Current, Decision, Expect, Placement, Placing, Verdict},
};

type Owned = Value<'static>;

/// A store in memory, obviously right and fast enough for tests.
#[derive(Debug)]
pub struct Model {
    abilities: Abilities,
    tables: Mutex<Vec<Option<Content>>>,
}

#[derive(Debug, Clone)]
struct Content {
    shape: Arc<Shape>,
    rows: BTreeMap<Key, Vec<Standing>>,
}

/// What stands in one column group.
#[derive(Debug, Clone)]
enum Standing {
    Nothing,
    Put { version: u64, expires_at: Option<Millis>, values: Vec<Owned> },
    Removed { version: u64, at: Millis },
}

/// A key that orders by value, each component in its direction.
#[derive(Debug, Clone)]
struct Key {
    values: Vec<Owned>,
    descending: Arc<[bool]>,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.values.iter().zip(&other.values).zip(self.descending.iter());
        pairs
            .map(|((a, b), descending)| {
                let order = compare(a, b).unwrap_or(Ordering::Equal);
                if *descending { order.reverse() } else { order }
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl Standing {
    fn is_there(&self, now: Millis) -> bool {
        matches!(self, Self::Put { expires_at, .. } if expires_at.is_none_or(|end| end > now))
    }

    /// The order of placements: by version; of one version, a removal first.
    fn rank(&self) -> Option<(u64, bool)> {
        match self {
            Self::Nothing => None,
            Self::Put { version, .. } => Some((*version, true)),
            Self::Removed { version, .. } => Some((*version, false)),
        }
    }
}

impl Model {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            abilities: Abilities {
                engine: "the model",
                atomic: Atomic::Rows { rows_max: 10_000, bytes_max: 64 << 20 },
                column_groups_max: 16,
                indexes: Some(Indexes { freshest: Freshness::Fresh, per_table_max: 20 }),
                limits: Limits {
                    partition_key_bytes_max: 30_000,
                    sort_key_bytes_max: 30_000,
                    row_bytes_max: 16 << 20,
                    partition_cells_max: None,
                    together_rows_max: 10_000,
                    together_bytes_max: 64 << 20,
                },
                objection: no_objection,
            },
            tables: Mutex::default(),
        }
    }

    fn tables(&self) -> MutexGuard<'_, Vec<Option<Content>>> {
        // A test that panicked while it held the lock has failed already.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

fn table(tables: &[Option<Content>], id: TableId) -> Result<&Content, Fault> {
    tables.get(id.0 as usize).and_then(Option::as_ref).ok_or(Fault::Refused("there is no such table".into()))
}

fn table_mut(tables: &mut [Option<Content>], id: TableId) -> Result<&mut Content, Fault> {
    tables.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(Fault::Refused("there is no such table".into()))
}

impl Content {
    fn new(shape: Arc<Shape>) -> Self {
        Self { shape, rows: BTreeMap::new() }
    }

    /// Gives its rows another shape: a column that was added is absent in them, and so is a member of a struct.
    fn reshape(&mut self, shape: Shape) -> Result<(), Fault> {
        let groups = self.shape.table().groups.iter().zip(&shape.table().groups);
        for (group, (old, new)) in groups.enumerate() {
            for standings in self.rows.values_mut() {
                let Standing::Put { values, .. } = &mut standings[group] else { continue };
                values.resize(new.columns.len(), Value::Null);
                for (value, (old, new)) in values.iter_mut().zip(old.columns.iter().zip(&new.columns)) {
                    if !value.is_null() {
                        let mut bytes = Vec::new();
                        canonical::encode(value, &old.kind, &mut bytes)?;
                        *value = canonical::decode(&bytes, &new.kind)?.into_owned();
                    }
                }
            }
        }
        self.shape = Arc::new(shape);
        Ok(())
    }

    /// The key as it is compared, after a look at its kinds and its size.
    fn key(&self, values: &[Value<'_>], abilities: &Abilities) -> Result<Key, Fault> {
        let parts = self.shape.key_parts();
        let (partition, sort) = values.split_at(self.shape.table().partition.len().min(values.len()));
        let partition = key::encode(partition, self.shape.partition_parts())?.len();
        let sort = key::encode(sort, self.shape.sort_parts())?.len();
        refuse::key_sizes(&self.shape, partition, sort, abilities)?;
        Ok(Key {
            values: values.iter().cloned().map(Value::into_owned).collect(),
            descending: parts.iter().map(|part| part.descending).collect(),
        })
    }

    /// The row as callers see it.
    fn row(&self, key: &Key, standings: &[Standing]) -> Result<Row, Fault> {
        let mut body = RowBuilder::new();
        for (standing, group) in standings.iter().zip(&self.shape.table().groups) {
            match standing {
                Standing::Nothing => body.keep(&crate::Section::NEVER),
                Standing::Put { version, expires_at, values } => {
                    body.put(*version, *expires_at, &group.columns, values)?;
                }
                Standing::Removed { version, at } => body.removed(*version, *at),
            }
        }
        Ok(Row::new(key::encode(&key.values, self.shape.key_parts())?.into(), body.finish()))
    }

    /// The row of a decided or carried table, if it is there.
    fn current(&self, key: &Key, now: Millis) -> Result<Option<Row>, Fault> {
        match self.rows.get(key) {
            Some(standings) if standings[0].is_there(now) => self.row(key, standings).map(Some),
            _ => Ok(None),
        }
    }

    /// How large a row with these standings would be, refused if that is too large.
    fn sized(&self, key: &Key, standings: &[Standing], abilities: &Abilities) -> Result<u64, Fault> {
        let row = self.row(key, standings)?;
        refuse::row_size(&self.shape, row.size(), abilities)?;
        Ok(row.size() as u64)
    }

    /// Everything an index holds, derived from its table at the moment it is read.
    fn indexed(&self, base: &Self, now: Millis) -> Result<BTreeMap<Key, Vec<Standing>>, Fault> {
        let mut rows = BTreeMap::new();
        for (key, standings) in &base.rows {
            let Standing::Put { version, expires_at, values } = &standings[0] else { continue };
            if !standings[0].is_there(now) {
                continue;
            }
            let value = |name: &str| match base.shape.column(name) {
                Some(ColumnAt::Key(at)) => key.values[at].clone(),
                Some(ColumnAt::Cell { column, .. }) => values.get(column).cloned().unwrap_or(Value::Null),
                None => Value::Null,
            };
            let own = self.shape.table();
            let own_key: Vec<Owned> = own.key_names().map(value).collect();
            // A row without a value for the index's key is not in it.
            if own_key.iter().any(Value::is_null) {
                continue;
            }
            let values = own.groups[0].columns.iter().map(|column| value(&column.name)).collect();
            let descending = self.shape.key_parts().iter().map(|part| part.descending).collect();
            let standing = Standing::Put { version: *version, expires_at: *expires_at, values };
            rows.insert(Key { values: own_key, descending }, vec![standing]);
        }
        Ok(rows)
    }
}

fn owned(values: &[Value<'_>]) -> Vec<Owned> {
    values.iter().cloned().map(Value::into_owned).collect()
}

/// What a row is instead of what was expected; `None` when it is as expected.
fn otherwise(current: Option<Row>, expect: Expect) -> Result<Option<Current>, Fault> {
    Ok(match (current, expect) {
        (None, Expect::Absent) => None,
        (Some(row), Expect::Version(version)) if row.version()? == version => None,
        (None, Expect::Version(_)) => Some(Current::Absent),
        (Some(row), _) => Some(Current::Is(row)),
    })
}

/// One row that a call changes: its table, its key, what stands there afterwards.
type Outcome = (TableId, Key, Vec<Standing>);

impl Model {
    fn decided(
        &self,
        tables: &[Option<Content>],
        change: &Change<'_>,
        now: Millis,
    ) -> Result<Result<Outcome, Current>, Fault> {
        let content = table(tables, change.table)?;
        refuse::change(&content.shape, change)?;
        let key = content.key(change.key, &self.abilities)?;
        let becomes = &change.becomes;
        let standings = vec![Standing::Put {
            version: becomes.version,
            expires_at: becomes.expires_at,
            values: owned(becomes.values),
        }];
        content.sized(&key, &standings, &self.abilities)?;
        Ok(match otherwise(content.current(&key, now)?, change.expect)? {
            Some(current) => Err(current),
            None => Ok((change.table, key, standings)),
        })
    }

    fn placed(&self, tables: &[Option<Content>], placement: &Placement<'_>, now: Millis) -> Result<Outcome, Fault> {
        let content = table(tables, placement.table)?;
        refuse::placement(&content.shape, placement)?;
        let key = content.key(placement.key, &self.abilities)?;
        let groups = content.shape.table().groups.len();
        let mut standings = content.rows.get(&key).cloned().unwrap_or_else(|| vec![Standing::Nothing; groups]);
        let mut arrive = |group: usize, arriving: Standing| {
            if arriving.rank() > standings[group].rank() {
                standings[group] = arriving;
            }
        };
        match placement.placing {
            Placing::Put { groups, expires_at } => {
                for image in groups {
                    let (version, values) = (image.version, owned(image.values));
                    arrive(image.group, Standing::Put { version, expires_at, values });
                }
            }
            Placing::Remove { groups } => {
                for (group, version) in groups {
                    arrive(*group, Standing::Removed { version: *version, at: now });
                }
            }
        }
        content.sized(&key, &standings, &self.abilities)?;
        Ok((placement.table, key, standings))
    }

    fn read_slice(&self, of: &Slice<'_>) -> Result<Rows, Fault> {
        let tables = self.tables();
        let content = table(&tables, of.table)?;
        refuse::slice(&content.shape, of, &self.abilities)?;
        let derived = match &content.shape.table().discipline {
            Discipline::Indexed { of: base } => {
                let base = tables.iter().flatten().find(|other| other.shape.table().name == *base);
                let base = base.ok_or(Fault::Refused("the index's table is gone".into()))?;
                Some(content.indexed(base, of.now)?)
            }
            _ => None,
        };
        let columns = content.shape.table().partition.len();
        // Checked as keys are, so that a value of another kind is refused and not just found nowhere.
        key::encode(of.partition, content.shape.partition_parts())?;
        key::encode(of.within.equal, content.shape.sort_parts())?;
        if let Some(part) = content.shape.sort_parts().get(of.within.equal.len()) {
            for bound in [of.within.low, of.within.high] {
                if let Bound::Included(value) | Bound::Excluded(value) = bound {
                    key::encode_part(value, part, &mut Vec::new())?;
                }
            }
        }
        if let Some(after) = of.after {
            key::encode(after, content.shape.sort_parts())?;
        }
        let equal = |a: &[Owned], b: &[Value<'_>]| a.iter().zip(b).all(|(a, b)| compare(a, b) == Some(Ordering::Equal));
        let within = |key: &Key| {
            let sort = &key.values[columns..];
            let above = |value: &Owned| match of.within.low {
                Bound::Included(low) => compare(value, low).is_some_and(Ordering::is_ge),
                Bound::Excluded(low) => compare(value, low).is_some_and(Ordering::is_gt),
                Bound::Unbounded => true,
            };
            let below = |value: &Owned| match of.within.high {
                Bound::Included(high) => compare(value, high).is_some_and(Ordering::is_le),
                Bound::Excluded(high) => compare(value, high).is_some_and(Ordering::is_lt),
                Bound::Unbounded => true,
            };
            let behind = || {
                let Some(after) = of.after else { return true };
                let after = Key {
                    values: of.partition.iter().chain(after).cloned().map(Value::into_owned).collect(),
                    descending: key.descending.clone(),
                };
                if of.reverse { *key < after } else { *key > after }
            };
            equal(&key.values, of.partition)
                && equal(sort, of.within.equal)
                && sort.get(of.within.equal.len()).is_none_or(|next| above(next) && below(next))
                && behind()
        };
        let mut found: Vec<(&Key, &Vec<Standing>)> =
            derived.as_ref().unwrap_or(&content.rows).iter().filter(|(key, _)| within(key)).collect();
        if of.reverse {
            found.reverse();
        }
        let (mut rows, mut cost, mut returned) = (Vec::new(), Cost::default(), 0);
        let mut reached: Option<&Key> = None;
        for (key, standings) in found {
            let (there, stored) = (standings[0].is_there(of.now), content.row(key, standings)?);
            let (size, row) = (stored.size(), stored.as_of(of.now)?);
            let too_many = cost.rows == u64::from(of.rows_max);
            let too_large = there && !rows.is_empty() && returned + row.size() > of.bytes_max as usize;
            if let Some(reached) = reached.filter(|_| too_many || too_large) {
                return Ok(Rows { rows, end: End::Limit { reached: reached.values[columns..].to_vec() }, cost });
            }
            reached = Some(key);
            cost.rows += 1;
            cost.bytes += size as u64;
            if there {
                returned += row.size();
                rows.push(row);
            } else if standings[1..].iter().any(|standing| standing.is_there(of.now)) {
                cost.leftovers += 1;
            }
        }
        Ok(Rows { rows, end: End::Range, cost })
    }

    fn read_row(&self, at: &Get<'_>) -> Result<Got, Fault> {
        let tables = self.tables();
        let content = table(&tables, at.table)?;
        refuse::get(&content.shape, at)?;
        let key = content.key(at.key, &self.abilities)?;
        let stored = content.rows.get(&key);
        let mut cost = Cost { rows: 1, ..Cost::default() };
        let Some(standings) = stored else { return Ok(Got { row: None, cost }) };
        let row = content.row(&key, standings)?;
        cost.bytes = row.size() as u64;
        if standings[0].is_there(at.now) {
            return Ok(Got { row: Some(row.as_of(at.now)?), cost });
        }
        cost.leftovers = u64::from(standings[1..].iter().any(|standing| standing.is_there(at.now)));
        Ok(Got { row: None, cost })
    }
}

impl Store for Model {
    fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.read_row(&at)
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        at.iter().map(|at| self.read_row(at)).collect()
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.read_slice(&of)
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        let mut tables = self.tables();
        let (mut outcomes, mut lost) = (Vec::new(), None);
        let mut named: Vec<(TableId, Key)> = Vec::new();
        let mut bytes = 0;
        let first = Along::Decide(what.change);
        for (at, along) in std::iter::once(&first).chain(what.along).enumerate() {
            let (id, key) = match along {
                Along::Decide(Change { table, key, .. })
                | Along::Check { table, key, .. }
                | Along::Put { table, key, .. }
                | Along::Remove { table, key }
                | Along::Place(Placement { table, key, .. }) => (*table, *key),
            };
            let content = table(&tables, id)?;
            let outcome = match along {
                Along::Decide(change) => self.decided(&tables, change, what.now)?,
                Along::Check { expect, .. } => {
                    refuse::decided(&content.shape, key)?;
                    let key = content.key(key, &self.abilities)?;
                    match otherwise(content.current(&key, what.now)?, *expect)? {
                        Some(current) => Err(current),
                        None => Ok((id, key.clone(), content.rows.get(&key).cloned().unwrap_or_default())),
                    }
                }
                Along::Put { becomes, .. } => {
                    refuse::carried(&content.shape, key)?;
                    refuse::image(&content.shape, becomes)?;
                    let standing = Standing::Put {
                        version: becomes.version,
                        expires_at: becomes.expires_at,
                        values: owned(becomes.values),
                    };
                    Ok((id, content.key(key, &self.abilities)?, vec![standing]))
                }
                Along::Remove { .. } => {
                    refuse::carried(&content.shape, key)?;
                    Ok((id, content.key(key, &self.abilities)?, Vec::new()))
                }
                Along::Place(placement) => Ok(self.placed(&tables, placement, what.now)?),
            };
            named.push((id, content.key(key, &self.abilities)?));
            match outcome {
                Ok((id, key, standings)) => {
                    bytes += content.sized(&key, &standings, &self.abilities)?;
                    outcomes.push((id, key, standings));
                }
                Err(current) => lost = lost.or(Some(Verdict::Lost { at, current })),
            }
        }
        refuse::along(1 + what.along.len(), bytes, &self.abilities)?;
        named.sort();
        if named.windows(2).any(|pair| pair[0] == pair[1]) {
            return refuse::twice();
        }
        if let Some(lost) = lost {
            return Ok(lost);
        }
        for (id, key, standings) in outcomes {
            let rows = &mut table_mut(&mut tables, id)?.rows;
            if standings.is_empty() {
                rows.remove(&key);
            } else {
                rows.insert(key, standings);
            }
        }
        Ok(Verdict::Done)
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let mut tables = self.tables();
        let (mut outcomes, mut bytes) = (BTreeMap::new(), 0);
        for placement in rows {
            let (id, key, standings) = self.placed(&tables, placement, now)?;
            bytes += table(&tables, id)?.sized(&key, &standings, &self.abilities)?;
            if outcomes.insert((id, key), standings).is_some() {
                return refuse::twice();
            }
        }
        if together {
            refuse::together(rows.len(), bytes, &self.abilities)?;
        }
        for ((id, key), standings) in outcomes {
            table_mut(&mut tables, id)?.rows.insert(key, standings);
        }
        Ok(())
    }
}

impl Define for Model {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        let tables = self.tables();
        Ok((0..)
            .zip(tables.iter())
            .filter_map(|(id, content)| Some((TableId(id), content.as_ref()?.shape.clone())))
            .collect())
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        let mut tables = self.tables();
        let there: Vec<Arc<Shape>> = tables.iter().flatten().map(|content| content.shape.clone()).collect();
        let taking = taking(&there, step, &self.abilities)?;
        let name = step.table();
        let mut named = tables.iter_mut().find(|slot| slot.as_ref().is_some_and(|it| it.shape.table().name == name));
        match (taking, &mut named) {
            (Taking::Create(shape), _) => tables.push(Some(Content::new(Arc::new(shape)))),
            (Taking::Reshape(shape), Some(Some(content))) => content.reshape(shape)?,
            (Taking::Drop, Some(slot)) => **slot = None,
            _ => {}
        }
        Ok(())
    }
}

impl Sweep for Model {
    async fn segments(&self, id: TableId, _parts: u32) -> Result<Vec<Segment>, Fault> {
        refuse::sweep(&table(&self.tables(), id)?.shape)?;
        Ok(vec![Segment(Vec::new())])
    }

    async fn sweep(
        &self,
        id: TableId,
        _segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        let tables = self.tables();
        let content = table(&tables, id)?;
        refuse::sweep(&content.shape)?;
        let parts = content.shape.key_parts();
        let from = from.map(|resume| key::decode(&resume.0, parts)).transpose();
        let from = from.map_err(|_| Fault::refused("a sweep goes on where none ended"))?;
        let from = from.map(|values| Key {
            values: owned(&values),
            descending: parts.iter().map(|part| part.descending).collect(),
        });
        let (mut rows, mut leftovers) = (Vec::new(), Vec::new());
        for (key, standings) in &content.rows {
            if from.as_ref().is_some_and(|from| key <= from) {
                continue;
            }
            let row = content.row(key, standings)?.as_of(now)?;
            if standings[0].is_there(now) {
                rows.push(row);
            } else if standings.iter().any(|standing| standing.is_there(now)) {
                leftovers.push(row);
            }
            if rows.len() + leftovers.len() >= rows_max.max(1) as usize {
                let resume = key::encode(&key.values, parts).map_err(|mismatch: Mismatch| Fault::from(mismatch))?;
                return Ok(Swept { rows, leftovers, resume: Some(Resume(resume)) });
            }
        }
        Ok(Swept { rows, leftovers, resume: None })
    }
}

impl Inspect for Model {
    async fn inspect(&self, id: TableId) -> Result<Inspection, Fault> {
        let tables = self.tables();
        let content = table(&tables, id)?;
        Ok(Inspection { rows: Some(content.rows.len() as u64), ..Inspection::default() })
    }
}
