//! The WHERE as a whole: what its relations say together, and which partitions and rows that chooses.

use super::context::{Context, Outcome};
use super::relations::Related;
use super::restrictions::{Restricted, Restriction, RestrictionKind};
use super::{Bounds, FaultKind, Part, Partitions};
use crate::Span;
use crate::ast::{Relation, RelationKind};
use crate::schema::{Column, ColumnKind, IndexKind};

/// What kind of statement asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Select,
    Insert,
    Update,
    Delete,
}

impl Purpose {
    pub(super) fn reads(self) -> bool {
        self == Self::Select
    }

    pub(super) fn allows_ranges_of_rows(self) -> bool {
        matches!(self, Self::Select | Self::Delete)
    }
}

/// A range of tokens, or one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    equal: bool,
    start: bool,
    end: bool,
}

/// What a WHERE chooses.
#[derive(Debug, Default)]
pub(super) struct Filter<'a> {
    pub(super) partition: Restricted<'a>,
    pub(super) clustering: Restricted<'a>,
    pub(super) others: Restricted<'a>,
    pub(super) token: Option<Token>,
    /// How many custom expressions there are.
    pub(super) custom: usize,
    /// Whether the partitions are a range: of tokens, or all of them.
    pub(super) is_range: bool,
    /// Whether an index is asked.
    pub(super) uses_index: bool,
    /// Which sets are left to an index or to filtering.
    pub(super) left: Vec<Left>,
}

/// A set of restrictions that is left to an index or to filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    Partition,
    Clustering,
    Others,
}

/// What surrounds a WHERE.
pub(super) struct Surroundings<'a> {
    pub(super) purpose: Purpose,
    /// Whether only static columns are read or written.
    pub(super) only_statics: bool,
    /// Whether filtering is allowed.
    pub(super) filtering: bool,
    /// A column that is ordered by closeness, and where that is written.
    pub(super) nearest: Option<(&'a Column, Span)>,
    /// Where the statement stands.
    pub(super) at: Span,
}

impl<'s> Context<'s> {
    /// Gathers what the relations say.
    pub(super) fn gather<'a>(&self, relations: &'a [Relation], around: &Surroundings<'a>) -> Outcome<Filter<'a>>
    where
        's: 'a,
    {
        let mut filter = Filter::default();
        for relation in relations {
            match self.relate(relation, around.purpose.reads())? {
                Related::Columns(restriction) => self.add(&mut filter, restriction, around)?,
                Related::Token { equal, start, end, at } => self.add_token(&mut filter, equal, start, end, at)?,
                Related::Custom => self.add_custom(&mut filter, relation, around)?,
                Related::Unknown => {}
            }
        }
        if let Some((column, at)) = around.nearest {
            self.restrict_nearest(&mut filter.others, column, at)?;
        }
        Ok(filter)
    }

    /// Adds one restriction, as an INSERT does for each column of its key.
    pub(super) fn add<'a>(
        &self,
        filter: &mut Filter<'a>,
        restriction: Restriction<'a>,
        around: &Surroundings<'a>,
    ) -> Outcome {
        if restriction.kind == RestrictionKind::Like
            && (!around.purpose.reads() || self.index_for(&restriction).is_none())
        {
            let name = restriction.first().map_or("", |column| column.name.as_str());
            return self.refuse(FaultKind::NotIndexed, restriction.at, format!("{name} has no index that knows LIKE"));
        }
        match restriction.first().map(|column| column.kind) {
            Some(ColumnKind::Partition) => self.restrict(&mut filter.partition, restriction),
            Some(ColumnKind::Clustering { .. }) => self.add_clustering(filter, restriction, around),
            _ => self.restrict(&mut filter.others, restriction),
        }
    }

    fn add_clustering<'a>(
        &self,
        filter: &mut Filter<'a>,
        restriction: Restriction<'a>,
        around: &Surroundings<'a>,
    ) -> Outcome {
        let last = filter.clustering.by_place.last().map(|(_, last)| std::rc::Rc::clone(last));
        let first = restriction.first();
        let (at, is_slice) = (restriction.at, restriction.is_slice());
        let alone = filter.clustering.is_empty() || around.filtering || !around.purpose.reads();
        let indexed = !alone && self.asks_index(&restriction)?;
        self.restrict(&mut filter.clustering, restriction)?;
        let (Some(last), Some(first)) = (last, first) else { return Ok(()) };
        let Some(before) = last.first() else { return Ok(()) };
        if around.filtering || indexed {
            return Ok(());
        }
        let (place, other) = (self.position(first), self.position(before));
        let (ranged, behind) = if last.is_slice() && place > other {
            (before, first)
        } else if place < other && is_slice {
            (first, before)
        } else {
            return Ok(());
        };
        self.miss(
            FaultKind::ClusteringSkipped,
            at,
            format!("{} can't be restricted behind {}, which is restricted by a range", behind.name, ranged.name),
        )
    }

    fn add_token(&self, filter: &mut Filter<'_>, equal: bool, start: bool, end: bool, at: Span) -> Outcome {
        let token = match filter.token {
            None => Token { equal, start, end },
            Some(before) => {
                let twice = before.equal || equal || (before.start && start) || (before.end && end);
                if twice {
                    return self.refuse(FaultKind::Other, at, "the token is restricted more than once");
                }
                Token { equal: false, start: true, end: true }
            }
        };
        filter.token = Some(token);
        Ok(())
    }

    fn add_custom(&self, filter: &mut Filter<'_>, relation: &Relation, around: &Surroundings<'_>) -> Outcome {
        let RelationKind::Custom { index, .. } = &relation.kind else { return Ok(()) };
        let at = relation.span;
        if !around.purpose.reads() {
            return self.refuse(FaultKind::Other, at, "expr() can't choose what is written");
        }
        filter.custom += 1;
        if filter.custom > 1 {
            return self.refuse(FaultKind::Other, at, "expr() can stand only once");
        }
        if index.name.unknown {
            self.meet(&index.name.text);
            return Ok(());
        }
        let elsewhere = index.keyspace.as_ref().is_some_and(|keyspace| keyspace.text != self.table.keyspace);
        match self.table.indexes.iter().find(|known| known.name == index.name.text && !elsewhere) {
            Some(known) if matches!(known.kind, IndexKind::Custom(_)) => {
                self.meet(&known.name);
                Ok(())
            }
            Some(_) => self.refuse(FaultKind::Other, at, format!("index {} does not know expr()", index.name.text)),
            None => self.refuse(FaultKind::UnknownName, at, format!("there is no index {}", index.name.text)),
        }
    }
}

