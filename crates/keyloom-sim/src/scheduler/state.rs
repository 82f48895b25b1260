use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Wake, Waker},
    time::Duration,
};

use super::{
    Halt,
    trace::{Happening, Trace},
};
use crate::{faults::Faults, random::Random};

const STEPS_MAX: u64 = 5_000_000;
const TIME_MAX: Duration = Duration::from_secs(30 * 24 * 3_600);

pub(super) type Future = Pin<Box<dyn std::future::Future<Output = ()> + Send>>;

/// Where an event stands in the queue: its time, then by lot, then a number that makes it unique.
pub(super) type Moment = (Duration, u64, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessId(usize);

pub(super) enum Event {
    Call(Box<dyn FnOnce() + Send>),
    Wake(Waker),
    Resume(ProcessId),
}

/// What happens next.
pub(super) enum Step {
    Idle,
    Nothing,
    Event(Box<dyn FnOnce() + Send>),
    Poll(u64, Future, Waker),
    Crashed(Vec<Slot>),
}

/// Everything of a simulation that changes.
pub(crate) struct State {
    pub(crate) now: Duration,
    pub(crate) random: Random,
    pub(crate) faults: Faults,
    pub(super) trace: Trace,
    steps: u64,
    numbers: u64,
    events: BTreeMap<Moment, Event>,
    tasks: BTreeMap<u64, Slot>,
    ready: Vec<u64>,
    woken: Arc<Woken>,
    processes: Vec<Process>,
}

struct Process {
    name: String,
    /// Whether crashes and pauses strike it.
    mortal: bool,
    paused: bool,
}

pub(super) struct Slot {
    process: ProcessId,
    /// `None` while it is polled.
    future: Option<Future>,
    waker: Waker,
    ready: bool,
}

/// The tasks that were woken since somebody looked. Wakers reach only this, so that they can be called from anywhere.
#[derive(Default)]
struct Woken(Mutex<Vec<u64>>);

struct Alarm {
    task: u64,
    woken: Arc<Woken>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.woken.0.lock().unwrap_or_else(PoisonError::into_inner).push(self.task);
    }
}

impl State {
    pub(super) fn new(seed: u64, faults: Faults) -> Self {
        Self {
            now: Duration::ZERO,
            random: Random::new(seed),
            faults,
            trace: Trace::new(),
            steps: 0,
            numbers: 0,
            events: BTreeMap::new(),
            tasks: BTreeMap::new(),
            ready: Vec::new(),
            woken: Arc::default(),
            processes: Vec::new(),
        }
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(crate) fn note(&mut self, happening: Happening) {
        self.trace.add(self.now, happening);
    }

    /// The process of that name, which is there from now on.
    pub(crate) fn process(&mut self, name: &str, mortal: bool) -> ProcessId {
        let known = self.processes.iter().position(|process| process.name == name);
        ProcessId(known.unwrap_or_else(|| {
            self.processes.push(Process { name: name.to_owned(), mortal, paused: false });
            self.processes.len() - 1
        }))
    }

    pub(super) fn spawn(&mut self, process: ProcessId, future: Future) {
        let task = self.number();
        let waker = Waker::from(Arc::new(Alarm { task, woken: self.woken.clone() }));
        self.tasks.insert(task, Slot { process, future: Some(future), waker, ready: true });
        self.ready.push(task);
    }

    pub(super) fn at(&mut self, at: Duration, event: Event) -> Moment {
        let moment = (at, self.random.next(), self.number());
        self.events.insert(moment, event);
        moment
    }

    pub(super) fn forget(&mut self, moment: Moment) -> Option<Event> {
        self.events.remove(&moment)
    }

    pub(super) fn next(&mut self) -> Result<Step, Halt> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(Halt::Steps);
        }
        self.collect_woken();
        if !self.ready.is_empty() {
            return Ok(self.run_one());
        }
        let Some((moment, event)) = self.events.pop_first() else { return Ok(Step::Idle) };
        if moment.0 > TIME_MAX {
            return Err(Halt::Time);
        }
        self.now = moment.0;
        Ok(match event {
            Event::Call(call) => Step::Event(call),
            Event::Wake(waker) => {
                waker.wake();
                Step::Nothing
            }
            Event::Resume(process) => {
                self.processes[process.0].paused = false;
                let waiting = self.tasks.iter().filter(|(_, slot)| slot.process == process && slot.ready);
                self.ready.extend(waiting.map(|(task, _)| *task));
                Step::Nothing
            }
        })
    }

    pub(super) fn finished(&mut self, task: u64) {
        self.tasks.remove(&task);
    }

    pub(super) fn waits(&mut self, task: u64, future: Future) {
        if let Some(slot) = self.tasks.get_mut(&task) {
            slot.future = Some(future);
        }
    }

    fn collect_woken(&mut self) {
        let woken = std::mem::take(&mut *self.woken.0.lock().unwrap_or_else(PoisonError::into_inner));
        for task in woken {
            let Some(slot) = self.tasks.get_mut(&task) else { continue };
            if slot.ready {
                continue;
            }
            slot.ready = true;
            if !self.processes[slot.process.0].paused {
                self.ready.push(task);
            }
        }
    }

    /// A task by lot, unless its process is struck first.
    fn run_one(&mut self) -> Step {
        let lot = usize::try_from(self.random.below(self.ready.len() as u64)).unwrap_or(0);
        let task = self.ready.swap_remove(lot);
        let Some(process) = self.tasks.get(&task).map(|slot| slot.process) else { return Step::Nothing };
        if self.processes[process.0].mortal {
            if self.random.chance(self.faults.crash) {
                return self.crash(process);
            }
            if self.random.chance(self.faults.pause) {
                self.pause(process);
                return Step::Nothing;
            }
        }
        self.note(Happening::Step { task });
        let Some(slot) = self.tasks.get_mut(&task) else { return Step::Nothing };
        slot.ready = false;
        match slot.future.take() {
            Some(future) => Step::Poll(task, future, slot.waker.clone()),
            None => Step::Nothing,
        }
    }

    fn crash(&mut self, process: ProcessId) -> Step {
        self.note(Happening::Crash { process: process.0 as u64 });
        let (dead, alive) = std::mem::take(&mut self.tasks).into_iter().partition(|(_, slot)| slot.process == process);
        self.tasks = alive;
        let dead: BTreeMap<u64, Slot> = dead;
        self.ready.retain(|task| !dead.contains_key(task));
        Step::Crashed(dead.into_values().collect())
    }

    fn pause(&mut self, process: ProcessId) {
        self.note(Happening::Pause { process: process.0 as u64 });
        self.processes[process.0].paused = true;
        self.ready.retain(|task| self.tasks.get(task).is_some_and(|slot| slot.process != process));
        let span = self.random.span(Duration::ZERO, self.faults.pause_max);
        self.at(self.now + span, Event::Resume(process));
    }
}
