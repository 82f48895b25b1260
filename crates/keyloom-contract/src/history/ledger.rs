use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use super::note::{Rank, Sent, Spot};

/// What the clients of one process know to be acknowledged, so that each can say of a read what it must have seen. Cloning
/// shares it.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Acknowledged>>);

#[derive(Debug, Default)]
struct Acknowledged {
    /// How long the chain of a decided row is at least.
    chains: BTreeMap<u64, usize>,
    groups: BTreeMap<Spot, Rank>,
}

impl Ledger {
    pub(super) fn chain(&self, row: u64) -> usize {
        self.0.lock().unwrap().chains.get(&row).copied().unwrap_or_default()
    }

    pub(super) fn decided(&self, row: u64, length: usize) {
        let mut acknowledged = self.0.lock().unwrap();
        let known = acknowledged.chains.entry(row).or_default();
        *known = length.max(*known);
    }

    pub(super) fn group(&self, spot: Spot) -> Option<Rank> {
        self.0.lock().unwrap().groups.get(&spot).copied()
    }

    pub(super) fn placed(&self, sent: &[Sent]) {
        let mut acknowledged = self.0.lock().unwrap();
        for (spot, rank) in sent.iter().flat_map(Sent::ranks) {
            let known = acknowledged.groups.entry(spot).or_insert(rank);
            *known = rank.max(*known);
        }
    }
}
