//! Whether a term can stand where a type is asked.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Call, Callee, name_of};
use super::literals;
use super::typed::{Collection, Typed, nested};
use crate::ast::{LiteralKind, Name, Native, Term, TermKind};
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
    /// Whether a hole stands for it.
    pub(super) hole: bool,
    /// Whether it is written without a single byte, though values of its type have some.
    empty: bool,
    /// Whether a tinyint without its byte is in it, at whatever depth: the server fails when it compares it.
    pub(super) incomparable: bool,
}

impl Prepared {
    const VALUE: Self =
        Self { marker: false, terminal: true, null: false, hole: false, empty: false, incomparable: false };
    const LATER: Self = Self { terminal: false, ..Self::VALUE };

    fn and(self, other: Self) -> Self {
        Self {
            marker: self.marker || other.marker,
            terminal: self.terminal && other.terminal,
            null: self.null || other.null,
            hole: self.hole || other.hole,
            empty: self.empty || other.empty,
            incomparable: self.incomparable || other.incomparable,
        }
    }

    /// What is known of a collection, tuple or user-defined type with these parts: it is there, and has bytes.
    fn whole(self) -> Self {
        Self { null: false, empty: false, ..self }
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
                let empty = literals::is_empty(literal, asked);
                let incomparable = empty && asked.is(Native::Tinyint);
                Ok(Prepared { null: literal.kind == LiteralKind::Null, empty, incomparable, ..Prepared::VALUE })
            }
            TermKind::Marker(_) => Ok(Prepared { marker: true, ..Prepared::LATER }),
            TermKind::Hole(_) => Ok(Prepared { hole: true, ..Prepared::LATER }),
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
            TermKind::Cast(inner, into) => match self.cast_into(into)? {
                Some(into) => self.prepare_call(term, Callee::Cast(into), &[&**inner], asked),
                None => Ok(Prepared::LATER),
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
                // To a vector, an element without bytes is as good as none.
                self.hold_no_null(term, Prepared { null: all.null || all.empty, ..all }, "a vector")?;
                Ok(Prepared { empty: false, ..all })
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
                self.hold_sortable(term, all, all)?;
                self.hold_collection(term, all)
            }
            // In a descending column the server does not see the map behind the order, and fails.
            Some(Collection::Map) if elements.is_empty() && !asked.reversed => Ok(Prepared::VALUE),
            _ => self.unfit(term, asked),
        }
    }

    fn prepare_map(&self, term: &Term, entries: &[(Term, Term)], asked: &Typed<'_>) -> Outcome<Prepared> {
        if asked.is_unknown() || self.may_be_fields(entries, asked) {
            return Ok(Prepared::LATER);
        }
        if asked.collection_within() != Some(Collection::Map) {
            return self.unfit(term, asked);
        }
        let (mut keys, mut all) = (Prepared::VALUE, Prepared::VALUE);
        for (key, value) in entries {
            let key = self.prepare_element(key, &asked.key())?;
            keys = keys.and(key);
            all = all.and(key).and(self.prepare_element(value, &asked.element())?);
        }
        self.hold_sortable(term, keys, all)?;
        self.hold_collection(term, all)
    }

    /// Whether what reads as a map is a user-defined type with holes for the names of its fields.
    pub(super) fn may_be_fields(&self, entries: &[(Term, Term)], asked: &Typed<'_>) -> bool {
        let fields =
            matches!(*asked.of, Type::User(_)) && entries.iter().all(|(key, _)| matches!(key.kind, TermKind::Hole(_)));
        for (key, _) in entries {
            if let (true, TermKind::Hole(name)) = (fields, &key.kind) {
                self.meet(&name.text);
            }
        }
        fields
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
        Ok(all.whole())
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
        Ok(all.whole())
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
        Ok(all.whole())
    }

    /// The server sorts the elements of a set and the keys of a map as soon as it knows all that is in them.
    fn hold_sortable(&self, term: &Term, sorted: Prepared, all: Prepared) -> Outcome {
        if sorted.incomparable && all.terminal {
            return self.refuse(FaultKind::Type, term.span, "a tinyint without its byte can't be sorted among others");
        }
        Ok(())
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
            all = all.and(self.prepare(argument, of)?.whole());
        }
        Ok(all)
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
