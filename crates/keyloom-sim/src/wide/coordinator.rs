use std::{collections::BTreeMap, sync::Arc, time::Duration};

use keyloom_store::{Discipline, Fault, Freshness, Shape, TableId};

use super::{
    cell::{Cells, Mutation},
    cluster::{Cluster, REPLICAS},
};
use crate::request::{At, Window};

/// The lowest bits of a ballot make it unique; above them stands the coordinator's clock.
const UNIQUE_BITS: u32 = 20;

/// How far the clocks of coordinators are apart.
const SKEW: Duration = Duration::from_millis(7);

/// A node at work on one request of a client. It may crash in the middle of it.
#[derive(Clone)]
pub(super) struct Coordinator {
    pub(super) node: usize,
    pub(super) cluster: Cluster,
}

impl Coordinator {
    /// Writes a row at a quorum. Not hearing from one does not mean that nobody has written it.
    pub(super) async fn write(&self, mutation: &Arc<Mutation>) -> Result<(), Fault> {
        if !self.cluster.is_available() {
            return Err(Fault::NotDone("too few replicas are up".into()));
        }
        self.cluster.compact(&mutation.at, mutation.grace_ms);
        if self.cluster.is_written(self.cluster.write_all(mutation)).await {
            return Ok(());
        }
        Err(Fault::Unknown("no quorum of replicas has answered in time".into()))
    }

    pub(super) async fn row(&self, shape: &Shape, at: &At, freshness: Freshness) -> Result<Option<Cells>, Fault> {
        if freshness == Freshness::Fresh && shape.table().discipline == Discipline::Decided {
            return self.serial_row(at).await;
        }
        let at = at.clone();
        let answers = self.read(freshness, move |replica| replica.row(&at).map(|cells| (at.clone(), cells))).await?;
        Ok(self.merged(answers).into_values().next())
    }

    pub(super) async fn slice(&self, window: &Window, freshness: Freshness) -> Result<BTreeMap<At, Cells>, Fault> {
        let window = window.clone();
        Ok(self.merged(self.read(freshness, move |replica| replica.slice(&window)).await?))
    }

    /// All rows of a table for which that holds.
    pub(super) async fn sweep(
        &self,
        table: TableId,
        holds: impl Fn(&At) -> bool + Clone + Send + 'static,
    ) -> Result<BTreeMap<At, Cells>, Fault> {
        let rows = move |replica: &mut super::replica::Replica| {
            let rows = replica.rows(table).filter(|(at, _)| holds(at));
            rows.map(|(at, cells)| (at.clone(), cells.clone())).collect::<Vec<_>>()
        };
        Ok(self.merged(self.read(Freshness::Settled, rows).await?))
    }

    /// A ballot above the floor: the coordinator's clock, which may be behind that of others.
    pub(super) fn ballot(&self, floor: u64) -> u64 {
        let mut state = self.cluster.world.lock();
        let clock = state.now + SKEW * u32::try_from(self.node).unwrap_or(0);
        let clock = u64::try_from(clock.as_micros()).unwrap_or(u64::MAX).max((floor >> UNIQUE_BITS) + 1);
        (clock << UNIQUE_BITS) | (state.number() & ((1 << UNIQUE_BITS) - 1))
    }

    /// What a quorum answers, or one replica when anything will do.
    async fn read<A: Send + 'static>(
        &self,
        freshness: Freshness,
        work: impl Fn(&mut super::replica::Replica) -> A + Clone + Send + 'static,
    ) -> Result<Vec<A>, Fault> {
        let (answers, needed) = if freshness == Freshness::Any {
            let nearest = self.cluster.world.lock().random.below(REPLICAS as u64);
            (vec![self.cluster.ask(usize::try_from(nearest).unwrap_or(0), work)], 1)
        } else {
            if !self.cluster.is_available() {
                return Err(Fault::NotDone("too few replicas are up".into()));
            }
            (self.cluster.ask_all(work), self.cluster.guards.quorum)
        };
        let answers = self.cluster.collect(answers, |answers| answers.len() >= needed).await;
        if answers.len() >= needed {
            return Ok(answers);
        }
        Err(Fault::NotDone("too few replicas have answered in time".into()))
    }

    /// What the replicas have, cell by cell. Nothing is repaired by that: a later read may meet other replicas.
    fn merged(&self, answers: Vec<impl IntoIterator<Item = (At, Cells)>>) -> BTreeMap<At, Cells> {
        let mut rows: BTreeMap<At, Cells> = BTreeMap::new();
        for (at, cells) in answers.into_iter().flatten() {
            rows.entry(at).or_default().merge(&cells, self.cluster.guards);
        }
        rows
    }
}
