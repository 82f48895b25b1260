//! Writes: what each row becomes, what it costs, and what follows in indexes.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use futures_util::lock::MutexGuard;
use keyloom_store::{
    Along, Change, Decision, Expect, Fault, Freshness, Get, GroupImage, Image, Millis, Placement, Placing, Row,
    RowBuilder, RowSizes, TableId, Verdict, one_by_one, refuse,
};
use keyloom_value::Value;

use crate::{
    charge::{self, Charge},
    entry::{Content, Moved},
    limited::{Limited, Under},
    notice::{Notice, Warning},
    tables::{Held, Key},
    watch::Grown,
    weight,
};

/// Nothing has ended yet: what is stored is seen.
pub(crate) const BEGINNING: Millis = Millis(i64::MIN);

/// One row of a call, looked through.
struct Touched<'a> {
    held: Arc<Held>,
    key: Key,
    values: &'a [Value<'a>],
    does: Does<'a>,
}

/// What a call does with a row.
#[derive(Clone, Copy)]
enum Does<'a> {
    Becomes(Image<'a>),
    Goes,
    Stays,
    Places(Placing<'a>),
}

/// A row with what it weighs.
struct Weighed<'a> {
    touched: Touched<'a>,
    is_new: bool,
    old_bytes: u64,
    new_bytes: u64,
    /// Bytes of what comes with the call.
    brings: u64,
    old: Option<Content>,
    new: Option<Content>,
    /// What becomes of it in indexes.
    moved: Vec<Moved>,
    /// A placement on nothing that can be seen: what was removed may be newer.
    unsure: bool,
}

/// Stripes that are held.
type Stripes<'a> = Vec<(usize, MutexGuard<'a, Option<u64>>)>;

impl<S: Under> Limited<S> {
    pub(crate) async fn decided(&self, what: &Decision<'_>) -> Result<Verdict, Fault> {
        let first = Along::Decide(what.change);
        let touched = std::iter::once(&first).chain(what.along).map(|along| self.touched(along));
        let touched = touched.collect::<Result<Vec<_>, Fault>>()?;
        each_once(&touched)?;
        let mut stripes = self.locked(&touched).await;
        let rows = self.weighed(touched, what.now).await?;
        refuse::along(rows.len(), rows.iter().map(|row| row.brings).sum(), &self.abilities)?;
        self.charge(&rows, rows.len() > 1)?;
        let moved = rows.iter().flat_map(|row| &row.moved);
        let along: Vec<Along<'_>> = what.along.iter().copied().chain(moved.flat_map(Moved::along)).collect();
        let verdict = self.inner.decide(Decision { along: &along, ..*what }).await?;
        if verdict == Verdict::Done {
            self.followed(rows, &mut stripes, what.now).await?;
        }
        Ok(verdict)
    }

    pub(crate) async fn placed(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        let touched = rows.iter().map(|row| self.arriving(row)).collect::<Result<Vec<_>, Fault>>()?;
        each_once(&touched)?;
        if together {
            let mut bytes = 0;
            for row in &touched {
                bytes += self.brought(row, now)?;
            }
            refuse::together(rows.len(), bytes, &self.abilities)?;
            self.batch(&touched, bytes);
            return self.place_all(rows, touched, now).await;
        }
        let mut answers = Vec::with_capacity(rows.len());
        for (row, touched) in rows.iter().zip(touched) {
            answers.push(self.place_all(std::slice::from_ref(row), vec![touched], now).await);
        }
        one_by_one(answers)
    }

