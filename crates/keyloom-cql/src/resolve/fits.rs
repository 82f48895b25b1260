//! How a term fits a type, as the server asks before it looks closer, and of which type a term is by itself.

use super::context::{Context, Outcome};
use super::functions::{Argument, Call, Callee, Function};
use super::literals;
use super::typed::{Collection, Fit, Typed, nested};
use crate::Span;
use crate::ast::{Term, TermKind};
use crate::schema::Type;

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
    /// How what a function returns fits what is asked; whether it is frozen does not matter there.
    pub(super) fn fit_result(&self, function: &Function, asked: &Typed<'_>) -> Fit {
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
        if given.is_multi_cell() == asked.is_multi_cell()
            && given.reversed == asked.reversed
            && self.fit(given, asked) == Fit::Exact
        {
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
                Type::Vector(..) | Type::List(_) if asked.reversed => Ok(Fit::No),
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
            TermKind::Map(entries) if self.may_be_fields(entries, asked) => Ok(Fit::Weak),
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
                let Some(into) = self.cast_into(into)? else { return Ok(None) };
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
            TermKind::Cast(_, into) if matches!(self.cast_into(into), Ok(None)) => Some(Typed::unknown()),
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
            TermKind::Tuple(parts)
                if parts.len() == 1 && self.exact_type(&parts[0]).is_some_and(|of| of.is_unknown()) =>
            {
                Some(Typed::unknown())
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
}
