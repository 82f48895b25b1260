use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use keyloom_sim::{Clock, Dice};
use keyloom_store::BoxFuture;

/// How often one that serves a request dies or falls asleep before a step. The faults of a simulation strike the
/// coordinators of the store as often as us; this strikes us alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragility {
    pub(super) crash: f64,
    pub(super) pause: f64,
    pub(super) pause_max: Duration,
}

/// A future that may die or fall asleep before any of its steps; `None` when it died.
pub(super) struct Fragile<T> {
    pub(super) future: BoxFuture<'static, T>,
    pub(super) fragility: Fragility,
    pub(super) clock: Clock,
    pub(super) dice: Dice,
    pub(super) asleep: Option<BoxFuture<'static, ()>>,
}

impl<T> Future for Fragile<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Fragility { crash, pause, pause_max } = self.fragility;
        if self.asleep.is_none() {
            if self.dice.chance(crash) {
                return Poll::Ready(None);
            }
            if self.dice.chance(pause) {
                let span = self.dice.span(Duration::ZERO, pause_max);
                self.asleep = Some(Box::pin(self.clock.sleep(span)));
            }
        }
        if let Some(asleep) = &mut self.asleep {
            if asleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.asleep = None;
        }
        self.future.as_mut().poll(context).map(Some)
    }
}
