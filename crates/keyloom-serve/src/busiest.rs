//! Which partitions are asked most, without keeping a count for each.
//!
//! Of every table so many partitions are counted; a new one takes the place of the one with the lowest count and starts
//! from it (the space-saving algorithm of Metwally and others). So whatever has more than its share of the visits is among
//! them, and how much of a count may be another's is known.

use std::{
    fmt::Write,
    sync::{Mutex, PoisonError},
};

use keyloom_run::{Partition, Run};
use keyloom_store::TableId;

use crate::metrics::head;

/// How many partitions of a table are counted.
const COUNTED: usize = 64;

pub(crate) struct Busiest {
    tables: Vec<(TableId, String, Mutex<Visits>)>,
}

/// Visits of the partitions of a table. Of those that are counted each has its place in three lists: every call looks through
/// two of them, which are short and lie together.
#[derive(Debug, Default)]
struct Visits {
    all: u64,
    digests: Vec<u64>,
    visits: Vec<u64>,
    /// So many of them may be others'.
    others: Vec<u64>,
}

impl Busiest {
    pub(crate) fn new(run: &Run) -> Self {
        let tables = run.tables().map(|(table, name)| (table, name.to_owned(), Mutex::default()));
        Self { tables: tables.collect() }
    }

    /// A call read or wrote these.
    pub(crate) fn touched(&self, partitions: &[Partition]) {
        for partition in partitions {
            let Some((_, _, visits)) = self.tables.iter().find(|(table, ..)| *table == partition.table) else {
                continue;
            };
            visits.lock().unwrap_or_else(PoisonError::into_inner).add(partition.digest);
        }
    }

    pub(crate) fn write(&self, page: &mut String) {
        let visits: Vec<(&str, u64, u64)> = self
            .tables
            .iter()
            .map(|(_, name, visits)| {
                let visits = visits.lock().unwrap_or_else(PoisonError::into_inner);
                (name.as_str(), visits.all, visits.most())
            })
            .collect();
        let all = "keyloom_partition_visits_total";
        head(page, all, "counter", "How often a call read or wrote a partition of the table.");
        for (table, count, _) in &visits {
            let _ = writeln!(page, "{all}{{table=\"{table}\"}} {count}");
        }
        let busiest = "keyloom_busiest_partition_visits";
        head(page, busiest, "gauge", "The same of the partition that was visited most, at least.");
        for (table, _, count) in &visits {
            let _ = writeln!(page, "{busiest}{{table=\"{table}\"}} {count}");
        }
    }
}

impl Visits {
    fn add(&mut self, digest: u64) {
        self.all += 1;
        if let Some(at) = self.digests.iter().position(|known| *known == digest) {
            self.visits[at] += 1;
        } else if self.digests.len() < COUNTED {
            self.digests.push(digest);
            self.visits.push(1);
            self.others.push(0);
        } else {
            let least = self.visits.iter().fold(u64::MAX, |least, visits| least.min(*visits));
            let at = self.visits.iter().position(|visits| *visits == least).unwrap_or_default();
            (self.digests[at], self.visits[at], self.others[at]) = (digest, least + 1, least);
        }
    }

    /// How often the busiest was visited, at least.
    fn most(&self) -> u64 {
        self.visits.iter().zip(&self.others).map(|(visits, others)| visits - others).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTED, Visits};

    #[test]
    fn the_busiest_is_found_among_many() {
        let mut visits = Visits::default();
        for number in 0..100_000_u64 {
            // One in ten visits goes to one partition, the others to as many as there are visits.
            visits.add(if number % 10 == 0 { 7 } else { 1_000 + number });
        }
        assert_eq!((visits.all, visits.most(), visits.digests.len()), (100_000, 10_000, COUNTED));
    }
}
