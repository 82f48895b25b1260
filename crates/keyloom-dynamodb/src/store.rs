//! The store: its parts, and the verbs handed on to them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use aws_sdk_dynamodb::{Client, types::ConsumedCapacity};
use keyloom_store::{
    Abilities, Atomic, Decision, Fault, Freshness, Get, Got, Indexes, Inspect, Inspection, Limits, Millis, Placement,
    Rows, Slice, Store, TableId, Verdict, no_objection,
};

use crate::{
    client::{Options, connect},
    fault::{self, Call, CallError, Throttled},
    layout::Layout,
    read::milliunits,
    tables::Tables,
};

/// A store on DynamoDB.
#[derive(Debug)]
pub struct DynamoDb {
    pub(crate) client: Client,
    pub(crate) prefix: String,
    pub(crate) tables: Tables,
    pub(crate) abilities: Abilities,
    /// How often a table was answered with "busy", by its name.
    throttled: Mutex<BTreeMap<String, u64>>,
    /// The units of all writes so far, in thousandths.
    write_milliunits: AtomicU64,
}

impl DynamoDb {
    /// Makes a client, and reads which tables are there.
    ///
    /// # Errors
    /// When no region is known, the prefix can't be one, or DynamoDB can't be reached.
    pub async fn connect(options: &Options) -> Result<Self, Fault> {
        Self::connected(options).await
    }

    /// How many units all writes of this store took so far, in thousandths. Those that were refused cost too, but DynamoDB
    /// does not say how much.
    pub fn write_milliunits(&self) -> u64 {
        self.write_milliunits.load(Ordering::Relaxed)
    }

    pub(crate) fn written<'a>(&self, capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
        let milliunits = capacity.into_iter().map(|one| milliunits(Some(one))).sum();
        self.write_milliunits.fetch_add(milliunits, Ordering::Relaxed);
    }

    pub(crate) async fn connect_to(options: &Options) -> Result<Self, Fault> {
        let client = connect(options).await?;
        let store = Self {
            client,
            prefix: options.prefix.clone(),
            tables: Tables::default(),
            abilities: abilities(),
            throttled: Mutex::default(),
            write_milliunits: AtomicU64::default(),
        };
        store.reread().await?;
        Ok(store)
    }

    pub(crate) fn layout(&self, table: TableId) -> Result<Arc<Layout>, Fault> {
        self.tables.layout(table)
    }

    /// What an error of a call on a table means; a busy table is counted.
    pub(crate) fn fault<E: Throttled>(&self, layout: &Layout, call: Call, error: &CallError<E>) -> Fault {
        let fault = fault::fault(error, call);
        self.count(layout, &fault);
        fault
    }

    pub(crate) fn count(&self, layout: &Layout, fault: &Fault) {
        if let Fault::Busy { .. } = fault {
            let mut throttled = self.throttled.lock().unwrap_or_else(PoisonError::into_inner);
            *throttled.entry(layout.table.clone()).or_default() += 1;
        }
    }
}

/// What the store is able to, known without asking anybody.
pub fn abilities() -> Abilities {
    Abilities {
        engine: "DynamoDB",
        atomic: Atomic::Rows { rows_max: 100, bytes_max: 4 << 20 },
        column_groups_max: 16,
        indexes: Some(Indexes { freshest: Freshness::Any, per_table_max: 20 }),
        limits: Limits {
            partition_key_bytes_max: 2_048,
            sort_key_bytes_max: 1_024,
            // An item has 400 KB, in which names count too; one with long names is refused by its own size.
            row_bytes_max: (400 << 10) - (4 << 10),
            partition_cells_max: None,
            together_rows_max: 100,
            together_bytes_max: 4 << 20,
        },
        objection: no_objection,
    }
}

impl Store for DynamoDb {
    fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        self.got(at).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.got_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.sliced(of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        self.decided(what).await
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.placed(rows, together, now).await
    }
}

impl Inspect for DynamoDb {
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        let layout = self.layout(table)?;
        let throttled = self.throttled.lock().unwrap_or_else(PoisonError::into_inner).get(&layout.table).copied();
        // What DynamoDB says about rows and bytes is up to six hours old, which is no answer.
        Ok(Inspection { throttled: Some(throttled.unwrap_or_default()), ..Inspection::default() })
    }
}
