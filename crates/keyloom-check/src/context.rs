use std::collections::HashMap;

use keyloom_facts::{Fact, fact};
use keyloom_finding::{Level, Limit, Place};
use keyloom_model::{Action, Catalog, Engine, Entity, GroupSize, Pattern, Selection};
use keyloom_text::Reading;

use crate::layout_context::Laid;

/// What a rule may look at.
pub struct Context<'a> {
    /// The catalog, as far as it was understood.
    pub catalog: &'a Catalog,
    /// Whether all files were read and understood.
    pub understood: bool,
    /// Whether something may be concluded from what is *not* there: all files were read and understood, and nobody
    /// reads or writes outside of this catalog.
    pub whole: bool,
    /// Whether some pattern is served outside (a search service, analytics): what it reads is not known here.
    pub read_elsewhere: bool,
    /// Whether a layout of it is looked at too: what depends on the engine is said there.
    pub laid: bool,
    entities: HashMap<&'a str, &'a Entity>,
    writers: HashMap<&'a str, Vec<&'a Pattern>>,
    reading: &'a Reading,
}

impl<'a> Context<'a> {
    /// The context of one review, with the layouts that are looked at too.
    pub(crate) fn new(reading: &'a Reading, layouts: &[&Laid]) -> Self {
        let understood = !reading.unreadable && reading.findings.iter().all(|finding| finding.level < Level::Error);
        let catalog = &reading.catalog;
        let read_elsewhere = catalog.patterns.iter().any(|pattern| matches!(pattern.action, Action::Outside(_)));
        let entities = catalog.entities.iter().rev().map(|entity| (entity.name.as_str(), entity)).collect();
        let mut writers: HashMap<&str, Vec<&Pattern>> = HashMap::new();
        for pattern in &catalog.patterns {
            for (_, write) in pattern.writes() {
                let known = writers.entry(&write.entity).or_default();
                if known.last().is_none_or(|last| !std::ptr::eq(*last, pattern)) {
                    known.push(pattern);
                }
            }
        }
        let whole = understood && catalog.complete;
        let laid = understood && layouts.iter().any(|laid| laid.is_understood());
        Self { catalog, understood, whole, read_elsewhere, laid, entities, writers, reading }
    }

    /// The entity of that name. The same as the catalog's own search, without the searching.
    pub fn entity(&self, name: &str) -> Option<&'a Entity> {
        self.entities.get(name).copied()
    }

    /// The patterns that write rows of an entity, in the order written.
    pub fn writers(&self, entity: &str) -> &[&'a Pattern] {
        self.writers.get(entity).map_or(&[], Vec::as_slice)
    }

    /// How many rows a selection's group has; `None` when nothing says so.
    pub fn group_size(&self, selection: &Selection) -> Option<GroupSize> {
        self.entity(&selection.entity)?.group_size(selection)
    }

    /// Where the key of a path is written, or the nearest thing around it.
    pub fn key(&self, path: &str) -> Option<Place> {
        self.reading.places.key(path)
    }

    /// Where the value of a path is written, or the key of the nearest thing around it.
    pub fn value(&self, path: &str) -> Option<Place> {
        self.reading.places.value(path)
    }

    /// Whether the author wrote this path down, understood or not.
    pub fn is_stated(&self, path: &str) -> bool {
        self.reading.places.whole(path).is_some() || self.is_misread(path)
    }

    /// Whether the author wrote this path down, and something in it was not understood: a finding says so already.
    pub fn is_misread(&self, path: &str) -> bool {
        self.reading.misread.contains(path)
    }
}

/// A limit of an engine, and the form in which a finding cites it.
pub(crate) fn limit(engine: Engine, name: &str) -> (&'static Fact, Limit) {
    let fact = fact(engine, name);
    let limit = Limit {
        value: format!("{}: {fact}", engine.title()),
        source: fact.source.clone(),
        date: format!("{:04}-{:02}-{:02}", fact.date.year, fact.date.month, fact.date.day),
    };
    (fact, limit)
}
