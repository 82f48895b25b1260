//! Rows that are placed together: a log of the batch on two nodes first, which finish it if its coordinator does not.

use std::{sync::Arc, time::Duration};

use keyloom_store::Fault;

use super::{cell::Mutation, cluster::REPLICAS, coordinator::Coordinator};
use crate::gather::all;

/// After how long a node takes up a batch whose coordinator has not said that it is done.
const REPLAY_AFTER: Duration = Duration::from_millis(500);

impl Coordinator {
    pub(super) async fn write_together(&self, mutations: Arc<[Mutation]>) -> Result<(), Fault> {
        if !self.cluster.is_available() {
            return Err(Fault::NotDone("too few replicas are up".into()));
        }
        let batch = self.cluster.world.lock().number();
        let keepers: Vec<usize> = (0..REPLICAS).filter(|node| *node != self.node).collect();
        let answers = keepers.iter().map(|node| {
            let (keeper, kept) = (Self { node: *node, cluster: self.cluster.clone() }, mutations.clone());
            self.cluster.ask(*node, move |replica| {
                replica.batches.insert(batch, kept);
                keeper.keep(batch);
            })
        });
        if self.cluster.collect(answers.collect(), |_| false).await.len() < keepers.len() {
            return Err(Fault::Unknown("the log of the batch is not known to be kept".into()));
        }
        self.write_each(&mutations).await?;
        for node in keepers {
            drop(self.cluster.ask(node, move |replica| replica.batches.remove(&batch)));
        }
        Ok(())
    }

    /// Looks after a batch until it is done.
    fn keep(self, batch: u64) {
        if !self.cluster.guards.batches_are_replayed {
            return;
        }
        let world = self.cluster.world.clone();
        let process = world.lock().process("batch keepers", false);
        drop(world.spawn(process, async move {
            loop {
                self.cluster.world.clock().sleep(REPLAY_AFTER).await;
                let kept = self.cluster.replica(self.node).batches.get(&batch).cloned();
                let Some(mutations) = kept else { return };
                if self.write_each(&mutations).await.is_ok() {
                    self.cluster.replica(self.node).batches.remove(&batch);
                }
            }
        }));
    }

    async fn write_each(&self, mutations: &[Mutation]) -> Result<(), Fault> {
        let written = all(mutations.iter().cloned().map(|mutation| {
            let mutation = Arc::new(mutation);
            async move { self.write(&mutation).await }
        }));
        // Others of the batch may have been written, so nothing is certain any more.
        let written = written.await.into_iter().collect::<Result<Vec<()>, Fault>>();
        written.map(drop).map_err(|fault| Fault::Unknown(fault.cause().to_owned().into()))
    }
}