    /// Places rows, all or none.
    async fn place_all(&self, rows: &[Placement<'_>], touched: Vec<Touched<'_>>, now: Millis) -> Result<(), Fault> {
        let mut stripes = self.locked(&touched).await;
        let weighed = self.weighed(touched, now).await?;
        self.charge(&weighed, weighed.len() > 1)?;
        let moved: Vec<Moved> = weighed.iter().flat_map(|row| row.moved.clone()).collect();
        match stripes.first_mut().filter(|_| !moved.is_empty()) {
            Some((number, version)) => self.ride(*number, version, rows, &moved, now).await?,
            None => self.inner.place(rows, true, now).await?,
        }
        self.followed(weighed, &mut stripes, now).await
    }

    /// Looks one row of a decision through.
    fn touched<'a>(&self, along: &Along<'a>) -> Result<Touched<'a>, Fault> {
        let (table, values) = match *along {
            Along::Decide(Change { table, key, .. })
            | Along::Check { table, key, .. }
            | Along::Put { table, key, .. }
            | Along::Remove { table, key } => (table, key),
            Along::Place(placement) => return self.arriving(&placement),
        };
        let held = self.held(table)?;
        let shape = &held.shape;
        let does = match along {
            Along::Decide(change) => {
                refuse::change(shape, change)?;
                Does::Becomes(change.becomes)
            }
            Along::Check { .. } => {
                refuse::decided(shape, values)?;
                Does::Stays
            }
            Along::Put { becomes, .. } => {
                refuse::carried(shape, values)?;
                refuse::image(shape, becomes)?;
                Does::Becomes(*becomes)
            }
            Along::Remove { .. } | Along::Place(_) => {
                refuse::carried(shape, values)?;
                Does::Goes
            }
        };
        self.sized(Touched { key: held.key(values, &self.abilities)?, held, values, does })
    }

    /// Looks a placement through.
    fn arriving<'a>(&self, placement: &Placement<'a>) -> Result<Touched<'a>, Fault> {
        let held = self.held(placement.table)?;
        refuse::placement(&held.shape, placement)?;
        let key = held.key(placement.key, &self.abilities)?;
        self.sized(Touched { key, held, values: placement.key, does: Does::Places(placement.placing) })
    }

    /// Looks at how large it is, as every store counts it.
    fn sized<'a>(&self, row: Touched<'a>) -> Result<Touched<'a>, Fault> {
        let table = row.held.table();
        let mut body = RowBuilder::new();
        match row.does {
            Does::Becomes(image) => {
                body.put(image.version, image.expires_at, &table.groups[0].columns, image.values)?;
            }
            Does::Places(Placing::Put { groups, expires_at }) => {
                for GroupImage { group, version, values } in groups {
                    body.put(*version, expires_at, &table.groups[*group].columns, values)?;
                }
            }
            Does::Places(Placing::Remove { .. }) | Does::Goes | Does::Stays => return Ok(row),
        }
        refuse::row_size(&row.held.shape, row.key.bytes.len() + body.finish().len(), &self.abilities)?;
        Ok(row)
    }

    /// Bytes of what comes with a row.
    fn brought(&self, row: &Touched<'_>, now: Millis) -> Result<u64, Fault> {
        Ok(self.becomes(row, None, now)?.map_or(0, |sizes| weight::bytes(&*self.dialect, &row.held, &sizes)))
    }

    /// What a row is afterwards.
    fn becomes(&self, row: &Touched<'_>, old: Option<&RowSizes>, now: Millis) -> Result<Option<RowSizes>, Fault> {
        Ok(match row.does {
            Does::Becomes(image) => {
                let table = row.held.table();
                Some(RowSizes::of(table, row.values, image.version, image.expires_at, image.values)?)
            }
            Does::Goes => None,
            Does::Stays => old.cloned(),
            Does::Places(placing) => Some(weight::placed(&row.held.shape, row.values, &placing, old, now)?),
        })
    }

    /// Whoever writes rows of tables with indexes keeps others from them meanwhile.
    async fn locked(&self, rows: &[Touched<'_>]) -> Stripes<'_> {
        let stripe = |row: &Touched<'_>| {
            let mut hasher = DefaultHasher::new();
            (row.held.id, &row.key.bytes).hash(&mut hasher);
            (hasher.finish() % self.stripes.len() as u64) as usize
        };
        let indexed = rows.iter().filter(|row| !row.held.indexes.is_empty());
        // In one order, so that nobody waits for each other.
        let wanted: BTreeSet<usize> = indexed.map(stripe).collect();
        let mut locked = Vec::with_capacity(wanted.len());
        for number in wanted {
            locked.push((number, self.stripes[number].lock().await));
        }
        locked
    }

    async fn weighed<'a>(&self, rows: Vec<Touched<'a>>, now: Millis) -> Result<Vec<Weighed<'a>>, Fault> {
        let at = |row: &Touched<'a>| Get {
            table: row.held.id,
            key: row.values,
            freshness: Freshness::Settled,
            now: BEGINNING,
        };
        let at: Vec<Get<'_>> = rows.iter().map(at).collect();
        let stored = self.inner.get_many(&at).await;
        let weighed = rows.into_iter().zip(stored).map(|(row, stored)| {
            let stored = stored?;
            self.weigh(row, stored.row, stored.cost.bytes, now)
        });
        weighed.collect()
    }

    fn weigh<'a>(
        &self,
        touched: Touched<'a>,
        stored: Option<Row>,
        stored_bytes: u64,
        now: Millis,
    ) -> Result<Weighed<'a>, Fault> {
        let held = Arc::clone(&touched.held);
        let bytes = |sizes: &RowSizes| weight::bytes(&*self.dialect, &held, sizes);
        let old_sizes = stored.as_ref().map(|row| weight::stored(&held.shape, row)).transpose()?;
        let new_sizes = self.becomes(&touched, old_sizes.as_ref(), now)?;
        let new_bytes = new_sizes.as_ref().map_or(0, bytes);
        if let Some(most) = self.regime.item_bytes.filter(|most| new_bytes > *most) {
            let (table, engine) = (&held.table().name, self.abilities.engine);
            return Err(Fault::refused(format!(
                "table `{table}`: an item of {new_bytes} bytes, names and values, but {engine} takes {most}"
            )));
        }
        let brings = match touched.does {
            Does::Stays => 0,
            _ => self.brought(&touched, now)?,
        };
        let mut weighed = Weighed {
            is_new: stored.is_none() && matches!(touched.does, Does::Becomes(_) | Does::Places(Placing::Put { .. })),
            // What remembers a removal has bytes too.
            old_bytes: old_sizes.as_ref().map_or(stored_bytes, bytes),
            new_bytes,
            brings,
            old: None,
            new: None,
            moved: Vec::new(),
            unsure: false,
            touched,
        };
        if !held.indexes.is_empty() {
            if let (Some(row), Some(sizes)) = (&stored, old_sizes) {
                weighed.old = Content::of_row(&held.shape, row, sizes)?;
            }
            weighed.in_indexes(stored.as_ref(), new_sizes)?;
        }
        Ok(weighed)
    }

    fn charge(&self, rows: &[Weighed<'_>], company: bool) -> Result<(), Fault> {
        let mut charges = Vec::with_capacity(rows.len());
        for row in rows {
            let held = &row.touched.held;
            let work = charge::row(&*self.dialect, row.old_bytes, row.new_bytes, company);
            charges.push(Charge::new(held.id, row.touched.key.partition(), work));
            for moved in &row.moved {
                moved.charges(&*self.dialect, held, row.old.as_ref(), row.new.as_ref(), &mut charges)?;
            }
        }
        self.meter.take(&charges, self.clock.now_us(), |table| self.held(table), self.abilities.engine)
    }

    /// What follows when rows were written: indexes are behind, and partitions larger.
    async fn followed(&self, rows: Vec<Weighed<'_>>, stripes: &mut Stripes<'_>, now: Millis) -> Result<(), Fault> {
        let unknown = |fault: Fault| Fault::Unknown(format!("it was done, but {fault}").into());
        for row in rows {
            let held = &row.touched.held;
            if row.unsure && !self.stands(&row).await.map_err(unknown)? {
                let undone: Vec<Moved> = row.moved.into_iter().map(Moved::undone).collect();
                if let Some((number, version)) = stripes.first_mut() {
                    self.ride(*number, version, &[], &undone, now).await.map_err(unknown)?;
                }
                continue;
            }
            let now_us = self.clock.now_us();
            for moved in &row.moved {
                self.lag.changed(moved, &self.held(moved.index)?.shape, now_us).map_err(unknown)?;
            }
            let grown = Grown {
                held,
                partition: row.touched.key.partition(),
                is_new: row.is_new,
                bytes: row.new_bytes,
                bytes_before: row.old_bytes,
            };
            self.grown(grown).await.map_err(unknown)?;
        }
        Ok(())
    }

    /// Whether a placement has come in time.
    async fn stands(&self, row: &Weighed<'_>) -> Result<bool, Fault> {
        let touched = &row.touched;
        let at = Get { table: touched.held.id, key: touched.values, freshness: Freshness::Settled, now: BEGINNING };
        let version = self.inner.get(at).await?.row.map(|row| row.version()).transpose()?;
        Ok(version.is_some() && version == row.new.as_ref().map(|new| new.version))
    }

    /// Changes rows of indexes, and places rows with them, where no decision is made that they could ride along with.
    pub(crate) async fn ride(
        &self,
        stripe: usize,
        known: &mut Option<u64>,
        rows: &[Placement<'_>],
        moved: &[Moved],
        now: Millis,
    ) -> Result<(), Fault> {
        let key = [Value::Int(stripe as i64)];
        let version = match *known {
            Some(version) => version,
            None => {
                let at = Get { table: self.marker, key: &key, freshness: Freshness::Fresh, now: BEGINNING };
                self.inner.get(at).await?.row.map_or(Ok(0), |row| row.version())?
            }
        };
        let expect = if version == 0 { Expect::Absent } else { Expect::Version(version) };
        let becomes = Image { version: version + 1, expires_at: None, values: &[] };
        let change = Change { table: self.marker, key: &key, expect, becomes };
        let along: Vec<Along<'_>> =
            rows.iter().copied().map(Along::Place).chain(moved.iter().flat_map(Moved::along)).collect();
        // Whatever goes wrong, the next one looks.
        *known = None;
        match self.inner.decide(Decision { change, along: &along, now }).await? {
            Verdict::Done => {
                *known = Some(version + 1);
                Ok(())
            }
            Verdict::Lost { .. } => Err(Fault::NotDone("another process changes the same indexes".into())),
        }
    }

    /// Says what a node says of rows that are placed together.
    fn batch(&self, rows: &[Touched<'_>], bytes: u64) {
        let partitions: BTreeSet<(TableId, &[u8])> =
            rows.iter().map(|row| (row.held.id, row.key.partition())).collect();
        let (Some(first), Some(warned)) = (rows.first(), self.regime.batch_warned) else { return };
        if partitions.len() > 1 && bytes > warned.value {
            let table = first.held.table().name.clone();
            let words = format!(
                "{} warns of a batch of {} rows, of `{table}` and others: it has {bytes} bytes, and {warned} is the limit",
                self.abilities.engine,
                rows.len()
            );
            self.notice(first.held.id, &Notice { warning: Warning::BatchBytes, table, words });
        }
    }
}

impl Weighed<'_> {
    /// Says what becomes of the row in the indexes of its table.
    fn in_indexes(&mut self, stored: Option<&Row>, new_sizes: Option<RowSizes>) -> Result<(), Fault> {
        let touched = &self.touched;
        let (version, expires_at, values) = match touched.does {
            Does::Stays => return Ok(()),
            Does::Goes => (0, None, None),
            Does::Becomes(image) => (image.version, image.expires_at, Some(image.values)),
            Does::Places(placing) => {
                let (version, expires_at, values) = match placing {
                    Placing::Put { groups: [root, ..], expires_at } => (root.version, expires_at, Some(root.values)),
                    Placing::Remove { groups: [(_, version), ..] } => (*version, None, None),
                    Placing::Put { .. } | Placing::Remove { .. } => return Ok(()),
                };
                match stored {
                    // It comes too late, and nothing follows.
                    Some(row) if !row.section(0)?.yields_to(version, values.is_none()) => return Ok(()),
                    Some(_) => {}
                    None => self.unsure = true,
                }
                (version, expires_at, values)
            }
        };
        self.new = values.zip(new_sizes).map(|(values, sizes)| Content {
            key: owned(touched.values),
            version,
            expires_at,
            cells: owned(values),
            sizes,
        });
        self.moved = Moved::all(&touched.held, self.old.as_ref(), self.new.as_ref());
        self.unsure &= !self.moved.is_empty();
        Ok(())
    }
}

fn owned(values: &[Value<'_>]) -> Vec<Value<'static>> {
    values.iter().cloned().map(Value::into_owned).collect()
}

fn each_once(rows: &[Touched<'_>]) -> Result<(), Fault> {
    let named: BTreeSet<(TableId, &[u8])> = rows.iter().map(|row| (row.held.id, &row.key.bytes[..])).collect();
    if named.len() < rows.len() { refuse::twice() } else { Ok(()) }
}
