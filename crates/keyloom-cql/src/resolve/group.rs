//! The DISTINCT and the GROUP BY of a SELECT.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::filter::Filter;
use super::order::Order;
use super::selected::Needs;
use super::selectors::PickedKind;
use crate::Span;
use crate::ast::Select;
use crate::schema::{Column, ColumnKind};

impl Context<'_> {
    pub(super) fn hold_distinct(
        &self,
        select: &Select,
        filter: &Filter<'_>,
        order: &Order<'_>,
        columns: &[&Column],
    ) -> Outcome {
        let Some(at) = select.distinct else { return Ok(()) };
        if let Some(limit) = &select.per_partition_limit {
            return self.refuse(FaultKind::Other, limit.span, "PER PARTITION LIMIT can't stand with DISTINCT");
        }
        let of_rows = filter
            .others
            .by_place
            .iter()
            .any(|(_, restriction)| restriction.first().is_some_and(|column| column.kind != ColumnKind::Static));
        if !filter.clustering.is_empty() || of_rows {
            return self.refuse(
                FaultKind::Other,
                at,
                "DISTINCT only goes with the partition key and static columns in the WHERE",
            );
        }
        let ordered = if filter.partition_has_in(self) || order.nearest.is_some() {
            order.columns.iter().map(|(column, ..)| *column).chain(order.nearest.map(|(column, _)| column)).collect()
        } else {
            Vec::new()
        };
        if let Some(column) = columns
            .iter()
            .chain(&ordered)
            .find(|column| !matches!(column.kind, ColumnKind::Partition | ColumnKind::Static))
        {
            return self.refuse(
                FaultKind::Other,
                at,
                format!("DISTINCT answers partitions, but {} belongs to a row", column.name),
            );
        }
        if !filter.is_range {
            return Ok(());
        }
        let chosen = |column: &Column| columns.iter().any(|other| other.name == column.name);
        match self.table.partition_key().find(|column| !chosen(column)) {
            Some(column) => self.miss(
                FaultKind::Other,
                at,
                format!("DISTINCT must answer the whole partition key, also {}", column.name),
            ),
            None => Ok(()),
        }
    }

    pub(super) fn hold_groups(&self, select: &Select, filter: &Filter<'_>) -> Outcome {
        if select.group_by.is_empty() {
            return Ok(());
        }
        let mut key = self.table.partition_key().chain(self.table.clustering());
        let mut by_rows = false;
        let mut computed = false;
        let mut last = select.group_by.first().map_or(Span::default(), |selector| selector.span);
        for selector in &select.group_by {
            last = selector.span;
            let picked = self.pick(selector)?;
            let column = match &picked.kind {
                PickedKind::Unknown => return Ok(()),
                PickedKind::Column(column) => {
                    if computed {
                        return self.refuse(
                            FaultKind::Other,
                            selector.span,
                            "a function can only be the last of GROUP BY",
                        );
                    }
                    *column
                }
                PickedKind::Function { function, .. } => {
                    if function.aggregate {
                        return self.refuse(FaultKind::Other, selector.span, "an aggregate can't make groups");
                    }
                    let mut needs = Needs::default();
                    self.select_picked(&picked, None, &mut needs)?;
                    computed = true;
                    match needs.columns.as_slice() {
                        [column] if matches!(column.kind, ColumnKind::Clustering { .. }) => *column,
                        _ if self.is_unsure() => return Ok(()),
                        _ => {
                            return self.refuse(
                                FaultKind::Other,
                                selector.span,
                                "a function of GROUP BY is over one clustering column",
                            );
                        }
                    }
                }
                _ => return self.refuse(FaultKind::Other, selector.span, "GROUP BY takes columns of the key"),
            };
            if !matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
                return self.refuse(
                    FaultKind::Other,
                    selector.span,
                    format!("{} is not part of the key, so it can't make groups", column.name),
                );
            }
            loop {
                let Some(next) = key.next() else {
                    return self.miss(FaultKind::Other, selector.span, "GROUP BY does not follow the order of the key");
                };
                by_rows |= matches!(next.kind, ColumnKind::Clustering { .. });
                if next.name == column.name {
                    break;
                }
                let set = if next.kind == ColumnKind::Partition { &filter.partition } else { &filter.clustering };
                if !self.is_equal(set, next) {
                    return self.miss(
                        FaultKind::Other,
                        selector.span,
                        format!("GROUP BY jumps over {}, which is not given by equality", next.name),
                    );
                }
            }
        }
        if let Some(next) = key.next()
            && next.kind == ColumnKind::Partition
        {
            return self.miss(
                FaultKind::Other,
                last,
                format!("GROUP BY must take the whole partition key, also {}", next.name),
            );
        }
        if by_rows && select.distinct.is_some() {
            return self.refuse(FaultKind::Other, last, "DISTINCT can't group by clustering columns");
        }
        Ok(())
    }
}
