//! The WHERE as a whole: which partitions and rows it chooses, by which index, and whether the server would do it.

use super::context::{Context, Outcome};
use super::relations::Related;
use super::restrictions::{Restricted, Restriction, RestrictionKind};
use super::{Bounds, FaultKind, Part, Partitions};
use crate::Span;
use crate::ast::{Relation, RelationKind};
use crate::schema::{Column, ColumnKind, IndexKind, Type};

/// What kind of statement asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Select,
    Insert,
    Update,
    Delete,
}

impl Purpose {
    fn reads(self) -> bool {
        self == Self::Select
    }

    fn allows_ranges_of_rows(self) -> bool {
        matches!(self, Self::Select | Self::Delete)
    }
}

/// A range of tokens, or one.
#[derive(Debug, Clone, Copy)]
struct Token {
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
    token: Option<Token>,
    /// How many custom expressions there are.
    custom: usize,
    /// Whether the partitions are a range: of tokens, or all of them.
    pub(super) is_range: bool,
    /// Whether an index is asked.
    pub(super) uses_index: bool,
    /// Which sets are left to an index or to filtering.
    left: Vec<Left>,
}

/// A set of restrictions that is left to an index or to filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
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
            let kind = RestrictionKind::Nearest;
            self.restrict(&mut filter.others, Restriction { columns: vec![column], kind, multi: false, at })?;
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

    /// Decides whether the server would take the whole of it.
    pub(super) fn decide<'a>(&self, filter: &mut Filter<'a>, around: &Surroundings<'a>) -> Outcome {
        let reads = around.purpose.reads();
        let clustering_indexed = reads && self.asks_any_index(&filter.clustering)?;
        let indexed = reads
            && (filter.custom > 0
                || clustering_indexed
                || self.asks_any_index(&filter.partition)?
                || self.asks_any_index(&filter.others)?);
        self.decide_partition(filter, around, indexed)?;
        if filter.uses_index || filter.partition_filters(self) {
            filter.left.push(Left::Partition);
        }
        if around.only_statics && !filter.clustering.is_empty() && around.purpose != Purpose::Insert {
            let at = filter.clustering.by_place.first().map_or(around.at, |(_, restriction)| restriction.at);
            return self.refuse(
                FaultKind::Other,
                at,
                "static columns belong to no row, so no clustering column can choose them",
            );
        }
        self.decide_clustering(filter, around, indexed)?;
        if filter.is_range && clustering_indexed {
            filter.uses_index = true;
        }
        if filter.uses_index || self.clustering_filters(&filter.clustering) {
            filter.left.push(Left::Clustering);
        }
        if !filter.others.is_empty() {
            self.decide_others(filter, around, indexed)?;
        }
        if filter.uses_index && filter.partition_has_in(self) {
            for (_, restriction) in &filter.partition.by_place {
                if let RestrictionKind::In { hole: Some(hole), .. } = &restriction.kind {
                    self.meet(hole);
                }
            }
            return self.miss(FaultKind::Other, around.at, "an index can't be asked for an IN over the partition key");
        }
        Ok(())
    }

    fn decide_partition(&self, filter: &mut Filter<'_>, around: &Surroundings<'_>, indexed: bool) -> Outcome {
        let count = self.table.partition_key().count();
        let missing = filter.token.is_none() && filter.partition.len() < count
            || filter.token.is_some() && !filter.partition.is_empty() && filter.partition.len() < count;
        if around.purpose != Purpose::Select {
            if filter.on_token(self) {
                return self.refuse(FaultKind::Other, around.at, "token() can't choose what is written");
            }
            if missing {
                return self.missing_partition_key(filter, around);
            }
            if filter.partition.has_slice {
                return self.refuse(FaultKind::PartitionKeyOpen, around.at, "a partition is written by its whole key");
            }
            return Ok(());
        }
        if filter.on_token(self) {
            filter.is_range = true;
        }
        if filter.partition.is_empty() && filter.token.is_none() {
            filter.is_range = true;
            filter.uses_index = indexed;
        }
        if filter.partition_filters(self) {
            if !around.filtering && !indexed {
                return self.missing_partition_key(filter, around);
            }
            filter.is_range = true;
            filter.uses_index = indexed;
        }
        Ok(())
    }

    fn missing_partition_key(&self, filter: &Filter<'_>, around: &Surroundings<'_>) -> Outcome {
        let missing: Vec<&str> = self
            .table
            .partition_key()
            .filter(|column| filter.partition.get(self.place(column)).is_none())
            .map(|column| column.name.as_str())
            .collect();
        let message = if missing.is_empty() {
            "the partition key is not given by equality or IN".to_owned()
        } else {
            format!("the partition key is not given whole: {} is missing", missing.join(", "))
        };
        self.note_unknown_table();
        self.miss(FaultKind::PartitionKeyOpen, around.at, message)
    }

    fn decide_clustering(&self, filter: &mut Filter<'_>, around: &Surroundings<'_>, indexed: bool) -> Outcome {
        let set = &filter.clustering;
        if !around.purpose.allows_ranges_of_rows() {
            if let Some(range) = set.distinct().find(|restriction| restriction.is_slice()) {
                return self.refuse(
                    FaultKind::Other,
                    range.at,
                    "an update writes rows by their whole key, not by a range",
                );
            }
            let short = self.table.clustering().count() != set.len();
            let compact = self.table.compact_storage && !set.is_empty();
            if short && !around.only_statics && !compact {
                let missing: Vec<&str> = self
                    .table
                    .clustering()
                    .filter(|column| set.get(self.position(column)).is_none())
                    .map(|column| column.name.as_str())
                    .collect();
                self.note_unknown_table();
                return self.miss(
                    FaultKind::ClusteringSkipped,
                    around.at,
                    format!("the clustering key is not given whole: {} is missing", missing.join(", ")),
                );
            }
            return Ok(());
        }
        if set.has_contains && !indexed && !around.filtering {
            return self.miss(FaultKind::NotIndexed, around.at, "CONTAINS over a clustering column has no index");
        }
        if set.is_empty() || !self.clustering_filters(set) {
            return Ok(());
        }
        if indexed {
            filter.uses_index = true;
        } else if !around.filtering {
            for (column, (place, restriction)) in self.table.clustering().zip(&set.by_place) {
                if self.position(column) != *place {
                    let name = restriction.columns.first().map_or("", |column| column.name.as_str());
                    self.note_unknown_table();
                    return self.miss(
                        FaultKind::ClusteringSkipped,
                        restriction.at,
                        format!("{name} is restricted, but {} before it is not", column.name),
                    );
                }
            }
        }
        Ok(())
    }

    fn decide_others(&self, filter: &mut Filter<'_>, around: &Surroundings<'_>, indexed: bool) -> Outcome {
        let first = filter.others.by_place.first().map(|(_, restriction)| std::rc::Rc::clone(restriction));
        let at = first.as_ref().map_or(around.at, |restriction| restriction.at);
        let name = first.as_ref().and_then(|restriction| restriction.first()).map_or("", |column| column.name.as_str());
        if around.purpose != Purpose::Select {
            return self.refuse(
                FaultKind::Other,
                at,
                format!("{name} is not part of the key, so it can't choose what is written; an IF can look at it"),
            );
        }
        let has_index = |column: &Column| self.table.indexes.iter().any(|index| index.column == column.name);
        if let Some((column, at)) = around.nearest {
            self.decide_nearest(filter, column, at)?;
        } else if let Some(vector) = filter
            .others
            .by_place
            .iter()
            .filter_map(|(_, restriction)| restriction.first())
            .filter(|column| matches!(*self.typed(column).of, Type::Vector(..)))
            .find(|column| has_index(column))
        {
            return self.refuse(
                FaultKind::Other,
                at,
                format!("the index over the vector {} only finds what is nearest", vector.name),
            );
        }
        if indexed {
            filter.uses_index = true;
        } else if !around.filtering {
            return self.miss(FaultKind::NotIndexed, at, format!("{name} is not part of the key and has no index"));
        }
        filter.left.push(Left::Others);
        Ok(())
    }

    /// ORDER BY .. ANN OF: the vector is indexed, and so is all else that is asked.
    fn decide_nearest(&self, filter: &Filter<'_>, column: &Column, at: Span) -> Outcome {
        let has_index = |column: &Column| self.table.indexes.iter().any(|index| index.column == column.name);
        if !self.is_float_vector(column) {
            if self.typed(column).is_unknown() {
                return Ok(());
            }
            return self.refuse(FaultKind::Order, at, format!("{} is no vector of floats", column.name));
        }
        if !has_index(column) {
            return self.refuse(FaultKind::NotIndexed, at, format!("the vector {} has no index", column.name));
        }
        if filter.partition_filters(self) {
            return self.miss(
                FaultKind::PartitionKeyOpen,
                at,
                "with ANN, the partition key is given whole or not at all",
            );
        }
        let others = filter
            .others
            .by_place
            .iter()
            .filter(|(_, restriction)| restriction.kind != RestrictionKind::Nearest)
            .filter_map(|(_, restriction)| restriction.first());
        let open_other = others.clone().find(|column| !has_index(column));
        let open_clustering = filter
            .clustering
            .by_place
            .iter()
            .filter_map(|(place, _)| self.table.clustering().nth(*place))
            .find(|column| !has_index(column));
        let whole_key = filter.token.is_some() && filter.partition.is_empty()
            || filter.partition.len() >= self.table.partition_key().count();
        let fault = match (open_other, open_clustering) {
            (Some(column), _) => Some(column),
            (None, Some(column)) if !whole_key || self.clustering_filters(&filter.clustering) => Some(column),
            _ => None,
        };
        match fault {
            Some(column) => {
                self.miss(FaultKind::NotIndexed, at, format!("with ANN, {} must be indexed as well", column.name))
            }
            None => Ok(()),
        }
    }

    /// A part of the key that seems missing may stand in what is not known of the table.
    fn note_unknown_table(&self) {
        if self.table.unknown {
            self.meet(&self.table.name);
        }
    }

    /// Whether the server would have to filter rows, which it only does when it is allowed to.
    pub(super) fn must_filter(&self, filter: &Filter<'_>) -> Outcome<bool> {
        if !filter.is_range && !filter.uses_index {
            return Ok(false);
        }
        let sets = filter.left.iter().map(|left| filter.set(*left));
        let tokens = |left: &Left| *left == Left::Partition && filter.token.is_some() && filter.partition.is_empty();
        let count = filter.custom
            + filter
                .left
                .iter()
                .map(|left| if tokens(left) { self.table.partition_key().count() } else { filter.set(*left).len() })
                .sum::<usize>();
        if filter.custom == 0 && self.needs_filter(sets)? {
            return Ok(true);
        }
        Ok(count == 0 && !filter.clustering.is_empty())
    }
}

impl<'a> Filter<'a> {
    fn set(&self, left: Left) -> &Restricted<'a> {
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
    fn on_token(&self, context: &Context<'_>) -> bool {
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
