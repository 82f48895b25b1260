//! SELECT: its WHERE, its selection, its order, its groups and its limits.

use super::context::{Context, Outcome};
use super::filter::{Filter, Purpose, Surroundings};
use super::selectors::{Needs, Picked, PickedKind, names_column};
use super::{Access, FaultKind, Part};
use crate::Span;
use crate::ast::{Native, Ordering, OrderingKind, Select, Selection, Selector, SelectorKind};
use crate::schema::{Column, ColumnKind};

/// What is ordered by, once its names are looked up.
struct Order<'a> {
    columns: Vec<(&'a Column, bool, Span)>,
    nearest: Option<(&'a Column, Span)>,
    unknown: bool,
}

impl<'s> Context<'s> {
    /// Checks a SELECT, with filtering allowed or not.
    pub(super) fn select<'a>(
        &self,
        select: &'a Select,
        at: Span,
        filtering: bool,
        access: &mut Option<Access>,
    ) -> Outcome
    where
        's: 'a,
    {
        // A hole in the selection can't make a WHERE legal that is not, so the WHERE is looked at first.
        let early = if selection_has_holes(&select.selection) { None } else { Some(self.pick_all(select)?) };
        let order = self.order(&select.order_by)?;
        let around = Surroundings {
            purpose: Purpose::Select,
            only_statics: early.as_ref().is_some_and(|picked| self.picks_only_statics(picked)),
            filtering,
            nearest: order.nearest,
            at,
        };
        let mut filter = self.gather(&select.relations, &around)?;
        let decided = self.decide(&mut filter, &around);
        *access = Some(self.read(&filter, &order, early.as_deref()));
        decided?;
        self.hold_no_filter(&filter, filtering, at)?;
        let picked = match early {
            Some(picked) => picked,
            None => self.pick_all(select)?,
        };
        let columns = self.hold_selection(select, &picked)?;
        self.hold_distinct(select, &filter, &order, &columns)?;
        self.hold_groups(select, &filter)?;
        self.hold_order(&filter, &order)?;
        for limit in [&select.per_partition_limit, &select.limit].into_iter().flatten() {
            self.prepare_number(limit, Native::Int)?;
        }
        Ok(())
    }

    fn pick_all<'a>(&self, select: &'a Select) -> Outcome<Vec<Picked<'a>>>
    where
        's: 'a,
    {
        match &select.selection {
            Selection::All => Ok(Vec::new()),
            Selection::Of(selectors) => selectors.iter().map(|selector| self.pick(selector)).collect(),
        }
    }

    /// Whether only static columns are answered, perhaps with columns of the partition key.
    fn picks_only_statics(&self, picked: &[Picked<'_>]) -> bool {
        let is_static = |column: &Column| column.kind == ColumnKind::Static;
        let is_of_rows = |column: &Column| !matches!(column.kind, ColumnKind::Partition | ColumnKind::Static);
        self.table.columns.iter().any(is_static)
            && picked.iter().any(|picked| names_column(picked, &is_static))
            && !picked.iter().any(|picked| names_column(picked, &is_of_rows))
    }

    fn order<'a>(&self, orderings: &'a [Ordering]) -> Outcome<Order<'a>>
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

    /// What is read, as far as the WHERE says.
    fn read(&self, filter: &Filter<'_>, order: &Order<'_>, picked: Option<&[Picked<'_>]>) -> Access {
        let of_rows = |column: &Column| !matches!(column.kind, ColumnKind::Partition | ColumnKind::Static);
        let statics = picked.is_some_and(|picked| {
            !picked.is_empty()
                && picked.iter().all(|picked| matches!(picked.kind, PickedKind::Column(column) if !of_rows(column)))
                && picked.iter().any(
                    |picked| matches!(picked.kind, PickedKind::Column(column) if column.kind == ColumnKind::Static),
                )
        });
        let part = filter.part(self);
        let unserved = filter.others.distinct().any(|restriction| self.index_for(restriction).is_none());
        Access {
            partitions: filter.partitions(self),
            part: if statics && part == Part::Whole { Part::Statics } else { part },
            index: filter.index(self),
            filters: self.must_filter(filter).unwrap_or(true)
                || unserved
                || self.clustering_filters(&filter.clustering) && !filter.uses_index,
            reversed: self.is_reversed(order),
        }
    }

    fn is_reversed(&self, order: &Order<'_>) -> bool {
        order.columns.iter().any(|(column, descending, _)| reverses(column, *descending))
    }

    fn hold_no_filter(&self, filter: &Filter<'_>, filtering: bool, at: Span) -> Outcome {
        if filtering || !self.must_filter(filter)? {
            return Ok(());
        }
        let (kind, at, message) =
            match filter.others.distinct().find(|restriction| self.index_for(restriction).is_none()) {
                Some(restriction) => {
                    let name = restriction.first().map_or("", |column| column.name.as_str());
                    (FaultKind::NotIndexed, restriction.at, format!("{name} is not part of the key and has no index"))
                }
                None if filter.clustering.is_empty() => {
                    (FaultKind::NotIndexed, at, "no single index answers all that is asked".to_owned())
                }
                None => (
                    FaultKind::PartitionKeyOpen,
                    at,
                    "rows are chosen by clustering columns, but the partition key is not given".to_owned(),
                ),
            };
        self.miss(kind, at, message)
    }

    /// Checks the selection and answers the columns it needs; all of them for `*`.
    fn hold_selection<'a>(&self, select: &Select, picked: &[Picked<'a>]) -> Outcome<Vec<&'a Column>>
    where
        's: 'a,
    {
        if select.selection == Selection::All {
            return Ok(self.table.columns.iter().collect());
        }
        let mut needs = Needs::default();
        let mut aggregate = false;
        for picked in picked {
            aggregate |= self.select_picked(picked, None, &mut needs)?.aggregate;
        }
        if let (true, Some(first)) = (needs.fail(), picked.first()) {
            return self.refuse(
                FaultKind::Other,
                first.at,
                "a part of a collection is selected by a key that is null or not known yet",
            );
        }
        if aggregate
            && select.group_by.is_empty()
            && let Some(limit) = &select.per_partition_limit
        {
            return self.miss(
                FaultKind::Other,
                limit.span,
                "PER PARTITION LIMIT can't limit an aggregate over everything",
            );
        }
        Ok(needs.columns)
    }

    fn hold_distinct(&self, select: &Select, filter: &Filter<'_>, order: &Order<'_>, columns: &[&Column]) -> Outcome {
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

    fn hold_groups(&self, select: &Select, filter: &Filter<'_>) -> Outcome {
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

    fn hold_order(&self, filter: &Filter<'_>, order: &Order<'_>) -> Outcome {
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
                return self.refuse(
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

/// Whether a part of the selection is not known when the statement is read.
fn selection_has_holes(selection: &Selection) -> bool {
    match selection {
        Selection::All => false,
        Selection::Of(selectors) => selectors.iter().any(has_holes),
    }
}

fn has_holes(selector: &Selector) -> bool {
    match &selector.kind {
        SelectorKind::Hole(_) => true,
        SelectorKind::Column(name) => name.unknown,
        SelectorKind::CountRows | SelectorKind::Term(_) => false,
        SelectorKind::Call(name, arguments) => {
            name.name.unknown
                || name.keyspace.as_ref().is_some_and(|keyspace| keyspace.unknown)
                || arguments.iter().any(has_holes)
        }
        SelectorKind::Cast(of, _) | SelectorKind::Negative(of) | SelectorKind::Hint(_, of) => has_holes(of),
        SelectorKind::Field(of, field) => field.unknown || has_holes(of),
        SelectorKind::Element(of, _) | SelectorKind::Slice(of, ..) => has_holes(of),
        SelectorKind::Arithmetic(_, left, right) => has_holes(left) || has_holes(right),
        SelectorKind::List(all) | SelectorKind::Set(all) | SelectorKind::Tuple(all) => all.iter().any(has_holes),
        SelectorKind::Map(entries) => entries.iter().any(|(key, value)| has_holes(key) || has_holes(value)),
        SelectorKind::Udt(fields) => fields.iter().any(|(name, value)| name.unknown || has_holes(value)),
    }
}
