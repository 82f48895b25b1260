//! Decisions on one partition, as Cassandra makes them: one register of Paxos for each partition, whose prepare carries the
//! row. A proposal that was accepted and not committed is finished by the next contender, perhaps much later.

use std::{sync::Arc, time::Duration};

use keyloom_store::{Current, Expect, Fault, Millis, Verdict};

use super::{
    cell::{Cells, Mutation},
    cluster::REPLICAS,
    coordinator::Coordinator,
};
use crate::{
    guards::Guards,
    request::{At, What, Write},
};

/// For how long a coordinator goes on against contenders.
const CONTENTION_MAX: Duration = Duration::from_millis(80);

/// The longest pause before the next try.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// What a replica remembers of a partition's decisions.
#[derive(Default)]
pub(super) struct Register {
    promised: u64,
    accepted: Option<Proposal>,
    committed: Option<Proposal>,
}

#[derive(Clone)]
struct Proposal {
    ballot: u64,
    mutation: Arc<Mutation>,
}

struct Promise {
    node: usize,
    granted: bool,
    promised: u64,
    accepted: Option<Proposal>,
    committed: Option<Proposal>,
    row: Option<Cells>,
}

/// A ballot that a quorum has promised to, and the row as it was at that moment.
struct Prepared {
    ballot: u64,
    row: Cells,
}

impl Register {
    fn accept(&mut self, proposal: Proposal) -> bool {
        let accepts = proposal.ballot >= self.promised;
        if accepts {
            self.promised = proposal.ballot;
            self.accepted = Some(proposal);
        }
        accepts
    }

    fn commit(&mut self, proposal: Proposal) {
        if ballot(&self.accepted) <= proposal.ballot {
            self.accepted = None;
        }
        if ballot(&self.committed) < proposal.ballot {
            self.committed = Some(proposal);
        }
    }
}

fn ballot(proposal: &Option<Proposal>) -> u64 {
    proposal.as_ref().map_or(0, |proposal| proposal.ballot)
}

impl Coordinator {
    /// Decides one row, if it is as expected.
    pub(super) async fn decide(&self, write: &Write, now: Millis) -> Result<Verdict, Fault> {
        let What::Decide { expect, .. } = &write.what else { return Err(Fault::refused("this is no decision")) };
        let (mut floor, give_up) = (0, self.cluster.world.clock().elapsed() + CONTENTION_MAX);
        loop {
            let Prepared { ballot, row } = self.prepare(&write.at, &mut floor, give_up).await?;
            let standings = row.standings(&write.shape, self.cluster.guards)?;
            let there = standings[0].is_there(now).then(|| standings[0].rank()).flatten();
            if there.map_or(Expect::Absent, |(version, _)| Expect::Version(version)) != *expect {
                // The answer to a failed condition holds the condition's columns and no others.
                let current = if there.is_some() { Current::NotSaid } else { Current::Absent };
                return Ok(Verdict::Lost { at: 0, current });
            }
            let proposal = Proposal { ballot, mutation: Arc::new(Mutation::decided(write, ballot, now)) };
            let (accepted, refused) = self.propose(&proposal).await;
            if accepted >= self.cluster.guards.accept_quorum {
                if self.commit(&proposal).await {
                    return Ok(Verdict::Done);
                }
                return self.in_doubt("decided, but not yet written by a quorum");
            }
            // Only a proposal that nobody has taken is certain not to be finished by somebody else.
            if refused < REPLICAS {
                return self.in_doubt("a proposal without a quorum of answers");
            }
        }
    }

    /// The row as the decisions on it have left it.
    pub(super) async fn serial_row(&self, at: &At) -> Result<Option<Cells>, Fault> {
        let give_up = self.cluster.world.clock().elapsed() + CONTENTION_MAX;
        let Prepared { row, .. } = self.prepare(at, &mut 0, give_up).await?;
        Ok((row != Cells::default()).then_some(row))
    }

    fn in_doubt(&self, cause: &'static str) -> Result<Verdict, Fault> {
        let Guards { doubts_are_told, .. } = self.cluster.guards;
        Err(if doubts_are_told { Fault::Unknown(cause.into()) } else { Fault::NotDone(cause.into()) })
    }

