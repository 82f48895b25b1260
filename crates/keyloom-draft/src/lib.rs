//! A first catalog from what a team has.
//!
//! A [`Survey`] goes in; the text of a catalog comes out, and what should be said about it. Tables that hold the same fact
//! become one entity, statements become patterns, and what no schema and no program tells is asked for in comments.
//!
//! Pure, and modest: what can't be said in the language is left out with its place and its reason, and no rate, size or
//! age is invented.

mod entity;
mod gather;
mod kinship;
mod names;
mod page;
mod pattern;
mod print;
mod questions;
mod reads;
mod relations;
mod settle;
mod source;
mod statements;
mod titles;
mod types;
mod writes;

pub use questions::Question;

use std::collections::BTreeMap;

use keyloom_finding::Place;
use keyloom_survey::Survey;

use crate::source::Sources;
use crate::types::Structs;

/// A catalog that was written from a survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The catalog.
    pub text: String,
    /// How many entities it has.
    pub entities: usize,
    /// How many patterns it has.
    pub patterns: usize,
    /// How many tables and views were taken.
    pub tables: usize,
    /// Which tables were taken for projections of which, and why: one sentence each.
    pub projections: Vec<String>,
    /// Statements that are no patterns: where each is, and why.
    pub left_out: Vec<(Place, String)>,
    /// What only the team knows, the most important first.
    pub questions: Vec<Question>,
}

/// Writes a catalog of this name from a survey. `place` says where something is, for people: `store/parcels.go:19`.
pub fn draft(survey: &Survey, name: &str, place: &dyn Fn(Place) -> String) -> Draft {
    let sources = Sources::of(&survey.schema);
    let statements = statements::statements(survey, &sources);
    let together = statements::together(&statements);
    let families = kinship::families(&sources, &together);
    let mut structs = Structs::default();
    let mut entities = entity::entities(&sources, &families, &mut structs);
    let mut entity_of = BTreeMap::new();
    for (at, family) in families.iter().enumerate() {
        entity_of.insert(family.base, at);
        entity_of.extend(family.others.iter().map(|(other, _)| (*other, at)));
    }
    let mut gathered = gather::gather(&sources, &entities, &entity_of, &statements);
    settle::settle(&sources, &mut entities, &gathered.patterns, &statements, &entity_of);
    let page = page::Page {
        sources: &sources,
        families: &families,
        together: &together,
        structs: &structs,
        entities: &entities,
        name,
        place,
    };
    loop {
        let titles = titles::titles(&entities, &gathered.patterns);
        let text = page.print(&gathered, &titles);
        let refused = page::refused(&text, &titles);
        if refused.is_empty() {
            let questions = questions::questions(&entities, &gathered.patterns, &titles);
            return Draft {
                text,
                entities: entities.len(),
                patterns: gathered.patterns.len(),
                tables: sources.all.iter().filter(|source| !source.is_static).count(),
                projections: page.projections(),
                left_out: gathered.left_out,
                questions,
            };
        }
        // The language has the last word: what it does not take is no pattern, however well it was meant.
        for (at, why) in refused.into_iter().rev() {
            let pattern = gathered.patterns.remove(at);
            gathered.left_out.extend(pattern.callers.iter().map(|caller| (caller.place, why.clone())));
        }
    }
}
