//! The simulated ground: processes that die and fall asleep before any step, clocks that differ.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use keyloom_run::Environment;
use keyloom_sim::{Clock, Dice, Faults, Simulation};
use keyloom_store::BoxFuture;

use crate::ground::{Ended, Ground, Served, has_looked};

/// When a simulated trial begins: some time after 1970, so that there is a before.
pub(crate) const START_MS: i64 = 60_000;

/// How far the clock of a process jumps.
const JUMP_MAX: Duration = Duration::from_millis(100);

/// What goes wrong, and how often: in the store and on the way to it, and in the processes that serve.
#[derive(Debug, Clone)]
pub(crate) struct Weather {
    pub(crate) faults: Faults,
    /// How often one that serves dies before a step.
    pub(crate) crash: f64,
    /// How often it falls asleep, and for how long at most.
    pub(crate) pause: f64,
    pub(crate) pause_max: Duration,
    /// How often a process sleeps just after it has looked at its clock.
    pub(crate) old_looks: f64,
    /// How often the clock of a process jumps, forwards or back, before it is looked at.
    pub(crate) jumps: f64,
}

/// How many kinds of days there are.
pub(crate) const KINDS: u64 = 4;

impl Weather {
    /// Bad days of several kinds, by the seed.
    pub(crate) fn of(seed: u64) -> Self {
        let rough = Faults {
            late: 0.01,
            lose_request: 0.005,
            lose_answer: 0.02,
            crash: 0.001,
            pause: 0.002,
            replica_down: 0.0005,
            replica_slow: 0.0005,
            lose_replica_message: 0.01,
            busy: 0.01,
            ..Faults::rough()
        };
        let day = |faults, crash, pause, longest| Self {
            faults,
            crash,
            pause,
            pause_max: Duration::from_secs(longest),
            old_looks: 0.05,
            jumps: 0.02,
        };
        match seed % KINDS {
            0 => day(rough, 0.005, 0.01, 2),
            1 => day(Faults { late: 0.05, lose_answer: 0.05, ..rough }, 0.0, 0.01, 2),
            2 => day(Faults { late: 0.0, lose_answer: 0.005, ..rough }, 0.03, 0.06, 4),
            _ => day(Faults { late: 0.0, lose_answer: 0.005, ..rough }, 0.0, 0.05, 3),
        }
    }

    /// The same day with one kind of fault less; nothing where there is none of that kind.
    pub(crate) fn milder(&self) -> Vec<(&'static str, Self)> {
        let faults = |change: fn(&mut Faults)| {
            let mut milder = self.clone();
            change(&mut milder.faults);
            milder
        };
        let all = vec![
            ("processes that die", Self { crash: 0.0, ..faults(|it| it.crash = 0.0) }),
            ("processes that sleep", Self { pause: 0.0, ..faults(|it| it.pause = 0.0) }),
            ("looks at the clock that are old", Self { old_looks: 0.0, ..self.clone() }),
            ("clocks that jump", Self { jumps: 0.0, ..self.clone() }),
            ("messages that are late", faults(|it| it.late = 0.0)),
            ("lost requests", faults(|it| it.lose_request = 0.0)),
            ("lost answers", faults(|it| it.lose_answer = 0.0)),
            ("a busy store", faults(|it| it.busy = 0.0)),
            ("replicas that are down", faults(|it| it.replica_down = 0.0)),
            ("replicas that are slow", faults(|it| it.replica_slow = 0.0)),
            ("lost messages to replicas", faults(|it| it.lose_replica_message = 0.0)),
        ];
        all.into_iter().filter(|(_, milder)| milder.rates() != self.rates()).collect()
    }

    fn rates(&self) -> [f64; 13] {
        let it = &self.faults;
        let faults = [it.crash, it.pause, it.late, it.lose_request, it.lose_answer, it.busy, it.replica_down];
        let [a, b, c, d, e, f, g] = faults;
        let own = [self.crash, self.pause, self.old_looks, self.jumps];
        let [h, i, j, k] = own;
        [h, i, j, k, a, b, c, d, e, f, g, it.replica_slow, it.lose_replica_message]
    }

    /// The kinds of faults that there are.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        self.milder().into_iter().map(|(words, _)| words).collect()
    }
}

pub(crate) struct Simulated {
    pub(crate) simulation: Simulation,
    weather: Weather,
    dice: Dice,
    clock: Clock,
    pub(crate) is_rough: Arc<AtomicBool>,
}

impl Simulated {
    pub(crate) fn new(seed: u64, weather: Weather) -> Self {
        let simulation = Simulation::new(seed, Faults::none());
        let (dice, clock) = (simulation.dice(), simulation.clock());
        let ground = Self { simulation, weather, dice, clock, is_rough: Arc::default() };
        drop(ground.pass(START_MS.unsigned_abs()));
        ground
    }

