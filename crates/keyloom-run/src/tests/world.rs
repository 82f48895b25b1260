use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use keyloom_model::Catalog;
use keyloom_sim::{Clock, Dice, Faults, ItemStore, Simulation, Task, WideStore};
use keyloom_store::{BoxFuture, Freshness, Store as _};

use super::{
    Theme,
    catalog::{catalog, compiled, read},
    client::{Client, Request, row_of},
    faults, files,
    fragile::{Fragile, Fragility},
    passes,
};
use crate::{Environment, Program, Run, protocol::Protocol};

/// When a simulation begins.
pub(super) const START_US: i64 = 1_794_735_000_000_000;
/// Processes that serve, each with a clock of its own.
const SERVERS: usize = 3;

/// A shop on several processes.
pub(super) struct World {
    pub(super) theme: Theme,
    pub(super) seed: u64,
    /// None on a good day.
    fragility: Cell<Option<Fragility>>,
    pub(super) simulation: Simulation,
    /// The store where companions follow; whatever a theme runs on is reached by its servers.
    pub(super) store: WideStore,
    pub(super) servers: Vec<Arc<Run>>,
    /// Those that take their places, where the layout changes.
    pub(super) instead: RefCell<Vec<Option<Arc<Run>>>>,
    pub(super) dice: Dice,
    pub(super) clock: Clock,
}

/// The clock of a process, which goes ahead of the others, and chance.
struct Process {
    clock: Clock,
    ahead: Duration,
    dice: Dice,
    /// Until then nobody sleeps just after he has read it.
    awake_until: Mutex<Duration>,
}

impl Environment for Process {
    fn now_us(&self) -> i64 {
        let now = self.clock.elapsed() + self.ahead;
        let mut awake_until = self.awake_until.lock().unwrap();
        let mut slept = Duration::ZERO;
        if now > *awake_until && self.dice.chance(0.05) {
            slept = self.dice.span(Duration::from_secs(1), Duration::from_secs(4));
            // Longer than a call takes, so that whoever measures one by two looks sees that.
            *awake_until = now + Duration::from_secs(5);
        }
        START_US + i64::try_from(now.saturating_sub(slept).as_micros()).unwrap()
    }

    fn steady_us(&self) -> i64 {
        i64::try_from(self.clock.elapsed().as_micros()).unwrap()
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = u8::try_from(self.dice.below(256)).unwrap());
    }
}

thread_local! {
    static SHOP: Program = program(&catalog());
    static PASSES: Program = program(&read(passes::CATALOG));
    static FILES: Program = program(&read(files::CATALOG));
    static FILES_ON_ITEMS: Program = {
        let store = ItemStore::new(&Simulation::new(0, Faults::none()));
        Program::of(&compiled(&read(files::CATALOG), store.abilities())).unwrap()
    };
}

fn program(catalog: &Catalog) -> Program {
    let store = WideStore::new(&Simulation::new(0, Faults::none()));
    Program::of(&compiled(catalog, store.abilities())).unwrap()
}

impl World {
    pub(super) fn new(theme: Theme, seed: u64, protocol: Protocol) -> Self {
        let program = match theme {
            Theme::Shop => SHOP.with(Clone::clone),
            Theme::Passes => PASSES.with(Clone::clone),
            Theme::Files => FILES.with(Clone::clone),
            Theme::FilesOnItems => FILES_ON_ITEMS.with(Clone::clone),
        };
        let simulation = Simulation::new(seed, Faults::none());
        let (store, dice, clock) = (WideStore::new(&simulation), simulation.dice(), simulation.clock());
        let items = (theme == Theme::FilesOnItems).then(|| ItemStore::new(&simulation));
        let server = |number: usize| {
            let environment = process(&clock, &dice, number);
            let opened = match &items {
                Some(items) => simulation.block_on(Run::open(program.clone(), Arc::new(items.clone()), environment)),
                None => simulation.block_on(Run::open(program.clone(), Arc::new(store.clone()), environment)),
            };
            let mut run = opened.unwrap().unwrap();
            run.protocol = protocol;
            Arc::new(run)
        };
        let servers: Vec<Arc<Run>> = (0..SERVERS).map(server).collect();
        let (fragility, instead) = (Cell::default(), RefCell::new(vec![None; SERVERS]));
        let world = Self { theme, seed, fragility, servers, instead, store, dice, clock, simulation };
        world.settle_from_here();
        world
    }

    /// Who serves at this place now.
    pub(super) fn server(&self, number: usize) -> Arc<Run> {
        self.instead.borrow()[number].clone().unwrap_or_else(|| self.servers[number].clone())
    }

    /// The clock and the chance of a process.
    pub(super) fn process(&self, number: usize) -> Arc<dyn Environment> {
        process(&self.clock, &self.dice, number)
    }

    /// The log of a store that is opened begins some time before; here it may begin at once.
    fn settle_from_here(&self) {
        let run = &self.servers[0];
        let span = run.now_us().div_euclid(1_000).div_euclid(run.protocol.span_ms) - 1;
        let moved = async {
            let (version, _) = run.settled_until().await?;
            run.set_settled_until(version, span).await
        };
        self.simulation.block_on(moved).unwrap().unwrap();
    }

