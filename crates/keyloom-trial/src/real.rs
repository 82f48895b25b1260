//! The real ground: a store that is there, and time that passes, faster than on the wall.
#![allow(clippy::disallowed_methods, reason = "here the clock of the machine is what is tried")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use keyloom_model::Engine;
use keyloom_run::trial::Protocol;
use keyloom_sim::{Faults, Simulation};
use keyloom_store::{Abilities, BoxFuture, Define, Store, Sweep};
use tokio::runtime::{Handle, Runtime};

use crate::{
    case::{Case, Failure},
    catalogs::Lists,
    day::{Day, Time},
    ground::Ground,
    judge::Tally,
    slow::Slow,
    timeline::timeline,
    weather::Weather,
};

/// So much faster than on the wall does time pass, so that a trial takes seconds.
const PACE: u32 = 5;

/// Longer than a look at the clock is old.
const OLD_LOOK: Duration = Duration::from_secs(5);

/// What is under way arrives within this time on the wall, or something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same rules, with times that an engine on a busy machine can keep at that pace.
const fn in_real_time(protocol: Protocol) -> Protocol {
    Protocol { span_ms: 2_000, settle_ms: 4_000, late_ms: 30_000, ..protocol }
}

/// A catalog that is tried on a real store. The same seed asks the same, but meets another chance: nothing is replayed.
pub struct Real(Case);

impl Real {
    /// A catalog by its text, for an engine that can do so much.
    ///
    /// # Errors
    /// When it can't be read or is not run there.
    pub fn new(text: &str, engine: Engine, abilities: &Abilities) -> Result<Self, String> {
        Case::new(text, engine, abilities, Lists::Copying).map(Self)
    }

    /// One trial of one seed on a store that holds nothing yet.
    ///
    /// # Errors
    /// With what can't be, and all that was asked and answered until then.
    pub fn check<S: Store + Define + Sweep>(
        &self,
        seed: u64,
        protocol: Protocol,
        store: S,
        runtime: &Runtime,
    ) -> Result<Tally, String> {
        let ground = OnEngine { day: day(seed, runtime), runtime };
        let store = Arc::new(Slow::new(Arc::new(store), ground.day.clone()));
        let lived = self.0.lived(ground, store, seed, in_real_time(protocol), &|script| script);
        lived.map_err(|failure| {
            let Failure { contradiction, history, weather } = *failure;
            timeline(&history, &weather, &contradiction)
        })
    }
}

/// A bad day of the kind that the seed says.
fn day(seed: u64, runtime: &Runtime) -> Day<Fast> {
    let weather = Weather::of(seed);
    // Nothing strikes a real store from within; on the way to it and in the processes all is as simulated.
    let faults = Faults {
        crash: 0.0,
        pause: 0.0,
        replica_down: 0.0,
        replica_slow: 0.0,
        lose_replica_message: 0.0,
        ..weather.faults
    };
    let weather = Weather { faults, awake: Duration::from_secs(30), ..weather };
    let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = Fast {
        start,
        began: Instant::now(),
        leapt_us: Arc::default(),
        runtime: runtime.handle().clone(),
        under_way: Arc::default(),
    };
    // Chance alone is taken from a simulation, in which nothing happens.
    Day::new(time, Simulation::new(seed, Faults::none()).dice(), weather)
}

/// Time that began when a trial did, passes at its pace, and leaps when nothing is under way.
#[derive(Clone)]
struct Fast {
    start: Duration,
    began: Instant,
    leapt_us: Arc<AtomicU64>,
    runtime: Handle,
    under_way: Arc<AtomicUsize>,
}

impl Fast {
    fn leap(&self, span: Duration) {
        self.leapt_us.fetch_add(u64::try_from(span.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Time for Fast {
    fn elapsed(&self) -> Duration {
        self.start + self.began.elapsed() * PACE + Duration::from_micros(self.leapt_us.load(Ordering::Relaxed))
    }

    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        // Whoever polls it need not stand on the runtime.
        let _entered = self.runtime.enter();
        Box::pin(tokio::time::sleep(span / PACE))
    }

    fn spawn<T: Send + 'static>(
        &self,
        _process: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> BoxFuture<'static, Option<T>> {
        let under_way = UnderWay::new(&self.under_way);
        let task = self.runtime.spawn(async move {
            let value = future.await;
            drop(under_way);
            value
        });
        Box::pin(async move { task.await.ok() })
    }
}

/// Something that is under way for as long as this lives.
struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

struct OnEngine<'a> {
    day: Day<Fast>,
    runtime: &'a Runtime,
}

impl Ground for OnEngine<'_> {
    type Time = Fast;

    fn day(&self) -> &Day<Fast> {
        &self.day
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, String> {
        Ok(self.runtime.block_on(future))
    }

    fn rough(&self) {
        // Looks at the clock may be old from here on, and marks by them are not to stand before the log began.
        self.day.time.leap(OLD_LOOK);
        self.day.set_rough(true);
    }

    fn quiet(&self) -> Result<(), String> {
        let began = Instant::now();
        while self.day.time.under_way.load(Ordering::Acquire) > 0 {
            if began.elapsed() > PATIENCE {
                return Err(format!("something is still under way after {PATIENCE:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.day.set_rough(false);
        Ok(())
    }

    fn pass(&self, span_ms: u64) -> Result<(), String> {
        self.day.time.leap(Duration::from_millis(span_ms));
        Ok(())
    }
}
