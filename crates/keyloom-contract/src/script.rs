//! Seeded scripts: one sequence of calls for two stores, whose answers must mean the same.
//!
//! A script is made before it runs and does not look at answers, so that any part of it is a script too: one that shows a
//! difference can be cut down to the few calls that matter.

mod answer;
mod call;
mod dice;
mod write;

use std::{fmt, ops::Range, sync::Mutex};

use keyloom_store::{Abilities, BoxFuture, Millis};

pub use self::dice::Dice;
pub(crate) use self::dice::mixed;
use self::{answer::Side, call::Call, write::Writer};
use crate::Subject;

/// Calls that two stores must answer alike.
#[derive(Debug, Clone)]
pub struct Script {
    seed: u64,
    tables: call::Tables,
    calls: Vec<Call>,
    /// When the last call was made.
    end: Millis,
}

/// Where two stores differ.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The seed of the script.
    pub seed: u64,
    /// The number of the call whose answers differ, counted from 0; one behind the last when it is the closing sweep.
    pub at: usize,
    /// The call.
    pub call: String,
    /// What the first store answered.
    pub first: String,
    /// What the second store answered.
    pub second: String,
}

impl Script {
    /// The script of a seed, with what two stores of these abilities can both do.
    pub fn seeded(seed: u64, calls: usize, abilities: [&Abilities; 2]) -> Self {
        let (tables, calls, end) = Writer::new(seed, abilities).write(calls);
        Self { seed, tables, calls, end }
    }

    /// How many calls it has.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Sends every call to both stores, then sweeps all tables, and stops where the answers differ.
    ///
    /// # Errors
    /// The first difference.
    pub async fn compare<A: Subject, B: Subject>(&self, a: &A, b: &B) -> Result<(), Difference> {
        let (first, second) = (Side::open(a, &self.tables).await, Side::open(b, &self.tables).await);
        for (at, call) in self.calls.iter().enumerate() {
            let answers = (first.answer(call).await, second.answer(call).await);
            if !answers.0.agrees(&answers.1) {
                return Err(self.difference(at, format!("{call:?}"), &answers));
            }
        }
        for table in 0..self.tables.len() {
            let answers = (first.sweep(table, self.end).await, second.sweep(table, self.end).await);
            if !answers.0.agrees(&answers.1) {
                let call = format!("Sweep {{ table: {}, now: {:?} }}", self.tables.name(table), self.end);
                return Err(self.difference(self.calls.len(), call, &answers));
            }
        }
        Ok(())
    }

    fn difference(&self, at: usize, call: String, answers: &(impl fmt::Debug, impl fmt::Debug)) -> Difference {
        let (first, second) = (format!("{:?}", answers.0), format!("{:?}", answers.1));
        Difference { seed: self.seed, at, call, first, second }
    }

    /// The script cut down to calls that are needed for a difference to show, and that difference.
    ///
    /// `differs` runs a script on fresh stores. Calls are left out in ever smaller pieces as long as the stores still
    /// differ; `tries` bounds how often.
    pub fn shrunk(
        &self,
        found: Difference,
        mut tries: u32,
        mut differs: impl FnMut(&Self) -> Option<Difference>,
    ) -> (Self, Difference) {
        let (mut smallest, mut shown) = (self.clone(), found);
        // What comes behind the difference is never needed.
        smallest.calls.truncate(shown.at + 1);
        let mut piece = smallest.calls.len().div_ceil(2);
        while piece > 0 {
            let mut from = 0;
            while from < smallest.calls.len() && tries > 0 {
                tries -= 1;
                let mut smaller = smallest.clone();
                smaller.calls.drain(from..(from + piece).min(smallest.calls.len()));
                match differs(&smaller) {
                    Some(difference) => {
                        smaller.calls.truncate(difference.at + 1);
                        (smallest, shown) = (smaller, difference);
                    }
                    None => from += piece,
                }
            }
            piece /= 2;
        }
        (smallest, shown)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, call) in self.calls.iter().enumerate() {
            writeln!(f, "  {at}: {call:?}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, at, call, first, second } = self;
        write!(f, "seed {seed}, call {at}: {call}\n  first:  {first}\n  second: {second}")
    }
}

/// Sends the script of a seed to two empty stores.
///
/// # Errors
/// Where their answers first differ.
pub async fn compare<A: Subject, B: Subject>(a: &A, b: &B, seed: u64, calls: usize) -> Result<(), Difference> {
    Script::seeded(seed, calls, [a.abilities(), b.abilities()]).compare(a, b).await
}

/// Compares two stores on the scripts of several seeds, each on fresh ones.
///
/// # Panics
/// At the first difference, with the shortest script found that still shows it.
pub fn agree<A: Subject, B: Subject>(
    seeds: Range<u64>,
    calls: usize,
    fresh: impl Fn() -> (A, B),
    block_on: impl Fn(&A, &B, BoxFuture<'_, ()>),
) {
    let differs = |script: &Script| {
        let ((a, b), result) = (fresh(), Mutex::new(None));
        block_on(
            &a,
            &b,
            Box::pin(async {
                let difference = script.compare(&a, &b).await.err();
                *result.lock().expect("nobody else has it") = difference;
            }),
        );
        result.into_inner().expect("nobody else has it")
    };
    for seed in seeds {
        let (a, b) = fresh();
        let script = Script::seeded(seed, calls, [a.abilities(), b.abilities()]);
        drop((a, b));
        if let Some(found) = differs(&script) {
            let (smallest, shown) = script.shrunk(found.clone(), 2_000, differs);
            let calls = smallest.len();
            panic!("{found}\n\nthe shortest script found that differs has {calls} calls:\n{smallest}\n{shown}");
        }
    }
}
