//! The catalogs on all stores under faults, as designed: nothing is lost, extra, applied twice or answered falsely.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that can't go on has failed, and says what it saw"
)]

use keyloom_trial::{AS_DESIGNED, On, Tally, Tried};

fn clean(name: &str, on: On, seeds: std::ops::Range<u64>) -> Tally {
    let tried = Tried::named(name, on).unwrap().unwrap_or_else(|words| panic!("{name} on {}: {words}", on.name()));
    let mut sum = Tally::default();
    for seed in seeds {
        sum += tried.check(seed, AS_DESIGNED).unwrap_or_else(|failure| panic!("{}", told(&tried, seed, failure)));
    }
    sum
}

fn told(tried: &Tried, seed: u64, failure: Box<keyloom_trial::Failure>) -> String {
    let story = tried.explained(seed, AS_DESIGNED, failure);
    format!("\n{story}\nReplay: cargo xtask sim --seed {seed} --catalog {} --store {}", tried.name, tried.on.name())
}

/// A run in which nothing went wrong would show nothing.
fn enough(sum: Tally) {
    println!("{sum:?}");
    assert!(sum.applied > 300 && sum.refused > 100, "too little happened: {sum:?}");
    assert!(sum.uncertain > 10 && sum.repeated > 50, "too little went wrong: {sum:?}");
    assert!(sum.compared > 1_000 && sum.rows > 50 && sum.looked > 100, "too little was looked at: {sum:?}");
}

#[test]
fn values_that_move_between_rows_on_the_wide_store() {
    enough(clean("market", On::Wide, 0..100));
}

#[test]
fn values_that_move_between_rows_on_the_item_store() {
    enough(clean("market", On::Items, 0..100));
}

#[test]
fn values_that_move_between_rows_on_the_model_store() {
    enough(clean("market", On::Model, 0..60));
}

#[test]
fn lists_that_the_engine_keeps_some_time_behind() {
    enough(clean("market", On::Indexed, 0..100));
    enough(clean("desk", On::Indexed, 0..80));
}

#[test]
fn tenants_and_rows_that_end_on_the_wide_store() {
    enough(clean("desk", On::Wide, 0..80));
}

#[test]
fn tenants_and_rows_that_end_on_the_item_store() {
    enough(clean("desk", On::Items, 0..80));
}

#[test]
fn tenants_and_rows_that_end_on_the_model_store() {
    enough(clean("desk", On::Model, 0..60));
}

#[test]
fn kept_values_on_the_wide_store() {
    enough(clean("stock", On::Wide, 0..80));
}

#[test]
fn kept_values_on_the_item_store() {
    enough(clean("stock", On::Items, 0..100));
}

#[test]
fn kept_values_on_the_model_store() {
    enough(clean("stock", On::Model, 0..100));
}

#[test]
fn rows_by_the_values_they_have_on_the_wide_store() {
    enough_of_values(clean("passes", On::Wide, 0..150));
}

#[test]
fn rows_by_the_values_they_have_on_the_item_store() {
    enough_of_values(clean("passes", On::Items, 0..150));
}

#[test]
fn rows_by_the_values_they_have_on_the_model_store() {
    enough_of_values(clean("passes", On::Model, 0..150));
}

/// Most of these rows have ended when it is quiet.
fn enough_of_values(sum: Tally) {
    enough(Tally { rows: sum.rows * 4, ..sum });
}

#[test]
fn copies_on_the_wide_store() {
    enough(clean("board", On::Wide, 0..100));
}

#[test]
fn copies_on_the_item_store() {
    enough(clean("board", On::Items, 0..100));
}

#[test]
fn copies_on_the_model_store() {
    enough(clean("board", On::Model, 0..60));
}

#[test]
fn what_follows_when_rows_end_on_the_wide_store() {
    enough(clean("leases", On::Wide, 0..100));
}

#[test]
fn what_follows_when_rows_end_on_the_item_store() {
    enough(clean("leases", On::Items, 0..100));
}

#[test]
fn what_follows_when_rows_end_on_the_model_store() {
    enough(clean("leases", On::Model, 0..100));
}

#[test]
fn counts_of_rows_that_are_added_and_end_on_all_stores() {
    for on in On::ALL {
        let sum = clean("knocks", on, 0..100);
        assert!(sum.applied > 500 && sum.compared > 500, "too little happened: {sum:?}");
    }
}

