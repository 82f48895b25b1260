//! Seeded scripts give the same visible rows on the simulated stores and on the model, when nothing is lost.

#![allow(clippy::expect_used, reason = "a test that can't go on has failed")]

use keyloom_contract::{Subject, agree};
use keyloom_sim::{Faults, ItemStore, Simulation, WideStore};
use keyloom_store::Model;

fn like_the_model<S: Subject>(seeds: u64, fresh: impl Fn(&Simulation) -> S) {
    for seed in 0..seeds {
        let simulation = Simulation::new(seed, Faults::none());
        agree(
            seed..seed + 1,
            10_000,
            || (Model::new(), fresh(&simulation)),
            |_, _, script| simulation.block_on(script).expect("a script comes to its end"),
        );
    }
}

#[test]
fn the_item_store_answers_as_the_model_does() {
    like_the_model(3, ItemStore::new);
}

#[test]
fn the_wide_store_answers_as_the_model_does() {
    like_the_model(3, WideStore::new);
}

#[test]
#[ignore = "some minutes: for changes of the stores"]
fn both_answer_as_the_model_does_for_long() {
    like_the_model(200, ItemStore::new);
    like_the_model(200, WideStore::new);
}
