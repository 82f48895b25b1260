//! How large partitions are, where the engine has an opinion of it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use keyloom_facts::Fact;
use keyloom_store::{End, Fault, Freshness, Range, Slice, TableId};
use keyloom_value::{Value, key};

use crate::{
    limited::{Limited, Under},
    notice::{Notice, Warning},
    tables::{Held, partition_words},
    weight,
    write::BEGINNING,
};

/// From so many partitions on all are counted anew when they are written again.
const PARTITIONS: usize = 100_000;

/// Rows of a partition that are counted at once.
const PIECE: u32 = 1_000;

/// Rows and bytes of the partitions that were written of late.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<HashMap<(TableId, Vec<u8>), Size>>);

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    rows: u64,
    bytes: u64,
}

/// A row that was written.
pub(crate) struct Grown<'a> {
    pub(crate) held: &'a Held,
    pub(crate) partition: &'a [u8],
    pub(crate) is_new: bool,
    pub(crate) bytes: u64,
    pub(crate) bytes_before: u64,
}

impl<S: Under> Limited<S> {
    /// Counts a row that was written, and says when its partition has become too large.
    pub(crate) async fn grown(&self, row: Grown<'_>) -> Result<(), Fault> {
        let watched = self.regime.partition_rows.is_some() || self.regime.partition_bytes.is_some();
        if !watched || row.held.table().sort.is_empty() {
            return Ok(());
        }
        let id = (row.held.id, row.partition.to_vec());
        let known = self.watch.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&id);
        if !known {
            // It has the row already.
            let size = self.counted(row.held, row.partition).await?;
            let mut sizes = self.watch.0.lock().unwrap_or_else(PoisonError::into_inner);
            if sizes.len() >= PARTITIONS {
                sizes.clear();
            }
            sizes.insert(id, size);
            drop(sizes);
            let before =
                Size { rows: size.rows.saturating_sub(row.is_new.into()), bytes: size.bytes.saturating_sub(row.bytes) };
            self.compare(&row, before, size);
            return Ok(());
        }
        let (before, after) = {
            let mut sizes = self.watch.0.lock().unwrap_or_else(PoisonError::into_inner);
            let size = sizes.entry(id).or_default();
            let before = *size;
            size.rows += u64::from(row.is_new);
            size.bytes = (size.bytes + row.bytes).saturating_sub(row.bytes_before);
            (before, *size)
        };
        self.compare(&row, before, after);
        Ok(())
    }

    fn compare(&self, row: &Grown<'_>, before: Size, after: Size) {
        let limits = [
            (Warning::PartitionRows, self.regime.partition_rows, before.rows, after.rows),
            (Warning::PartitionBytes, self.regime.partition_bytes, before.bytes, after.bytes),
        ];
        let crossed = |limit: &Fact, before: u64, after: u64| before <= limit.value && after > limit.value;
        for (warning, limit, before, after) in limits {
            let Some(limit) = limit.filter(|limit| crossed(limit, before, after)) else { continue };
            let table = row.held.table().name.clone();
            let partition = partition_words(&row.held.shape, row.partition);
            let words = format!(
                "{} warns of `{table}`, partition {partition}: it is larger than {limit}",
                self.abilities.engine
            );
            self.notice(row.held.id, &Notice { warning, table, words });
        }
    }

    /// Rows and bytes of a partition, as far as they matter.
    async fn counted(&self, held: &Held, partition: &[u8]) -> Result<Size, Fault> {
        let values = key::decode(partition, held.shape.partition_parts())?;
        let (mut size, mut after) = (Size::default(), None::<Vec<Value<'static>>>);
        loop {
            let of = Slice {
                table: held.id,
                partition: &values,
                within: Range::ALL,
                after: after.as_deref(),
                reverse: false,
                rows_max: PIECE,
                bytes_max: u32::MAX,
                freshness: Freshness::Any,
                now: BEGINNING,
            };
            let found = self.inner.slice(of).await?;
            size.rows += found.rows.len() as u64;
            for row in &found.rows {
                size.bytes += weight::bytes(&*self.dialect, held, &weight::stored(&held.shape, row)?);
            }
            match found.end {
                End::Range => return Ok(size),
                End::Limit { reached } => after = Some(reached),
            }
        }
    }
}