    /// A shop that is opened on a good day; then some clients at once, while workers settle what is left behind; what they asked for and were answered.
    pub(super) fn clients(&self) -> Vec<Request> {
        self.clients_beside(async |_| {})
    }

    /// The same, and somebody beside them who is told how many of them are left.
    pub(super) fn clients_beside(&self, beside: impl AsyncFn(&Cell<u64>)) -> Vec<Request> {
        let shop = RefCell::default();
        let first = Client { world: self, number: u64::MAX, shop: &shop };
        let mut requests = Vec::new();
        for count in 0..if self.theme == Theme::Shop { 3 } else { 0 } {
            requests.push(self.simulation.block_on(first.request(count)).unwrap());
        }
        let (faults, fragility) = faults(self.seed);
        self.simulation.set_faults(faults);
        self.fragility.set(Some(fragility));
        let mut all = Vec::new();
        let living = Cell::new(2 + self.dice.below(3));
        for number in 0..living.get() {
            let client = Client { world: self, number, shop: &shop };
            all.push(Box::pin(async {
                let requests = client.live().await;
                living.set(living.get() - 1);
                requests
            }) as Pin<Box<dyn Future<Output = Vec<Request>> + '_>>);
        }
        all.push(Box::pin(async {
            while living.get() > 0 {
                self.settle_somewhere().await;
            }
            Vec::new()
        }));
        all.push(Box::pin(async {
            beside(&living).await;
            Vec::new()
        }));
        let asked = self.simulation.block_on(together(all)).unwrap().concat();
        requests.extend(asked);
        requests
    }

    /// A pass after a while, on a server that may sleep or crash, or on a machine of its own that does not.
    async fn settle_somewhere(&self) {
        self.clock.sleep(self.dice.span(Duration::from_millis(20), Duration::from_millis(400))).await;
        let number = self.pick(SERVERS);
        let run = self.server(number);
        if self.dice.chance(0.2) {
            drop(self.at(number, async move { run.settle().await }));
        } else {
            drop(run.settle().await);
        }
    }

    /// A task on a server; `None` when it crashed.
    pub(super) fn at<T: Send + 'static>(
        &self,
        server: usize,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Task<Option<T>> {
        let future: BoxFuture<'static, Option<T>> = match self.fragility.get() {
            None => Box::pin(async move { Some(future.await) }),
            Some(fragility) => {
                let (clock, dice) = (self.clock.clone(), self.dice.clone());
                Box::pin(Fragile { future: Box::pin(future), fragility, clock, dice, asleep: None })
            }
        };
        self.simulation.spawn(&format!("server {server}"), future)
    }

    /// Lets everything arrive, and settles until nothing is left; how many marks that were.
    pub(super) fn quiet_tail(&self) -> Result<u64, String> {
        self.simulation.run().map_err(|halt| format!("the run: {halt}"))?;
        self.simulation.set_faults(Faults::none());
        self.rest(Duration::from_secs(3));
        let mut settled = 0;
        for _ in 0..50 {
            self.rest(Duration::from_secs(1));
            let pass = self.simulation.block_on(self.server(0).settle()).map_err(|halt| halt.to_string())?;
            let pass = pass.map_err(|problem| format!("settling: {problem}"))?;
            settled += pass.settled;
            if pass.settled == 0 && pass.left == 0 {
                return Ok(settled);
            }
        }
        Err("marks are never settled".into())
    }

    /// A decision in limbo may be finished at any time. Here it is, or never will be.
    pub(super) fn touch_all(&self, requests: &[Request]) {
        let run = &self.servers[0];
        for request in requests {
            let (entity, key) = row_of(self, request);
            let touch = || async {
                let there = run.source(entity, &key, Freshness::Fresh, run.now_us()).await?;
                run.touch(entity, &key, there).await
            };
            // One that is finished now is in the way of a touch.
            while self.simulation.block_on(touch()).unwrap().unwrap().is_none() {}
        }
    }

    pub(super) fn rest(&self, span: Duration) {
        drop(self.simulation.spawn("observer", self.clock.sleep(span)));
        self.simulation.run().unwrap();
    }

    pub(super) fn pick(&self, end: usize) -> usize {
        usize::try_from(self.dice.below(end as u64)).unwrap()
    }

    /// A process that crashed has forgotten what it had in memory.
    pub(super) fn crashed(&self, server: usize) {
        self.servers[server].owed.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn now_ms(&self) -> i64 {
        START_US / 1_000 + self.clock.now().0
    }
}

fn process(clock: &Clock, dice: &Dice, number: usize) -> Arc<dyn Environment> {
    let ahead = Duration::from_millis([0, 13, 90][number % 3]);
    Arc::new(Process { clock: clock.clone(), ahead, dice: dice.clone(), awake_until: Mutex::default() })
}

/// What all of them return.
pub(super) async fn together<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done).filter(|(_, done)| done.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
