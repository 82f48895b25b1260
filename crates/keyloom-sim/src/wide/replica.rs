use std::{collections::BTreeMap, sync::Arc, time::Duration};

use keyloom_store::TableId;

use super::{
    cell::{Cells, Mutation},
    paxos::Register,
};
use crate::{
    guards::Guards,
    request::{At, Window},
};

/// One of the nodes that hold every row. What it has taken in survives everything; what it misses it may miss for ever.
#[derive(Default)]
pub(super) struct Replica {
    rows: BTreeMap<At, Cells>,
    /// One register of Paxos for each partition.
    registers: BTreeMap<(TableId, Vec<u8>), Register>,
    /// Batches that this node would finish if their coordinator does not.
    pub(super) batches: BTreeMap<u64, Arc<[Mutation]>>,
    pub(super) down_until: Duration,
    pub(super) slow_until: Duration,
}

impl Replica {
    pub(super) fn apply(&mut self, mutation: &Mutation, guards: Guards) {
        self.rows.entry(mutation.at.clone()).or_default().merge(&mutation.cells, guards);
    }

    pub(super) fn row(&self, at: &At) -> Option<Cells> {
        self.rows.get(at).cloned()
    }

    pub(super) fn replace(&mut self, at: &At, cells: Cells) {
        if cells == Cells::default() {
            self.rows.remove(at);
        } else {
            self.rows.insert(at.clone(), cells);
        }
    }

    pub(super) fn slice(&self, window: &Window) -> Vec<(At, Cells)> {
        let first = At { table: window.table, partition: window.partition.clone(), sort: Vec::new() };
        let here = |at: &At| at.table == window.table && at.partition == window.partition;
        let rows = self.rows.range(first..).take_while(|(at, _)| here(at)).filter(|(at, _)| window.holds(&at.sort));
        rows.map(|(at, cells)| (at.clone(), cells.clone())).collect()
    }

    pub(super) fn rows(&self, table: TableId) -> impl Iterator<Item = (&At, &Cells)> {
        self.rows.iter().filter(move |(at, _)| at.table == table)
    }

    pub(super) fn register(&mut self, at: &At) -> &mut Register {
        self.registers.entry((at.table, at.partition.clone())).or_default()
    }

    pub(super) fn forget(&mut self, table: TableId) {
        self.rows.retain(|at, _| at.table != table);
        self.registers.retain(|(of, _), _| *of != table);
    }
}
