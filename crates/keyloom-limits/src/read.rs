//! Reads: what is found, what it weighs, what it costs.

use keyloom_store::{Call, Cost, Discipline, End, Fault, Freshness, Get, Got, Row, Rows, Shown, Slice, Work, refuse};
use keyloom_value::key;

use crate::{
    charge::Charge,
    lag::sort_of,
    limited::{Limited, Under},
    notice::{Notice, Warning},
    tables::{Held, Key, partition_words},
    weight,
    write::BEGINNING,
};

impl<S: Under> Limited<S> {
    pub(crate) async fn got_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        let keys: Vec<Result<Key, Fault>> = at.iter().map(|at| self.asked(at)).collect();
        let sound = at.iter().zip(&keys).filter(|(_, key)| key.is_ok());
        // Rows that have ended are read and paid for, so nothing is left out below.
        let below: Vec<Get<'_>> = sound.map(|(at, _)| Get { now: BEGINNING, ..*at }).collect();
        let mut found = self.inner.get_many(&below).await.into_iter();
        let answers = at.iter().zip(keys).map(|(at, key)| {
            let key = key?;
            let found = found.next().unwrap_or_else(|| Err(Fault::NotDone("it was not answered".into())))?;
            self.got(at, &key, found)
        });
        answers.collect()
    }

    fn asked(&self, at: &Get<'_>) -> Result<Key, Fault> {
        let held = self.held(at.table)?;
        refuse::get(&held.shape, at)?;
        held.key(at.key, &self.abilities)
    }

    fn got(&self, at: &Get<'_>, key: &Key, found: Got) -> Result<Got, Fault> {
        let held = self.held(at.table)?;
        let bytes = match &found.row {
            Some(row) => weight::bytes(&*self.dialect, &held, &weight::stored(&held.shape, row)?),
            // What remembers a removal has bytes too.
            None => found.cost.bytes,
        };
        let freshness = fresh(&held, at.freshness);
        let work = self.dialect.work(&Call::Get { bytes, freshness });
        self.charged(&held, key.partition(), work)?;
        let mut cost = Cost { milliunits: work.read_half_units * 500, ..found.cost };
        let row = match found.row.map(|row| row.shown(held.groups(), at.now)).transpose()? {
            Some(Shown::There(row)) => Some(row),
            Some(Shown::Leftover(_)) => {
                cost.leftovers = 1;
                None
            }
            Some(Shown::Not(_)) | None => None,
        };
        Ok(Got { row, cost })
    }

    pub(crate) async fn sliced(&self, of: &Slice<'_>) -> Result<Rows, Fault> {
        let held = self.held(of.table)?;
        refuse::slice(&held.shape, of, &self.abilities)?;
        let partition = key::encode(of.partition, held.shape.partition_parts())?;
        refuse::key_sizes(&held.shape, partition.len(), 0, &self.abilities)?;
        let below = Slice { now: BEGINNING, bytes_max: u32::MAX, ..*of };
        let mut found = self.inner.slice(below).await?;
        if held.of.is_some() {
            found = self.lag.undone(found, of, &held.shape, self.clock.now_us())?;
        }
        let mut page = self.page(&held, of, found).await?;
        let call = Call::Slice { rows: page.rows.cost.rows, bytes: page.bytes, freshness: fresh(&held, of.freshness) };
        let work = self.dialect.work(&call);
        self.charged(&held, &partition, work)?;
        self.tombstones(&held, &partition, page.tombstones, page.rows.rows.len())?;
        page.rows.cost.milliunits = work.read_half_units * 500;
        Ok(page.rows)
    }

    /// What the engine would answer with what was found.
    async fn page(&self, held: &Held, of: &Slice<'_>, found: Rows) -> Result<Page, Fault> {
        let weights = self.weights(held, &found.rows).await?;
        let own: u64 = found.rows.iter().map(|row| row.size() as u64).sum();
        // Rows that were removed: what remembers them is looked at.
        let hidden = found.cost.rows - found.rows.len() as u64;
        let mut page = Page {
            bytes: found.cost.bytes.saturating_sub(own),
            tombstones: hidden,
            rows: Rows {
                rows: Vec::new(),
                end: found.end,
                cost: Cost { rows: hidden, leftovers: found.cost.leftovers, ..Cost::default() },
            },
        };
        page.rows.cost.bytes = page.bytes;
        let (mut returned, mut reached) = (0, None);
        let mut full = false;
        for (row, weight) in found.rows.into_iter().zip(weights) {
            let last = row.key_bytes().clone();
            let ends_here = self.regime.page_bytes.is_some_and(|most| page.bytes + weight.bytes > most);
            if ends_here && reached.is_some() {
                full = true;
            }
            if full {
                // The engine reads no further, or what it has read does not fit into the answer.
                if ends_here {
                    break;
                }
                page.bytes += weight.bytes;
                continue;
            }
            let size = row.size();
            let shown = row.shown(held.groups(), of.now)?;
            if let Shown::There(row) = &shown
                && !page.rows.rows.is_empty()
                && returned + row.size() > of.bytes_max as usize
            {
                full = true;
                page.bytes += weight.bytes;
                continue;
            }
            page.bytes += weight.bytes;
            page.rows.cost.rows += 1;
            page.rows.cost.bytes += size as u64;
            match shown {
                Shown::There(row) => {
                    returned += row.size();
                    page.rows.rows.push(row);
                }
                Shown::Leftover(_) => page.rows.cost.leftovers += 1,
                Shown::Not(_) => page.tombstones += weight.ended_cells,
            }
            reached = Some(last);
        }
        if let Some(reached) = reached.filter(|_| full) {
            page.rows.end = End::Limit { reached: sort_of(&reached, &held.shape)? };
        }
        Ok(page)
    }

    /// How large rows are; of an index as much as it has of the rows of its table.
    async fn weights(&self, held: &Held, rows: &[Row]) -> Result<Vec<Weight>, Fault> {
        let Some((base, base_shape)) = &held.of else {
            let weight = |row: &Row| {
                let sizes = weight::stored(&held.shape, row)?;
                let bytes = weight::bytes(&*self.dialect, held, &sizes);
                Ok(Weight { bytes, ended_cells: weight::ended_cells(&sizes) })
            };
            return rows.iter().map(weight).collect();
        };
        let mut weights = Vec::with_capacity(rows.len());
        for row in rows {
            let (names, key) = (held.table().key_names(), row.key(&held.shape)?);
            let by_name: Vec<_> = names.zip(&key).collect();
            let of_base = base_shape.table().key_names();
            let of_base = of_base.filter_map(|name| by_name.iter().find(|(own, _)| *own == name));
            let of_base: Vec<_> = of_base.map(|(_, value)| (*value).clone()).collect();
            let at = Get { table: *base, key: &of_base, freshness: Freshness::Any, now: BEGINNING };
            let bytes = match self.inner.get(at).await?.row {
                Some(row) => {
                    let sizes = weight::stored(base_shape, &row)?;
                    self.dialect.index_row_bytes(held.table(), base_shape.table(), &sizes)
                }
                None => None,
            };
            weights.push(Weight { bytes: bytes.unwrap_or(row.size() as u64), ended_cells: 0 });
        }
        Ok(weights)
    }

    fn charged(&self, held: &Held, partition: &[u8], work: Work) -> Result<(), Fault> {
        let charge = Charge::new(held.id, partition, work);
        self.meter.take(&[charge], self.clock.now_us(), |table| self.held(table), self.abilities.engine)
    }

    /// Counts what a read went over, and says what a node would say of it.
    fn tombstones(&self, held: &Held, partition: &[u8], tombstones: u64, live: usize) -> Result<(), Fault> {
        let words = |fact: &keyloom_facts::Fact, then: &str| {
            let (engine, table) = (self.abilities.engine, &held.table().name);
            let partition = partition_words(&held.shape, partition);
            format!(
                "{engine} {then} a read of `{table}`, partition {partition}: it read {live} live rows and {tombstones} \
                 tombstones, and {fact} is the limit"
            )
        };
        match (self.regime.tombstones, self.regime.tombstones_warned) {
            (Some(most), _) if tombstones > most.value => Err(Fault::refused(words(most, "aborts"))),
            (_, Some(warned)) if tombstones > warned.value => {
                let words = words(warned, "warns of");
                let table = held.table().name.clone();
                self.notice(held.id, &Notice { warning: Warning::Tombstones, table, words });
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// What the engine would answer, and what it has looked at.
struct Page {
    rows: Rows,
    bytes: u64,
    tombstones: u64,
}

struct Weight {
    bytes: u64,
    ended_cells: u64,
}

/// Only of decided rows can a read be fresh; of others that is settled.
fn fresh(held: &Held, freshness: Freshness) -> Freshness {
    match held.table().discipline {
        Discipline::Decided => freshness,
        _ => freshness.min(Freshness::Settled),
    }
}
