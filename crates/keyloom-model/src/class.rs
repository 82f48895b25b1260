use std::fmt;

use crate::catalog::{Catalog, Entity, Field, Fill, Origin};
use crate::pattern::{Action, Returns, Write, WriteVerb};
use crate::types::Type;

/// How the rows of an entity are written. It follows from the catalog alone: a layout that changed it would change what a
/// source table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Rows come and never change: a repeated write is the same bytes.
    Append,
    /// Another system has the truth and says which row is newer.
    Fed,
    /// Whole rows are put and deleted, the last one wins.
    Blind,
    /// A write looks at the row as it is, and counts only if that still stands.
    Decided,
}

impl Class {
    /// All of them, the cheapest first.
    pub const ALL: &'static [Self] = &[Self::Append, Self::Fed, Self::Blind, Self::Decided];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Fed => "fed",
            Self::Blind => "blind",
            Self::Decided => "decided",
        }
    }
}

/// The first thing in a catalog that makes an entity what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassReason {
    /// `append_only: true`.
    AppendOnly,
    /// It is the history of an entity, or what its writes emit.
    WrittenWith {
        /// That entity.
        entity: String,
    },
    /// `source: elsewhere`, or every write is a `put .. newest`.
    Newest,
    /// Some puts are `put .. newest` and others are not, so rows must be compared with what stands.
    SomeNewest,
    /// Every write is a whole row or a deletion, and nothing must be known before.
    WholeRows,
    /// It is kept from another entity.
    Rollup,
    /// Nobody writes it in this catalog, so nothing is known.
    NotWritten,
    /// A word of the entity: `unique`, `states`, `history`, a kept field, a sequence.
    Word {
        /// The word.
        word: &'static str,
        /// What it is said of.
        of: String,
    },
    /// A pattern must know the row before.
    Pattern {
        /// The pattern.
        pattern: String,
        /// What it does.
        does: &'static str,
    },
    /// A whole-row write may move its row in a list.
    Moves {
        /// The pattern that writes.
        pattern: String,
        /// Where the row moves.
        within: String,
    },
}

impl fmt::Display for ClassReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppendOnly => write!(f, "rows never change"),
            Self::WrittenWith { entity } => write!(f, "rows are written with those of {entity} and never change"),
            Self::Newest => write!(f, "another system says which row is newer"),
            Self::SomeNewest => write!(f, "some puts say which row is newer, and some do not"),
            Self::WholeRows => write!(f, "only whole rows are put or deleted"),
            Self::Rollup => write!(f, "it is kept from other rows"),
            Self::NotWritten => write!(f, "nothing in this catalog writes it"),
            Self::Word { word, of } => write!(f, "`{word}` of `{of}`"),
            Self::Pattern { pattern, does } => write!(f, "`{pattern}` {does}"),
            Self::Moves { pattern, within } => write!(f, "`{pattern}` may move a row in {within}"),
        }
    }
}

impl Entity {
    /// How its rows are written, and the first reason for it.
    pub fn class(&self, catalog: &Catalog) -> (Class, ClassReason) {
        match &self.origin {
            Origin::Elsewhere => return (Class::Fed, ClassReason::Newest),
            Origin::Rollup(_) => return (Class::Decided, ClassReason::Rollup),
            Origin::History { of } | Origin::Event { of } => {
                return (Class::Append, ClassReason::WrittenWith { entity: of.clone() });
            }
            Origin::Declared => {}
        }
        if let Some(reason) = self.remembers() {
            return (Class::Decided, reason);
        }
        if self.append_only {
            let decided = self.is_no_function(catalog).or_else(|| self.is_looked_at(catalog));
            return decided.map_or((Class::Append, ClassReason::AppendOnly), |reason| (Class::Decided, reason));
        }
        if let Some(reason) = self.kept_with(catalog) {
            return (Class::Decided, reason);
        }
        let (mut writes, mut newest) = (0, 0);
        for pattern in &catalog.patterns {
            let does = |does| ClassReason::Pattern { pattern: pattern.name.clone(), does };
            if let Action::Claim(claim) = &pattern.action
                && claim.selection.entity == self.name
            {
                return (Class::Decided, does("claims rows"));
            }
            for (_, write) in pattern.writes() {
                if write.entity != self.name {
                    continue;
                }
                if let Action::Atomic(_) = &pattern.action {
                    return (Class::Decided, does("writes it together with others"));
                }
                if let Some(looks) = looks_before(write) {
                    return (Class::Decided, does(looks));
                }
                writes += 1;
                newest += usize::from(write.newest.is_some());
                // A row that is deleted leaves its lists, as one that is put may; both must know where it stood.
                let whole = Write { verb: WriteVerb::Put, ..write.clone() };
                if write.newest.is_none()
                    && let Some(moved) = whole.moves(catalog).into_iter().next()
                {
                    let moves = ClassReason::Moves { pattern: pattern.name.clone(), within: moved.within };
                    return (Class::Decided, moves);
                }
            }
        }
        match (writes, newest) {
            (0, _) => (Class::Decided, ClassReason::NotWritten),
            (all, newest) if all == newest => (Class::Fed, ClassReason::Newest),
            (_, 0) => match self.is_no_function(catalog).or_else(|| self.is_looked_at(catalog)) {
                Some(reason) => (Class::Decided, reason),
                None => (Class::Blind, ClassReason::WholeRows),
            },
            _ => (Class::Decided, ClassReason::SomeNewest),
        }
    }

