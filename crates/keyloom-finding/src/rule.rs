/// How much a finding matters. Ordered: a note is less than a warning, a warning less than an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Something worth knowing; never fails a build by itself.
    Note,
    /// The shape suggests trouble, or a rule of thumb is broken.
    Warning,
    /// A proof: illegal, unbounded, or the user's own numbers break a documented limit.
    Error,
}

impl Level {
    /// All levels, from the least to the most severe.
    pub const ALL: [Self; 3] = [Self::Note, Self::Warning, Self::Error];

    /// The level's one name, as it is written in flags, files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// The record of one rule. A rule's name reads well after "allow".
#[derive(Debug)]
pub struct Rule {
    /// `kebab-case`, never reused for another meaning.
    pub name: &'static str,
    /// The level at which it speaks when nothing proves more or less.
    pub level: Level,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// Its page, in Markdown: what it does, why it matters, example, use instead, when to allow.
    pub page: &'static str,
}
