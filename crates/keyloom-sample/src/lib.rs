//! Random catalogs for tests: valid by construction, of realistic shape, and the same for the same seed.
//!
//! A catalog is made in the order in which its parts depend on each other: entities with keys, references and fields;
//! what follows from other rows (derived, snapshots, kept); what entities say beyond their fields; rollups; writes, which
//! bring events; reads of all of these. Every part knows what the language lets it say, so nothing is thrown away and
//! tried again.

mod atomic;
mod chance;
mod entities;
mod facets;
mod fills;
mod filters;
mod inputs;
mod page;
mod reads;
mod rollups;
mod shape;
mod types;
mod words;
mod world;
mod writes;

/// How large a catalog is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// One or two entities and a few patterns: what a failure is easiest to understand in.
    Small,
    /// A service of a handful of entities.
    Medium,
    /// Up to twelve entities and forty patterns.
    Large,
}

impl Size {
    /// All sizes.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The size of the catalog that a run over many seeds makes of this one: every size comes up equally often.
    pub fn of(seed: u64) -> Self {
        match seed % 3 {
            0 => Self::Small,
            1 => Self::Medium,
            _ => Self::Large,
        }
    }

    /// The fewest and the most entities.
    fn entities(self) -> (usize, usize) {
        match self {
            Self::Small => (1, 2),
            Self::Medium => (3, 6),
            Self::Large => (8, 12),
        }
    }

    /// The fewest and the most patterns.
    fn patterns(self) -> (usize, usize) {
        match self {
            Self::Small => (2, 6),
            Self::Medium => (8, 18),
            Self::Large => (25, 40),
        }
    }
}

/// The text of a catalog that is read without errors; the same seed and size give the same text.
///
/// ```
/// use keyloom_sample::{Size, catalog};
///
/// let text = catalog(7, Size::Small);
/// assert!(text.starts_with("language: 1\n"));
/// assert_eq!(text, catalog(7, Size::Small));
/// ```
pub fn catalog(seed: u64, size: Size) -> String {
    world::World::new(seed, size).print()
}
