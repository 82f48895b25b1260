use crate::catalog::{Catalog, Entity, Fill, Origin};
use crate::expr::{Compare, Expr, Literal};
use crate::pattern::{Change, Selection, Write, WriteVerb};

/// A write that changes where a row stands in some list, count, claim, rollup or kept value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// What the row moves in: a pattern, `Case.open_tasks`, or a rollup's name.
    pub within: String,
    /// The field whose change moves it.
    pub field: String,
    /// Which part of the other thing looks at that field.
    pub reason: MoveReason,
}

/// Which part looks at the changed field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveReason {
    /// It is in another group afterwards.
    By,
    /// It enters or leaves.
    Where,
    /// It stands elsewhere in the same group.
    Order,
}

impl MoveReason {
    /// The catalog's word for that part.
    pub fn name(self) -> &'static str {
        match self {
            Self::By => "by",
            Self::Where => "where",
            Self::Order => "order",
        }
    }
}

impl Write {
    /// Whether it names its row by a value that may pass to another, not by the key.
    pub fn is_by_value(&self, entity: &Entity) -> bool {
        self.by.iter().any(|item| !entity.key.contains(&item.path.field))
    }

    /// The own fields that this write may change on a row that is already there.
    pub fn changed_fields<'a>(&'a self, entity: &'a Entity) -> Vec<&'a str> {
        let mut changed: Vec<&str> = match self.verb {
            WriteVerb::Create | WriteVerb::Delete => return Vec::new(),
            WriteVerb::Put => {
                let key = &entity.key;
                entity
                    .fields
                    .iter()
                    .map(|field| field.name.as_str())
                    .filter(|name| !key.iter().any(|k| k == name))
                    .collect()
            }
            WriteVerb::Update => {
                let assigned = self.assignments.iter().filter_map(|assignment| assignment.path.own_field());
                assigned.chain(self.any_of.iter().map(String::as_str)).collect()
            }
        };
        // A derived field follows what it reads; one round is enough because derived fields read plain ones.
        for field in &entity.fields {
            let follows = match &field.fill {
                Fill::Derived(expr) => reads_any(expr, &changed),
                Fill::NowOnWrite => !changed.is_empty(),
                _ => false,
            };
            if follows && !changed.contains(&field.name.as_str()) {
                changed.push(&field.name);
            }
        }
        changed
    }

    /// Whether no row passes this test after the write, because of a constant that it sets.
    pub fn refutes(&self, test: &Expr) -> bool {
        let constant = |of: &Expr| match of {
            Expr::Path(path) => {
                let set = self.assignments.iter().find(|a| a.change == Change::Set && a.path == *path)?;
                match &set.value {
                    Expr::Literal(literal) => Some(literal),
                    _ => None,
                }
            }
            _ => None,
        };
        match test {
            Expr::Compare(op @ (Compare::Equal | Compare::NotEqual), a, b) => match (constant(a), &**b) {
                (Some(set), Expr::Literal(wanted)) => (set == wanted) != (*op == Compare::Equal),
                _ => false,
            },
            Expr::IsNull { of, negated } => constant(of).is_some_and(|set| (*set == Literal::Null) == *negated),
            Expr::Path(_) => constant(test) == Some(&Literal::Bool(false)),
            Expr::Not(of) => constant(of) == Some(&Literal::Bool(true)),
            _ => false,
        }
    }

    /// Everything in which this write may move its row.
    pub fn moves(&self, catalog: &Catalog) -> Vec<Move> {
        let Some(entity) = catalog.entity(&self.entity) else { return Vec::new() };
        let changed = self.changed_fields(entity);
        let mut moves = Vec::new();
        if changed.is_empty() {
            return moves;
        }
        for pattern in &catalog.patterns {
            if let Some(selection) = pattern.selection().filter(|selection| selection.entity == self.entity) {
                collect(&pattern.name, selection, &changed, &mut moves);
            }
            for with in pattern.read().iter().flat_map(|read| &read.with) {
                if with.read.selection.entity == self.entity {
                    let within = format!("{}.{}", pattern.name, with.name);
                    collect(&within, &with.read.selection, &changed, &mut moves);
                }
            }
        }
        for other in &catalog.entities {
            if let Origin::Rollup(rollup) = &other.origin
                && rollup.of == self.entity
            {
                let time = rollup.every.iter().map(|(_, of, _)| of.as_str());
                for field in rollup.by.iter().map(String::as_str).chain(time).filter(|field| changed.contains(field)) {
                    push(&mut moves, &other.name, field, MoveReason::By);
                }
                let filters =
                    rollup.filter.iter().chain(rollup.values.iter().filter_map(|value| value.filter.as_ref()));
                for filter in filters {
                    push_reads(&mut moves, &other.name, filter, &changed, MoveReason::Where);
                }
            }
            for field in &other.fields {
                if let Fill::Kept(kept) = &field.fill
                    && kept.entity == self.entity
                {
                    let within = format!("{}.{}", other.name, field.name);
                    if changed.contains(&kept.through.as_str()) {
                        push(&mut moves, &within, &kept.through, MoveReason::By);
                    }
                    if let Some(filter) = &kept.filter {
                        push_reads(&mut moves, &within, filter, &changed, MoveReason::Where);
                    }
                }
            }
        }
        moves
    }
}

fn collect(within: &str, selection: &Selection, changed: &[&str], moves: &mut Vec<Move>) {
    let fixed = selection.by.items().iter().filter_map(|item| item.path.own_field());
    for field in fixed.filter(|field| changed.contains(field)) {
        push(moves, within, field, MoveReason::By);
    }
    if let Some(filter) = &selection.filter {
        push_reads(moves, within, filter, changed, MoveReason::Where);
    }
    for item in selection.orders.iter().flat_map(|order| &order.items) {
        if let Some(field) = item.path.own_field().filter(|field| changed.contains(field)) {
            push(moves, within, field, MoveReason::Order);
        }
    }
}

fn push_reads(moves: &mut Vec<Move>, within: &str, expr: &Expr, changed: &[&str], reason: MoveReason) {
    for path in expr.paths() {
        if let Some(field) = path.own_field().filter(|field| changed.contains(field)) {
            push(moves, within, field, reason);
        }
    }
}

fn push(moves: &mut Vec<Move>, within: &str, field: &str, reason: MoveReason) {
    let found = Move { within: within.to_owned(), field: field.to_owned(), reason };
    if !moves.contains(&found) {
        moves.push(found);
    }
}

fn reads_any(expr: &Expr, fields: &[&str]) -> bool {
    expr.paths().iter().any(|path| path.own_field().is_some_and(|field| fields.contains(&field)))
}
