//! How often something happens when a write does: what is known of the row before and after it.

use keyloom_model::{Entity, Expr, Fill, Literal, Path, WriteVerb};

use super::{Scope, When};
use crate::question::normal;
use crate::test::{Fixed, Test, tests};

/// What a new row has in a field.
enum New {
    Null,
    Constant(Expr),
    Unknown,
}

impl Scope<'_> {
    /// Whether a new row stands in a table with this filter and key; `None` for never.
    pub(super) fn stands(&self, filter: &[Expr], key: &[&str]) -> Option<When> {
        let mut when = When::Always;
        for test in filter {
            when = and(when, self.new_row_passes(test)?);
        }
        for field in key {
            let Some(known) = self.entity.field(field).filter(|field| field.optional) else { continue };
            match self.new_value(&known.name) {
                New::Null => return None,
                New::Constant(_) => {}
                New::Unknown => when = and(when, When::Sometimes),
            }
        }
        Some(when)
    }

    fn new_row_passes(&self, test: &Expr) -> Option<When> {
        let sometimes = Some(self.share(std::slice::from_ref(test)));
        match tests(self.entity, &[], Some(test), &[]).pop() {
            Some(Test::Fixes { field, to }) => match (self.new_value(&field), to) {
                (New::Constant(value), Fixed::To(wanted)) => (value == wanted).then_some(When::Always),
                (New::Constant(value), Fixed::OneOf(wanted)) => wanted.contains(&value).then_some(When::Always),
                (New::Null, _) => None,
                _ => sometimes,
            },
            _ => match test {
                Expr::IsNull { of, negated } => match &**of {
                    Expr::Path(path) => match (self.new_value(&path.field), negated) {
                        (New::Null, true) | (New::Constant(_), false) => None,
                        (New::Null, false) | (New::Constant(_), true) => Some(When::Always),
                        (New::Unknown, _) => sometimes,
                    },
                    _ => sometimes,
                },
                _ => sometimes,
            },
        }
    }

    /// What a new row has in a field.
    fn new_value(&self, field: &str) -> New {
        let assigned = self.write.assignments.iter().find(|assignment| assignment.path == Path::own(field));
        match assigned.map(|assignment| &assignment.value) {
            Some(Expr::Literal(Literal::Null)) => return New::Null,
            Some(value) if value.paths().is_empty() && !value.varies() => return New::Constant(value.clone()),
            Some(_) => return New::Unknown,
            None => {}
        }
        if self.write.takes.iter().any(|taken| taken == field) {
            return New::Unknown;
        }
        match self.entity.field(field).map(|field| (&field.fill, field.optional)) {
            Some((Fill::Default(value), _)) if value.paths().is_empty() && !value.varies() => {
                New::Constant(value.clone())
            }
            Some((Fill::Taken, true)) => New::Null,
            _ => New::Unknown,
        }
    }

    /// How many rows pass these tests, by the shares of enums.
    pub(super) fn share(&self, filter: &[Expr]) -> When {
        let mut when = When::Always;
        for test in filter {
            if self.held_before(test) {
                continue;
            }
            let share = match tests(self.entity, &[], Some(test), &[]).pop() {
                Some(Test::Fixes { field, to }) => enum_share(self.entity, &field, &to),
                _ => None,
            };
            when = and(when, share.map_or(When::Sometimes, When::Share));
        }
        when
    }

    /// Whether every row that the write is applied to passed this test before: it is a condition of the write, or the
    /// states of a field allow the change from nowhere else.
    pub(super) fn held_before(&self, test: &Expr) -> bool {
        let conditions = self.write.conditions.iter().flat_map(|condition| condition.test.conjuncts());
        if conditions.into_iter().any(|known| normal(self.entity, known) == normal(self.entity, test)) {
            return true;
        }
        let Some(Test::Fixes { field, to }) = tests(self.entity, &[], Some(test), &[]).pop() else { return false };
        let Some(states) = self.entity.states.iter().find(|states| states.field == field) else { return false };
        let New::Constant(Expr::Literal(Literal::Variant(becomes))) = self.set_value(&field) else { return false };
        let from = states.changes.iter().filter(|(_, to)| *to == becomes).map(|(from, _)| from);
        let passes = |from: &String| match &to {
            Fixed::To(value) => is_variant(value, from),
            Fixed::OneOf(values) => values.iter().any(|value| is_variant(value, from)),
            Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => false,
        };
        self.write.verb == WriteVerb::Update && from.clone().next().is_some() && from.into_iter().all(passes)
    }

    /// What the write sets a field to, whatever it was.
    fn set_value(&self, field: &str) -> New {
        let assigned = self.write.assignments.iter().find(|assignment| assignment.path == Path::own(field));
        assigned.map_or(New::Unknown, |assignment| New::Constant(assignment.value.clone()))
    }
}

fn is_variant(value: &Expr, name: &str) -> bool {
    matches!(value, Expr::Literal(Literal::Variant(known)) if known == name)
}

pub(super) fn and(a: When, b: When) -> When {
    match (a, b) {
        (When::Always, other) | (other, When::Always) => other,
        (When::Share(a), When::Share(b)) => {
            When::Share(u32::try_from(u64::from(a) * u64::from(b) / 1_000_000).unwrap_or(u32::MAX))
        }
        (When::Sometimes, _) | (_, When::Sometimes) => When::Sometimes,
    }
}

/// How many rows have these values, in millionths, by the shares that the catalog states.
fn enum_share(entity: &Entity, field: &str, to: &Fixed) -> Option<u32> {
    let keyloom_model::Type::Enum(variants) = &entity.field(field)?.ty else { return None };
    let share = |value: &Expr| match value {
        Expr::Literal(Literal::Variant(name)) => {
            variants.iter().find(|variant| variant.name == *name)?.share.map(|share| share.millionths)
        }
        _ => None,
    };
    match to {
        Fixed::To(value) => share(value),
        Fixed::OneOf(values) => values.iter().map(share).sum(),
        Fixed::Tenant | Fixed::Through { .. } | Fixed::List { .. } => None,
    }
}
