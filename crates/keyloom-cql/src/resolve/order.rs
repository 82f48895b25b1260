//! The ORDER BY of a SELECT.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::filter::Filter;
use crate::Span;
use crate::ast::{Ordering, OrderingKind};
use crate::schema::{Column, ColumnKind};

/// What is ordered by, once its names are looked up.
pub(super) struct Order<'a> {
    pub(super) columns: Vec<(&'a Column, bool, Span)>,
    pub(super) nearest: Option<(&'a Column, Span)>,
    unknown: bool,
}

impl<'s> Context<'s> {
    pub(super) fn order<'a>(&self, orderings: &'a [Ordering]) -> Outcome<Order<'a>>
    where
        's: 'a,
    {
        let mut order = Order { columns: Vec::new(), nearest: None, unknown: false };
        for ordering in orderings {
            match &ordering.kind {
                OrderingKind::Hole(name) => {
                    self.meet(&name.text);
                    order.unknown = true;
                }
                OrderingKind::Column(name) => match self.column(name)? {
                    Some(column) => {
                        let known = order.columns.iter_mut().find(|(known, ..)| known.name == column.name);
                        match known {
                            Some(known) => known.1 = ordering.descending,
                            None => order.columns.push((column, ordering.descending, ordering.span)),
                        }
                    }
                    None => order.unknown = true,
                },
                OrderingKind::Nearest(name, vector) => {
                    let Some(column) = self.column(name)? else {
                        order.unknown = true;
                        continue;
                    };
                    self.prepare(vector, &self.typed(column))?;
                    if order.nearest.is_some() {
                        return self.refuse(FaultKind::Order, ordering.span, "only one ANN can order");
                    }
                    if ordering.descending {
                        return self.refuse(FaultKind::Order, ordering.span, "ANN can't be descending");
                    }
                    order.nearest = Some((column, ordering.span));
                }
            }
        }
        if let (Some((_, at)), true) = (order.nearest, orderings.len() > 1) {
            return self.refuse(FaultKind::Order, at, "ANN goes with no other order");
        }
        Ok(order)
    }

    pub(super) fn is_reversed(&self, order: &Order<'_>) -> bool {
        order.columns.iter().any(|(column, descending, _)| reverses(column, *descending))
    }

    pub(super) fn hold_order(&self, filter: &Filter<'_>, order: &Order<'_>) -> Outcome {
        let Some((_, _, at)) = order.columns.first() else { return Ok(()) };
        if order.unknown || order.nearest.is_some() {
            return Ok(());
        }
        if filter.uses_index {
            return self.miss(FaultKind::Order, *at, "an index does not answer in an order");
        }
        if filter.is_range {
            return self.miss(FaultKind::Order, *at, "an order needs the partition key, by equality or IN");
        }
        let mut expected = 0;
        let mut reversed = None;
        for (column, descending, at) in &order.columns {
            if !matches!(column.kind, ColumnKind::Clustering { .. }) {
                return self.refuse(
                    FaultKind::Order,
                    *at,
                    format!("{} is no clustering column, so it has no order", column.name),
                );
            }
            let place = self.position(column);
            if place < expected {
                return self.refuse(FaultKind::Order, *at, "the order does not follow the order of the key");
            }
            for skipped in self.table.clustering().skip(expected).take(place - expected) {
                if !self.is_equal(&filter.clustering, skipped) {
                    return self.miss(
                        FaultKind::Order,
                        *at,
                        format!("the order jumps over {}, which is not given by equality", skipped.name),
                    );
                }
            }
            expected = place + 1;
            let reverses = reverses(column, *descending);
            if *reversed.get_or_insert(reverses) != reverses {
                return self.miss(
                    FaultKind::Order,
                    *at,
                    "rows are kept in one order, and asked in that or its reverse",
                );
            }
        }
        Ok(())
    }
}

/// Whether an order is the reverse of the one in which rows are kept.
fn reverses(column: &Column, descending: bool) -> bool {
    match column.kind {
        ColumnKind::Clustering { descending: kept } => kept != descending,
        _ => false,
    }
}
