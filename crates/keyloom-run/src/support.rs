//! The list of rows that point to another one, piece by piece.

use keyloom_store::{End, Freshness, Range, Slice, Store};
use keyloom_value::Value;

use crate::{
    problem::Problem,
    program::{ALL, Support},
    read::millis,
    record::Record,
    run::Run,
};

type Owned = Value<'static>;

/// How many bytes of such a list are read at once.
const PIECE_BYTES: u32 = 1 << 20;

/// A piece of a list of rows.
pub(crate) struct Piece {
    /// The keys of their sources.
    pub(crate) keys: Vec<Vec<Owned>>,
    /// Where the next piece begins, if there is one.
    pub(crate) reached: Option<Vec<Owned>>,
}

impl Run {
    /// The next rows that point to a record. Whatever was acknowledged before is among them.
    pub(crate) async fn pointing(
        &self,
        to: &Record,
        rows: &Support,
        after: Option<&[Owned]>,
    ) -> Result<Piece, Problem> {
        let (table, shape) = self.table(rows.table);
        let value = |field: &usize| to.values[*field].clone();
        let partition: Vec<Owned> = rows.partition.iter().map(value).collect();
        let equal: Vec<Owned> = rows.equal.iter().map(value).collect();
        let read = self.store.slice(Slice {
            table,
            partition: &partition,
            within: Range { equal: &equal, ..Range::ALL },
            after,
            reverse: false,
            rows_max: self.protocol.followed_at_once,
            bytes_max: PIECE_BYTES,
            freshness: Freshness::Settled,
            now: millis(self.now_us()),
        });
        let read = read.await?;
        let mut keys = Vec::with_capacity(read.rows.len());
        for row in &read.rows {
            let key = rows.key.iter().map(|at| match at {
                Some(at) => Ok(row.value(shape, *at)?.into_owned()),
                None => Ok(ALL),
            });
            keys.push(key.collect::<Result<Vec<Owned>, Problem>>()?);
        }
        let reached = match read.end {
            End::Range => None,
            End::Limit { reached } => Some(reached),
        };
        Ok(Piece { keys, reached })
    }
}
