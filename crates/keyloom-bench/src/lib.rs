//! Two sides of a comparison, measured in turns in one run.
//!
//! A machine is faster in one minute than in the next, so a figure means little and a ratio of two figures from the same
//! minute means much. A [`Duel`] runs both sides in short turns, and who goes first changes with every turn. Nothing here
//! fails by the clock.
//!
//! [`verbs`] has what both sides do where one of them is a store. [`costs`] fits what the calls of any store cost its engine.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "measuring is reading clocks, and a benchmark that can't go on stops"
)]

mod costs;
mod fit;
pub mod verbs;
mod wire;

use std::{
    fmt,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

pub use costs::{Costs, Decisions, costs, decisions};
pub use fit::{errors, fit};
pub use wire::Wire;

/// How many rounds a duel has.
pub const ROUNDS: usize = 9;

/// How many calls of one side stand together before the other's turn.
const TURN: u64 = 25;

/// How many calls of each side are made to count their requests.
const COUNTED: u64 = 100;

/// One call after the other, with numbers that tell the calls apart.
pub trait Side {
    /// Makes one call.
    fn call(&mut self, number: u64) -> impl Future<Output = ()>;
}

/// What a duel measured.
#[derive(Debug, Clone)]
pub struct Duel {
    /// What both sides did.
    pub name: String,
    /// Requests for each call, ours and theirs.
    pub requests: (f64, f64),
    /// The median latency of each round, ours and theirs, in microseconds.
    pub latency: Vec<(f64, f64)>,
    /// The processor time of this process for each call of each round, ours and theirs, in microseconds.
    pub processor: Vec<(f64, f64)>,
}

impl Duel {
    /// Runs both sides, so many calls each in every round. How many requests a call takes was [counted](count) before.
    pub async fn run(
        name: &str,
        calls: u64,
        requests: (f64, f64),
        ours: &mut impl Side,
        theirs: &mut impl Side,
    ) -> Self {
        let (mut latency, mut processor) = (Vec::new(), Vec::new());
        // What connections and caches do at first is not what is asked.
        for number in 0..calls.min(200) {
            ours.call(number).await;
            theirs.call(number).await;
        }
        for round in 0..ROUNDS as u64 {
            let (mut mine, mut other) = (Turns::default(), Turns::default());
            for turn in 0..calls.div_ceil(TURN) {
                let first = (round * calls) + turn * TURN;
                if (round + turn).is_multiple_of(2) {
                    mine.take(ours, first).await;
                    other.take(theirs, first).await;
                } else {
                    other.take(theirs, first).await;
                    mine.take(ours, first).await;
                }
            }
            latency.push((mine.median(), other.median()));
            processor.push((mine.processor_each(), other.processor_each()));
        }
        Self { name: name.to_owned(), requests, latency, processor }
    }

    /// The heading of a table of duels.
    pub fn heading() -> String {
        format!(
            "{:<16} | {:>8} {:>8} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6}",
            "", "requests", "by hand", "p50 us", "by hand", "ratio", "CPU us", "by hand", "ratio"
        )
    }
}

/// How many requests a call takes. `requests` says how many were sent so far, as the server or the wire counts them, without
/// those of the counting itself.
pub async fn count<R: Future<Output = u64>>(side: &mut impl Side, requests: impl Fn() -> R) -> f64 {
    // What a connection says at first is not what is asked.
    side.call(0).await;
    let before = requests().await;
    for number in 0..COUNTED {
        side.call(number).await;
    }
    requests().await.saturating_sub(before) as f64 / COUNTED as f64
}

/// The median of the rounds' ratios of the first to the second.
pub fn median_ratio(rounds: &[(f64, f64)]) -> f64 {
    median(rounds.iter().map(|(ours, theirs)| ours / theirs).collect())
}

/// The value in the middle; of none it is not a number.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How much processor time this process has taken.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl fmt::Display for Duel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let middle = |rounds: &[(f64, f64)]| {
            let (ours, theirs): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
            format!("{:>9.1} {:>9.1} {:>6.2}", median(ours), median(theirs), median_ratio(rounds))
        };
        let Self { name, requests: (ours, theirs), latency, processor } = self;
        write!(f, "{name:<16} | {ours:>8.2} {theirs:>8.2} | {} | {}", middle(latency), middle(processor))
    }
}

/// All turns of one side in one round.
#[derive(Default)]
struct Turns {
    latencies: Vec<f64>,
    processor: Duration,
}

impl Turns {
    async fn take(&mut self, side: &mut impl Side, first: u64) {
        let processor = processor_time();
        for number in first..first + TURN {
            let began = Instant::now();
            side.call(number).await;
            self.latencies.push(began.elapsed().as_secs_f64() * 1e6);
        }
        self.processor += processor_time().saturating_sub(processor);
    }

    fn median(&self) -> f64 {
        median(self.latencies.clone())
    }

    fn processor_each(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.latencies.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    struct Counting<'a> {
        calls: u64,
        requests: &'a Cell<u64>,
        requests_each: u64,
        numbers: Vec<u64>,
    }

    impl Side for Counting<'_> {
        async fn call(&mut self, number: u64) {
            self.calls += 1;
            self.requests.set(self.requests.get() + self.requests_each);
            self.numbers.push(number);
        }
    }

    fn ready<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("nothing waits"),
        }
    }

    #[test]
    fn both_sides_make_the_same_calls() {
        let requests = Cell::new(0);
        let side = |requests_each| Counting { calls: 0, requests: &requests, requests_each, numbers: Vec::new() };
        let (mut ours, mut theirs) = (side(2), side(1));
        let counted = ready(async {
            (count(&mut ours, || async { requests.get() }).await, count(&mut theirs, || async { requests.get() }).await)
        });
        let duel = ready(Duel::run("nothing", 50, counted, &mut ours, &mut theirs));
        assert_eq!(duel.requests, (2.0, 1.0));
        assert_eq!((duel.latency.len(), duel.processor.len()), (ROUNDS, ROUNDS));
        assert_eq!(ours.numbers, theirs.numbers);
        assert_eq!(ours.calls, 1 + COUNTED + 50 + ROUNDS as u64 * 50);
    }

    #[test]
    fn a_ratio_is_the_middle_of_all_rounds() {
        assert_eq!(median_ratio(&[(1.0, 1.0), (3.0, 1.0), (4.0, 2.0)]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
