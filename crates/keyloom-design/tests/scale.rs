//! Large catalogs: the search ends, or says how far it may be off.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed, and reads its examples"
)]

mod common;
#[path = "common/many.rs"]
mod many;

use std::cell::Cell;

use common::{ENGINES, catalog_of, example, on};
use keyloom_design::search::{Found, Progress, Terms, search};
use keyloom_model::{Catalog, Engine};
use many::{Part, many, parts};

/// What is found when a search is asked so often whether it is to stop, and how often it went on asking.
fn after(looks: u64, catalog: &Catalog, engine: Engine) -> (Found, u64) {
    let asked = Cell::new(0_u64);
    let is_over = |_: &Progress| {
        asked.set(asked.get() + 1);
        asked.get() > looks
    };
    let found = on(engine, |terms| search(catalog, &Terms { is_over: &is_over, ..*terms }));
    (found, asked.get())
}

#[test]
fn two_hundred_patterns_of_forty_entities_leave_no_gap() {
    let catalog = catalog_of(&many(&parts(40, Part { entities: 3, patterns: 15 })));
    assert_eq!((catalog.patterns.len(), catalog.entities.len()), (200, 40));
    for engine in ENGINES {
        // As far as a search goes without a word about its time.
        let (found, _) = after(2_000, &catalog, engine);
        assert!(found.gap.is_closed(), "{}: {:?}", engine.name(), found.gap);
        assert!(found.score <= found.plain);
    }
}

#[test]
fn a_search_that_has_to_stop_says_how_far_it_may_be_off() {
    let catalog = catalog_of(&many(&[Part { entities: 1, patterns: 40 }]));
    for engine in ENGINES {
        let (early, asked) = after(2, &catalog, engine);
        // Every part of the search stops when it is told to.
        assert!(asked < 20, "{asked}");
        let (late, _) = after(60, &catalog, engine);
        assert!(early.score <= early.plain && late.score <= late.plain);
        // What is said of the rest is true: nothing that is found later is less.
        assert!(early.gap.bound <= late.gap.cheapest, "{:?} {:?}", early.gap, late.gap);
        assert!(late.gap.cheapest <= early.gap.cheapest && early.gap.bound <= late.gap.bound);
        assert!(!early.gap.is_closed() && early.gap.share().is_none_or(|share| share > 0.0), "{:?}", early.gap);
    }
}

#[test]
fn a_search_without_time_is_no_worse_than_plain() {
    for name in ["shop", "chat", "sensors", "cases-core", "cases"] {
        for engine in ENGINES {
            let (found, _) = after(0, &example(name), engine);
            assert!(found.score <= found.plain, "{name} on {}", engine.name());
            assert!(found.gap.bound <= found.gap.cheapest);
        }
    }
}