    /// What makes each write depend on others, also where rows never change.
    fn remembers(&self) -> Option<ClassReason> {
        let word = |word, of: &str| Some(ClassReason::Word { word, of: of.to_owned() });
        if let Some(unique) = self.unique.first() {
            return word("unique", &unique.fields.join(", "));
        }
        let sequence = self.fields.iter().find(|field| matches!(field.fill, Fill::Next { .. }));
        sequence.and_then(|field| word("= next", &field.name))
    }

    /// Why a row is not a function of the request alone: a repeated request would be other bytes, or be
    /// refused although it was applied.
    fn is_no_function(&self, catalog: &Catalog) -> Option<ClassReason> {
        let word = |word, of: &str| Some(ClassReason::Word { word, of: of.to_owned() });
        for field in &self.fields {
            if matches!(field.fill, Fill::Snapshot(_)) {
                return word("at create", &field.name);
            }
            if field.reference.as_ref().is_some_and(|reference| reference.must_exist) {
                return word("must exist", &field.name);
            }
        }
        let born = |name: &String| {
            matches!(self.field(name).map(|field| &field.ty), Some(Type::Uuid7 | Type::Timestamp { .. }))
        };
        let timeless = catalog.patterns.iter().find(|pattern| {
            let creates = pattern.writes().iter().any(|(_, write)| write.entity == self.name);
            creates && !pattern.once_per.is_empty() && !pattern.once_per.iter().any(born)
        })?;
        let does = "happens once per fields of which none is a time";
        Some(ClassReason::Pattern { pattern: timeless.name.clone(), does })
    }

    /// Why others must know whether a row is there: it goes with its parent, or something may point to it only while it is
    /// there. Of a row that is placed that depends on requests that are still under way.
    fn is_looked_at(&self, catalog: &Catalog) -> Option<ClassReason> {
        let word = |word, of: String| Some(ClassReason::Word { word, of });
        if let Some((_, whole)) = self.felled_by(catalog) {
            return word("part_of", whole.name.clone());
        }
        for other in &catalog.entities {
            let held =
                |field: &&Field| field.reference.as_ref().is_some_and(|to| to.must_exist && to.entity == self.name);
            if let Some(field) = other.fields.iter().find(held) {
                return word("must exist", format!("{}.{}", other.name, field.name));
            }
        }
        None
    }

    /// The row that its rows are deleted with, and the field that points to it; `None` where nothing deletes that row: neither a
    /// pattern nor what it is itself a part of.
    pub fn felled_by<'a>(&'a self, catalog: &'a Catalog) -> Option<(&'a Field, &'a Entity)> {
        let whole_of = |part: &Entity| part.part_of.as_ref().and_then(|whole| catalog.entity(whole));
        let is_deleted = |entity: &Entity| {
            let mut writes = catalog.patterns.iter().flat_map(|pattern| pattern.writes());
            writes.any(|(_, write)| write.verb == WriteVerb::Delete && write.entity == entity.name)
        };
        let own = whole_of(self)?;
        // As many steps as there are entities: one may be a part of itself.
        let mut wholes = std::iter::successors(Some(own), |whole| whole_of(whole)).take(catalog.entities.len());
        if !wholes.any(is_deleted) {
            return None;
        }
        let points = |field: &&Field| field.reference.as_ref().is_some_and(|to| to.entity == own.name);
        self.fields.iter().find(points).map(|field| (field, own))
    }

    /// What must be known of a row before it is changed.
    fn kept_with(&self, catalog: &Catalog) -> Option<ClassReason> {
        let word = |word, of: &str| Some(ClassReason::Word { word, of: of.to_owned() });
        if let Some(states) = self.states.first() {
            return word("states", &states.field);
        }
        if let Some(history) = &self.history {
            return word("history", &history.of.join(", "));
        }
        if let Some(field) = self.fields.iter().find(|field| matches!(field.fill, Fill::Snapshot(_))) {
            return word("at create", &field.name);
        }
        for other in &catalog.entities {
            if let Origin::Rollup(rollup) = &other.origin
                && rollup.of == self.name
            {
                return word("rollups", &other.name);
            }
            for field in &other.fields {
                if let Fill::Kept(kept) = &field.fill
                    && kept.entity == self.name
                {
                    return word(kept.aggregate.name(), &format!("{}.{}", other.name, field.name));
                }
            }
        }
        None
    }
}

/// What a write does that needs the row as it was.
fn looks_before(write: &Write) -> Option<&'static str> {
    match write.verb {
        WriteVerb::Create => Some("answers `exists`"),
        WriteVerb::Update => Some("changes a part of the row"),
        _ if !write.conditions.is_empty() => Some("has a condition"),
        _ if write.emits.is_some() => Some("emits the row before and after"),
        _ if write.returns == Returns::Before => Some("returns the row before"),
        // Of a row that is deleted there is nothing but what it was.
        WriteVerb::Delete if write.returns != Returns::Default => Some("returns the row before"),
        WriteVerb::Put | WriteVerb::Delete => None,
    }
}
