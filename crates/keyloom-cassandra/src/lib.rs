//! The store on Apache Cassandra.
//!
//! Tables have native columns that a team can read without us; what Keyloom needs beside them is called `kl_..`. Decided
//! tables are changed by conditional statements alone, placed ones by statements with timestamps alone, and all statements
//! are prepared when a table is first described: a request never prepares anything. The driver retries nothing, since a
//! retry would hide that an answer is unknown.
//!
//! Tested on Cassandra 5, not yet on ScyllaDB.

mod bind;
mod boxes;
mod cells;
mod connect;
mod decode;
mod define;
mod dialect;
mod emit;
mod fault;
mod legal;
mod names;
mod native;
mod options;
mod plan;
mod read;
mod ready;
mod records;
mod rows;
mod script;
mod slice;
mod statements;
mod sweep;
mod tables;
mod tls;
mod write;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyloom_store::{
    Abilities, Atomic, Decision, Define, Fault, Get, Got, Inspect, Inspection, Limits, Millis, Placement, Resume, Rows,
    Segment, Shape, Slice, Step, Store, Sweep, Swept, TableId, Verdict,
};
use scylla::client::session::Session;

pub use connect::{Login, Options};
pub use dialect::CassandraDialect;
pub use emit::{cql, get_cql, slice_cql};
use ready::Ready;
use tables::Tables;

/// A store in a keyspace of Cassandra.
pub struct Cassandra {
    abilities: Abilities,
    session: Session,
    keyspace: String,
    /// How many seconds a time to live may have.
    ttl_max: i64,
    tables: Mutex<Tables>,
}

impl Cassandra {
    /// Connects to a cluster and looks for the keyspace.
    ///
    /// # Errors
    /// `NotDone` when no node answers, `Refused` when the keyspace is not there: the words say how to make it.
    pub async fn connect(options: &Options) -> Result<Self, Fault> {
        Self::connected(options).await
    }

    async fn connect_to(options: &Options) -> Result<Self, Fault> {
        let session = connect::session(options).await?;
        let ttl_max = connect::ttl_max(&session).await?;
        let keyspace = options.keyspace.clone();
        Ok(Self { abilities: abilities(), session, keyspace, ttl_max, tables: Mutex::default() })
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Nothing that holds it can stop half-way.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self, id: TableId) -> Result<Arc<Ready>, Fault> {
        self.tables().get(id).cloned()
    }
}

/// What the store is able to, known without asking anybody.
pub fn abilities() -> Abilities {
    Abilities {
        engine: "Cassandra",
        atomic: Atomic::Row,
        column_groups_max: 16,
        indexes: None,
        limits: Limits {
            partition_key_bytes_max: 65_535,
            sort_key_bytes_max: 65_535,
            // Half of what a request may have.
            row_bytes_max: 8 << 20,
            partition_cells_max: Some(2_000_000_000),
            together_rows_max: 50,
            // As Cassandra counts them: a batch above 50 KiB is refused there.
            together_bytes_max: 50 << 10,
        },
        objection: legal::objection,
    }
}

impl Store for Cassandra {
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
        self.placed_all(rows, together, now).await
    }
}

impl Define for Cassandra {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.described().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.taken(step).await
    }

    async fn script(&self, steps: &[Step]) -> Result<Vec<String>, Fault> {
        self.scripted(steps).await
    }
}

impl Sweep for Cassandra {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.token_ranges(table, parts)
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.swept(table, segment, from, rows_max, now).await
    }
}

impl Inspect for Cassandra {
    /// A node can say something about itself, and only of what it has written to disk; nobody knows about the cluster.
    async fn inspect(&self, table: TableId) -> Result<Inspection, Fault> {
        self.table(table)?;
        Ok(Inspection::default())
    }
}
