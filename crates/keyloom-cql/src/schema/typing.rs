//! Types as they are written to types with their names looked up.

use super::fault::{Applied, SchemaFaultKind, fault};
use super::{Schema, Type};
use crate::ast::{CqlType, Native, TypeKind};

/// Looks a type up for a table or type of the keyspace. On a fault, what could not be looked up is unknown, and the first
/// fault is kept.
pub(super) struct Typing<'a> {
    pub schema: &'a Schema,
    pub keyspace: &'a str,
    /// The first fault, if there is one.
    pub outcome: Applied,
}

impl<'a> Typing<'a> {
    pub fn new(schema: &'a Schema, keyspace: &'a str) -> Self {
        Self { schema, keyspace, outcome: Ok(()) }
    }

    fn note(&mut self, kind: SchemaFaultKind, of: &CqlType, message: String) {
        if self.outcome.is_ok() {
            self.outcome = fault(kind, of.span, message);
        }
    }

    /// The type of a column or field.
    pub fn resolve(&mut self, of: &CqlType) -> Type {
        match &of.kind {
            TypeKind::Native(native) => Type::Native(*native),
            TypeKind::Custom(class) => Type::Custom(class.clone()),
            TypeKind::List(element) => Type::List(Box::new(self.element(element, "collection"))),
            TypeKind::Set(element) => {
                if element.kind == TypeKind::Native(Native::Duration) {
                    self.note(
                        SchemaFaultKind::Type,
                        element,
                        "a set can't hold durations: they have no order".to_owned(),
                    );
                }
                Type::Set(Box::new(self.element(element, "collection")))
            }
            TypeKind::Map(key, value) => {
                if key.kind == TypeKind::Native(Native::Duration) {
                    self.note(
                        SchemaFaultKind::Type,
                        key,
                        "the keys of a map can't be durations: they have no order".to_owned(),
                    );
                }
                let key = self.element(key, "collection");
                Type::Map(Box::new(key), Box::new(self.element(value, "collection")))
            }
            TypeKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.frozen_part(part, "tuple")).collect()),
            TypeKind::Vector(element, length) => {
                if *length == 0 && !self.is_hole(element) {
                    self.note(SchemaFaultKind::Type, of, "a vector has at least one element".to_owned());
                }
                Type::Vector(Box::new(self.frozen_part(element, "vector")), *length)
            }
            TypeKind::Frozen(inner) => {
                let freezes = !matches!(inner.kind, TypeKind::Native(_) | TypeKind::Custom(_));
                if !freezes {
                    self.note(
                        SchemaFaultKind::Type,
                        of,
                        "only collections, tuples and user-defined types can be frozen".to_owned(),
                    );
                }
                self.frozen(inner)
            }
            TypeKind::Named(name) => {
                let unknown = name.name.unknown || name.keyspace.as_ref().is_some_and(|keyspace| keyspace.unknown);
                if unknown {
                    return Type::Unknown(name.name.text.clone());
                }
                if let Some(keyspace) = &name.keyspace
                    && keyspace.text != self.keyspace
                    && !self.keyspace.is_empty()
                {
                    let message =
                        format!("a type of keyspace {} can't be used in keyspace {}", keyspace.text, self.keyspace);
                    self.note(SchemaFaultKind::Type, of, message);
                    return Type::Unknown(name.name.text.clone());
                }
                if self.schema.user_type(self.keyspace, &name.name.text).is_none() {
                    self.note(SchemaFaultKind::UnknownType, of, format!("there is no type {}", name.name.text));
                    return Type::Unknown(name.name.text.clone());
                }
                Type::User(name.name.text.clone())
            }
        }
    }

    fn is_hole(&self, of: &CqlType) -> bool {
        matches!(&of.kind, TypeKind::Named(name) if name.name.unknown)
    }

    /// What stands within a collection that is not frozen: nothing that would have to be frozen itself.
    fn element(&mut self, of: &CqlType, within: &str) -> Type {
        match &of.kind {
            TypeKind::Native(Native::Counter) => {
                self.note(SchemaFaultKind::Type, of, format!("a {within} can't hold counters"));
            }
            TypeKind::List(_) | TypeKind::Set(_) | TypeKind::Map(..) => {
                let message = "a collection within another has to be frozen".to_owned();
                self.note(SchemaFaultKind::Type, of, message);
            }
            TypeKind::Named(name) if !name.name.unknown => {
                let resolved = self.resolve(of);
                if matches!(resolved, Type::User(_)) {
                    let message = format!("the type {} within a collection has to be frozen", name.name.text);
                    self.note(SchemaFaultKind::Type, of, message);
                }
                return resolved;
            }
            _ => {}
        }
        self.resolve(of)
    }

    /// What stands within a tuple or vector, which freeze what they hold.
    fn frozen_part(&mut self, of: &CqlType, within: &str) -> Type {
        if of.kind == TypeKind::Native(Native::Counter) && within == "tuple" {
            self.note(SchemaFaultKind::Type, of, format!("a {within} can't hold counters"));
        }
        self.frozen(of)
    }

    /// The type with all within it frozen.
    fn frozen(&mut self, of: &CqlType) -> Type {
        let counter = |typing: &mut Self, element: &CqlType| {
            if element.kind == TypeKind::Native(Native::Counter) {
                typing.note(SchemaFaultKind::Type, element, "a collection can't hold counters".to_owned());
            }
        };
        match &of.kind {
            TypeKind::List(element) => {
                counter(self, element);
                Type::Frozen(Box::new(Type::List(Box::new(self.frozen(element)))))
            }
            TypeKind::Set(element) => {
                counter(self, element);
                if element.kind == TypeKind::Native(Native::Duration) {
                    self.note(
                        SchemaFaultKind::Type,
                        element,
                        "a set can't hold durations: they have no order".to_owned(),
                    );
                }
                Type::Frozen(Box::new(Type::Set(Box::new(self.frozen(element)))))
            }
            TypeKind::Map(key, value) => {
                counter(self, key);
                counter(self, value);
                if key.kind == TypeKind::Native(Native::Duration) {
                    self.note(
                        SchemaFaultKind::Type,
                        key,
                        "the keys of a map can't be durations: they have no order".to_owned(),
                    );
                }
                let key = self.frozen(key);
                Type::Frozen(Box::new(Type::Map(Box::new(key), Box::new(self.frozen(value)))))
            }
            TypeKind::Named(_) => match self.resolve(of) {
                user @ Type::User(_) => Type::Frozen(Box::new(user)),
                other => other,
            },
            TypeKind::Frozen(_)
            | TypeKind::Native(_)
            | TypeKind::Custom(_)
            | TypeKind::Tuple(_)
            | TypeKind::Vector(..) => self.resolve(of),
        }
    }
}

