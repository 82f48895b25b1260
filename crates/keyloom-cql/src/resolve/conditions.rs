//! The IF of an update or delete.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::relations::is_slice;
use super::typed::{Collection, Typed};
use crate::ast::{Condition, Conditions, Native, Operator};
use crate::schema::{ColumnKind, Type};

/// Which rows an IF looks at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    /// Whether there is an IF at all.
    pub(super) conditional: bool,
    /// Whether it looks at static columns.
    pub(super) statics: bool,
    /// Whether it looks at columns of a row.
    pub(super) rows: bool,
}

impl Context<'_> {
    /// Checks the conditions of an IF.
    pub(super) fn conditions(&self, conditions: &Conditions) -> Outcome<Looked> {
        let mut looked = Looked { conditional: conditions.is_conditional(), ..Looked::default() };
        for condition in &conditions.all {
            let Some(column) = self.column(&condition.column)? else { continue };
            match column.kind {
                ColumnKind::Partition | ColumnKind::Clustering { .. } => {
                    return self.refuse(
                        FaultKind::Other,
                        condition.span,
                        format!("{} is part of the key, which an IF can't look at", column.name),
                    );
                }
                ColumnKind::Static => looked.statics = true,
                ColumnKind::Regular => looked.rows = true,
            }
            self.condition(condition, &self.typed(column))?;
        }
        Ok(looked)
    }

    fn condition(&self, condition: &Condition, of: &Typed<'_>) -> Outcome {
        let at = condition.span;
        let name = &condition.column.text;
        let refuse = |message: String| self.refuse(FaultKind::Type, at, message);
        if of.is(Native::Counter) {
            return refuse(format!("{name} is a counter, which an IF can't look at"));
        }
        let known = matches!(
            condition.operator,
            Operator::Equal | Operator::NotEqual | Operator::In | Operator::Contains | Operator::ContainsKey
        ) || is_slice(condition.operator);
        if !known {
            return refuse(format!("{name} can't be compared so in an IF"));
        }
        let within;
        let asked = if let Some(key) = &condition.element {
            match of.collection() {
                _ if of.is_unknown() => {}
                Some(Collection::List) => drop(self.prepare(key, &Typed::native(Native::Int))?),
                Some(Collection::Map) => drop(self.prepare(key, &of.key())?),
                Some(Collection::Set) => return refuse(format!("{name} is a set, which has no elements by key")),
                None => return refuse(format!("{name} is no collection, so it has no elements")),
            }
            within = of.element();
            &within
        } else if let Some(field) = &condition.field {
            if !of.is_unknown() && !matches!(*of.of, Type::User(_)) {
                return refuse(format!("{name} is no user-defined type, so it has no fields"));
            }
            match self.field(of, &field.text) {
                Some(found) => within = found,
                None if field.unknown => within = Typed::unknown(),
                None => return refuse(format!("{name} has no field {}", field.text)),
            }
            &within
        } else {
            of
        };
        if is_slice(condition.operator) && self.has_duration(&asked.of) {
            return refuse(format!("{name} holds durations, which have no order"));
        }
        let of_elements;
        let value_type = match condition.operator {
            _ if asked.is_unknown() => asked,
            Operator::ContainsKey if asked.collection() == Some(Collection::Map) => {
                of_elements = asked.key();
                &of_elements
            }
            Operator::ContainsKey => return refuse(format!("{name} is no map, so it contains no key")),
            Operator::Contains if asked.collection().is_some() => {
                of_elements = asked.element();
                &of_elements
            }
            Operator::Contains => return refuse(format!("{name} is no collection, so it contains nothing")),
            _ => asked,
        };
        if condition.operator != Operator::In || condition.list {
            for value in &condition.values {
                self.prepare(value, value_type)?;
            }
        }
        Ok(())
    }
}
