//! What a statement reads of the rows of its table, as rules over surveys ask it.

use std::collections::BTreeSet;

use keyloom_cql::ast::{
    Conditions, Insert, InsertSource, Name, OrderingKind, Relation, RelationKind, Select, Selection, Selector,
    SelectorKind, StatementKind,
};
use keyloom_cql::schema::Table;

use crate::TableUse;
use crate::reads::columns_taken;
use crate::writing::target_column;

impl<'a> TableUse<'a> {
    /// The columns that it answers by name: what somebody asks for, and so expects to be there. None for `*`.
    pub(crate) fn columns_answered(&self) -> Vec<&'a Name> {
        let mut names = Vec::new();
        if let StatementKind::Select(Select { selection: Selection::Of(selectors), .. }) = self.kind {
            selectors.iter().for_each(|selector| named_by(selector, &mut names));
        }
        names
    }

    /// The columns of a table that it looks at in any way; `None` where these may be all, or are not known.
    pub(crate) fn columns_looked_at(&self, table: &'a Table) -> Option<Vec<&'a str>> {
        if self.is_open() {
            return None;
        }
        let (mut names, mut taken) = (Vec::new(), BTreeSet::new());
        match self.kind {
            StatementKind::Select(select) => {
                match &select.selection {
                    Selection::Of(selectors) => selectors.iter().for_each(|selector| named_by(selector, &mut names)),
                    Selection::All => taken = columns_taken(self, table)?,
                }
                select.group_by.iter().for_each(|selector| named_by(selector, &mut names));
                for ordering in &select.order_by {
                    match &ordering.kind {
                        OrderingKind::Column(column) | OrderingKind::Nearest(column, _) => names.push(column),
                        OrderingKind::Hole(_) => return None,
                    }
                }
                in_relations(&select.relations, &mut names);
            }
            // It answers the row that is there already.
            StatementKind::Insert(insert) if insert.if_not_exists.is_some() => return None,
            StatementKind::Update(update) => in_write(&update.relations, &update.conditions, &mut names),
            StatementKind::Delete(delete) => in_write(&delete.relations, &delete.conditions, &mut names),
            _ => {}
        }
        let are_known = names.iter().all(|name| !name.unknown);
        are_known.then(|| names.into_iter().map(|name| name.text.as_str()).chain(taken).collect())
    }
}

/// The columns that a statement names, in whatever way, as far as they are known.
pub(crate) fn columns_named(kind: &StatementKind) -> Vec<&str> {
    let mut names = Vec::new();
    match kind {
        StatementKind::Select(select) => {
            if let Selection::Of(selectors) = &select.selection {
                selectors.iter().for_each(|selector| named_by(selector, &mut names));
            }
            in_relations(&select.relations, &mut names);
        }
        StatementKind::Insert(Insert { source: InsertSource::Values { columns, .. }, .. }) => names.extend(columns),
        StatementKind::Update(update) => {
            names.extend(update.assignments.iter().map(|set| &set.column));
            in_write(&update.relations, &update.conditions, &mut names);
        }
        StatementKind::Delete(delete) => {
            names.extend(delete.targets.iter().map(target_column));
            in_write(&delete.relations, &delete.conditions, &mut names);
        }
        _ => {}
    }
    names.into_iter().filter(|name| !name.unknown).map(|name| name.text.as_str()).collect()
}

fn in_write<'a>(relations: &'a [Relation], conditions: &'a Conditions, names: &mut Vec<&'a Name>) {
    in_relations(relations, names);
    names.extend(conditions.all.iter().map(|condition| &condition.column));
}

fn in_relations<'a>(relations: &'a [Relation], names: &mut Vec<&'a Name>) {
    for relation in relations {
        match &relation.kind {
            RelationKind::Column { column, .. } | RelationKind::Element { column, .. } => names.push(column),
            RelationKind::Tuple { columns, .. } | RelationKind::Token { columns, .. } => names.extend(columns),
            RelationKind::Custom { .. } => {}
        }
    }
}

/// The columns in a selector. Selectors nest as deep as the parser lets them.
fn named_by<'a>(selector: &'a Selector, names: &mut Vec<&'a Name>) {
    let mut open = vec![selector];
    while let Some(selector) = open.pop() {
        match &selector.kind {
            SelectorKind::Column(name) | SelectorKind::Hole(name) => names.push(name),
            SelectorKind::Call(_, inner)
            | SelectorKind::List(inner)
            | SelectorKind::Set(inner)
            | SelectorKind::Tuple(inner) => {
                open.extend(inner);
            }
            SelectorKind::Cast(inner, _)
            | SelectorKind::Field(inner, _)
            | SelectorKind::Element(inner, _)
            | SelectorKind::Slice(inner, ..)
            | SelectorKind::Negative(inner)
            | SelectorKind::Hint(_, inner) => open.push(inner),
            SelectorKind::Arithmetic(_, left, right) => open.extend([left.as_ref(), right.as_ref()]),
            SelectorKind::Map(entries) => open.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            SelectorKind::Udt(fields) => open.extend(fields.iter().map(|(_, value)| value)),
            SelectorKind::CountRows | SelectorKind::Term(_) => {}
        }
    }
}
