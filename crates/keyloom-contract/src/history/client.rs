use std::{collections::BTreeMap, time::Duration};

use keyloom_store::{Fault, Freshness, Get, Row, Store, TableId};

use super::{Ledger, Note, Tables, World, tables::key};

/// Writes decided and placed rows one after the other, and notes all of it.
#[derive(Debug)]
pub struct Client<S, W> {
    pub(super) store: S,
    pub(super) world: W,
    pub(super) tables: Tables,
    pub(super) ledger: Ledger,
    number: u64,
    sent: u64,
    /// How many rows of each slot are full.
    pub(super) full: BTreeMap<u64, u64>,
}

impl<S: Store, W: World> Client<S, W> {
    /// A client with a number of its own among all clients of the run, below 2^16.
    pub fn new(store: S, world: W, tables: Tables, ledger: Ledger, number: u16) -> Self {
        Self { store, world, tables, ledger, number: number.into(), sent: 0, full: BTreeMap::new() }
    }

    /// Does one thing, and a pause.
    pub async fn act(&mut self) {
        if self.world.below(2) == 0 {
            self.decide().await;
        } else {
            self.place().await;
        }
        // Mostly at once, so that clients meet; sometimes after a while, so that late messages meet them.
        let longest = if self.world.below(10) == 0 { 2_000 } else { 5 };
        self.rest(longest).await;
    }

    /// A token that nobody else has.
    pub(super) fn token(&mut self) -> u64 {
        self.sent += 1;
        self.number << 40 | self.sent
    }

    /// How many things were sent.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) async fn rest(&self, millis_max: u64) {
        self.world.pause(Duration::from_millis(self.world.below(millis_max + 1))).await;
    }

    /// A row, unless the engine can't say now.
    pub(super) async fn read(&self, table: TableId, row: u64, freshness: Freshness) -> Option<Option<Row>> {
        let get = Get { table, key: &key(row), freshness, now: self.world.now() };
        match self.store.get(get).await {
            Ok(got) => return Some(got.row),
            Err(fault @ (Fault::Refused(_) | Fault::Broken(_))) => self.astray(format!("a read answers \"{fault}\"")),
            Err(_) => {}
        }
        None
    }

    pub(super) fn astray(&self, words: String) {
        self.world.note(Note::Astray { words });
    }
}
