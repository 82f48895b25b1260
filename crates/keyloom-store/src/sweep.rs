use crate::{
    fault::Fault,
    row::Row,
    schema::{Millis, TableId},
};

/// All rows of a table, a piece at a time, in no stated order: for verifying, repairing and copying, never in the path of a
/// request. A row that is there from the first call to the last is seen at least once, as fresh as `Settled`. An index can't
/// be swept; its table can.
pub trait Sweep: Send + Sync {
    /// About so many parts of a table, together all of it.
    fn segments(&self, table: TableId, parts: u32) -> impl Future<Output = Result<Vec<Segment>, Fault>> + Send;

    /// The next rows of a segment, from where an earlier call ended.
    fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> impl Future<Output = Result<Swept, Fault>> + Send;
}

/// A part of a table, as its store understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment(pub Vec<u8>);

/// Where a sweep goes on; may be written down and used in another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume(pub Vec<u8>);

/// What one call of a sweep found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// Rows that are there.
    pub rows: Vec<Row>,
    /// Rows whose root is not there though another group is: for a repair to remove.
    pub leftovers: Vec<Row>,
    /// Where to go on; `None` at the end.
    pub resume: Option<Resume>,
}
