//! Processes that serve: their clocks differ, and they die and fall asleep before any step.

use std::{
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use keyloom_run::Environment;
use keyloom_store::BoxFuture;

use crate::{
    day::{Day, Time},
    ground::{Served, has_looked},
};

/// How far the clock of a process jumps.
const JUMP_MAX: Duration = Duration::from_millis(100);

/// The clock of a process, and chance.
pub(crate) struct Process<T> {
    day: Day<T>,
    /// How far its clock is ahead of the others.
    ahead: Duration,
    /// How far it has jumped ahead.
    jumped: Mutex<Duration>,
    /// Until then nobody sleeps just after he has read it.
    awake_until: Mutex<Duration>,
}

impl<T: Time> Process<T> {
    pub(crate) fn new(day: Day<T>, number: usize) -> Self {
        let ahead = Duration::from_millis([0, 13, 90][number % 3]);
        Self { day, ahead, jumped: Mutex::default(), awake_until: Mutex::default() }
    }

    /// How far its clock has jumped: never so far that clocks differ by more than what marks allow for, half of `settle`.
    fn jumped(&self) -> Duration {
        let mut jumped = self.jumped.lock().unwrap_or_else(PoisonError::into_inner);
        if self.day.happens(self.day.weather.jumps) {
            *jumped = self.day.dice.span(Duration::ZERO, JUMP_MAX);
        }
        *jumped
    }
}

impl<T: Time> Environment for Process<T> {
    fn now_us(&self) -> i64 {
        let now = self.day.time.elapsed() + self.ahead + self.jumped();
        let mut awake_until = self.awake_until.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slept = Duration::ZERO;
        if now > *awake_until && self.day.happens(self.day.weather.old_looks) {
            slept = self.day.dice.span(Duration::from_secs(1), Duration::from_secs(4));
            *awake_until = now + self.day.weather.awake;
        }
        let seen = i64::try_from(now.saturating_sub(slept).as_micros()).unwrap_or(i64::MAX);
        has_looked(seen);
        seen
    }

    /// It goes on while others sleep, and nobody sets it.
    fn steady_us(&self) -> i64 {
        i64::try_from(self.day.time.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = u8::try_from(self.day.dice.below(256)).unwrap_or(0));
    }
}

/// A call that may die or fall asleep before any of its steps; `None` when it died. The faults of a simulation strike the
/// coordinators of the store as often as us; this strikes us alone.
pub(crate) struct Fragile<T> {
    call: BoxFuture<'static, Served>,
    day: Day<T>,
    asleep: Option<BoxFuture<'static, ()>>,
}

impl<T> Fragile<T> {
    pub(crate) fn new(day: Day<T>, call: BoxFuture<'static, Served>) -> Self {
        Self { call, day, asleep: None }
    }
}

impl<T: Time> Future for Fragile<T> {
    type Output = Option<Served>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Served>> {
        if self.asleep.is_none() {
            if self.day.dice.chance(self.day.weather.crash) {
                return Poll::Ready(None);
            }
            if self.day.dice.chance(self.day.weather.pause) {
                let span = self.day.dice.span(Duration::ZERO, self.day.weather.pause_max);
                self.asleep = Some(self.day.time.sleep(span));
            }
        }
        if let Some(asleep) = &mut self.asleep {
            if asleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.asleep = None;
        }
        self.call.as_mut().poll(context).map(Some)
    }
}
