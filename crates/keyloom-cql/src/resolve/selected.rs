//! A selection as a whole: what it needs to be read, and whether it aggregates.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Call, Callee, name_of};
use super::picked::meta_type;
use super::selectors::{Key, Picked, PickedKind};
use super::terms::Prepared;
use super::typed::{Collection, Typed, native_name, nested};
use crate::Span;
use crate::ast::{Name, Native, Term};
use crate::schema::{Column, ColumnKind, Type};

/// What a selection needs to be read.
#[derive(Default)]
pub(super) struct Needs<'a> {
    /// The columns, as they were met.
    pub(super) columns: Vec<&'a Column>,
    /// Columns that are needed as a whole, not cell by cell.
    whole: Vec<&'a Column>,
    /// Columns of which cells are needed from a key on that the server can't compare.
    from_nowhere: Vec<&'a Column>,
    /// Whether a cell is needed that only a value to come will tell.
    open: bool,
    /// Whether the server takes such a cell for known, and fails.
    fails: bool,
    /// Whether a hole stands for a key.
    unknown: bool,
}

impl<'a> Needs<'a> {
    fn column(&mut self, column: &'a Column) {
        note(&mut self.columns, column);
    }

    /// The keys by which one selects within a column whose parts are cells of their own.
    fn keys(&mut self, column: &'a Column, from: Option<Prepared>, to: Option<Prepared>) {
        self.unknown |= [from, to].into_iter().flatten().any(|key| key.hole);
        self.open |= [from, to].into_iter().flatten().any(|key| !key.terminal);
        if from.is_some_and(|key| key.terminal && (key.null || key.incomparable)) {
            note(&mut self.from_nowhere, column);
        }
    }

    /// Whether the server fails to tell which cells are needed. It only tries when it takes them all for known, and leaves
    /// alone the columns that are read as a whole, as those of the WHERE are.
    pub(super) fn fail(&self, restricted: impl Fn(&Column) -> bool) -> bool {
        let whole = |column: &Column| restricted(column) || self.whole.iter().any(|other| other.name == column.name);
        !self.open && !self.unknown && (self.fails || self.from_nowhere.iter().any(|column| !whole(column)))
    }
}

/// Adds a column that is not there yet.
fn note<'a>(columns: &mut Vec<&'a Column>, column: &'a Column) {
    if !columns.iter().any(|known| known.name == column.name) {
        columns.push(column);
    }
}

/// What a selector turned out to be.
pub(super) struct Selected {
    /// Its type.
    pub(super) of: Typed<'static>,
    /// Whether it takes many rows to one value.
    pub(super) aggregate: bool,
}

