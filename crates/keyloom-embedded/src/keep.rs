//! Keeps memory and journal small, and looks at the disk.
//!
//! The engine would do the first by itself, but its way asks for a new memtable with every write above the limit. A few
//! milliseconds of that fill the queue of its workers, who then wait for room in it, for ever. So its limit is out of
//! reach, and this thread asks once.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::{shared::Shared, tables::OpenTable};
use fjall::AbstractTree;
use keyloom_store::TableId;

/// When a table's memory is put into its tree.
const TABLE_BYTES: u64 = 32 << 20;
/// When the memory of the largest is, because that of all tables together is too much.
const ALL_BYTES: u64 = 64 << 20;
/// What a row takes in memory besides its bytes.
const ROW_BYTES: u64 = 64;
/// So many memories may wait for their trees; with 4 of one table the engine would make its writers sleep.
const SEALED_MAX: usize = 3;
/// With 20 runs of young tables in a tree the engine would hold up its writers.
const RUNS_MAX: usize = 18;
/// A start after a crash replays no more journals than these, and the one that is being filled.
const JOURNALS_MAX: usize = 3;
/// For how many rotations a tree's old versions are held.
const VERSIONS_HELD: u64 = 4;

/// How often the engine is asked to remove what it does not need, when space is scarce.
const RECLAIM: Duration = Duration::from_secs(1);

const IDLE: Duration = Duration::from_millis(200);
const BUSY: Duration = Duration::from_millis(5);

impl Shared {
    /// Counts what a write puts into a table's memory.
    pub(crate) fn count_memory(&self, table: &OpenTable, bytes: usize) {
        let bytes = bytes as u64 + ROW_BYTES;
        self.memory.add(bytes);
        let before = table.in_memory.fetch_add(bytes, Ordering::Relaxed);
        // With every megabyte it is seen whether that is too much.
        if before >> 20 != (before + bytes) >> 20 {
            self.keeper.send();
        }
    }

    /// Works until the store is closed.
    pub(crate) fn keep_forever(&self) {
        // The engine frees an old memory, row by row, and removes old files under a lock that all writers need. Whoever
        // holds them last frees them: that is this thread, without the lock.
        let (mut memories, mut versions, mut rotations) = (Vec::<Held<_>>::new(), VecDeque::new(), 0);
        let (mut wait, mut reclaimed) = (IDLE, Instant::now());
        while !self.keeper.wait(Some(wait)) {
            self.disk.look(self.owed());
            memories.retain(|held| Arc::strong_count(&held.memory) > 1);
            self.memory.waits(self.sealed_bytes(&memories));
            if self.disk.is_low() && reclaimed.elapsed() > RECLAIM {
                versions.clear();
                self.reclaim();
                reclaimed = Instant::now();
            }
            while versions.front().is_some_and(|(rotation, _)| rotation + VERSIONS_HELD < rotations) {
                versions.pop_front();
            }
            let due = self.due_for_rotation();
            for table in &due {
                let tree = &table.keyspace.tree;
                let bytes = table.in_memory.swap(0, Ordering::Relaxed);
                memories.push(Held { table: table.id, memory: tree.active_memtable(), bytes });
                versions.push_back((rotations, tree.current_version()));
                rotations += 1;
                // A failure poisons the engine, and the next write says so.
                let _ = table.keyspace.rotate_memtable();
                self.memory.waits(self.sealed_bytes(&memories));
                self.memory.take(bytes);
            }
            wait = if due.is_empty() && memories.is_empty() { IDLE } else { BUSY };
        }
    }

    /// Bytes that wait for their trees: of each table those in its last memories, as many as the engine still has to write.
    fn sealed_bytes<M>(&self, memories: &[Held<M>]) -> u64 {
        let of_table = |table: &OpenTable| -> u64 {
            let waiting = table.keyspace.tree.sealed_memtable_count();
            memories.iter().rev().filter(|held| held.table == table.id).take(waiting).map(|held| held.bytes).sum()
        };
        self.tables.all().map(of_table).sum()
    }

    /// Bytes that will go to disk even if nothing more is written: what is in memory, and what is merged next, which is
    /// there twice for a while.
    fn owed(&self) -> u64 {
        let of_table = |table: &OpenTable| {
            let keyspace = &table.keyspace;
            let young = keyspace.l0_table_count() as u64 * TABLE_BYTES;
            keyspace.sealed_memtable_count() as u64 * TABLE_BYTES + young.min(keyspace.disk_space())
        };
        self.memory.open_bytes() + self.tables.all().map(of_table).sum::<u64>()
    }

    /// Lets the engine remove files that it has merged into others. It does so when the memory of any tree is rotated and
    /// something was written since, and where nobody may write, nobody does that: so there is a tree for it.
    fn reclaim(&self) {
        let nudged = self.nudge.insert("nudge", "").and_then(|()| self.nudge.rotate_memtable());
        // A failure poisons the engine, and the next write says so.
        let _ = nudged;
    }

    /// The tables whose memory is to be put into their trees, unless the engine has enough to do.
    fn due_for_rotation(&self) -> Vec<&OpenTable> {
        let sealed: usize = self.tables.all().map(|table| table.keyspace.tree.sealed_memtable_count()).sum();
        let rotatable = self.tables.all().filter(|table| {
            table.in_memory.load(Ordering::Relaxed) > 0 && table.keyspace.tree.l0_run_count() < RUNS_MAX
        });
        if sealed >= SEALED_MAX {
            return Vec::new();
        }
        // What is in the trees needs no journal; where space is scarce, that is space.
        if self.engine.journal_count() > JOURNALS_MAX || self.disk.is_low() {
            return rotatable.take(SEALED_MAX - sealed).collect();
        }
        let all = self.memory.open_bytes();
        let largest = rotatable.max_by_key(|table| table.in_memory.load(Ordering::Relaxed));
        let too_large = |table: &&OpenTable| all > ALL_BYTES || table.in_memory.load(Ordering::Relaxed) > TABLE_BYTES;
        largest.filter(too_large).into_iter().collect()
    }
}

/// A memory that takes no more writes, held until nobody else needs it.
struct Held<M> {
    table: TableId,
    memory: Arc<M>,
    bytes: u64,
}
