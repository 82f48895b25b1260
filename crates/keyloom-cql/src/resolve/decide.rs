//! Whether the server would take a WHERE as a whole.

use std::rc::Rc;

use super::FaultKind;
use super::context::{Context, Outcome};
use super::filter::{Filter, Left, Purpose, Surroundings};
use super::restrictions::RestrictionKind;
use crate::Span;
use crate::schema::{Column, Type};

impl Context<'_> {
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
            return self.miss(
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
                return self.miss(FaultKind::Other, around.at, "token() can't choose what is written");
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
        let first = filter.others.by_place.first().map(|(_, restriction)| Rc::clone(restriction));
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
            .find(|column| matches!(*self.typed(column).of, Type::Vector(..)))
            // The server looks at the first vector alone.
            .filter(|column| has_index(column))
        {
            return self.miss(
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
