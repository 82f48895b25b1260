use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use super::{cell::Mutation, replica::Replica};
use crate::{
    guards::Guards,
    network::{self, Answer, Way},
    request::At,
    scheduler::World,
};

/// Every row is on this many nodes.
pub(super) const REPLICAS: usize = 3;

/// How long a coordinator waits for replicas.
pub(super) const TIME_OUT: Duration = Duration::from_millis(30);

/// How many times as slow a slow replica is.
const SLOWNESS: u32 = 30;

/// The replicas, and the messages between them. Cloning shares it.
#[derive(Clone)]
pub(super) struct Cluster {
    pub(super) world: World,
    pub(super) guards: Guards,
    replicas: Arc<[Mutex<Replica>; REPLICAS]>,
}

impl Cluster {
    pub(super) fn new(world: World, guards: Guards) -> Self {
        Self { world, guards, replicas: Arc::default() }
    }

    pub(super) fn replica(&self, node: usize) -> MutexGuard<'_, Replica> {
        self.replicas[node % REPLICAS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so many replicas are up that a quorum can answer. Everybody knows who is down.
    pub(super) fn is_available(&self) -> bool {
        let now = self.world.lock().now;
        let up = (0..REPLICAS).filter(|node| self.replica(*node).down_until <= now).count();
        up >= self.guards.quorum
    }

    /// Forgets what is dead in a row for longer than its `grace`, sometimes. Only what all replicas have alike is
    /// forgotten: what one of them has missed must not come back through it.
    pub(super) fn compact(&self, at: &At, grace_ms: i64) {
        if self.world.lock().random.chance(0.5) {
            return;
        }
        let rows: Vec<_> = (0..REPLICAS).map(|node| self.replica(node).row(at)).collect();
        let Some(row) = rows[0].as_ref().filter(|row| rows.iter().all(|other| other.as_ref() == Some(row))) else {
            return;
        };
        let compacted = row.compacted(grace_ms, self.world.clock().now(), self.guards);
        (0..REPLICAS).for_each(|node| self.replica(node).replace(at, compacted.clone()));
    }

    /// Something a replica is to do and to answer.
    pub(super) fn ask<A: Send + 'static>(
        &self,
        node: usize,
        work: impl FnOnce(&mut Replica) -> A + Send + 'static,
    ) -> Answer<A> {
        let way = self.way(node);
        self.send(node, way, work)
    }

    /// The same of all replicas.
    pub(super) fn ask_all<A: Send + 'static>(
        &self,
        work: impl Fn(&mut Replica) -> A + Clone + Send + 'static,
    ) -> Vec<Answer<A>> {
        (0..REPLICAS).map(|node| self.ask(node, work.clone())).collect()
    }

    /// A row to be written by all replicas. One that the message does not reach may get it much later as a hint.
    pub(super) fn write_all(&self, mutation: &Arc<Mutation>) -> Vec<Answer<()>> {
        (0..REPLICAS).map(|node| self.write(node, mutation)).collect()
    }

    fn write(&self, node: usize, mutation: &Arc<Mutation>) -> Answer<()> {
        let (guards, mutation) = (self.guards, mutation.clone());
        let mut way = self.way(node);
        let lost = self.world.lock().random.chance(way.lost);
        way.lost = if lost { 1.0 } else { 0.0 };
        if lost {
            let hint = {
                let state = &mut *self.world.lock();
                let longest = state.faults.late_max * 4;
                state.random.chance(state.faults.hint).then(|| state.random.span(Duration::ZERO, longest))
            };
            if let Some(delay) = hint {
                let (cluster, mutation) = (self.clone(), mutation.clone());
                self.world.after(delay, move || cluster.replica(node).apply(&mutation, guards));
            }
        }
        self.send(node, way, move |replica| replica.apply(&mutation, guards))
    }

    fn send<A: Send + 'static>(
        &self,
        node: usize,
        way: Way,
        work: impl FnOnce(&mut Replica) -> A + Send + 'static,
    ) -> Answer<A> {
        let back = Way { lost: self.world.lock().faults.lose_replica_message, slowness: way.slowness };
        let cluster = self.clone();
        network::ask(&self.world, way, back, move |reply| {
            let answer = work(&mut cluster.replica(node));
            reply.send(answer);
        })
    }

    /// How a message to a replica fares, which may fall ill at just this one.
    fn way(&self, node: usize) -> Way {
        let state = &mut *self.world.lock();
        let mut replica = self.replica(node);
        if state.random.chance(state.faults.replica_down) {
            replica.down_until = state.now + state.random.span(Duration::ZERO, state.faults.replica_ill_max);
        }
        if state.random.chance(state.faults.replica_slow) {
            replica.slow_until = state.now + state.random.span(Duration::ZERO, state.faults.replica_ill_max);
        }
        Way {
            lost: if replica.down_until > state.now { 1.0 } else { state.faults.lose_replica_message },
            slowness: if replica.slow_until > state.now { SLOWNESS } else { 1 },
        }
    }

    /// The answers, until they are enough, or all, or too late.
    pub(super) async fn collect<A>(&self, answers: Vec<Answer<A>>, enough: impl Fn(&[A]) -> bool) -> Vec<A> {
        let (mut waiting, mut votes) = (answers, Vec::new());
        let gather = poll_fn(|context| {
            waiting.retain_mut(|answer| match Pin::new(answer).poll(context) {
                Poll::Ready(vote) => {
                    votes.push(vote);
                    false
                }
                Poll::Pending => true,
            });
            if waiting.is_empty() || enough(&votes) { Poll::Ready(()) } else { Poll::Pending }
        });
        self.world.clock().within(TIME_OUT, gather).await;
        votes
    }

    /// Whether a quorum has written it in time.
    pub(super) async fn is_written(&self, answers: Vec<Answer<()>>) -> bool {
        let quorum = self.guards.quorum;
        self.collect(answers, |votes| votes.len() >= quorum).await.len() >= quorum
    }
}
