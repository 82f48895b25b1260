//! What the relations of a WHERE amount to, column by column, and whether they go together.

use std::rc::Rc;

use super::FaultKind;
use super::context::{Context, Outcome};
use super::indexes::{Asked, groups};
use crate::Span;
use crate::schema::{Column, ColumnKind, Index, IndexKind};

/// What is known of one column, or of several clustering columns together.
#[derive(Debug, Clone)]
pub(super) struct Restriction<'a> {
    /// The columns, in the order of the key.
    pub(super) columns: Vec<&'a Column>,
    /// What is known of them.
    pub(super) kind: RestrictionKind,
    /// Whether it was written for a tuple of columns.
    pub(super) multi: bool,
    /// Where it is written.
    pub(super) at: Span,
}

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RestrictionKind {
    /// One value.
    Equal,
    /// One of several values: how many, if they are written out; and the hole among them, if there is one.
    In { count: Option<u64>, hole: Option<String> },
    /// A range: whether it has a start, and an end.
    Slice { start: bool, end: bool },
    /// Something within it: how often a value, a key, an entry is asked.
    Contains { values: usize, keys: usize, entries: usize },
    /// A pattern.
    Like,
    /// Closeness to a vector.
    Nearest,
}

impl<'a> Restriction<'a> {
    /// The first of its columns; there is always one.
    pub(super) fn first(&self) -> Option<&'a Column> {
        self.columns.first().copied()
    }

    pub(super) fn is_slice(&self) -> bool {
        matches!(self.kind, RestrictionKind::Slice { .. })
    }

    fn is_contains(&self) -> bool {
        matches!(self.kind, RestrictionKind::Contains { .. })
    }

    fn names(&self) -> String {
        self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// What an index would be asked; one that answers any of it is of use.
    fn asked(&self) -> Vec<Asked> {
        match self.kind {
            RestrictionKind::Equal => vec![Asked::Equal],
            // A hole among the values may be one value, and then it is an equality.
            RestrictionKind::In { hole: Some(_), .. } => vec![Asked::In, Asked::Equal],
            RestrictionKind::In { hole: None, .. } => vec![Asked::In],
            RestrictionKind::Slice { .. } => vec![Asked::Range],
            RestrictionKind::Contains { values, keys, entries } => {
                [(values, Asked::Contains), (keys, Asked::ContainsKey), (entries, Asked::Equal)]
                    .into_iter()
                    .filter_map(|(count, asked)| (count > 0).then_some(asked))
                    .collect()
            }
            RestrictionKind::Like => vec![Asked::Like],
            RestrictionKind::Nearest => vec![Asked::Nearest],
        }
    }
}

/// The restrictions of one kind of column, by the place of the column.
#[derive(Debug, Default)]
pub(super) struct Restricted<'a> {
    /// For each restricted column its place in the key (or in the table) and what is known; sorted by place.
    pub(super) by_place: Vec<(usize, Rc<Restriction<'a>>)>,
    pub(super) has_in: bool,
    pub(super) has_slice: bool,
    pub(super) has_contains: bool,
    /// Whether a relation is neither an equality nor an IN.
    pub(super) has_other: bool,
}

impl<'a> Restricted<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// How many columns are restricted.
    pub(super) fn len(&self) -> usize {
        self.by_place.len()
    }

    /// Each restriction once, in the order of the columns.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &Rc<Restriction<'a>>> {
        let mut previous: Option<&Rc<Restriction<'a>>> = None;
        self.by_place.iter().filter_map(move |(_, restriction)| {
            let repeated = previous.is_some_and(|previous| Rc::ptr_eq(previous, restriction));
            previous = Some(restriction);
            (!repeated).then_some(restriction)
        })
    }

    pub(super) fn get(&self, place: usize) -> Option<&Rc<Restriction<'a>>> {
        self.by_place.iter().find(|(other, _)| *other == place).map(|(_, restriction)| restriction)
    }

    fn put(&mut self, place: usize, restriction: Rc<Restriction<'a>>) {
        match self.by_place.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(index) => {
                if let Some(entry) = self.by_place.get_mut(index) {
                    entry.1 = restriction;
                }
            }
            Err(index) => self.by_place.insert(index, (place, restriction)),
        }
    }
}

