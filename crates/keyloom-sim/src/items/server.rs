use std::{collections::BTreeMap, sync::Arc, time::Duration};

use keyloom_store::{
    Abilities, Current, Discipline, Expect, Fault, Freshness, Got, Inspection, Millis, Rows, Shape, TableId, Verdict,
    refuse,
};

use super::{
    busy,
    index::{Index, entry},
    item::Item,
};
use crate::{
    page::{got, page},
    random::Random,
    request::{At, What, Window, Write},
    scheduler::World,
    segment::Part,
    standing::{Standing, row},
    tables::Tables,
};

/// How far an index is behind: mostly a little, sometimes much.
const LAG_MAX: Duration = Duration::from_millis(20);
const LONG_LAG_MAX: Duration = Duration::from_secs(2);

/// The other side of the network. Each request is carried out at one moment.
#[derive(Default)]
pub(super) struct Server {
    items: BTreeMap<At, Item>,
    indexes: BTreeMap<TableId, Index>,
    throttled: BTreeMap<TableId, u64>,
}

/// The indexes that a write reaches.
type Indexes = Vec<(TableId, Arc<Shape>)>;

impl Server {
    pub(super) fn throttled(&mut self, table: TableId) -> Fault {
        *self.throttled.entry(table).or_default() += 1;
        busy()
    }

    pub(super) fn get(
        &mut self,
        world: &World,
        shape: &Shape,
        at: &At,
        freshness: Freshness,
        now: Millis,
    ) -> Result<Got, Fault> {
        let item = self.items.get(at);
        let state = &mut *world.lock();
        let standings = item.and_then(|item| read(item, freshness, state.now, &mut state.random));
        got(shape, at, standings, now)
    }

    pub(super) fn slice(
        &mut self,
        world: &World,
        shape: &Shape,
        window: &Window,
        freshness: Freshness,
    ) -> Result<Rows, Fault> {
        let state = &mut *world.lock();
        let first = At { table: window.table, partition: window.partition.clone(), sort: Vec::new() };
        let here = |at: &At| at.table == window.table && at.partition == window.partition;
        if let Discipline::Indexed { .. } = shape.table().discipline {
            let rows = self.indexes.entry(window.table).or_default().rows(state.now);
            let found = rows.range(first..).take_while(|(at, _)| here(at)).filter(|(at, _)| window.holds(&at.sort));
            return page(shape, window, found.map(|(at, row)| (at.sort.clone(), vec![row.clone()])).collect());
        }
        let found = self.items.range(first..).take_while(|(at, _)| here(at)).filter(|(at, _)| window.holds(&at.sort));
        let found = found.filter_map(|(at, item)| {
            let standings = read(item, freshness, state.now, &mut state.random)?;
            Some((at.sort.clone(), standings.to_vec()))
        });
        let found = found.collect();
        page(shape, window, found)
    }

    /// Whether all of it can happen now.
    pub(super) fn judge(
        &self,
        world: &World,
        writes: &[Write],
        now: Millis,
        abilities: &Abilities,
    ) -> Result<Verdict, Fault> {
        let moment = world.lock().now;
        for write in writes {
            let size = match self.outcome(write, moment) {
                Some(standings) => row(&write.shape, write.at.key(), &standings)?.size(),
                None => 0,
            };
            refuse::row_size(&write.shape, size, abilities)?;
        }
        for (at, write) in writes.iter().enumerate() {
            let (What::Decide { expect, .. } | What::Check { expect }) = &write.what else { continue };
            let there = self.standings(&write.at, moment).filter(|standings| standings[0].is_there(now));
            let version = there.and_then(|standings| standings[0].rank()).map(|(version, _)| version);
            if expected(version) == *expect {
                continue;
            }
            let current = match there {
                Some(standings) => Current::Is(row(&write.shape, write.at.key(), standings)?.as_of(now)?),
                None => Current::Absent,
            };
            return Ok(Verdict::Lost { at, current });
        }
        Ok(Verdict::Done)
    }

    pub(super) fn apply(&mut self, world: &World, writes: &[Write], indexes: &[Indexes]) -> Result<(), Fault> {
        for (write, indexes) in writes.iter().zip(indexes) {
            if let What::Check { .. } = write.what {
                continue;
            }
            let state = &mut *world.lock();
            let outcome = self.outcome(write, state.now);
            for (index, shape) in indexes {
                let entry = match &outcome {
                    Some(standings) => entry((*index, shape), &write.shape, &write.at, &standings[0])?,
                    None => None,
                };
                let lag = if state.random.chance(0.05) { LONG_LAG_MAX } else { LAG_MAX };
                let at = state.now + state.random.span(Duration::ZERO, lag);
                self.indexes.entry(*index).or_default().send(&write.at, entry, at);
            }
            let end = outcome.as_ref().and_then(|standings| end(&write.shape, standings));
            self.items.entry(write.at.clone()).or_default().becomes(outcome, end, state.now, &mut state.random);
        }
        Ok(())
    }

