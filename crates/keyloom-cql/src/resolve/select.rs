//! SELECT: its WHERE, its selection, its order, its groups and its limits.

use super::context::{Context, Outcome};
use super::filter::{Filter, Purpose, Surroundings};
use super::order::Order;
use super::selected::Needs;
use super::selectors::{Picked, PickedKind, names_column};
use super::{Access, FaultKind, Part};
use crate::Span;
use crate::ast::{Native, Select, Selection, Selector, SelectorKind};
use crate::schema::{Column, ColumnKind};

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
            None => {
                self.meet_selected(&select.selection);
                self.pick_all(select)?
            }
        };
        let columns = self.hold_selection(select, &picked, &filter)?;
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

    /// Notes the holes that stand for selectors, before any of them is looked at.
    fn meet_selected(&self, selection: &Selection) {
        let Selection::Of(selectors) = selection else { return };
        for selector in selectors {
            if let SelectorKind::Hole(name) = &selector.kind {
                self.meet(&name.text);
            }
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
    fn hold_selection<'a>(
        &self,
        select: &Select,
        picked: &[Picked<'a>],
        filter: &Filter<'_>,
    ) -> Outcome<Vec<&'a Column>>
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
        let restricted = |column: &Column| filter.others.get(self.place(column)).is_some();
        if let (true, Some(first)) = (needs.fail(restricted), picked.first()) {
            return self.miss(
                FaultKind::Other,
                first.at,
                "a part of a collection is selected by a key that is null, empty or not known yet",
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
