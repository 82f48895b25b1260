//! Of which types the parts of a selection are, and how they fit what is asked of them.

use std::borrow::Cow;

use super::FaultKind;
use super::context::{Context, Outcome};
use super::selectors::{Key, Meta, Picked, PickedKind};
use super::typed::{Collection, Fit, Typed, nested};
use crate::Span;
use crate::ast::{Native, TermKind};
use crate::schema::Type;

impl<'s> Context<'s> {
    /// The type that something selected has by itself, if it has one.
    pub(super) fn exact_picked(&self, picked: &Picked<'_>) -> Option<Typed<'static>> {
        match &picked.kind {
            PickedKind::Column(column) => Some(self.typed(column).into_owned()),
            PickedKind::Unknown => Some(Typed::unknown()),
            PickedKind::CountRows => Some(Typed::native(Native::Bigint)),
            PickedKind::Term(term) => match &term.kind {
                TermKind::Hole(_) => Some(Typed::unknown()),
                TermKind::Literal(literal) if literal.unknown => Some(Typed::unknown()),
                _ => None,
            },
            PickedKind::Meta { column, meta, .. } => Some(meta_type(*meta, self.typed(column).is_multi_cell())),
            PickedKind::Function { function, .. } => Some(function.returns.clone()),
            PickedKind::Cast(_, into) => Some(Typed::native(into.native)),
            PickedKind::Field(of, field) => {
                let of = self.exact_picked(of)?;
                if of.is_unknown() {
                    return Some(of);
                }
                if !of.is_user_type() {
                    return None;
                }
                self.field(&of, &field.text).map(Typed::into_owned)
            }
            PickedKind::Element(of, _) => {
                let of = self.exact_picked(of)?;
                if of.is_unknown() {
                    return Some(of);
                }
                of.collection().map(|_| of.element().into_owned())
            }
            PickedKind::Slice(of, ..) => {
                self.exact_picked(of).filter(|of| of.is_unknown() || of.collection().is_some())
            }
            PickedKind::Tuple(parts) if parts.len() == 1 => {
                parts.first().and_then(|part| self.exact_picked(part)).filter(Typed::is_unknown)
            }
            PickedKind::Tuple(parts) => {
                let parts: Option<Vec<Type>> =
                    parts.iter().map(|part| self.exact_picked(part).map(|of| of.of.into_owned())).collect();
                parts.map(|parts| Typed::frozen(Type::Tuple(parts)))
            }
            PickedKind::List(elements) => {
                let first = elements.iter().find_map(|element| self.exact_picked(element))?;
                Some(Typed::frozen(Type::List(Box::new(first.of.into_owned()))))
            }
            PickedKind::Set(elements) => {
                let first = elements.iter().find_map(|element| self.exact_picked(element))?;
                Some(Typed::frozen(Type::Set(Box::new(first.of.into_owned()))))
            }
            PickedKind::Entries(_) => None,
            PickedKind::Hint(hint, _) => Some(hint.clone()),
        }
    }

    /// The type that something selected would have best.
    pub(super) fn compatible_picked(&self, picked: &Picked<'_>) -> Option<Typed<'static>> {
        let common = |elements: &[Picked<'_>]| {
            self.common(elements.iter().filter_map(|element| self.compatible_picked(element)).collect())
        };
        match &picked.kind {
            PickedKind::Term(term) => self.compatible_type(term),
            PickedKind::List(elements) => {
                common(elements).map(|of| Typed::frozen(Type::List(Box::new(of.of.into_owned()))))
            }
            PickedKind::Set(elements) => {
                common(elements).map(|of| Typed::frozen(Type::Set(Box::new(of.of.into_owned()))))
            }
            PickedKind::Tuple(parts) if parts.len() > 1 => {
                let parts: Option<Vec<Type>> =
                    parts.iter().map(|part| self.compatible_picked(part).map(|of| of.of.into_owned())).collect();
                parts.map(|parts| Typed::frozen(Type::Tuple(parts)))
            }
            _ => self.exact_picked(picked),
        }
    }

    /// How something selected fits a type.
    pub(super) fn fit_picked(&self, picked: &Picked<'_>, asked: &Typed<'_>) -> Outcome<Fit> {
        if asked.is_unknown() {
            return Ok(Fit::Weak);
        }
        let all = |elements: &[Picked<'_>], of: &Typed<'_>| {
            elements.iter().try_fold(Fit::Exact, |all, element| Ok(all.and(self.fit_picked(element, of)?)))
        };
        match &picked.kind {
            PickedKind::Term(term) => self.fit_term(term, asked),
            PickedKind::Tuple(parts) => match (&*asked.of, parts.as_slice()) {
                (Type::Tuple(types), parts) if !asked.reversed || parts.len() != 1 => {
                    let fits = parts.len() <= types.len()
                        && parts
                            .iter()
                            .zip(types)
                            .all(|(part, of)| self.fit_picked(part, &nested(of)).is_ok_and(Fit::is_assignable));
                    Ok(if fits { Fit::Weak } else { Fit::No })
                }
                (_, [only]) => self.fit_picked(only, asked),
                _ => Ok(Fit::No),
            },
            PickedKind::List(elements) => match (&*asked.of, asked.reversed) {
                (Type::List(_) | Type::Vector(..), false) if elements.is_empty() => Ok(Fit::Weak),
                (Type::List(_) | Type::Vector(..), false) => all(elements, &asked.element()),
                _ => self.refuse(FaultKind::Type, picked.at, format!("a list is no value of type {}", asked.name())),
            },
            PickedKind::Set(elements) => match asked.collection() {
                Some(Collection::Set | Collection::Map) if elements.is_empty() => Ok(Fit::Weak),
                Some(Collection::Set) => all(elements, &asked.element()),
                _ => Ok(Fit::No),
            },
            PickedKind::Entries(entries) => self.fit_entries(picked.at, entries, asked),
            PickedKind::Hint(hint, _) => Ok(self.fit_hint(hint, asked)),
            _ => Ok(self.exact_picked(picked).map_or(Fit::No, |of| self.fit(&of, asked))),
        }
    }

    pub(super) fn fit_entries(&self, at: Span, entries: &[(Key<'_>, Picked<'_>)], asked: &Typed<'_>) -> Outcome<Fit> {
        if asked.is_user_type() {
            for (key, value) in entries {
                let field = self.named_field(at, key, asked)?;
                if !self.fit_picked(value, &field).is_ok_and(Fit::is_assignable) {
                    return Ok(Fit::No);
                }
            }
            return Ok(Fit::Weak);
        }
        if asked.collection_within() != Some(Collection::Map) {
            return self.refuse(FaultKind::Type, at, format!("a map is no value of type {}", asked.name()));
        }
        entries.iter().try_fold(Fit::Exact, |all, (key, value)| {
            let key = match key {
                Key::Picked(key) => self.fit_picked(key, &asked.key())?,
                Key::Name(name) => match self.column(name)? {
                    Some(column) => self.fit(&self.typed(column), &asked.key()),
                    None => Fit::Weak,
                },
            };
            Ok(all.and(key).and(self.fit_picked(value, &asked.element())?))
        })
    }

    pub(super) fn named_field(&self, at: Span, key: &Key<'_>, of: &Typed<'_>) -> Outcome<Typed<'s>> {
        if let Key::Picked(Picked { kind: PickedKind::Unknown, .. }) = key {
            return Ok(Typed::unknown());
        }
        let Key::Name(name) = key else {
            return self.refuse(FaultKind::Type, at, format!("type {} has its fields by name", of.name()));
        };
        match self.field(of, &name.text) {
            Some(field) => Ok(field),
            None if name.unknown => Ok(Typed::unknown()),
            None => self.refuse(FaultKind::Type, name.span, format!("type {} has no field {}", of.name(), name.text)),
        }
    }
}

/// The type of what can be asked about a cell, or about each cell of a column.
pub(super) fn meta_type(meta: Meta, multi_cell: bool) -> Typed<'static> {
    let native = if meta == Meta::TimeToLive { Native::Int } else { Native::Bigint };
    if multi_cell && meta != Meta::MaxWriteTime {
        return Typed::frozen(Type::List(Box::new(Type::Native(native))));
    }
    Typed { of: Cow::Owned(Type::Native(native)), frozen: false, reversed: false }
}
