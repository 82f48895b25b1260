//! What partitions give: buckets, and what was taken and refused.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use keyloom_store::{Fault, Scope, TableId};

use crate::{
    bucket::Bucket,
    charge::Charge,
    heaviest::Heaviest,
    notice::{Notice, Warning},
    regime::Units,
    tables::{Held, partition_words},
};

/// When to come again: what the store on the engine itself says of a partition.
const AFTER: Duration = Duration::from_millis(50);

/// From so many partitions on those that are idle are forgotten.
const PARTITIONS: usize = 10_000;

/// What was taken of each table, and what was refused and warned of.
#[derive(Debug)]
pub struct Meter {
    units: Option<Units>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    buckets: HashMap<(TableId, Vec<u8>), [Bucket; 2]>,
    tables: BTreeMap<TableId, OfTable>,
}

#[derive(Debug, Default)]
struct OfTable {
    name: String,
    sides: [OfSide; 2],
    warnings: BTreeMap<Warning, u64>,
}

/// Reads, or writes.
#[derive(Debug, Default)]
struct OfSide {
    taken: u64,
    heaviest: Heaviest,
    throttled: u64,
}

/// What was counted of a table since the store was opened. Reads are first, writes second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The table or index.
    pub table: String,
    /// Units that were taken, in thousandths.
    pub milliunits: [u64; 2],
    /// The same of the partition that took most, at least.
    pub busiest_milliunits: [u64; 2],
    /// Calls that were throttled by one of its partitions.
    pub throttled: [u64; 2],
    /// How often a node would have warned.
    pub warnings: [u64; Warning::ALL.len()],
}

/// Reads are counted in half units.
const MILLIUNITS: [u64; 2] = [500, 1_000];
const READ: usize = 0;

impl Meter {
    pub(crate) fn new(units: Option<Units>) -> Self {
        Self { units, state: Mutex::default() }
    }

    /// What one partition gives in a second, if that is limited.
    pub fn units(&self) -> Option<Units> {
        self.units
    }

    /// What was counted so far.
    pub fn counts(&self) -> Vec<Counts> {
        let state = self.state();
        let count = |of: &OfTable| {
            let each = |read: &dyn Fn(&OfSide) -> u64| [read(&of.sides[0]), read(&of.sides[1])];
            let milliunits = |read: &dyn Fn(&OfSide) -> u64| {
                let [reads, writes] = each(read);
                [reads * MILLIUNITS[0], writes * MILLIUNITS[1]]
            };
            Counts {
                table: of.name.clone(),
                milliunits: milliunits(&|side| side.taken),
                busiest_milliunits: milliunits(&|side| side.heaviest.most()),
                throttled: each(&|side| side.throttled),
                warnings: Warning::ALL.map(|warning| of.warnings.get(&warning).copied().unwrap_or(0)),
            }
        };
        state.tables.values().filter(|of| !of.name.is_empty()).map(count).collect()
    }

    pub(crate) fn throttled(&self, table: TableId) -> u64 {
        self.state().tables.get(&table).map_or(0, |of| of.sides.iter().map(|side| side.throttled).sum())
    }

    pub(crate) fn name(&self, table: TableId, name: &str) {
        name.clone_into(&mut self.state().tables.entry(table).or_default().name);
    }

    pub(crate) fn warned(&self, table: TableId, notice: &Notice) {
        *self.state().tables.entry(table).or_default().warnings.entry(notice.warning).or_default() += 1;
    }

    /// Takes all that a call costs, or nothing.
    pub(crate) fn take(
        &self,
        charges: &[Charge],
        now_us: u64,
        held: impl Fn(TableId) -> Result<std::sync::Arc<Held>, Fault>,
        engine: &str,
    ) -> Result<(), Fault> {
        let Some(units) = self.units else { return Ok(()) };
        let rates = [units.read * 2, units.write];
        // One partition may be asked by several rows of a call.
        let mut wanted: BTreeMap<(TableId, &[u8]), [u64; 2]> = BTreeMap::new();
        for charge in charges {
            let sum = wanted.entry((charge.table, &charge.partition)).or_default();
            sum[0] += charge.read_half_units;
            sum[1] += charge.write_units;
        }
        let mut state = self.state();
        let State { buckets, tables } = &mut *state;
        if buckets.len() > PARTITIONS {
            buckets.retain(|_, sides| !sides.iter_mut().zip(rates).all(|(bucket, rate)| bucket.is_full(rate, now_us)));
        }
        for ((table, partition), asked) in &wanted {
            let full = || rates.map(|rate| Bucket::full(rate, now_us));
            let sides = buckets.entry((*table, partition.to_vec())).or_insert_with(full);
            let mut each = sides.iter_mut().zip(rates).zip(asked);
            let lacks = each.position(|((bucket, rate), asked)| *asked > 0 && !bucket.holds(rate, *asked, now_us));
            if let Some(side) = lacks {
                tables.entry(*table).or_default().sides[side].throttled += 1;
                let short = Short { partition, side, wanted: asked[side], left: sides[side].left() };
                return Err(short.fault(&held(*table)?, units, engine));
            }
        }
        for ((table, partition), asked) in &wanted {
            let of = tables.entry(*table).or_default();
            if let Some(sides) = buckets.get_mut(&(*table, partition.to_vec())) {
                sides.iter_mut().zip(asked).for_each(|(bucket, asked)| bucket.take(*asked));
            }
            for (side, asked) in of.sides.iter_mut().zip(asked).filter(|(_, asked)| **asked > 0) {
                side.taken += asked;
                side.heaviest.add(partition, *asked);
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A partition that has too little left.
struct Short<'a> {
    partition: &'a [u8],
    side: usize,
    wanted: u64,
    left: u64,
}

impl Short<'_> {
    /// What the caller is told stands before the first colon, and what the engine would say behind it.
    fn fault(&self, held: &Held, units: Units, engine: &str) -> Fault {
        let (word, reason, rate, each) = match self.side {
            READ => ("read", "Read", units.read, 0.5),
            _ => ("write", "Write", units.write, 1.0),
        };
        let resource = if held.of.is_some() { "Index" } else { "Table" };
        let (table, partition) = (&held.table().name, partition_words(&held.shape, self.partition));
        let (wanted, left) = (self.wanted as f64 * each, self.left as f64 * each);
        let cause = format!(
            "{engine} throttles the partition {partition} of `{table}`, which gives {rate} {word} units a second: \
             ThrottlingException: {resource}{reason}KeyRangeThroughputExceeded: {wanted} are wanted, {left} are left"
        );
        Fault::Busy { scope: Scope::Key, after: AFTER, cause: cause.into() }
    }
}
