use keyloom_facts::{Engine, Fact, fact};
use keyloom_finding::{Level, Limit, Place};
use keyloom_model::{Action, Catalog};
use keyloom_text::Reading;

/// What a rule may look at.
pub struct Context<'a> {
    /// The catalog, as far as it was understood.
    pub catalog: &'a Catalog,
    /// Whether something may be concluded from what is *not* there: all files were read and understood, and nobody
    /// reads or writes outside of this catalog.
    pub whole: bool,
    /// Whether some pattern is served outside (a search service, analytics): what it reads is not known here.
    pub read_elsewhere: bool,
    reading: &'a Reading,
}

impl<'a> Context<'a> {
    /// The context of one review.
    pub fn new(reading: &'a Reading) -> Self {
        let understood = !reading.unreadable && reading.findings.iter().all(|finding| finding.level < Level::Error);
        let catalog = &reading.catalog;
        let read_elsewhere = catalog.patterns.iter().any(|pattern| matches!(pattern.action, Action::Outside(_)));
        Self { catalog, whole: understood && catalog.complete, read_elsewhere, reading }
    }

    /// Where the key of a path is written, or the nearest thing around it.
    pub fn key(&self, path: &str) -> Option<Place> {
        self.reading.places.key(path)
    }

    /// Where the value of a path is written, or the key of the nearest thing around it.
    pub fn value(&self, path: &str) -> Option<Place> {
        self.reading.places.value(path)
    }

    /// Whether the author wrote this path down.
    pub fn is_stated(&self, path: &str) -> bool {
        self.reading.places.whole(path).is_some()
    }

    /// A limit of an engine, and the form in which a finding cites it.
    pub fn limit(&self, engine: Engine, name: &str) -> (&'static Fact, Limit) {
        let fact = fact(engine, name);
        let limit = Limit {
            value: format!("{fact} ({})", engine.title()),
            source: fact.source.clone(),
            date: format!("{:04}-{:02}-{:02}", fact.date.year, fact.date.month, fact.date.day),
        };
        (fact, limit)
    }
}
