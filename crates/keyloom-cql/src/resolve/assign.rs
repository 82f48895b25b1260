//! What is done to a column: set, grown, counted, deleted.

use std::collections::{HashMap, HashSet};

use super::FaultKind;
use super::context::{Context, Outcome};
use super::modify::is_key;
use super::signatures::NUMBERS;
use super::typed::{Collection, Typed};
use crate::Span;
use crate::ast::{Assignment, AssignmentKind, DeleteTarget, Name, Native, Term, TermKind};
use crate::schema::{Column, Type};

/// What was done to one column so far.
#[derive(Default)]
struct Seen<'a> {
    whole: bool,
    part: bool,
    fields: HashSet<&'a str>,
}

impl<'s> Context<'s> {
    /// Two assignments of one column must go together: elements and fields do, whole values do not.
    pub(super) fn hold_compatible(&self, assignments: &[Assignment]) -> Outcome {
        let mut seen: HashMap<&str, Seen<'_>> = HashMap::new();
        for assignment in assignments.iter().filter(|assignment| !assignment.column.unknown) {
            let column = seen.entry(&assignment.column.text).or_default();
            let clash = match &assignment.kind {
                AssignmentKind::Set(value) if grown_hole(value).is_some() => false,
                AssignmentKind::Set(_) => std::mem::replace(&mut column.whole, true) || column.part,
                AssignmentKind::Field(field, _) => {
                    column.part = true;
                    column.whole || !column.fields.insert(&field.text)
                }
                _ => {
                    column.part = true;
                    column.whole
                }
            };
            if clash {
                return self.refuse(
                    FaultKind::Other,
                    assignment.span,
                    format!("{} is set twice, in ways that do not go together", assignment.column.text),
                );
            }
        }
        Ok(())
    }

    pub(super) fn assign(&self, assignment: &Assignment, column: &Column, conditional: bool) -> Outcome {
        let of = self.typed(column);
        let name = &column.name;
        let at = assignment.span;
        let refuse = |message: String| self.refuse(FaultKind::Type, at, message);
        let miss = |message: String| self.miss(FaultKind::Type, at, message);
        if of.is_unknown() {
            return Ok(());
        }
        let growing = of.collection().is_some();
        match &assignment.kind {
            AssignmentKind::Set(value) => {
                if let Some(hole) = grown_hole(value) {
                    self.meet(&hole.text);
                    return Ok(());
                }
                self.prepare(value, &of)?;
                if of.is(Native::Counter) {
                    return refuse(format!("{name} is a counter, which can be counted but not set"));
                }
                Ok(())
            }
            AssignmentKind::OtherColumn(other) => {
                refuse(format!("{name} can't be computed from {}, another column", other.text))
            }
            AssignmentKind::Element(key, value) => match of.collection() {
                None => refuse(format!("{name} is no collection, so it has no elements")),
                Some(_) if !of.is_multi_cell() => refuse(format!("{name} is frozen, so it can only be set as a whole")),
                Some(Collection::Set) => refuse(format!("{name} is a set, whose elements have no keys")),
                Some(Collection::List) => {
                    self.prepare(key, &Typed::native(Native::Int))?;
                    self.prepare(value, &of.element()).map(|_| ())
                }
                Some(Collection::Map) => {
                    self.prepare(key, &of.key())?;
                    self.prepare(value, &of.element()).map(|_| ())
                }
            },
            AssignmentKind::Field(field, value) => {
                let found = self.hold_field(at, column, field)?;
                self.prepare(value, &found).map(|_| ())
            }
            AssignmentKind::Prepend(value) => {
                self.prepare(value, &of)?;
                if of.collection() != Some(Collection::List) || !of.is_multi_cell() {
                    return refuse(format!("{name} is no list that can grow"));
                }
                Ok(())
            }
            AssignmentKind::Add(value) if !growing => {
                let adds = match of.as_native() {
                    Some(Native::Counter) => true,
                    Some(native) => {
                        let text = matches!(native, Native::Text | Native::Ascii);
                        conditional && (text || NUMBERS.contains(&native))
                    }
                    None => false,
                };
                if !adds {
                    // An IF would allow it to numbers and texts.
                    return miss(format!("nothing can be added to {name}, which is no counter"));
                }
                self.prepare(value, &of).map(|_| ())
            }
            AssignmentKind::Subtract(value) if !growing => {
                if let (TermKind::Hole(hole), false) = (&value.kind, of.is(Native::Counter)) {
                    // A number that follows right behind the minus is a negative one, and added.
                    self.meet(&hole.text);
                }
                if !of.is(Native::Counter) {
                    return miss(format!("nothing can be subtracted from {name}, which is no counter"));
                }
                self.prepare(value, &of).map(|_| ())
            }
            AssignmentKind::Add(_) | AssignmentKind::Subtract(_) if !of.is_multi_cell() => {
                refuse(format!("{name} is frozen, so it can only be set as a whole"))
            }
            AssignmentKind::Add(value) => self.prepare(value, &of).map(|_| ()),
            AssignmentKind::Subtract(value) => match &*of.of {
                Type::Map(key, _) => {
                    let keys = Typed::frozen(Type::Set(key.clone()));
                    self.prepare(value, &keys).map(|_| ())
                }
                _ => self.prepare(value, &of).map(|_| ()),
            },
        }
    }

