//! What a SELECT answers, with its names looked up.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::functions::{Argument, Call, Callee, Function, name_of};
use super::hints::Target;
use super::typed::{Fit, Typed};
use crate::Span;
use crate::ast::{LiteralKind, Name, QualifiedName, Selector, SelectorKind, Term, TermKind};
use crate::schema::Column;

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
            SelectorKind::Cast(of, into) => {
                let of = boxed(of)?;
                self.cast_into(into)?.map_or(PickedKind::Unknown, |into| PickedKind::Cast(of, into))
            }
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
