use crate::{fault::Fault, schema::TableId};

/// What an engine can say about itself.
pub trait Inspect: Send + Sync {
    /// About one table.
    fn inspect(&self, table: TableId) -> impl Future<Output = Result<Inspection, Fault>> + Send;
}

/// `None` where the engine can't say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inspection {
    /// About how many rows are stored, also those past their end.
    pub rows: Option<u64>,
    /// Bytes on disk.
    pub disk_bytes: Option<u64>,
    /// Removed or expired rows that are still held.
    pub removed_rows: Option<u64>,
    /// Calls that were answered with "busy".
    pub throttled: Option<u64>,
    /// How far its indexes are behind.
    pub index_lag_ms: Option<u64>,
}