    /// The field of a column that can be written by itself.
    fn hold_field(&self, at: Span, column: &Column, field: &Name) -> Outcome<Typed<'s>> {
        let of = self.typed(column);
        let name = &column.name;
        if of.is_unknown() || field.unknown {
            return Ok(Typed::unknown());
        }
        if !of.is_user_type() {
            return self.refuse(FaultKind::Type, at, format!("{name} is no user-defined type, so it has no fields"));
        }
        if !of.is_multi_cell() {
            return self.refuse(FaultKind::Type, at, format!("{name} is frozen, so it can only be written as a whole"));
        }
        match self.field(&of, &field.text) {
            Some(found) => Ok(found),
            None => self.refuse(FaultKind::Type, field.span, format!("{name} has no field {}", field.text)),
        }
    }

    pub(super) fn remove(&self, target: &DeleteTarget) -> Outcome<Option<&'s Column>> {
        let name = match target {
            DeleteTarget::Column(name) | DeleteTarget::Element(name, _) | DeleteTarget::Field(name, _) => name,
        };
        let Some(column) = self.column(name)? else { return Ok(None) };
        if is_key(column) {
            return self.refuse(
                FaultKind::Other,
                name.span,
                format!("{} is part of the key, so it goes with its row only", column.name),
            );
        }
        let of = self.typed(column);
        match target {
            DeleteTarget::Column(_) => {}
            DeleteTarget::Field(_, field) => {
                self.hold_field(name.span, column, field)?;
            }
            DeleteTarget::Element(_, key) => match of.collection() {
                _ if of.is_unknown() => {}
                None => {
                    return self.refuse(
                        FaultKind::Type,
                        name.span,
                        format!("{} is no collection, so it has no elements", column.name),
                    );
                }
                Some(_) if !of.is_multi_cell() => {
                    return self.refuse(
                        FaultKind::Type,
                        name.span,
                        format!("{} is frozen, so it can only be deleted as a whole", column.name),
                    );
                }
                Some(Collection::List) => drop(self.prepare(key, &Typed::native(Native::Int))?),
                Some(Collection::Set) => drop(self.prepare(key, &of.element())?),
                Some(Collection::Map) => drop(self.prepare(key, &of.key())?),
            },
        }
        Ok(Some(column))
    }
}

/// The hole at either end of a sum: it may be the column itself, which then grows.
fn grown_hole(value: &Term) -> Option<&Name> {
    let TermKind::Arithmetic(_, left, right) = &value.kind else { return None };
    match (&left.kind, &right.kind) {
        (TermKind::Hole(name), _) | (_, TermKind::Hole(name)) => Some(name),
        _ => grown_hole(left),
    }
}