impl<'s> Context<'s> {
    /// Where a column stands: in its key, or in the table.
    pub(super) fn place(&self, column: &Column) -> usize {
        match column.kind {
            ColumnKind::Partition => {
                self.table.partition_key().position(|other| other.name == column.name).unwrap_or(0)
            }
            ColumnKind::Clustering { .. } => self.position(column),
            // The server looks at all others by their names.
            _ => self.table.columns.iter().filter(|other| other.name < column.name).count(),
        }
    }

    /// Adds an order by closeness to the restrictions of other columns, where also a column of the key is kept: behind all
    /// others, so that it meets none of them.
    pub(super) fn restrict_nearest<'a>(&self, set: &mut Restricted<'a>, column: &'a Column, at: Span) -> Outcome {
        let nearest = Restriction { columns: vec![column], kind: RestrictionKind::Nearest, multi: false, at };
        if matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
            set.has_other = true;
            set.put(self.table.columns.len() + self.place(column), Rc::new(nearest));
            return Ok(());
        }
        self.restrict(set, nearest)
    }

    /// Adds what a relation says to what is known.
    pub(super) fn restrict<'a>(&self, set: &mut Restricted<'a>, restriction: Restriction<'a>) -> Outcome {
        set.has_in |= matches!(restriction.kind, RestrictionKind::In { .. });
        set.has_slice |= restriction.is_slice();
        set.has_contains |= restriction.is_contains();
        set.has_other |= !matches!(restriction.kind, RestrictionKind::Equal | RestrictionKind::In { .. });
        let places: Vec<usize> = restriction.columns.iter().map(|column| self.place(column)).collect();
        let mut merged: Option<Rc<Restriction<'a>>> = None;
        let mut known: Vec<Rc<Restriction<'a>>> = Vec::new();
        for place in &places {
            if let Some(existing) = set.get(*place)
                && !known.iter().any(|known| Rc::ptr_eq(known, existing))
            {
                known.push(Rc::clone(existing));
            }
        }
        for existing in known {
            merged = Some(Rc::new(self.merge(&existing, &restriction)?));
        }
        let merged = merged.unwrap_or_else(|| Rc::new(restriction));
        for place in places {
            set.put(place, Rc::clone(&merged));
        }
        Ok(())
    }

    /// Two relations over the same column: ranges complete each other, and one may ask for several elements.
    fn merge<'a>(&self, one: &Restriction<'a>, other: &Restriction<'a>) -> Outcome<Restriction<'a>> {
        let at = other.at;
        let multi = one.multi || other.multi;
        match (&one.kind, &other.kind) {
            (RestrictionKind::Slice { start, end }, RestrictionKind::Slice { start: other_start, end: other_end }) => {
                if multi && one.first().map(|column| &column.name) != other.first().map(|column| &column.name) {
                    return self.refuse(
                        FaultKind::Other,
                        at,
                        format!(
                            "the ranges over {} and {} do not begin with the same column",
                            one.names(),
                            other.names()
                        ),
                    );
                }
                if (*start && *other_start) || (*end && *other_end) {
                    let side = if *start && *other_start { "start" } else { "end" };
                    return self.refuse(
                        FaultKind::Other,
                        at,
                        format!("the range over {} has two {side}s", one.names()),
                    );
                }
                let longer = if one.columns.len() >= other.columns.len() { one } else { other };
                Ok(Restriction {
                    columns: longer.columns.clone(),
                    kind: RestrictionKind::Slice { start: *start || *other_start, end: *end || *other_end },
                    multi,
                    at: one.at.to(at),
                })
            }
            (
                RestrictionKind::Contains { values, keys, entries },
                RestrictionKind::Contains { values: other_values, keys: other_keys, entries: other_entries },
            ) => Ok(Restriction {
                columns: one.columns.clone(),
                kind: RestrictionKind::Contains {
                    values: values + other_values,
                    keys: keys + other_keys,
                    entries: entries + other_entries,
                },
                multi: false,
                at: one.at.to(at),
            }),
            _ => self.refuse(
                FaultKind::Other,
                at,
                format!("{} is restricted more than once, in ways that do not go together", one.names()),
            ),
        }
    }

    /// Whether any index of the table answers the restriction, in part at least; the first that does.
    pub(super) fn index_for(&self, restriction: &Restriction<'_>) -> Option<&'s Index> {
        let asked = restriction.asked();
        self.indexes().iter().find(|index| {
            restriction.columns.iter().any(|column| asked.iter().any(|asked| self.supports(index, column, *asked)))
        })
    }

    /// Asks the indexes about a restriction. SASI does not say no to what it has never heard of: it fails.
    pub(super) fn asks_index(&self, restriction: &Restriction<'_>) -> Outcome<bool> {
        self.hold_known(restriction, self.indexes().iter())?;
        let found = self.index_for(restriction).is_some();
        if let (true, RestrictionKind::In { hole: Some(hole), .. }) = (found, &restriction.kind) {
            self.meet(hole);
        }
        Ok(found)
    }

    /// Asks the indexes about one restriction after the other, until one of them is of use.
    pub(super) fn asks_any_index(&self, set: &Restricted<'_>) -> Outcome<bool> {
        for restriction in set.distinct() {
            if self.asks_index(restriction)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn hold_known<'i>(&self, restriction: &Restriction<'_>, mut indexes: impl Iterator<Item = &'i Index>) -> Outcome {
        if !matches!(restriction.kind, RestrictionKind::Contains { .. } | RestrictionKind::Nearest) {
            return Ok(());
        }
        let over = |index: &Index| restriction.columns.iter().any(|column| column.name == index.column);
        match indexes.find(|index| index.kind == IndexKind::Sasi && over(index)) {
            Some(index) => {
                self.miss(FaultKind::Other, restriction.at, format!("the SASI index {} can't be asked so", index.name))
            }
            None => Ok(()),
        }
    }

    /// The indexes that a read may use: a view has none.
    fn indexes(&self) -> &'s [Index] {
        &self.table.indexes
    }

    /// Whether rows would still have to be filtered if only this group of indexes were asked.
    fn filters_beside(&self, restriction: &Restriction<'_>, group: &[&Index]) -> bool {
        if restriction.multi {
            let asked = restriction.asked();
            return !restriction.columns.iter().all(|column| {
                group.iter().any(|index| asked.iter().any(|asked| self.supports(index, column, *asked)))
            });
        }
        let Some(column) = restriction.first() else { return true };
        let several = match restriction.kind {
            RestrictionKind::Contains { values, keys, entries } => values + keys + entries > 1,
            _ => false,
        };
        let asked = restriction.asked();
        !group.iter().any(|index| {
            let one_at_a_time = index.kind != IndexKind::StorageAttached;
            asked.iter().any(|asked| self.supports(index, column, *asked)) && !(several && one_at_a_time)
        })
    }

    /// Whether rows have to be filtered, whichever group of indexes is asked.
    pub(super) fn needs_filter<'a: 'r, 'r>(
        &self,
        sets: impl Iterator<Item = &'r Restricted<'a>> + Clone,
    ) -> Outcome<bool> {
        if sets.clone().next().is_none() {
            return Ok(false);
        }
        'groups: for group in groups(self.indexes()) {
            for restriction in sets.clone().flat_map(Restricted::distinct) {
                self.hold_known(restriction, group.iter().copied())?;
                if self.filters_beside(restriction, &group) {
                    continue 'groups;
                }
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether the clustering columns can't be read as one run: one is skipped, or follows a range, or is searched within.
    pub(super) fn clustering_filters(&self, set: &Restricted<'_>) -> bool {
        let mut place = 0;
        for restriction in set.distinct() {
            let first = restriction.first().map_or(0, |column| self.position(column));
            if restriction.is_contains() || restriction.kind == RestrictionKind::Like || first != place {
                return true;
            }
            if !restriction.is_slice() {
                place = restriction.columns.last().map_or(0, |column| self.position(column)) + 1;
            }
        }
        false
    }

    /// Whether a column of the key is known by equality.
    pub(super) fn is_equal(&self, set: &Restricted<'_>, column: &Column) -> bool {
        match set.get(self.place(column)).map(|restriction| &restriction.kind) {
            Some(RestrictionKind::Equal) => true,
            Some(RestrictionKind::In { hole: Some(hole), .. }) => {
                // A hole among the values may be one value, and then it is an equality.
                self.meet(hole);
                true
            }
            _ => false,
        }
    }
}
