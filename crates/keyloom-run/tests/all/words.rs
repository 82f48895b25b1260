//! What is run of the language: every word but those that come later, in random catalogs by the layouts that are designed for
//! them.

use std::collections::BTreeMap;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program as Planned;
use keyloom_run::Program;
use keyloom_sample::{Size, catalog};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::{Abilities, Model, Store};
use keyloom_text::{Files, Unreadable};

struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn read(text: &str) -> Catalog {
    keyloom_text::read("catalog.yaml", &Text(text), &mut Sources::default()).catalog
}

/// The words that come later, as they are refused.
const LATER: &[&str] = &[
    "`claim`",
    "`atomic`",
    "`emits`",
    "`history`",
    "`through`",
    "`one_per`",
    "`spread`",
    "`tenant: all`",
    "`source: elsewhere`",
    "`newest`",
    "rollups",
    "sequences",
    "rows of which another system says which is newer",
];

/// What is refused and should be run.
const OWED: &[&str] = &["`once_per` by other fields than the key"];

/// What is refused for good, with a way out: `docs/design/008-run.md` says why.
const FOR_GOOD: &[&str] = &["a new uuid7 of what happens once per fields that name no moment"];

fn engines() -> [(Engine, Abilities); 3] {
    [
        (Engine::Embedded, Model::new().abilities().clone()),
        (Engine::Cassandra, AtOnce::new(1, WideStore::new).abilities().clone()),
        (Engine::DynamoDb, AtOnce::new(1, ItemStore::new).abilities().clone()),
    ]
}

/// What is refused of a catalog where it is designed, but for what the plan refuses and for words that come later.
fn refused(catalog: &Catalog, engine: Engine, abilities: &Abilities) -> Vec<String> {
    let planned = Planned::compile(catalog, &design(catalog, engine, abilities), abilities);
    let by_plan = |what: &str| planned.refusals.iter().any(|refusal| refusal.what.to_string() == what);
    let is_excused = |what: &str| LATER.iter().chain(FOR_GOOD).any(|word| what.contains(word)) || by_plan(what);
    let words = Program::of(&planned).err().unwrap_or_default();
    words.iter().filter(|word| !is_excused(&word.what)).map(ToString::to_string).collect()
}

#[test]
fn nothing_is_refused_but_what_comes_later() {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut owed = [0; OWED.len()];
    for seed in 0..300 {
        let catalog = read(&catalog(seed, Size::of(seed)));
        for (engine, abilities) in engines() {
            for what in refused(&catalog, engine, &abilities) {
                match OWED.iter().position(|owed| what.contains(owed)) {
                    Some(at) => owed[at] += 1,
                    None => *found.entry(format!("seed {seed}: {what}")).or_default() += 1,
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    assert!(owed.iter().all(|count| *count > 0), "it is run now, so nothing is owed: {OWED:?} {owed:?}");
}

#[test]
fn the_example_that_needs_no_later_word_is_run_everywhere() {
    let shop = read(include_str!("../../../../examples/shop/catalog.yaml"));
    for (engine, abilities) in engines() {
        assert_eq!(refused(&shop, engine, &abilities), Vec::<String>::new());
    }
}
