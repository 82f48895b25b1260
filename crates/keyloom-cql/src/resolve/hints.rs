//! Types that are written within a statement.

use super::FaultKind;
use super::context::{Context, Outcome};
use super::typed::Typed;
use crate::ast::{CqlType, Native, TypeKind};
use crate::schema::Type;

/// What a value is cast into. The server knows casts into `text`, and none into its other name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) native: Native,
    pub(super) is_varchar: bool,
}

impl Context<'_> {
    /// A type that is written in front of a value.
    pub(super) fn written_type(&self, written: &CqlType) -> Outcome<Typed<'static>> {
        let of = self.read_type(written, false)?;
        Ok(match of {
            Type::Frozen(of) => Typed::frozen(*of),
            of => Typed { frozen: false, ..Typed::frozen(of) },
        })
    }

    /// The type into which a value is cast: a native one, or one that nobody knows.
    pub(super) fn cast_into(&self, written: &CqlType) -> Outcome<Option<Target>> {
        match &written.kind {
            TypeKind::Native(native) => {
                // Two names, one type: nothing but the length of what is written tells them apart.
                let is_varchar = *native == Native::Text && written.span.bytes().len() == "varchar".len();
                Ok(Some(Target { native: *native, is_varchar }))
            }
            TypeKind::Named(name) if name.name.unknown => {
                self.meet(&name.name.text);
                Ok(None)
            }
            _ => self.refuse(FaultKind::Type, written.span, "a value is only cast into a native type"),
        }
    }

    fn read_type(&self, written: &CqlType, frozen: bool) -> Outcome<Type> {
        match &written.kind {
            TypeKind::Native(native) => Ok(Type::Native(*native)),
            TypeKind::List(of) => Ok(Type::List(Box::new(self.read_element(of, frozen)?))),
            TypeKind::Set(of) => {
                self.hold_no_duration(of, "a set")?;
                Ok(Type::Set(Box::new(self.read_element(of, frozen)?)))
            }
            TypeKind::Map(key, value) => {
                self.hold_no_duration(key, "the keys of a map")?;
                let key = self.read_element(key, frozen)?;
                Ok(Type::Map(Box::new(key), Box::new(self.read_element(value, frozen)?)))
            }
            TypeKind::Tuple(parts) => {
                let parts: Outcome<Vec<Type>> = parts.iter().map(|part| self.read_element(part, true)).collect();
                parts.map(Type::Tuple)
            }
            TypeKind::Vector(of, size) => Ok(Type::Vector(Box::new(self.read_type(of, true)?), *size)),
            TypeKind::Frozen(of) => match of.kind {
                TypeKind::Native(_) | TypeKind::Custom(_) => self.refuse(
                    FaultKind::Type,
                    written.span,
                    "only collections, tuples and user-defined types can be frozen",
                ),
                _ => self.read_type(of, true).map(|of| match of {
                    Type::Frozen(of) => Type::Frozen(of),
                    of => Type::Frozen(Box::new(of)),
                }),
            },
            TypeKind::Named(name) => {
                if let Some(hole) = name.keyspace.iter().chain([&name.name]).find(|name| name.unknown) {
                    self.meet(&hole.text);
                    return Ok(Type::Unknown(hole.text.clone()));
                }
                let Some(keyspace) = self.keyspace else { return Ok(Type::Unknown(name.name.text.clone())) };
                if name.keyspace.as_ref().is_some_and(|other| other.text != keyspace.name) {
                    return self.refuse(FaultKind::Type, written.span, "a type of another keyspace can't be used");
                }
                if !keyspace.types.contains_key(&name.name.text) {
                    return self.refuse(
                        FaultKind::UnknownName,
                        name.name.span,
                        format!("there is no type {}", name.name.text),
                    );
                }
                Ok(Type::User(name.name.text.clone()))
            }
            TypeKind::Custom(class) => Ok(Type::Custom(class.clone())),
        }
    }

    /// A type within a collection or tuple: frozen, and no counter.
    fn read_element(&self, written: &CqlType, frozen: bool) -> Outcome<Type> {
        if matches!(written.kind, TypeKind::Native(Native::Counter)) {
            return self.refuse(FaultKind::Type, written.span, "a counter can't stand within another type");
        }
        let growing = match &written.kind {
            TypeKind::List(_) | TypeKind::Set(_) | TypeKind::Map(..) => true,
            TypeKind::Named(name) => !name.name.unknown,
            _ => false,
        };
        if growing && !frozen {
            return self.refuse(FaultKind::Type, written.span, "what stands within a collection must be frozen");
        }
        self.read_type(written, frozen)
    }

    fn hold_no_duration(&self, written: &CqlType, within: &str) -> Outcome {
        if matches!(written.kind, TypeKind::Native(Native::Duration)) {
            return self.refuse(FaultKind::Type, written.span, format!("a duration can't be in {within}"));
        }
        Ok(())
    }
}