impl Type {
    /// Whether it is stored cell by cell: a collection or user-defined type that is not frozen.
    pub fn is_multi_cell(&self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(..) | Self::User(_))
    }

    /// Whether it is a list, set or map, frozen or not.
    pub fn is_collection(&self) -> bool {
        match self {
            Self::Frozen(inner) => inner.is_collection(),
            _ => matches!(self, Self::List(_) | Self::Set(_) | Self::Map(..)),
        }
    }

    /// Whether something within it is of this kind, user-defined types looked into.
    pub(super) fn holds(&self, schema: &Schema, keyspace: &str, is: &impl Fn(&Type) -> bool) -> bool {
        self.holds_within(schema, keyspace, is, 0)
    }

    fn holds_within(&self, schema: &Schema, keyspace: &str, is: &impl Fn(&Type) -> bool, depth: usize) -> bool {
        // Types that hold themselves are refused; this is for those that were made so all the same.
        const DEEPEST: usize = 64;
        if is(self) {
            return true;
        }
        if depth == DEEPEST {
            return false;
        }
        let holds = |inner: &Type| inner.holds_within(schema, keyspace, is, depth + 1);
        match self {
            Self::List(inner) | Self::Set(inner) | Self::Vector(inner, _) | Self::Frozen(inner) => holds(inner),
            Self::Map(key, value) => holds(key) || holds(value),
            Self::Tuple(parts) => parts.iter().any(holds),
            Self::User(name) => {
                let of = schema.user_type(keyspace, name);
                of.is_some_and(|of| of.fields.iter().any(|(_, field)| holds(field)))
            }
            Self::Native(_) | Self::Custom(_) | Self::Unknown(_) => false,
        }
    }
}