    /// Gets a quorum to promise, and finishes what others have left unfinished. Nothing of one's own is proposed here, so
    /// that giving up is certain to have changed nothing.
    async fn prepare(&self, at: &At, floor: &mut u64, give_up: Duration) -> Result<Prepared, Fault> {
        let Guards { quorum, proposals_are_finished, .. } = self.cluster.guards;
        loop {
            if !self.cluster.is_available() {
                return Err(Fault::NotDone("too few replicas are up".into()));
            }
            if self.cluster.world.clock().elapsed() > give_up {
                return Err(Fault::NotDone("others decide on this partition all the time".into()));
            }
            let ballot = self.ballot(*floor);
            let promises = self.promises(at, ballot).await;
            if promises.len() < quorum {
                return Err(Fault::NotDone("no quorum of promises in time".into()));
            }
            if let Some(promised) =
                promises.iter().filter(|promise| !promise.granted).map(|promise| promise.promised).max()
            {
                *floor = promised;
                self.pause().await;
                continue;
            }
            let committed = promises.iter().filter_map(|promise| promise.committed.as_ref());
            let committed = committed.max_by_key(|proposal| proposal.ballot);
            let latest = committed.map_or(0, |proposal| proposal.ballot);
            let unfinished = promises.iter().filter_map(|promise| promise.accepted.as_ref());
            let unfinished = unfinished.max_by_key(|proposal| proposal.ballot);
            if let Some(unfinished) = unfinished.filter(|proposal| proposal.ballot > latest && proposals_are_finished) {
                let mutation = unfinished.mutation.stamped(ballot);
                let again = Proposal { ballot, mutation: Arc::new(mutation) };
                if self.propose(&again).await.0 >= quorum {
                    self.commit(&again).await;
                } else {
                    self.pause().await;
                }
                continue;
            }
            if let Some(committed) = committed {
                let behind = promises.iter().filter(|promise| self::ballot(&promise.committed) < latest);
                let behind: Vec<usize> = behind.map(|promise| promise.node).collect();
                if !behind.is_empty() && !self.bring_up(&behind, committed).await {
                    continue;
                }
            }
            let mut row = Cells::default();
            for promise in &promises {
                row.merge(promise.row.as_ref().unwrap_or(&Cells::default()), self.cluster.guards);
            }
            return Ok(Prepared { ballot, row });
        }
    }

    async fn promises(&self, at: &At, ballot: u64) -> Vec<Promise> {
        let answers = (0..REPLICAS).map(|node| {
            let at = at.clone();
            self.cluster.ask(node, move |replica| {
                let row = replica.row(&at);
                let register = replica.register(&at);
                let granted = ballot > register.promised;
                register.promised = register.promised.max(ballot);
                Promise {
                    node,
                    granted,
                    promised: register.promised,
                    accepted: register.accepted.clone(),
                    committed: register.committed.clone(),
                    row,
                }
            })
        });
        let quorum = self.cluster.guards.quorum;
        self.cluster.collect(answers.collect(), |promises| promises.len() >= quorum).await
    }

    /// How many have accepted it, and how many have refused.
    async fn propose(&self, proposal: &Proposal) -> (usize, usize) {
        let proposed = proposal.clone();
        let answers =
            self.cluster.ask_all(move |replica| replica.register(&proposed.mutation.at).accept(proposed.clone()));
        let accepts = |votes: &[bool]| votes.iter().filter(|accepted| **accepted).count();
        let quorum = self.cluster.guards.quorum;
        let votes = self.cluster.collect(answers, |votes| accepts(votes) >= quorum).await;
        (accepts(&votes), votes.len() - accepts(&votes))
    }

    /// Whether a quorum has written it in time.
    async fn commit(&self, proposal: &Proposal) -> bool {
        let answers = (0..REPLICAS).map(|node| self.cluster.ask(node, committing(proposal, self.cluster.guards)));
        self.cluster.is_written(answers.collect()).await
    }

    /// Brings replicas up to the last commit; false when not all of them answered.
    async fn bring_up(&self, nodes: &[usize], committed: &Proposal) -> bool {
        let answers = nodes.iter().map(|node| self.cluster.ask(*node, committing(committed, self.cluster.guards)));
        self.cluster.collect(answers.collect(), |_| false).await.len() == nodes.len()
    }

    async fn pause(&self) {
        let span = self.cluster.world.lock().random.span(Duration::ZERO, PAUSE_MAX);
        self.cluster.world.clock().sleep(span).await;
    }
}

fn committing(proposal: &Proposal, guards: Guards) -> impl FnOnce(&mut super::replica::Replica) + Send + 'static {
    let proposal = proposal.clone();
    move |replica| {
        replica.apply(&proposal.mutation, guards);
        replica.register(&proposal.mutation.at).commit(proposal);
    }
}
