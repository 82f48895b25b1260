//! What goes wrong in a trial.

use std::time::Duration;

use keyloom_sim::Faults;

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
    /// For how long it does not do so again: longer than a call takes, so that whoever measures one by two looks sees that.
    pub(crate) awake: Duration,
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
            awake: Duration::from_secs(5),
            jumps: 0.02,
        };
        match seed % KINDS {
            0 => day(rough, 0.005, 0.01, 2),
            1 => day(Faults { late: 0.05, lose_answer: 0.05, ..rough }, 0.0, 0.01, 2),
            2 => day(Faults { late: 0.0, lose_answer: 0.005, ..rough }, 0.03, 0.06, 4),
            _ => day(Faults { late: 0.0, lose_answer: 0.005, ..rough }, 0.0, 0.05, 3),
        }
    }

    /// Days on which a layout changes. That takes hundreds of calls one after the other, so fewer of them fail; those that are
    /// late are as late.
    pub(crate) fn of_change(seed: u64) -> Self {
        let mut day = Self::of(seed);
        let it = &mut day.faults;
        let all = [
            &mut it.lose_request,
            &mut it.lose_answer,
            &mut it.crash,
            &mut it.pause,
            &mut it.busy,
            &mut it.replica_down,
            &mut it.replica_slow,
            &mut it.lose_replica_message,
        ];
        all.into_iter().for_each(|share| *share /= 10.0);
        // What is sent again does no harm by coming late: only who dies behind it leaves it alone.
        (it.late, day.crash) = match seed % KINDS {
            0 => (0.1, 0.03),
            1 => (0.05, 0.0),
            _ => (0.01, day.crash / 10.0),
        };
        day
    }

    /// The same day on which nothing is later than that.
    pub(crate) fn late_by(mut self, most_ms: u64) -> Self {
        self.faults.late_max = Duration::from_millis(most_ms);
        self
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
