//! Whether a term can stand where a type is asked.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Argument, Call, Callee, Function, name_of};
use super::literals;
use super::typed::{Collection, Fit, Typed, nested};
use crate::Span;
use crate::ast::{Name, Native, Term, TermKind};
use crate::schema::Type;

/// What is known of a term that was found to fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prepared {
    /// Whether a marker is in it, seen from outside: collections hide theirs.
    pub(super) marker: bool,
    /// Whether its value is known now.
    pub(super) terminal: bool,
    /// Whether that value is null.
    pub(super) null: bool,
}

impl Prepared {
    const VALUE: Self = Self { marker: false, terminal: true, null: false };
    const LATER: Self = Self { marker: false, terminal: false, null: false };

    fn and(self, other: Self) -> Self {
        Self {
            marker: self.marker || other.marker,
            terminal: self.terminal && other.terminal,
            null: self.null || other.null,
        }
    }
}

impl Argument for &Term {
    fn fit(&self, context: &Context<'_>, asked: &Typed<'_>) -> Outcome<Fit> {
        context.fit_term(self, asked)
    }

    fn compatible(&self, context: &Context<'_>) -> Option<Typed<'static>> {
        context.compatible_type(self)
    }

    fn is_marker(&self) -> bool {
        matches!(self.kind, TermKind::Marker(_))
    }

    fn selected_list(&self) -> Option<usize> {
        None
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Context<'_> {
    /// Checks a term that must be of a type, as a whole.
    pub(super) fn prepare(&self, term: &Term, asked: &Typed<'_>) -> Outcome<Prepared> {
        match &term.kind {
            TermKind::Literal(literal) => {
                if !literals::is_readable(literal) {
                    return self.refuse(FaultKind::Type, term.span, format!("{} is no number", literal.text));
                }
                if !literals::fit(literal, asked).is_assignable() {
                    return self.unfit(term, asked);
                }
                if !self.parses(literal, asked) {
                    return self.refuse(
                        FaultKind::Type,
                        term.span,
                        format!("'{}' is no value of type {}", literal.text, asked.name()),
                    );
                }
                Ok(Prepared { null: literal.kind == crate::ast::LiteralKind::Null, ..Prepared::VALUE })
            }
            TermKind::Marker(_) => Ok(Prepared { marker: true, ..Prepared::LATER }),
            TermKind::Hole(_) => Ok(Prepared::LATER),
            TermKind::List(elements) => self.prepare_list(term, elements, asked),
            TermKind::Set(elements) => self.prepare_set(term, elements, asked),
            TermKind::Map(entries) => self.prepare_map(term, entries, asked),
            TermKind::Udt(fields) => self.prepare_fields(term, fields, asked),
            TermKind::Tuple(parts) => self.prepare_tuple(term, parts, asked),
            TermKind::Hint(hint, inner) => {
                let hint = self.written_type(hint)?;
                if !self.fit_term(inner, &hint)?.is_assignable() {
                    return self.unfit(inner, &hint);
                }
                if !self.fit_hint(&hint, asked).is_assignable() {
                    return self.unfit(term, asked);
                }
                self.prepare(inner, asked)
            }
            TermKind::Call(name, arguments) => {
                self.prepare_call(term, Callee::Named(name), &arguments.iter().collect::<Vec<_>>(), asked)
            }
            TermKind::Arithmetic(operator, left, right) => {
                self.prepare_call(term, Callee::Operator(*operator), &[&**left, &**right], asked)
            }
            TermKind::Negative(inner) => self.prepare_call(term, Callee::Minus, &[&**inner], asked),
            TermKind::Cast(inner, into) => match self.cast_into(into) {
                Ok(into) => self.prepare_call(term, Callee::Cast(into), &[&**inner], asked),
                Err(refusal) => Err(refusal),
            },
        }
    }

    fn prepare_list(&self, term: &Term, elements: &[Term], asked: &Typed<'_>) -> Outcome<Prepared> {
        match &*asked.of {
            _ if asked.is_unknown() => Ok(Prepared::LATER),
            Type::Vector(_, size) => {
                if usize::try_from(*size).ok() != Some(elements.len()) {
                    return self.refuse(
                        FaultKind::Type,
                        term.span,
                        format!("a value of type {} has {size} elements, not {}", asked.name(), elements.len()),
                    );
                }
                let all = self.prepare_elements(elements, &asked.element())?;
                self.hold_no_null(term, all, "a vector")?;
                Ok(all)
            }
            Type::List(_) => {
                let all = self.prepare_elements(elements, &asked.element())?;
                self.hold_collection(term, all)
            }
            _ => self.unfit(term, asked),
        }
    }

    fn prepare_set(&self, term: &Term, elements: &[Term], asked: &Typed<'_>) -> Outcome<Prepared> {
        match asked.collection_within() {
            _ if asked.is_unknown() => Ok(Prepared::LATER),
            Some(Collection::Set) => {
                let all = self.prepare_elements(elements, &asked.element())?;
                self.hold_collection(term, all)
            }
            // In a descending column the server does not see the map behind the order, and fails.
            Some(Collection::Map) if elements.is_empty() && !asked.reversed => Ok(Prepared::VALUE),
            _ => self.unfit(term, asked),
        }
    }

    fn prepare_map(&self, term: &Term, entries: &[(Term, Term)], asked: &Typed<'_>) -> Outcome<Prepared> {
        if asked.is_unknown() {
            return Ok(Prepared::LATER);
        }
        if asked.collection_within() != Some(Collection::Map) {
            return self.unfit(term, asked);
        }
        let mut all = Prepared::VALUE;
        for (key, value) in entries {
            all = all.and(self.prepare_element(key, &asked.key())?);
            all = all.and(self.prepare_element(value, &asked.element())?);
        }
        self.hold_collection(term, all)
    }

    fn prepare_fields(&self, term: &Term, fields: &[(Name, Term)], asked: &Typed<'_>) -> Outcome<Prepared> {
        if asked.is_unknown() {
            return Ok(Prepared::LATER);
        }
        let Type::User(user) = &*asked.of else { return self.unfit(term, asked) };
        let mut all = Prepared::VALUE;
        for (name, value) in fields {
            if name.unknown {
                continue;
            }
            let Some(field) = self.field(asked, &name.text) else {
                return self.refuse(FaultKind::Type, name.span, format!("type {user} has no field {}", name.text));
            };
            all = all.and(self.prepare_element(value, &field)?);
        }
        Ok(Prepared { null: false, ..all })
    }

    fn prepare_tuple(&self, term: &Term, parts: &[Term], asked: &Typed<'_>) -> Outcome<Prepared> {
        let types: Vec<&Type> = match &*asked.of {
            _ if asked.is_unknown() => return Ok(Prepared::LATER),
            Type::Tuple(types) => types.iter().collect(),
            // A user-defined type is a tuple to the server.
            Type::User(name) => match self.user_type(name) {
                Some(user) => user.fields.iter().map(|(_, of)| of).collect(),
                None => return Ok(Prepared::LATER),
            },
            _ => {
                return match parts {
                    [only] => self.prepare(only, asked),
                    _ => self.unfit(term, asked),
                };
            }
        };
        if parts.len() > types.len() {
            return self.refuse(
                FaultKind::Type,
                term.span,
                format!("a value of type {} has {} parts, not {}", asked.name(), types.len(), parts.len()),
            );
        }
        let mut all = Prepared::VALUE;
        for (part, of) in parts.iter().zip(types) {
            all = all.and(self.prepare_element(part, &nested(of))?);
        }
        Ok(Prepared { null: false, ..all })
    }

    fn prepare_elements(&self, elements: &[Term], of: &Typed<'_>) -> Outcome<Prepared> {
        elements.iter().try_fold(Prepared::VALUE, |all, element| Ok(all.and(self.prepare_element(element, of)?)))
    }

    fn prepare_element(&self, element: &Term, of: &Typed<'_>) -> Outcome<Prepared> {
        if !self.fit_term(element, of)?.is_assignable() {
            return self.unfit(element, of);
        }
        self.prepare(element, of)
    }

    /// What the server asks of a list, set or map: no markers in it, no nulls.
    fn hold_collection(&self, term: &Term, all: Prepared) -> Outcome<Prepared> {
        if all.marker {
            return self.refuse(FaultKind::Type, term.span, "a collection that is written out can't hold markers");
        }
        self.hold_no_null(term, all, "a collection")?;
        Ok(Prepared { null: false, ..all })
    }

    fn hold_no_null(&self, term: &Term, all: Prepared, within: &str) -> Outcome {
        if all.null && all.terminal {
            return self.refuse(FaultKind::Type, term.span, format!("{within} can't hold null"));
        }
        Ok(())
    }

    fn prepare_call(
        &self,
        term: &Term,
        callee: Callee<'_>,
        arguments: &[&Term],
        asked: &Typed<'_>,
    ) -> Outcome<Prepared> {
        let call = Call { callee, arguments, at: term.span, in_table: true };
        let Some(function) = self.find(&call, Some(asked))? else {
            return self.refuse(FaultKind::UnknownName, term.span, format!("there is no function {}", name_of(callee)));
        };
        if function.aggregate {
            return self.refuse(FaultKind::Other, term.span, "an aggregate can only be selected");
        }
        if !self.fit_result(&function, asked).is_assignable() {
            return self.refuse(
                FaultKind::Type,
                term.span,
                format!("{} returns {}, but {} is asked", name_of(callee), function.returns.name(), asked.name()),
            );
        }
        let mut all = Prepared::LATER;
        for (argument, of) in arguments.iter().zip(&function.arguments) {
            all = all.and(Prepared { null: false, ..self.prepare(argument, of)? });
        }
        Ok(all)
    }

    /// How what a function returns fits what is asked; whether it is frozen does not matter there.
    fn fit_result(&self, function: &Function, asked: &Typed<'_>) -> Fit {
        let mut returns = function.returns.clone();
        if asked.frozen {
            returns.frozen = true;
        }
        self.fit_hint(&returns, asked)
    }

    /// How a type that is written, or that a function returns, fits what is asked.
    pub(super) fn fit_hint(&self, given: &Typed<'_>, asked: &Typed<'_>) -> Fit {
        if given.is_unknown() || asked.is_unknown() {
            return Fit::Weak;
        }
        if given.frozen == asked.frozen && given.reversed == asked.reversed && self.fit(given, asked) == Fit::Exact {
            return Fit::Exact;
        }
        if self.reads(asked, given) { Fit::Weak } else { Fit::No }
    }

    /// How a term fits a type, as the server asks before it looks closer.
    pub(super) fn fit_term(&self, term: &Term, asked: &Typed<'_>) -> Outcome<Fit> {
        if asked.is_unknown() {
            return Ok(Fit::Weak);
        }
        match &term.kind {
            TermKind::Literal(literal) => Ok(literals::fit(literal, asked)),
            TermKind::Marker(_) | TermKind::Hole(_) => Ok(Fit::Weak),
            TermKind::List(elements) => match &*asked.of {
                Type::Vector(_, size) if usize::try_from(*size).ok() != Some(elements.len()) => Ok(Fit::No),
                Type::Vector(..) => self.fit_all(elements, &asked.element()),
                Type::List(_) if elements.is_empty() => Ok(Fit::Weak),
                Type::List(_) => self.fit_all(elements, &asked.element()),
                _ => self.unfit(term, asked),
            },
            TermKind::Set(elements) => match asked.collection() {
                Some(Collection::Map | Collection::Set) if elements.is_empty() => Ok(Fit::Weak),
                Some(Collection::Set) => self.fit_all(elements, &asked.element()),
                _ => Ok(Fit::No),
            },
            TermKind::Map(entries) => {
                if asked.collection_within() != Some(Collection::Map) {
                    return self.unfit(term, asked);
                }
                entries.iter().try_fold(Fit::Exact, |all, (key, value)| {
                    Ok(all.and(self.fit_term(key, &asked.key())?).and(self.fit_term(value, &asked.element())?))
                })
            }
            TermKind::Udt(fields) => {
                if !asked.is_user_type() {
                    return Ok(Fit::No);
                }
                for (name, value) in fields {
                    if let Some(field) = self.field(asked, &name.text)
                        && !self.fit_term(value, &field).is_ok_and(Fit::is_assignable)
                    {
                        return Ok(Fit::No);
                    }
                }
                Ok(Fit::Weak)
            }
            TermKind::Tuple(parts) => self.fit_tuple(parts, asked),
            TermKind::Hint(hint, _) => Ok(self.fit_hint(&self.written_type(hint)?, asked)),
            TermKind::Call(..) | TermKind::Arithmetic(..) | TermKind::Negative(_) | TermKind::Cast(..) => {
                Ok(self.fit_call(term, asked))
            }
        }
    }

    fn fit_tuple(&self, parts: &[Term], asked: &Typed<'_>) -> Outcome<Fit> {
        let types: Vec<&Type> = match &*asked.of {
            Type::Tuple(types) => types.iter().collect(),
            Type::User(name) => match self.user_type(name) {
                Some(user) => user.fields.iter().map(|(_, of)| of).collect(),
                None => return Ok(Fit::Weak),
            },
            _ => {
                return match parts {
                    [only] => self.fit_term(only, asked),
                    _ => Ok(Fit::No),
                };
            }
        };
        let fits = parts.len() <= types.len()
            && parts.iter().zip(types).all(|(part, of)| self.fit_term(part, &nested(of)).is_ok_and(Fit::is_assignable));
        Ok(if fits { Fit::Weak } else { Fit::No })
    }

    fn fit_all(&self, elements: &[Term], of: &Typed<'_>) -> Outcome<Fit> {
        elements.iter().try_fold(Fit::Exact, |all, element| Ok(all.and(self.fit_term(element, of)?)))
    }

    /// How the result of a call fits. Calls within calls would be looked up again for every variant of the outer one, so
    /// what was found for a native type is kept.
    fn fit_call(&self, term: &Term, asked: &Typed<'_>) -> Fit {
        let key = asked.as_native().filter(|_| !asked.reversed).map(|native| (std::ptr::from_ref(term).addr(), native));
        if let Some(fit) = key.and_then(|key| self.fits.borrow().get(&key).copied()) {
            return fit;
        }
        let fit = match self.call_of(term, Some(asked)) {
            Ok(Some(function)) if function.made => Fit::Weak,
            Ok(Some(function)) => self.fit_hint(&function.returns, asked),
            // What can't be found is refused when the call itself is looked at.
            Ok(None) | Err(_) => Fit::Weak,
        };
        if let Some(key) = key {
            self.fits.borrow_mut().insert(key, fit);
        }
        fit
    }

    fn call_of(&self, term: &Term, asked: Option<&Typed<'_>>) -> Outcome<Option<Function>> {
        let at = term.span;
        let in_table = asked.is_some();
        match &term.kind {
            TermKind::Call(name, arguments) => {
                let arguments: Vec<&Term> = arguments.iter().collect();
                self.find(&Call { callee: Callee::Named(name), arguments: &arguments, at, in_table }, asked)
            }
            TermKind::Arithmetic(operator, left, right) => {
                let operands = [&**left, &**right];
                self.find(&Call { callee: Callee::Operator(*operator), arguments: &operands, at, in_table }, asked)
            }
            TermKind::Negative(inner) => {
                self.find(&Call { callee: Callee::Minus, arguments: &[&**inner], at, in_table }, asked)
            }
            TermKind::Cast(inner, into) => {
                let into = self.cast_into(into)?;
                self.find(&Call { callee: Callee::Cast(into), arguments: &[&**inner], at, in_table }, asked)
            }
            _ => Ok(None),
        }
    }

    /// The type that a term has by itself, if it has one.
    fn exact_type(&self, term: &Term) -> Option<Typed<'static>> {
        match &term.kind {
            TermKind::Hole(_) => Some(Typed::unknown()),
            TermKind::Literal(literal) if literal.unknown => Some(Typed::unknown()),
            TermKind::Hint(hint, _) => self.written_type(hint).ok(),
            TermKind::Call(..) | TermKind::Arithmetic(..) | TermKind::Negative(_) | TermKind::Cast(..) => {
                let key = std::ptr::from_ref(term).addr();
                if let Some(of) = self.types.borrow().get(&key) {
                    return of.clone();
                }
                let of = self.call_of(term, None).ok().flatten().map(|function| function.returns);
                self.types.borrow_mut().insert(key, of.clone());
                of
            }
            TermKind::Set(elements) => {
                let first = elements.iter().find_map(|element| self.exact_type(element))?;
                Some(Typed::frozen(Type::Set(Box::new(first.of.into_owned()))))
            }
            TermKind::Map(entries) => {
                let key = entries.iter().find_map(|(key, _)| self.exact_type(key))?;
                let value = entries.iter().find_map(|(_, value)| self.exact_type(value))?;
                Some(Typed::frozen(Type::Map(Box::new(key.of.into_owned()), Box::new(value.of.into_owned()))))
            }
            TermKind::Tuple(parts) => {
                let parts: Option<Vec<Type>> =
                    parts.iter().map(|part| self.exact_type(part).map(|of| of.of.into_owned())).collect();
                parts.map(|parts| Typed::frozen(Type::Tuple(parts)))
            }
            _ => None,
        }
    }

    /// The type that a term would have best.
    pub(super) fn compatible_type(&self, term: &Term) -> Option<Typed<'static>> {
        match &term.kind {
            TermKind::Literal(literal) if !literal.unknown => literals::preferred(literal).map(Typed::native),
            TermKind::Set(elements) => {
                let of = self.common(elements.iter().filter_map(|element| self.compatible_type(element)).collect())?;
                Some(Typed::frozen(Type::Set(Box::new(of.of.into_owned()))))
            }
            TermKind::Map(entries) => {
                let key = self.common(entries.iter().filter_map(|(key, _)| self.compatible_type(key)).collect())?;
                let value =
                    self.common(entries.iter().filter_map(|(_, value)| self.compatible_type(value)).collect())?;
                Some(Typed::frozen(Type::Map(Box::new(key.of.into_owned()), Box::new(value.of.into_owned()))))
            }
            _ => self.exact_type(term),
        }
    }

    /// The type among several into which all others fit.
    pub(super) fn common(&self, mut types: Vec<Typed<'static>>) -> Option<Typed<'static>> {
        types.dedup_by(|one, other| one.of == other.of);
        let index = types.iter().position(|of| types.iter().all(|other| self.fit(other, of).is_assignable()))?;
        Some(types.swap_remove(index))
    }

    /// Refuses a value for its type.
    pub(super) fn unfit<T>(&self, term: &Term, asked: &Typed<'_>) -> Outcome<T> {
        self.refuse(FaultKind::Type, term.span, format!("this is no value of type {}", asked.name()))
    }

    /// A number of rows, seconds or microseconds.
    pub(super) fn prepare_number(&self, term: &Term, native: Native) -> Outcome {
        self.prepare(term, &Typed::native(native)).map(|_| ())
    }
}