impl<'a> Filter<'a> {
    pub(super) fn set(&self, left: Left) -> &Restricted<'a> {
        match left {
            Left::Partition => &self.partition,
            Left::Clustering => &self.clustering,
            Left::Others => &self.others,
        }
    }

    /// Whether the columns of the partition key are restricted in a way that only filtering serves.
    pub(super) fn partition_filters(&self, context: &Context<'_>) -> bool {
        !self.partition.is_empty()
            && (self.partition.len() < context.table.partition_key().count()
                || self.partition.has_slice
                || self.partition.has_contains)
    }

    /// Whether the partitions are chosen by their token.
    pub(super) fn on_token(&self, context: &Context<'_>) -> bool {
        self.token.is_some()
            && (self.partition.is_empty()
                || self.partition_filters(context)
                || self.partition.len() < context.table.partition_key().count())
    }

    /// Whether the partition key is chosen by IN.
    pub(super) fn partition_has_in(&self, context: &Context<'_>) -> bool {
        self.partition.has_in && !self.on_token(context)
    }

    /// Whether each column of the primary key is known by equality or IN.
    pub(super) fn is_whole_key(&self, context: &Context<'_>) -> bool {
        !self.on_token(context)
            && self.partition.len() == context.table.partition_key().count()
            && !self.partition.has_other
            && self.clustering.len() == context.table.clustering().count()
            && !self.clustering.has_other
    }

    /// How many partitions are chosen.
    pub(super) fn partitions(&self, context: &Context<'_>) -> Partitions {
        let whole = self.partition.len() == context.table.partition_key().count() && !self.partition.has_other;
        if whole {
            return match product(&self.partition) {
                Some(1) => Partitions::One,
                Some(count) => Partitions::AtMost(count),
                None => Partitions::Bound,
            };
        }
        if self.uses_index {
            return Partitions::ByIndex;
        }
        if self.token.is_some() { Partitions::TokenRange } else { Partitions::All }
    }

    /// Which part of each partition is chosen.
    pub(super) fn part(&self, context: &Context<'_>) -> Part {
        let count = context.table.clustering().count();
        if self.clustering.len() == count && !self.clustering.has_other {
            return Part::Rows(product(&self.clustering));
        }
        let mut fixed = 0;
        let mut range = None;
        for restriction in self.clustering.distinct() {
            let first = restriction.first().map_or(0, |column| context.position(column));
            if first != fixed {
                break;
            }
            match restriction.kind {
                RestrictionKind::Equal | RestrictionKind::In { .. } => fixed += restriction.columns.len(),
                RestrictionKind::Slice { start, end } => {
                    range = Some(match (start, end) {
                        (true, true) => Bounds::Between,
                        (true, false) => Bounds::From,
                        _ => Bounds::To,
                    });
                    break;
                }
                _ => break,
            }
        }
        if fixed == 0 && range.is_none() { Part::Whole } else { Part::Slice { fixed, range } }
    }

    /// The index that is asked, by name.
    pub(super) fn index(&self, context: &Context<'_>) -> Option<String> {
        if !self.uses_index {
            return None;
        }
        [&self.others, &self.clustering, &self.partition]
            .into_iter()
            .flat_map(Restricted::distinct)
            .find_map(|restriction| context.index_for(restriction))
            .map(|index| index.name.clone())
    }
}

/// How many combinations of values are written; `None` when a marker or hole holds some of them.
fn product(set: &Restricted<'_>) -> Option<u64> {
    set.distinct().try_fold(1_u64, |product, restriction| match restriction.kind {
        RestrictionKind::In { count, .. } => count.map(|count| product.saturating_mul(count)),
        _ => Some(product),
    })
}