impl Context<'_> {
    /// Checks something selected and collects the columns it needs.
    pub(super) fn select_picked<'a>(
        &self,
        picked: &Picked<'a>,
        asked: Option<&Typed<'_>>,
        needs: &mut Needs<'a>,
    ) -> Outcome<Selected> {
        let plain = |of: Typed<'static>| Ok(Selected { of, aggregate: false });
        match &picked.kind {
            PickedKind::Unknown => plain(Typed::unknown()),
            PickedKind::CountRows => Ok(Selected { of: Typed::native(Native::Bigint), aggregate: true }),
            PickedKind::Column(column) => {
                needs.column(column);
                note(&mut needs.whole, column);
                plain(self.typed(column).into_owned())
            }
            PickedKind::Term(term) => {
                let own = self.exact_picked(picked);
                let Some(of) = own.or_else(|| asked.map(|asked| asked.clone().into_owned())) else {
                    return self.untyped(picked);
                };
                self.prepare(term, &of)?;
                plain(of)
            }
            PickedKind::Meta { column, of, meta } => {
                if matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
                    return self.refuse(
                        FaultKind::Other,
                        picked.at,
                        format!("{} is part of the key, which has no time of writing and no TTL", column.name),
                    );
                }
                // The server takes all of it for known here, and fails where it is not.
                let open = std::mem::take(&mut needs.open);
                let inner = self.select_picked(of, asked, needs)?;
                needs.fails |= needs.open;
                needs.open = open;
                needs.column(column);
                plain(meta_type(*meta, inner.of.is_multi_cell()))
            }
            PickedKind::Function { function, arguments, callee } => {
                let mut aggregates = false;
                for (argument, of) in arguments.iter().zip(&function.arguments) {
                    aggregates |= self.select_picked(argument, Some(of), needs)?.aggregate;
                }
                if function.aggregate && aggregates {
                    return self.refuse(
                        FaultKind::Other,
                        picked.at,
                        format!("{} can't aggregate what is aggregated already", name_of(*callee)),
                    );
                }
                Ok(Selected { of: function.returns.clone(), aggregate: function.aggregate || aggregates })
            }
            PickedKind::Cast(of, into) => {
                let inner = self.select_picked(of, None, needs)?;
                if inner.of.is_unknown() || (inner.of.is(into.native) && !inner.of.reversed) {
                    return Ok(Selected { of: Typed::native(into.native), ..inner });
                }
                let call = Call {
                    callee: Callee::Cast(*into),
                    arguments: std::slice::from_ref(&**of),
                    at: picked.at,
                    in_table: true,
                };
                if self.find(&call, None)?.is_none() {
                    let message = format!("{} can't be cast to {}", inner.of.name(), native_name(into.native));
                    return self.refuse(FaultKind::Type, picked.at, message);
                }
                Ok(Selected { of: Typed::native(into.native), ..inner })
            }
            PickedKind::Field(of, field) => self.select_field(of, field, needs),
            PickedKind::Element(of, key) => {
                let inner = self.select_within(of, None, needs)?;
                let keys = self.keys_within(picked.at, &inner.of)?;
                let key = self.prepare(key, &keys)?;
                if let Some(column) = cells(of, &inner) {
                    needs.keys(column, Some(key), None);
                }
                let of = if inner.of.is_unknown() { Typed::unknown() } else { inner.of.element().into_owned() };
                Ok(Selected { of, ..inner })
            }
            PickedKind::Slice(of, from, to) => {
                let inner = self.select_within(of, asked, needs)?;
                let keys = self.keys_within(picked.at, &inner.of)?;
                let bound = |bound: &Option<&Term>| bound.map(|bound| self.prepare(bound, &keys)).transpose();
                let (from, to) = (bound(from)?, bound(to)?);
                if let Some(column) = cells(of, &inner) {
                    needs.keys(column, from, to);
                }
                Ok(Selected { of: inner.of.unwrapped().into_owned(), ..inner })
            }
            PickedKind::Hint(hint, of) => {
                if !self.fit_picked(of, hint)?.is_assignable() {
                    return self.refuse(
                        FaultKind::Type,
                        picked.at,
                        format!("this is no value of type {}", hint.name()),
                    );
                }
                let inner = self.select_picked(of, Some(hint), needs)?;
                Ok(Selected { of: hint.clone(), ..inner })
            }
            PickedKind::Tuple(_) | PickedKind::List(_) | PickedKind::Set(_) | PickedKind::Entries(_) => {
                self.select_built(picked, asked, needs)
            }
        }
    }

    /// What one selects a part of: a column with cells of its own is then not needed as a whole.
    fn select_within<'a>(
        &self,
        of: &Picked<'a>,
        asked: Option<&Typed<'_>>,
        needs: &mut Needs<'a>,
    ) -> Outcome<Selected> {
        let whole = needs.whole.len();
        let inner = self.select_picked(of, asked, needs)?;
        if cells(of, &inner).is_some() {
            needs.whole.truncate(whole);
        }
        Ok(inner)
    }

    fn select_field<'a>(&self, of: &Picked<'a>, field: &Name, needs: &mut Needs<'a>) -> Outcome<Selected> {
        let within = match &of.kind {
            PickedKind::Tuple(parts) => parts.first().and_then(|part| self.exact_picked(part)),
            _ => None,
        };
        let inner = self.select_within(of, within.as_ref(), needs)?;
        if inner.of.is_unknown() || field.unknown {
            return Ok(Selected { of: Typed::unknown(), ..inner });
        }
        if !matches!(*inner.of.of, Type::User(_)) {
            return self.refuse(
                FaultKind::Type,
                field.span,
                format!("a value of type {} has no fields", inner.of.name()),
            );
        }
        match self.field(&inner.of, &field.text) {
            Some(found) => Ok(Selected { of: found.into_owned(), ..inner }),
            None => self.refuse(
                FaultKind::Type,
                field.span,
                format!("type {} has no field {}", inner.of.name(), field.text),
            ),
        }
    }

    /// Of which type the keys are by which one selects within a set or map.
    fn keys_within<'t>(&self, at: Span, of: &'t Typed<'_>) -> Outcome<Typed<'t>> {
        match of.collection_within() {
            _ if of.is_unknown() => Ok(Typed::unknown()),
            Some(Collection::Set) => Ok(of.element()),
            Some(Collection::Map) => Ok(of.key()),
            Some(Collection::List) => self.refuse(FaultKind::Type, at, "one can't select within a list"),
            None => self.refuse(FaultKind::Type, at, format!("one can't select within a value of type {}", of.name())),
        }
    }

    /// A tuple, list, set, map or user-defined type that is put together in the selection.
    fn select_built<'a>(
        &self,
        picked: &Picked<'a>,
        asked: Option<&Typed<'_>>,
        needs: &mut Needs<'a>,
    ) -> Outcome<Selected> {
        let asked_vector = asked.filter(|asked| !asked.reversed && matches!(*asked.of, Type::Vector(..)));
        let own = match (&picked.kind, asked_vector) {
            (PickedKind::List(elements), Some(_)) => {
                let first = elements.iter().find_map(|element| self.exact_picked(element));
                let size = u32::try_from(elements.len()).unwrap_or(u32::MAX);
                first.map(|of| Typed::frozen(Type::Vector(Box::new(of.of.into_owned()), size)))
            }
            _ => self.exact_picked(picked),
        };
        let Some(of) = own.or_else(|| asked.map(|asked| asked.clone().into_owned())) else {
            return self.untyped(picked);
        };
        if of.is_unknown() {
            return Ok(Selected { of, aggregate: false });
        }
        let mut aggregate = false;
        let mut each = |part: &Picked<'a>, of: &Typed<'_>| -> Outcome {
            aggregate |= self.select_picked(part, Some(of), needs)?.aggregate;
            Ok(())
        };
        let mismatch = || self.refuse(FaultKind::Type, picked.at, format!("this is no value of type {}", of.name()));
        match (&picked.kind, &*of.of) {
            (PickedKind::Tuple(parts), Type::Tuple(types)) if !of.reversed => {
                if parts.len() > types.len() {
                    return mismatch();
                }
                for (part, of) in parts.iter().zip(types) {
                    each(part, &nested(of))?;
                }
            }
            (PickedKind::Tuple(parts), _) => match parts.as_slice() {
                [only] => return self.select_picked(only, asked, needs),
                _ => return mismatch(),
            },
            (PickedKind::List(elements), Type::List(element)) => {
                let element = nested(element);
                for part in elements {
                    each(part, &element)?;
                }
            }
            (PickedKind::List(elements), Type::Vector(element, size)) => {
                if usize::try_from(*size).ok() != Some(elements.len()) {
                    return mismatch();
                }
                let element = nested(element);
                for part in elements {
                    each(part, &element)?;
                }
            }
            (PickedKind::Set(_), Type::Map(..)) => {}
            (PickedKind::Set(elements), Type::Set(element)) => {
                if **element == Type::Native(Native::Duration) {
                    return self.refuse(FaultKind::Type, picked.at, "a duration can't be in a set");
                }
                let element = nested(element);
                for part in elements {
                    each(part, &element)?;
                }
            }
            (PickedKind::Entries(entries), Type::User(_)) => {
                for (key, value) in entries {
                    let field = self.named_field(picked.at, key, &of)?;
                    each(value, &field)?;
                }
            }
            (PickedKind::Entries(entries), Type::Map(key_type, value_type)) => {
                let key_type = nested(key_type);
                let value_type = nested(value_type);
                for (key, value) in entries {
                    match key {
                        Key::Picked(key) => each(key, &key_type)?,
                        Key::Name(name) => {
                            self.column(name)?;
                        }
                    }
                    each(value, &value_type)?;
                }
            }
            _ => return mismatch(),
        }
        Ok(Selected { of, aggregate })
    }

    fn untyped<T>(&self, picked: &Picked<'_>) -> Outcome<T> {
        self.refuse(FaultKind::Type, picked.at, "the type of this can't be told; a type in front of it would say")
    }
}

/// The column right within which one selects, if its parts are cells of their own.
fn cells<'a>(of: &Picked<'a>, selected: &Selected) -> Option<&'a Column> {
    match of.kind {
        PickedKind::Column(column) if selected.of.is_multi_cell() => Some(column),
        _ => None,
    }
}
