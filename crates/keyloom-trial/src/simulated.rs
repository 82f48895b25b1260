//! The simulated ground: one thread, one seed, and time that takes none.

use std::{sync::Arc, time::Duration};

use keyloom_sim::{Clock, Faults, Simulation};
use keyloom_store::BoxFuture;

use crate::{
    day::{Day, Time},
    ground::Ground,
    weather::Weather,
};

/// When a simulated trial begins: some time after 1970, so that there is a before.
const START_MS: i64 = 60_000;

/// The time of a simulation.
#[derive(Clone)]
pub(crate) struct Virtual {
    simulation: Arc<Simulation>,
    clock: Clock,
}

impl Time for Virtual {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self.clock.sleep(span))
    }

    fn spawn<T: Send + 'static>(
        &self,
        process: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> BoxFuture<'static, Option<T>> {
        Box::pin(self.simulation.spawn(process, future))
    }
}

pub(crate) struct Simulated {
    pub(crate) simulation: Arc<Simulation>,
    pub(crate) day: Day<Virtual>,
}

impl Simulated {
    pub(crate) fn new(seed: u64, weather: Weather) -> Self {
        let simulation = Arc::new(Simulation::new(seed, Faults::none()));
        let time = Virtual { simulation: simulation.clone(), clock: simulation.clock() };
        let day = Day::new(time, simulation.dice(), weather);
        let ground = Self { simulation, day };
        drop(ground.pass(START_MS.unsigned_abs()));
        ground
    }
}

impl Ground for Simulated {
    type Time = Virtual;

    fn day(&self) -> &Day<Virtual> {
        &self.day
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, String> {
        self.simulation.block_on(future).map_err(|halt| halt.to_string())
    }

    fn rough(&self) {
        self.simulation.set_faults(self.day.weather.faults.clone());
        self.day.set_rough(true);
    }

    fn quiet(&self) -> Result<(), String> {
        self.simulation.run().map_err(|halt| halt.to_string())?;
        self.simulation.set_faults(Faults::none());
        self.day.set_rough(false);
        self.pass(3_000)
    }

    fn pass(&self, span_ms: u64) -> Result<(), String> {
        drop(self.simulation.spawn("observer", self.day.time.sleep(Duration::from_millis(span_ms))));
        self.simulation.run().map_err(|halt| halt.to_string())
    }
}
