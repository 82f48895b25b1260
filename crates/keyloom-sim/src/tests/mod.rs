//! Histories of many clients under faults, and what becomes of them when a guard is taken away.

mod ablations;
mod clients;
mod histories;
mod liars;
mod transactions;

use std::{fmt::Debug, ops::AddAssign};

use keyloom_store::{Column, Define, Discipline, Group, Store, Table};
use keyloom_value::Kind;

use crate::{Faults, Simulation};

/// A store that clients can share.
pub(crate) trait Subject: Store + Define + Clone {}

impl<S: Store + Define + Clone> Subject for S {}

/// What is wrong with a history.
type Wrong = String;

/// A table of rows by a text, one for each partition.
fn table(name: &str, discipline: Discipline, groups: &[&[(&str, Kind)]]) -> Table {
    let column = |(name, kind): &(&str, Kind)| Column { name: (*name).to_owned(), kind: kind.clone() };
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![column(&("id", Kind::Text))],
        sort: Vec::new(),
        groups: groups.iter().map(|columns| Group { columns: columns.iter().map(column).collect() }).collect(),
        grace_ms: 3_600_000,
        lifetime_ms: None,
    }
}

/// Runs so many seeds, none of which may be wrong, and sums up what happened in them.
fn clean<T: Default + AddAssign + Debug>(seeds: u64, check: impl Fn(u64) -> Result<T, Wrong>) -> T {
    let mut sum = T::default();
    for seed in 0..seeds {
        sum += check(seed).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
    println!("{seeds} seeds: {sum:?}");
    sum
}

/// Bad days of several kinds, by the seed.
fn faults(seed: u64) -> Faults {
    let rough = Faults::rough();
    match seed % 4 {
        0 => rough,
        1 => Faults { late: 0.2, lose_replica_message: 0.02, crash: 0.0, ..rough },
        2 => Faults { lose_replica_message: 0.2, hint: 0.8, pause: 0.03, ..rough },
        _ => Faults { crash: 0.01, lose_answer: 0.15, replica_down: 0.01, ..rough },
    }
}

/// Lets all that is under way arrive, without new faults, and replicas get well.
fn quiet_tail(simulation: &Simulation) -> Result<(), Wrong> {
    simulation.run().map_err(|halt| format!("the run: {halt}"))?;
    simulation.set_faults(Faults::none());
    let rest = simulation.clock().sleep(Faults::none().replica_ill_max);
    drop(simulation.spawn("observer", rest));
    simulation.run().map_err(|halt| format!("the quiet tail: {halt}"))
}
