//! The cases, by topic.

use crate::{Case, Subject};

/// The cases of one topic, in the order in which they are named.
macro_rules! topic {
    ($topic:literal: $($case:ident),+ $(,)?) => {
        vec![$(Case { name: concat!($topic, "::", stringify!($case)), run: |store| Box::pin($case(store)) }),+]
    };
}

mod costs;
mod decisions;
mod disciplines;
mod expiry;
mod groups;
mod indexes;
mod inspections;
mod keys;
mod placements;
mod ranges;
mod reads;
mod riders;
mod schemas;
mod slices;
mod sweeps;
mod together;
mod values;

/// Every case of the contract.
pub fn cases<S: Subject>() -> Vec<Case<S>> {
    [
        reads::cases(),
        slices::cases(),
        ranges::cases(),
        keys::cases(),
        values::cases(),
        placements::cases(),
        groups::cases(),
        expiry::cases(),
        decisions::cases(),
        riders::cases(),
        together::cases(),
        disciplines::cases(),
        indexes::cases(),
        costs::cases(),
        schemas::cases(),
        sweeps::cases(),
        inspections::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
