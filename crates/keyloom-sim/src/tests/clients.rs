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
