//! One thread, one seed, one virtual clock: everything that happens is a step of this executor.

mod clock;
mod dice;
mod oneshot;
mod state;
mod task;
mod trace;

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use state::{State, Step};

pub use clock::Clock;
pub use dice::Dice;
pub(crate) use oneshot::{Receiver, Sender, channel};
pub use task::Task;
pub use trace::Happening;

use crate::faults::Faults;

/// A world in which one seed decides everything: who runs next, how long a message travels, who crashes.
///
/// ```
/// use std::time::Duration;
/// use keyloom_sim::{Faults, Simulation};
///
/// let run = |seed| {
///     let simulation = Simulation::new(seed, Faults::none());
///     let clock = simulation.clock();
///     let slow = simulation.spawn("slow", { let clock = clock.clone(); async move { clock.sleep(Duration::from_secs(60)).await; 1 } });
///     let quick = simulation.spawn("quick", async { 2 });
///     let sum = simulation.block_on(async move { slow.await.zip(quick.await).map(|(a, b)| a + b) });
///     assert_eq!(sum, Ok(Some(3)));
///     assert_eq!(clock.elapsed(), Duration::from_secs(60), "a minute that took no time");
///     simulation.digest()
/// };
/// assert_eq!(run(1), run(1));
/// ```
pub struct Simulation {
    world: World,
}

/// What the parts of a simulation share.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<State>>);

/// Why a simulation did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// More steps than a run may take: something goes round in circles.
    Steps,
    /// More virtual time than a run may take.
    Time,
    /// Nothing is left that could happen, and the future still waits.
    Idle,
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "the simulation took more steps than it may",
            Self::Time => "the simulation took more time than it may",
            Self::Idle => "nothing is left to happen, and somebody still waits",
        })
    }
}

impl std::error::Error for Halt {}

impl Simulation {
    /// A world at its first moment, which is 1970 for those who ask for the date.
    pub fn new(seed: u64, faults: Faults) -> Self {
        Self { world: World(Arc::new(Mutex::new(State::new(seed, faults)))) }
    }

    /// Starts a task of a process. Processes are told apart by their names; faults strike all tasks of one together. One
    /// that has crashed starts again with the next task spawned on it.
    pub fn spawn<T: Send + 'static>(&self, process: &str, future: impl Future<Output = T> + Send + 'static) -> Task<T> {
        let process = self.world.lock().process(process, true);
        self.world.spawn(process, future)
    }

    /// Lets everything happen until nothing is left to happen.
    ///
    /// # Errors
    /// When a bound of the run is reached.
    pub fn run(&self) -> Result<(), Halt> {
        while self.step()? {}
        Ok(())
    }

    /// Lets things happen until the future is ready. It is the observer's: no crash and no pause strikes it.
    ///
    /// # Errors
    /// When a bound of the run is reached, or nothing is left that could wake the future.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, Halt> {
        let mut future = std::pin::pin!(future);
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(woken.clone());
        loop {
            if woken.0.swap(false, Ordering::Relaxed)
                && let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return Ok(value);
            }
            if !self.step()? && !woken.0.load(Ordering::Relaxed) {
                return Err(Halt::Idle);
            }
        }
    }

    /// From here on these faults; messages that are under way keep their fate. `Faults::none()` is the quiet tail after
    /// which everything acknowledged must be visible.
    pub fn set_faults(&self, faults: Faults) {
        self.world.lock().faults = faults;
    }

    /// The virtual clock.
    pub fn clock(&self) -> Clock {
        Clock::new(self.world.clone())
    }

    /// The seeded source of chance.
    pub fn dice(&self) -> Dice {
        Dice::new(self.world.clone())
    }

    /// A digest of everything that has happened.
    pub fn digest(&self) -> u64 {
        self.world.lock().trace.digest()
    }

    /// The last things that happened, the oldest first.
    pub fn trace(&self) -> Vec<(Duration, Happening)> {
        self.world.lock().trace.last()
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// One step; false when nothing is left to happen.
    fn step(&self) -> Result<bool, Halt> {
        let step = self.world.lock().next()?;
        // What follows calls back into the world, so the lock is not held; futures and messages are dropped here too.
        match step {
            Step::Idle => return Ok(false),
            Step::Nothing => {}
            Step::Crashed(tasks) => drop(tasks),
            Step::Event(event) => event(),
            Step::Poll(id, mut future, waker) => {
                let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
                if done { self.world.lock().finished(id) } else { self.world.lock().waits(id, future) }
            }
        }
        Ok(true)
    }
}

impl World {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked while it held the lock has failed already.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        process: state::ProcessId,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        let (sender, receiver) = channel();
        self.lock().spawn(process, Box::pin(async move { sender.send(future.await) }));
        Task::new(receiver)
    }

    /// Something that happens at its moment.
    pub(crate) fn after(&self, delay: Duration, event: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        let at = state.now + delay;
        state.at(at, state::Event::Call(Box::new(event)));
    }

    pub(crate) fn clock(&self) -> Clock {
        Clock::new(self.clone())
    }
}

/// Whether the observer was woken since it last looked.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").field("at", &self.clock().elapsed()).finish_non_exhaustive()
    }
}
