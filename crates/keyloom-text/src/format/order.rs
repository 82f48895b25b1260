//! Which words a mapping has, by where it stands in the file.

use crate::vocabulary::{
    ALLOW, DISTRIBUTION, ENTITY, FILE, GROUP, HISTORY, HORIZONS, LAYOUT, LAYOUT_PATH, PATTERN, RATE, READS_AT_MOST,
    ROLLUP, SKEW, SPREAD, TABLE, TENANT, VOLUME, Word,
};

/// What stands at some place of a catalog or a layout, as far as the order of keys goes.
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
    Layout,
    Horizons,
    Tables,
    Table,
    Spread,
    LayoutPaths,
    LayoutPath,
    ReadsAtMost,
    /// Names of the author's own, or no mapping at all.
    Free,
}

impl Shape {
    /// What a file is that begins with this key.
    pub(super) fn of_file(first: Option<&str>) -> Self {
        let version = LAYOUT.first().map(|word| word.name);
        if first.is_some() && first == version { Self::Layout } else { Self::File }
    }

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
            Self::Layout => LAYOUT,
            Self::Horizons => HORIZONS,
            Self::Table => TABLE,
            Self::Spread => SPREAD,
            Self::LayoutPath => LAYOUT_PATH,
            Self::ReadsAtMost => READS_AT_MOST,
            Self::Entities
            | Self::Groups
            | Self::Rollups
            | Self::Patterns
            | Self::Tables
            | Self::LayoutPaths
            | Self::Free => &[],
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
            (Self::Layout, "horizons") => Self::Horizons,
            (Self::Layout, "tables") => Self::Tables,
            (Self::Layout, "paths") => Self::LayoutPaths,
            (Self::Tables, _) => Self::Table,
            (Self::Table, "spread") => Self::Spread,
            (Self::LayoutPaths, _) => Self::LayoutPath,
            (Self::LayoutPath, "reads_at_most") => Self::ReadsAtMost,
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
