//! Which words a mapping has, by where it stands in the file.

use crate::vocabulary::{
    ALLOW, DISTRIBUTION, ENTITY, FILE, GROUP, HISTORY, PATTERN, RATE, ROLLUP, SKEW, TENANT, VOLUME, Word,
};

/// What stands at some place of a catalog, as far as the order of keys goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    File,
    Tenant,
    Entities,
    Entity,
    Volume,
    Groups,
    Group,
    Distribution,
    History,
    Rollups,
    Rollup,
    Patterns,
    Pattern,
    Rate,
    Skew,
    Allow,
    /// Names of the author's own, or no mapping at all.
    Free,
}

impl Shape {
    /// The words of the mapping, in canonical order; empty where authors choose names and order.
    fn words(self) -> &'static [Word] {
        match self {
            Self::File => FILE,
            Self::Tenant => TENANT,
            Self::Entity => ENTITY,
            Self::Volume => VOLUME,
            Self::Group => GROUP,
            Self::Distribution => DISTRIBUTION,
            Self::History => HISTORY,
            Self::Rollup => ROLLUP,
            Self::Pattern => PATTERN,
            Self::Rate => RATE,
            Self::Skew => SKEW,
            Self::Allow => ALLOW,
            Self::Entities | Self::Groups | Self::Rollups | Self::Patterns | Self::Free => &[],
        }
    }

    /// Where a key comes; keys that are no words come after all others.
    pub(super) fn rank(self, key: &str) -> usize {
        let words = self.words();
        words.iter().position(|word| word.name == key).unwrap_or(words.len())
    }

    /// What stands under a key of the mapping.
    pub(super) fn under(self, key: &str) -> Self {
        match (self, key) {
            (Self::File, "tenant") => Self::Tenant,
            (Self::File, "entities") => Self::Entities,
            (Self::File, "rollups") => Self::Rollups,
            (Self::File, "patterns") => Self::Patterns,
            (Self::Entity, "volume") => Self::Volume,
            (Self::Entity, "groups") => Self::Groups,
            (Self::Entity, "history") => Self::History,
            (Self::Pattern, "atomic" | "with") => Self::Patterns,
            (Self::Pattern, "rate") => Self::Rate,
            (Self::Pattern, "skew") => Self::Skew,
            (Self::Pattern, "group" | "span") | (Self::Group, "rows") | (Self::Groups, _) => Self::Distribution,
            (Self::File | Self::Entity | Self::Rollup | Self::Pattern, "allow") => Self::Allow,
            (Self::Entities, _) => Self::Entity,
            (Self::Rollups, _) => Self::Rollup,
            (Self::Patterns, _) => Self::Pattern,
            _ => Self::Free,
        }
    }

    /// What an item of the list is.
    pub(super) fn item(self) -> Self {
        match self {
            Self::Groups => Self::Group,
            Self::Patterns => Self::Pattern,
            Self::Allow => Self::Allow,
            _ => Self::Free,
        }
    }
}