    /// The clock and the chance of a process, whose clock goes ahead of the others.
    pub(crate) fn process(&self, number: usize) -> Process {
        let ahead = Duration::from_millis([0, 13, 90][number % 3]);
        let (clock, dice) = (self.clock.clone(), self.dice.clone());
        let Weather { old_looks, jumps, .. } = self.weather;
        let is_rough = self.is_rough.clone();
        Process {
            clock,
            ahead,
            dice,
            old_looks,
            jumps,
            is_rough,
            jumped: Mutex::default(),
            awake_until: Mutex::default(),
        }
    }
}

impl Ground for Simulated {
    fn now_us(&self) -> i64 {
        i64::try_from(self.clock.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, span_ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(self.clock.sleep(Duration::from_millis(span_ms)))
    }

    fn serve(&self, server: usize, patience_ms: u64, call: BoxFuture<'static, Served>) -> BoxFuture<'static, Ended> {
        let fragile: BoxFuture<'static, Option<Served>> = if self.is_rough.load(Ordering::Relaxed) {
            let (clock, dice, weather) = (self.clock.clone(), self.dice.clone(), self.weather.clone());
            Box::pin(Fragile { call, weather, clock, dice, asleep: None })
        } else {
            Box::pin(async move { Some(call.await) })
        };
        let task = self.simulation.spawn(&format!("server {server}"), fragile);
        let clock = self.clock.clone();
        Box::pin(async move {
            match clock.within(Duration::from_millis(patience_ms), task).await.map(Option::flatten) {
                Some(Some(served)) => Ended::Answered(served),
                Some(None) => Ended::Crashed,
                None => Ended::GivenUp,
            }
        })
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, String> {
        self.simulation.block_on(future).map_err(|halt| halt.to_string())
    }

    fn rough(&self) {
        self.simulation.set_faults(self.weather.faults.clone());
        self.is_rough.store(true, Ordering::Relaxed);
    }

    fn quiet(&self) -> Result<(), String> {
        self.simulation.run().map_err(|halt| halt.to_string())?;
        self.simulation.set_faults(Faults::none());
        self.is_rough.store(false, Ordering::Relaxed);
        self.pass(3_000)
    }

    fn pass(&self, span_ms: u64) -> Result<(), String> {
        drop(self.simulation.spawn("observer", self.clock.sleep(Duration::from_millis(span_ms))));
        self.simulation.run().map_err(|halt| halt.to_string())
    }
}

/// The clock of a process, and chance.
pub(crate) struct Process {
    clock: Clock,
    ahead: Duration,
    dice: Dice,
    old_looks: f64,
    jumps: f64,
    is_rough: Arc<AtomicBool>,
    /// How far it has jumped ahead.
    jumped: Mutex<Duration>,
    /// Until then nobody sleeps just after he has read it.
    awake_until: Mutex<Duration>,
}

impl Environment for Process {
    fn now_us(&self) -> i64 {
        let now = self.clock.elapsed() + self.ahead + self.jumped();
        let mut awake_until = self.awake_until.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slept = Duration::ZERO;
        if self.is_rough.load(Ordering::Relaxed) && now > *awake_until && self.dice.chance(self.old_looks) {
            slept = self.dice.span(Duration::from_secs(1), Duration::from_secs(4));
            // Longer than a call takes, so that whoever measures one by two looks sees that.
            *awake_until = now + Duration::from_secs(5);
        }
        let seen = i64::try_from(now.saturating_sub(slept).as_micros()).unwrap_or(i64::MAX);
        has_looked(seen);
        seen
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = u8::try_from(self.dice.below(256)).unwrap_or(0));
    }
}

impl Process {
    /// How far its clock has jumped: never so far that clocks differ by more than what marks allow for, half of `settle`.
    fn jumped(&self) -> Duration {
        let mut jumped = self.jumped.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_rough.load(Ordering::Relaxed) && self.dice.chance(self.jumps) {
            *jumped = self.dice.span(Duration::ZERO, JUMP_MAX);
        }
        *jumped
    }
}

/// A call that may die or fall asleep before any of its steps; `None` when it died. The faults of a simulation strike the
/// coordinators of the store as often as us; this strikes us alone.
struct Fragile {
    call: BoxFuture<'static, Served>,
    weather: Weather,
    clock: Clock,
    dice: Dice,
    asleep: Option<BoxFuture<'static, ()>>,
}

impl Future for Fragile {
    type Output = Option<Served>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Served>> {
        if self.asleep.is_none() {
            if self.dice.chance(self.weather.crash) {
                return Poll::Ready(None);
            }
            if self.dice.chance(self.weather.pause) {
                let span = self.dice.span(Duration::ZERO, self.weather.pause_max);
                self.asleep = Some(Box::pin(self.clock.sleep(span)));
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
