//! The layout that runs, as the store remembers it.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_store::{
    Change, Decision, Define, Expect, Fault, Freshness, Get, Image, Millis, Shape, Store, TableId, Verdict,
};
use keyloom_value::Value;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{environment::Environment, read::millis};

/// The system row that holds it.
const LAYOUT: &str = "layout";

/// What is done with a table that not everybody knows, or that does not hold everything yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// What a row leaves there is removed, and nothing is placed: there may be writers that know nothing of it, and would leave
    /// what others have placed.
    Removing,
    /// It is kept up by all who know it, and may lack what was there before.
    Written,
}

/// What a store remembers of the layout that it is run by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutRecord {
    /// One more with every change.
    pub epoch: u64,
    /// The layout, as text.
    pub text: String,
    /// The entities that it names. A process whose catalog lacks one can read what it says of the others.
    pub entities: Vec<String>,
    /// The tables with their columns.
    pub(super) tables: BTreeMap<String, BTreeSet<String>>,
    /// Lists whose rows show the version of their source.
    pub(super) shows: BTreeSet<String>,
    /// Those that are not served yet.
    pub(super) levels: BTreeMap<String, Level>,
    /// What is computed, and how: rows that are there were computed like this.
    pub(super) meanings: BTreeMap<String, String>,
    /// Digests of the catalogs that it was extended for, the newest last.
    pub(super) ran: Vec<String>,
    /// How far filling is.
    pub(super) checkpoint: Option<Json>,
    /// What was served before, as long as not all is: it runs again if what is new can't be filled.
    pub(super) previous: Option<Box<LayoutRecord>>,
}

impl LayoutRecord {
    /// What a store remembers; nothing where no layout was ever run.
    ///
    /// # Errors
    /// When the store fails, or what it remembers can't be read.
    pub async fn of<S: Store + Define>(store: &S, environment: &dyn Environment) -> Result<Option<Self>, Fault> {
        let there = store.describe().await?;
        let Some(at) = Place::among(&there) else { return Ok(None) };
        Ok(at.read(store, millis(environment.now_us())).await?.map(|(_, record)| record))
    }

    /// One of a store that was made before layouts were remembered: what is there was kept up.
    pub(super) fn before(there: &[(TableId, std::sync::Arc<Shape>)]) -> Self {
        let columns = |shape: &Shape| shape.table().column_names().map(str::to_owned).collect();
        Self {
            epoch: 0,
            text: String::new(),
            entities: Vec::new(),
            tables: there.iter().map(|(_, shape)| (shape.table().name.clone(), columns(shape))).collect(),
            shows: BTreeSet::new(),
            levels: BTreeMap::new(),
            meanings: BTreeMap::new(),
            ran: Vec::new(),
            checkpoint: None,
            previous: None,
        }
    }

    /// The tables that are not served yet.
    pub fn unserved(&self) -> impl Iterator<Item = &str> {
        self.levels.keys().map(String::as_str)
    }

    /// Whether it says the same of the layout; how far filling is says nothing of it.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        *self == Self { epoch: self.epoch, checkpoint: self.checkpoint.clone(), ..other.clone() }
    }
}

/// Where the record is.
pub(super) struct Place<'a> {
    pub(super) table: TableId,
    pub(super) shape: &'a Shape,
}

impl<'a> Place<'a> {
    pub(super) fn among(there: &'a [(TableId, std::sync::Arc<Shape>)]) -> Option<Self> {
        let (table, shape) = there.iter().find(|(_, shape)| shape.table().name == "kl_system")?;
        Some(Self { table: *table, shape })
    }

    /// The record, and the version of its row.
    pub(super) async fn read(&self, store: &impl Store, now: Millis) -> Result<Option<(u64, LayoutRecord)>, Fault> {
        let key = [Value::from(LAYOUT)];
        let got = store.get(Get { table: self.table, key: &key, freshness: Freshness::Fresh, now }).await?;
        let Some(row) = got.row else { return Ok(None) };
        let odd = || Fault::Broken("the record of the layout can't be read".into());
        let value = row.value(self.shape, self.shape.column("value").ok_or_else(odd)?)?;
        let Value::Bytes(bytes) = value else { return Err(odd()) };
        let record = serde_json::from_slice(&bytes).map_err(|_| odd())?;
        Ok(Some((row.version()?, record)))
    }

    /// Writes a record over the one that was read, if that still stands; its new version, or nothing.
    pub(super) async fn write(
        &self,
        store: &impl Store,
        now: Millis,
        before: Option<u64>,
        record: &LayoutRecord,
    ) -> Result<Option<u64>, Fault> {
        let (expect, version) = match before {
            Some(version) => (Expect::Version(version), version + 2),
            None => (Expect::Absent, 1),
        };
        let text = serde_json::to_vec(record).map_err(|odd| Fault::Broken(odd.to_string().into()))?;
        let (key, values) = ([Value::from(LAYOUT)], [Value::from(text)]);
        let becomes = Image { version, expires_at: None, values: &values };
        let change = Change { table: self.table, key: &key, expect, becomes };
        match store.decide(Decision { change, along: &[], now }).await? {
            Verdict::Done => Ok(Some(version)),
            Verdict::Lost { .. } => Ok(None),
        }
    }
}
