//! What a SELECT answers: which columns it needs, of which types its parts are, and whether it aggregates.

use std::borrow::Cow;

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Argument, Call, Callee, Function, name_of};
use super::hints::Target;
use super::terms::Prepared;
use super::typed::{Collection, Fit, Typed};
use crate::Span;
use crate::ast::{LiteralKind, Name, Native, QualifiedName, Selector, SelectorKind, Term, TermKind};
use crate::schema::{Column, ColumnKind, Type};

/// Something selected, with its names looked up.
pub(super) struct Picked<'a> {
    pub(super) kind: PickedKind<'a>,
    pub(super) at: Span,
}

pub(super) enum PickedKind<'a> {
    Column(&'a Column),
    /// Nobody knows what stands here.
    Unknown,
    Term(&'a Term),
    /// `COUNT(*)`, or of any constant.
    CountRows,
    Meta {
        column: &'a Column,
        of: Box<Picked<'a>>,
        meta: Meta,
    },
    Function {
        callee: Callee<'a>,
        function: Function,
        arguments: Vec<Picked<'a>>,
    },
    Cast(Box<Picked<'a>>, Target),
    Field(Box<Picked<'a>>, &'a Name),
    Element(Box<Picked<'a>>, &'a Term),
    Slice(Box<Picked<'a>>, Option<&'a Term>, Option<&'a Term>),
    Tuple(Vec<Picked<'a>>),
    List(Vec<Picked<'a>>),
    Set(Vec<Picked<'a>>),
    /// `{a: b}`, which is a map or a user-defined type by what is asked; keys that are names may be columns or fields.
    Entries(Vec<(Key<'a>, Picked<'a>)>),
    Hint(Typed<'static>, Box<Picked<'a>>),
}

/// What stands before the colon.
pub(super) enum Key<'a> {
    Name(&'a Name),
    Picked(Picked<'a>),
}

/// What can be asked about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meta {
    WriteTime,
    MaxWriteTime,
    TimeToLive,
}

/// What a selection needs to be read.
#[derive(Default)]
pub(super) struct Needs<'a> {
    /// The columns, as they were met.
    pub(super) columns: Vec<&'a Column>,
    /// Whether a part of a collection is needed that only a value to come will tell.
    open: bool,
    /// Whether the server would fail to tell which part is needed, when it tries to before it is asked.
    fails: bool,
}

impl<'a> Needs<'a> {
    fn column(&mut self, column: &'a Column) {
        if !self.columns.iter().any(|known| known.name == column.name) {
            self.columns.push(column);
        }
    }

    /// A key by which one selects within a collection whose parts are cells of their own.
    fn key(&mut self, key: Prepared) {
        self.open |= !key.terminal;
        self.fails |= key.terminal && key.null;
    }

    /// Whether the server fails: it only tries when it thinks that no part is open.
    pub(super) fn fail(&self) -> bool {
        self.fails && !self.open
    }
}

/// What a selector turned out to be.
pub(super) struct Selected {
    /// Its type.
    pub(super) of: Typed<'static>,
    /// Whether it takes many rows to one value.
    pub(super) aggregate: bool,
}

impl Argument for Picked<'_> {
    fn fit(&self, context: &Context<'_>, asked: &Typed<'_>) -> Outcome<Fit> {
        context.fit_picked(self, asked)
    }

    fn compatible(&self, context: &Context<'_>) -> Option<Typed<'static>> {
        context.compatible_picked(self)
    }

    fn is_marker(&self) -> bool {
        // The server only looks for markers among terms, and a selected one is wrapped.
        false
    }

    fn selected_list(&self) -> Option<usize> {
        match &self.kind {
            PickedKind::List(elements) => Some(elements.len()),
            _ => None,
        }
    }

    fn span(&self) -> Span {
        self.at
    }
}

impl<'s> Context<'s> {
    /// Looks up the names of a selector.
    pub(super) fn pick<'a>(&self, selector: &'a Selector) -> Outcome<Picked<'a>>
    where
        's: 'a,
    {
        let all = |selectors: &'a [Selector]| -> Outcome<Vec<Picked<'a>>> {
            selectors.iter().map(|selector| self.pick(selector)).collect()
        };
        let boxed = |selector: &'a Selector| self.pick(selector).map(Box::new);
        let kind = match &selector.kind {
            SelectorKind::Column(name) => self.column(name)?.map_or(PickedKind::Unknown, PickedKind::Column),
            SelectorKind::Hole(name) => {
                self.meet(&name.text);
                PickedKind::Unknown
            }
            SelectorKind::CountRows => PickedKind::CountRows,
            SelectorKind::Call(name, arguments) => return self.pick_call(selector, name, arguments),
            SelectorKind::Cast(of, into) => PickedKind::Cast(boxed(of)?, self.cast_into(into)?),
            SelectorKind::Field(of, field) => PickedKind::Field(boxed(of)?, field),
            SelectorKind::Element(of, key) => PickedKind::Element(boxed(of)?, key),
            SelectorKind::Slice(of, from, to) => PickedKind::Slice(boxed(of)?, from.as_ref(), to.as_ref()),
            SelectorKind::Term(term) => PickedKind::Term(term),
            SelectorKind::Arithmetic(operator, left, right) => {
                let arguments = vec![self.pick(left)?, self.pick(right)?];
                return self.pick_function(selector.span, Callee::Operator(*operator), arguments);
            }
            SelectorKind::Negative(of) => {
                return self.pick_function(selector.span, Callee::Minus, vec![self.pick(of)?]);
            }
            SelectorKind::List(elements) => PickedKind::List(all(elements)?),
            SelectorKind::Set(elements) => PickedKind::Set(all(elements)?),
            SelectorKind::Tuple(parts) => PickedKind::Tuple(all(parts)?),
            SelectorKind::Map(entries) => {
                let mut picked = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = match &key.kind {
                        SelectorKind::Column(name) => Key::Name(name),
                        _ => Key::Picked(self.pick(key)?),
                    };
                    picked.push((key, self.pick(value)?));
                }
                PickedKind::Entries(picked)
            }
            SelectorKind::Udt(fields) => {
                let mut picked = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    picked.push((Key::Name(name), self.pick(value)?));
                }
                PickedKind::Entries(picked)
            }
            SelectorKind::Hint(hint, of) => {
                let of = boxed(of)?;
                let mut hint = self.written_type(hint)?;
                hint.frozen = true;
                PickedKind::Hint(hint, of)
            }
        };
        Ok(Picked { kind, at: selector.span })
    }

    fn pick_call<'a>(
        &self,
        selector: &'a Selector,
        name: &'a QualifiedName,
        arguments: &'a [Selector],
    ) -> Outcome<Picked<'a>>
    where
        's: 'a,
    {
        if name.keyspace.is_none() {
            let meta = match name.name.text.as_str() {
                "writetime" => Some(Meta::WriteTime),
                "maxwritetime" => Some(Meta::MaxWriteTime),
                "ttl" => Some(Meta::TimeToLive),
                _ => None,
            };
            if let Some(meta) = meta {
                return self.pick_meta(selector, meta, arguments);
            }
            if name.name.text == "count"
                && let [Selector { kind: SelectorKind::Term(term), .. }] = arguments
                && let TermKind::Literal(literal) = &term.kind
                && literal.kind != LiteralKind::Null
            {
                return Ok(Picked { kind: PickedKind::CountRows, at: selector.span });
            }
        }
        let arguments: Outcome<Vec<Picked<'a>>> = arguments.iter().map(|argument| self.pick(argument)).collect();
        self.pick_function(selector.span, Callee::Named(name), arguments?)
    }

    fn pick_meta<'a>(&self, selector: &'a Selector, meta: Meta, arguments: &'a [Selector]) -> Outcome<Picked<'a>>
    where
        's: 'a,
    {
        let [argument] = arguments else {
            return self.refuse(FaultKind::Other, selector.span, "one column is asked here");
        };
        let mut base = argument;
        let name = loop {
            match &base.kind {
                SelectorKind::Field(of, _) | SelectorKind::Element(of, _) | SelectorKind::Slice(of, ..) => base = of,
                SelectorKind::Column(name) | SelectorKind::Hole(name) => break name,
                _ => return self.refuse(FaultKind::Other, argument.span, "a column is asked here"),
            }
        };
        let of = Box::new(self.pick(argument)?);
        let kind = match self.column(name)? {
            Some(column) => PickedKind::Meta { column, of, meta },
            None => PickedKind::Unknown,
        };
        Ok(Picked { kind, at: selector.span })
    }

    fn pick_function<'a>(&self, at: Span, callee: Callee<'a>, arguments: Vec<Picked<'a>>) -> Outcome<Picked<'a>> {
        let call = Call { callee, arguments: &arguments, at, in_table: true };
        let Some(function) = self.find(&call, None)? else {
            return self.refuse(FaultKind::UnknownName, at, format!("there is no function {}", name_of(callee)));
        };
        Ok(Picked { kind: PickedKind::Function { callee, function, arguments }, at })
    }

    /// The type that something selected has by itself, if it has one.
    fn exact_picked(&self, picked: &Picked<'_>) -> Option<Typed<'static>> {
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
            PickedKind::Tuple(parts) if parts.len() == 1 => None,
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
    fn compatible_picked(&self, picked: &Picked<'_>) -> Option<Typed<'static>> {
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
    fn fit_picked(&self, picked: &Picked<'_>, asked: &Typed<'_>) -> Outcome<Fit> {
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
                        && parts.iter().zip(types).all(|(part, of)| {
                            self.fit_picked(part, &super::typed::nested(of)).is_ok_and(Fit::is_assignable)
                        });
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

    fn fit_entries(&self, at: Span, entries: &[(Key<'_>, Picked<'_>)], asked: &Typed<'_>) -> Outcome<Fit> {
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

    fn named_field(&self, at: Span, key: &Key<'_>, of: &Typed<'_>) -> Outcome<Typed<'s>> {
        let Key::Name(name) = key else {
            return self.refuse(FaultKind::Type, at, format!("type {} has its fields by name", of.name()));
        };
        match self.field(of, &name.text) {
            Some(field) => Ok(field),
            None if name.unknown => Ok(Typed::unknown()),
            None => self.refuse(FaultKind::Type, name.span, format!("type {} has no field {}", of.name(), name.text)),
        }
    }

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
                    let message =
                        format!("{} can't be cast to {}", inner.of.name(), super::typed::native_name(into.native));
                    return self.refuse(FaultKind::Type, picked.at, message);
                }
                Ok(Selected { of: Typed::native(into.native), ..inner })
            }
            PickedKind::Field(of, field) => self.select_field(of, field, needs),
            PickedKind::Element(of, key) => {
                let inner = self.select_picked(of, None, needs)?;
                let keys = self.keys_within(picked.at, &inner.of)?;
                let key = self.prepare(key, &keys)?;
                if is_cells(of, &inner) {
                    needs.key(key);
                }
                let of = if inner.of.is_unknown() { Typed::unknown() } else { inner.of.element().into_owned() };
                Ok(Selected { of, ..inner })
            }
            PickedKind::Slice(of, from, to) => {
                let inner = self.select_picked(of, asked, needs)?;
                let keys = self.keys_within(picked.at, &inner.of)?;
                for bound in [from, to].into_iter().flatten() {
                    let bound = self.prepare(bound, &keys)?;
                    if is_cells(of, &inner) {
                        needs.key(bound);
                    }
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

    fn select_field<'a>(&self, of: &Picked<'a>, field: &Name, needs: &mut Needs<'a>) -> Outcome<Selected> {
        let within = match &of.kind {
            PickedKind::Tuple(parts) => parts.first().and_then(|part| self.exact_picked(part)),
            _ => None,
        };
        let inner = self.select_picked(of, within.as_ref(), needs)?;
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
                    each(part, &super::typed::nested(of))?;
                }
            }
            (PickedKind::Tuple(parts), _) => match parts.as_slice() {
                [only] => return self.select_picked(only, asked, needs),
                _ => return mismatch(),
            },
            (PickedKind::List(elements), Type::List(element)) => {
                let element = super::typed::nested(element);
                for part in elements {
                    each(part, &element)?;
                }
            }
            (PickedKind::List(elements), Type::Vector(element, size)) => {
                if usize::try_from(*size).ok() != Some(elements.len()) {
                    return mismatch();
                }
                let element = super::typed::nested(element);
                for part in elements {
                    each(part, &element)?;
                }
            }
            (PickedKind::Set(_), Type::Map(..)) => {}
            (PickedKind::Set(elements), Type::Set(element)) => {
                if **element == Type::Native(Native::Duration) {
                    return self.refuse(FaultKind::Type, picked.at, "a duration can't be in a set");
                }
                let element = super::typed::nested(element);
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
                let key_type = super::typed::nested(key_type);
                let value_type = super::typed::nested(value_type);
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

/// Whether something selected names a column for which the question holds. The server asks so before it knows more.
pub(super) fn names_column(picked: &Picked<'_>, asks: &dyn Fn(&Column) -> bool) -> bool {
    let any = |picked: &[Picked<'_>]| picked.iter().any(|picked| names_column(picked, asks));
    match &picked.kind {
        PickedKind::Column(column) => asks(column),
        PickedKind::Unknown | PickedKind::Term(_) | PickedKind::CountRows => false,
        PickedKind::Meta { of, .. }
        | PickedKind::Cast(of, _)
        | PickedKind::Field(of, _)
        | PickedKind::Element(of, _)
        | PickedKind::Slice(of, ..)
        | PickedKind::Hint(_, of) => names_column(of, asks),
        PickedKind::Function { arguments, .. } => any(arguments),
        PickedKind::Tuple(parts) | PickedKind::List(parts) | PickedKind::Set(parts) => any(parts),
        // The server's own slip: it takes an entry whose value names no such column for one that does.
        PickedKind::Entries(entries) => entries.iter().any(|(key, value)| {
            matches!(key, Key::Picked(key) if names_column(key, asks)) || !names_column(value, asks)
        }),
    }
}

/// Whether one selects right within a column whose parts are cells of their own.
fn is_cells(of: &Picked<'_>, selected: &Selected) -> bool {
    matches!(of.kind, PickedKind::Column(_)) && selected.of.is_multi_cell()
}

fn meta_type(meta: Meta, multi_cell: bool) -> Typed<'static> {
    let native = if meta == Meta::TimeToLive { Native::Int } else { Native::Bigint };
    if multi_cell && meta != Meta::MaxWriteTime {
        return Typed::frozen(Type::List(Box::new(Type::Native(native))));
    }
    Typed { of: Cow::Owned(Type::Native(native)), frozen: false, reversed: false }
}