#[test]
fn rows_that_nobody_looks_at_on_all_stores() {
    for on in On::ALL {
        let sum = clean("flags", on, 0..60);
        println!("{}: {sum:?}", on.name());
        assert!(sum.applied > 300 && sum.refused > 100 && sum.compared > 500, "too little happened: {sum:?}");
    }
}

#[test]
fn lists_that_are_new_while_others_serve() {
    for on in [On::Wide, On::Items] {
        let sum = clean("lots", on, 0..60);
        println!("{}: {sum:?}", on.name());
        assert!(sum.grown > 5 && sum.applied > 300 && sum.compared > 500, "too little happened: {sum:?}");
    }
}

/// Processes of a catalog that can't derive what is new end when it comes, and are started with the newer one.
#[test]
fn uniques_and_kept_values_that_are_new_while_others_serve() {
    for on in [On::Wide, On::Items] {
        let sum = clean("lots_counted", on, 0..60);
        println!("{}: {sum:?}", on.name());
        assert!(sum.grown > 2 && sum.applied > 300 && sum.compared > 500, "too little happened: {sum:?}");
    }
}

#[test]
fn parts_that_go_with_what_they_belong_to() {
    for on in [On::Wide, On::Items, On::Model] {
        enough(clean("files", on, 0..100));
    }
}

#[test]
fn lists_that_are_cut_by_time() {
    for on in [On::Wide, On::Items, On::Model] {
        enough(clean("ledger", on, 0..80));
    }
}

#[test]
fn random_catalogs_whose_lists_are_cut_by_time() {
    let (mut sum, mut count) = (Tally::default(), 0);
    for seed in 0..400 {
        for on in [On::Wide, On::Items, On::Model] {
            let Some(tried) = Tried::random_cut(seed, on) else { continue };
            count += 1;
            sum += tried
                .check(seed, AS_DESIGNED)
                .unwrap_or_else(|failure| panic!("seed {seed} on {}: {}", on.name(), failure.contradiction.words));
        }
    }
    println!("{count} catalogs: {sum:?}");
    assert!(count > 20 && sum.applied > 200, "too little happened: {count} catalogs, {sum:?}");
}

#[test]
fn random_catalogs_on_all_stores() {
    let (mut sum, mut count) = (Tally::default(), 0);
    for seed in 0..400 {
        for on in On::ALL {
            let Some(tried) = Tried::random(seed, on) else { continue };
            count += 1;
            sum += tried.check(seed, AS_DESIGNED).unwrap_or_else(|failure| panic!("{}", told(&tried, seed, failure)));
        }
    }
    println!("{count} catalogs: {sum:?}");
    assert!(count > 20 && sum.applied > 200, "too little happened: {count} catalogs, {sum:?}");
}

/// Each of them found a fault, of what is run or of its judge.
#[test]
fn seeds_that_found_something() {
    let small =
        [("leases", On::Wide, 706), ("stock", On::Items, 1354), ("stock", On::Indexed, 2538), ("files", On::Wide, 535)];
    for (name, on, seed) in small {
        clean(name, on, seed..seed + 1);
    }
    let random = [
        452, 522, 858, 1039, 1112, 1198, 1336, 1384, 1570, 1614, 1692, 2168, 2318, 2640, 2814, 3204, 3272, 3338, 3538,
        3710, 3874, 4183, 4259, 4342, 7714, 9356, 10844, 11010, 12682, 12748, 15158, 202064, 206776, 207306, 212544,
        216572, 218519, 221498, 222027, 226784, 230960, 232630, 234114,
    ];
    for seed in random {
        for tried in On::ALL.into_iter().filter_map(|on| Tried::random(seed, on)) {
            tried.check(seed, AS_DESIGNED).unwrap_or_else(|failure| panic!("{}", told(&tried, seed, failure)));
        }
    }
}

/// The same seed is the same trial.
#[test]
fn a_seed_is_one_history() {
    for name in ["market", "lots"] {
        let tally = || {
            let tried = Tried::named(name, On::Wide).unwrap().unwrap();
            tried.check(3, AS_DESIGNED).unwrap_or_else(|_| panic!("it fails"))
        };
        assert_eq!(tally(), tally());
    }
}
