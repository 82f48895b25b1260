//! The schemas and statements that the resolver is tested with, all of them at once.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a broken case must stop the test; the generator has more than is used here"
)]

#[path = "../../keyloom-cql/tests/differential"]
mod differential {
    pub mod generate;
}
mod support;

use differential::generate::{self, Random, World};
use support::holds;

/// Worlds in one run.
const CASES: u64 = 60;

#[test]
fn any_world_gives_a_catalog() {
    let mut patterns = 0;
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let world = World::new(&mut random);
        let schema = world.ddl.iter().map(|ddl| format!("{ddl};\n")).collect::<String>();
        let texts: Vec<String> = (0..60).map(|_| generate::statement(&world, &mut random).text).collect();
        let functions = ["", "Get", "list_by_user", "+save", "handleHTTPRequest", "find", "Löschen", "2"];
        let statements: Vec<(&str, &str)> =
            texts.iter().map(|text| (random.one_of(&functions), text.as_str())).collect();
        patterns += holds(&schema, &statements, seed).patterns;
    }
    assert!(patterns > CASES as usize * 5, "the worlds hold {patterns} patterns only");
}
