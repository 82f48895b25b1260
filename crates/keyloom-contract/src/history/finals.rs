use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use keyloom_store::{Freshness, Get, Row, Store, TableId};

use super::{
    Note, Tables, World,
    note::{Answer, Sent, Spot, Which},
    place::send,
    tables::key,
};

/// Above every version that clients place.
const CLOSING: u64 = 1 << 40;

/// How often each placed row is read.
const READS: usize = 2;

/// What stands when all is quiet, of all rows that the notes speak of.
#[derive(Debug, Default)]
pub struct Finals {
    pub(super) chains: BTreeMap<u64, Vec<u64>>,
    /// What each of several reads saw. They may differ where something is still in doubt: it may have reached a few
    /// replicas, and one reader meets them and another does not.
    pub(super) groups: BTreeMap<Spot, [Option<u64>; READS]>,
    /// What is wrong with the rows themselves.
    pub(super) wrong: Vec<String>,
}

impl Finals {
    /// Reads them all, more than once. Of rows with several column groups the root is put at
    /// last, since the others are not seen without it; so a history is read once.
    ///
    /// # Panics
    /// When a row can't be read at all: then it is not quiet.
    pub async fn read<S: Store, W: World>(store: &S, tables: &Tables, world: &W, notes: &[Note]) -> Self {
        let reader = Reader { store, tables, world };
        let (mut rows, mut places) = (BTreeSet::new(), BTreeSet::new());
        for note in notes {
            match note {
                Note::Deciding { row, .. } => drop(rows.insert(*row)),
                Note::Placing { sent, .. } => places.extend(sent.iter().map(|sent| (sent.table, sent.row))),
                _ => {}
            }
        }
        let mut finals = Self::default();
        for row in rows {
            finals.chain(&reader, row).await;
        }
        for (table, row) in places {
            finals.group(&reader, Spot { table, row, group: 0 }).await;
            if table == Which::Grouped {
                reader.close(row).await;
                finals.group(&reader, Spot { table, row, group: 1 }).await;
            }
        }
        finals
    }

    pub(super) fn seen(&self, spot: Spot) -> &[Option<u64>] {
        self.groups.get(&spot).map_or(&[], |seen| &seen[..])
    }

    async fn chain<S: Store, W: World>(&mut self, reader: &Reader<'_, S, W>, row: u64) {
        let mut seen = Vec::new();
        // The first read finishes what was left unfinished, so that the others find the same.
        for freshness in [Freshness::Fresh, Freshness::Settled, Freshness::Settled] {
            let found = reader.row(reader.tables.decided, row, freshness).await;
            match found.as_ref().map_or(Ok(Vec::new()), |found| reader.tables.tokens(found)) {
                Ok(tokens) => seen.push(tokens),
                Err(words) => self.wrong.push(words),
            }
        }
        if seen.iter().any(|tokens| *tokens != seen[0]) {
            self.wrong.push(format!("decisions on row {row} go on though all is quiet: {seen:x?}"));
        }
        self.chains.insert(row, seen.into_iter().next().unwrap_or_default());
    }

    async fn group<S: Store, W: World>(&mut self, reader: &Reader<'_, S, W>, spot: Spot) {
        let mut seen = [None; READS];
        for version in &mut seen {
            let found = reader.row(reader.tables.id(spot.table), spot.row, Freshness::Settled).await;
            match reader.tables.version(spot, found.as_ref()) {
                Ok(found) => *version = found,
                Err(words) => self.wrong.push(words),
            }
        }
        self.groups.insert(spot, seen);
    }
}

struct Reader<'a, S, W> {
    store: &'a S,
    tables: &'a Tables,
    world: &'a W,
}

impl<S: Store, W: World> Reader<'_, S, W> {
    async fn row(&self, table: TableId, row: u64, freshness: Freshness) -> Option<Row> {
        let mut fault = None;
        for _ in 0..super::TRIES {
            let get = Get { table, key: &key(row), freshness, now: self.world.now() };
            match self.store.get(get).await {
                Ok(got) => return got.row,
                Err(last) => fault = Some(last),
            }
            self.world.pause(Duration::from_millis(200)).await;
        }
        panic!("row {row} can't be read though all is quiet: {fault:?}")
    }

    async fn close(&self, row: u64) {
        let root = [Sent { table: Which::Grouped, row, put: true, groups: vec![(0, CLOSING)] }];
        for _ in 0..super::TRIES {
            if send(self.store, self.tables, &root, false, self.world.now()).await == Ok(Answer::Done) {
                return;
            }
            self.world.pause(Duration::from_millis(200)).await;
        }
        panic!("row {row} can't be placed though all is quiet")
    }
}
