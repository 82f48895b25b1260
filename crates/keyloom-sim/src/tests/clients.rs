use std::time::Duration;

use keyloom_store::{BoxFuture, Fault};

use crate::{Clock, Dice, Simulation};

/// How a write was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    /// Certainly nothing happened.
    Not,
    /// No answer, or one that says nothing; also what a client that crashed has left behind.
    Unknown,
}

impl Answer {
    pub(super) fn of<T>(result: &Result<T, Fault>, done: impl FnOnce(&T) -> bool) -> Self {
        match result {
            Ok(value) if done(value) => Self::Done,
            Ok(_) | Err(Fault::NotDone(_) | Fault::Busy { .. }) => Self::Not,
            Err(Fault::Unknown(_)) => Self::Unknown,
            Err(fault) => panic!("{fault}"),
        }
    }
}

/// How the writes of a run ended, so that a test can see that something happened.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) done: u64,
    pub(super) not: u64,
    pub(super) unknown_and_done: u64,
    pub(super) unknown_and_not: u64,
}

impl Tally {
    /// Counts a write that is there, or not.
    pub(super) fn count(&mut self, answer: Answer, there: bool) {
        *match (answer, there) {
            (Answer::Done, _) => &mut self.done,
            (Answer::Not, _) => &mut self.not,
            (Answer::Unknown, true) => &mut self.unknown_and_done,
            (Answer::Unknown, false) => &mut self.unknown_and_not,
        } += 1;
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.not += other.not;
        self.unknown_and_done += other.unknown_and_done;
        self.unknown_and_not += other.unknown_and_not;
    }
}

/// What a client has at hand.
#[derive(Clone)]
pub(super) struct Hand<S> {
    pub(super) store: S,
    pub(super) clock: Clock,
    pub(super) dice: Dice,
}

/// Starts so many clients, each doing so many things one after the other, with pauses.
pub(super) fn clients<S: Clone + Send + Sync + 'static>(
    simulation: &Simulation,
    store: &S,
    (clients, each): (u64, u64),
    act: impl Fn(Hand<S>) -> BoxFuture<'static, ()> + Clone + Send + 'static,
) {
    for client in 0..clients {
        let hand = Hand { store: store.clone(), clock: simulation.clock(), dice: simulation.dice() };
        let act = act.clone();
        drop(simulation.spawn(&format!("client {client}"), async move {
            for _ in 0..each {
                act(hand.clone()).await;
                // Mostly at once, so that clients meet; sometimes after a while, so that late messages meet them.
                let longest = if hand.dice.chance(0.1) { 2_000 } else { 5 };
                hand.clock.sleep(hand.dice.span(Duration::ZERO, Duration::from_millis(longest))).await;
            }
        }));
    }
}
