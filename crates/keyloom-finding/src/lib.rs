//! The finding: one result of a review, with its place, its number and a way out.
//!
//! Everything Keyloom has to say about a file is a [`Finding`]. This crate holds the finding itself, the
//! [`Sources`] it points into, the [`Rule`] record that every finding names, and the renderers that turn findings
//! into text for people and into JSON, SARIF and GitHub annotations for programs. It knows neither files nor
//! terminals: names and texts come in, strings go out.

mod fingerprint;
mod place;
pub mod render;
mod rule;

pub use fingerprint::fingerprints;
pub use place::{FileId, LineColumn, Place, Places, SourceFile, Sources};
pub use rule::{Level, Rule};

/// One result of a review: a rule, a place, a reason with its number, a way out.
///
/// ```
/// use keyloom_finding::{Finding, Level, Place, Rule, Sources};
///
/// static RULE: Rule = Rule {
///     name: "missing-rate",
///     level: Level::Note,
///     summary: "a pattern does not say how often it is called",
///     page: "# missing-rate",
/// };
/// let mut sources = Sources::default();
/// let file = sources.add("catalog.yaml", "patterns: {}");
/// let finding = Finding::new(&RULE, Place::new(file, 0..8), "how often is this called?")
///     .help("state `rate: 20/s`");
/// assert_eq!(finding.level, Level::Note);
/// ```
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that was broken.
    pub rule: &'static Rule,
    /// How much it matters here; a rule may speak louder when the numbers prove it.
    pub level: Level,
    /// What is wrong, in one sentence that starts with the thing it is about.
    pub message: String,
    /// Where. `None` only for what has no place, such as a file that can't be opened.
    pub place: Option<Place>,
    /// A few words under the caret; empty where the message says it all.
    pub label: String,
    /// Other places that matter, each with its words: "first defined here".
    pub related: Vec<(Place, String)>,
    /// One way out, and what that costs.
    pub help: Option<String>,
    /// The arithmetic behind the message: `200k rows x 230 B = 44 MB`.
    pub derivation: Option<String>,
    /// The documented limit that the number was held against.
    pub limit: Option<Limit>,
    /// Whether today's date decided that this finding exists.
    pub depends_on_today: bool,
}

/// A documented limit with where and when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The limit, with its unit: `400 KB per item`.
    pub value: String,
    /// The document that says so.
    pub source: String,
    /// The day it was last checked, as `2026-11-15`.
    pub date: String,
}

impl Finding {
    /// A finding of `rule` at `place`, at the rule's own level.
    pub fn new(rule: &'static Rule, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self {
            rule,
            level: rule.level,
            message: message.into(),
            place: place.into(),
            label: String::new(),
            related: Vec::new(),
            help: None,
            derivation: None,
            limit: None,
            depends_on_today: false,
        }
    }

    /// Its own place and all others that matter.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        self.place.into_iter().chain(self.related.iter().map(|(place, _)| *place))
    }

    /// The same finding at another level.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The same finding with words under its caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same finding with a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with one more place that matters.
    #[must_use]
    pub fn related(mut self, place: impl Into<Option<Place>>, words: impl Into<String>) -> Self {
        if let Some(place) = place.into() {
            self.related.push((place, words.into()));
        }
        self
    }

    /// The same finding with the arithmetic behind it.
    #[must_use]
    pub fn derivation(mut self, derivation: impl Into<String>) -> Self {
        self.derivation = Some(derivation.into());
        self
    }

    /// The same finding with the documented limit it was held against.
    #[must_use]
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The same finding, marked as one that another date could have changed.
    #[must_use]
    pub fn depends_on_today(mut self) -> Self {
        self.depends_on_today = true;
        self
    }
}

/// Puts findings into their one stable order: file by file, from top to bottom, then by rule and message.
///
/// Findings without a place come first: they say why something was not read.
pub fn sort(findings: &mut [Finding], sources: &Sources) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| f.place.map(|p| (sources.file(p.file).name().to_owned(), p.start, p.end));
        (key(a), a.rule.name, &a.message).cmp(&(key(b), b.rule.name, &b.message))
    });
}