    /// A new index holds what its table holds.
    pub(super) fn fill(&mut self, index: TableId, own: &Shape, tables: &Tables) -> Result<(), Fault> {
        let Discipline::Indexed { of } = &own.table().discipline else { return Ok(()) };
        let Some((table, base)) = tables.all().into_iter().find(|(_, shape)| shape.table().name == *of) else {
            return Ok(());
        };
        for (at, item) in self.items.iter().filter(|(at, _)| at.table == table) {
            let Some([standing, ..]) = item.standings() else { continue };
            let entry = entry((index, own), &base, at, standing)?;
            self.indexes.entry(index).or_default().send(at, entry, Duration::ZERO);
        }
        Ok(())
    }

    pub(super) fn forget(&mut self, table: TableId) {
        self.items.retain(|at, _| at.table != table);
        self.indexes.remove(&table);
    }

    /// Everything that stands in a part of a table.
    pub(super) fn found(
        &self,
        world: &World,
        table: TableId,
        part: &Part,
    ) -> impl Iterator<Item = (At, Vec<Standing>)> {
        let moment = world.lock().now;
        let items = self.items.keys().filter(move |at| at.table == table && part.holds(at));
        items.filter_map(move |at| Some((at.clone(), self.standings(at, moment)?.to_vec())))
    }

    pub(super) fn inspect(&mut self, world: &World, table: TableId, shape: &Shape) -> Inspection {
        let moment = world.lock().now;
        let clock = world.clock().now();
        let items = self.items.iter().filter(|(at, item)| at.table == table && !item.is_forgotten(moment));
        let items: Vec<&[Standing]> = items.filter_map(|(_, item)| item.standings()).collect();
        let lag = |index: &mut Index| index.last_arrival().map_or(Duration::ZERO, |last| last.saturating_sub(moment));
        let is_index = matches!(shape.table().discipline, Discipline::Indexed { .. });
        let lag = self.indexes.get_mut(&table).filter(|_| is_index).map(lag);
        Inspection {
            rows: Some(items.len() as u64),
            disk_bytes: None,
            removed_rows: Some(items.iter().filter(|standings| !standings[0].is_there(clock)).count() as u64),
            throttled: Some(self.throttled.get(&table).copied().unwrap_or_default()),
            index_lag_ms: lag.map(|lag| u64::try_from(lag.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    fn standings(&self, at: &At, moment: Duration) -> Option<&[Standing]> {
        self.items.get(at).filter(|item| !item.is_forgotten(moment)).and_then(Item::standings)
    }

    /// What stands there afterwards; `None` when nothing does.
    fn outcome(&self, write: &Write, moment: Duration) -> Option<Vec<Standing>> {
        let there = self.standings(&write.at, moment);
        match &write.what {
            What::Decide { becomes, .. } | What::Put { becomes } => Some(vec![becomes.clone()]),
            What::Check { .. } => there.map(<[_]>::to_vec),
            What::Remove => None,
            What::Place { arriving } => {
                let never = || vec![Standing::Never; write.shape.table().groups.len()];
                let mut standings = there.map_or_else(never, <[_]>::to_vec);
                for (group, standing) in arriving {
                    if standing.rank() > standings[*group].rank() {
                        standings[*group] = standing.clone();
                    }
                }
                Some(standings)
            }
        }
    }
}

fn read<'a>(item: &'a Item, freshness: Freshness, now: Duration, random: &mut Random) -> Option<&'a [Standing]> {
    match freshness {
        Freshness::Any => item.perhaps_old(now, random),
        Freshness::Settled | Freshness::Fresh => item.standings().filter(|_| !item.is_forgotten(now)),
    }
}

fn expected(version: Option<u64>) -> Expect {
    version.map_or(Expect::Absent, Expect::Version)
}

/// From when on the engine may forget it, on its own clock. Only a placed row fences others beyond its end.
fn end(shape: &Shape, standings: &[Standing]) -> Option<Duration> {
    let grace = if shape.table().discipline == Discipline::Placed { shape.table().grace_ms } else { 0 };
    let ends = standings.iter().map(|standing| standing.forgettable_from(grace));
    let Millis(end) = ends.collect::<Option<Vec<_>>>()?.into_iter().max()?;
    Some(Duration::from_millis(u64::try_from(end).unwrap_or(0)))
}
