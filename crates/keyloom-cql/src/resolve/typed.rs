//! Types as the server compares them: whether one value may stand where another type is asked.

use std::borrow::Cow;

use super::context::Context;
use crate::ast::Native;
use crate::schema::{Type, UserType};

/// How well a value fits the type that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is of that very type.
    Exact,
    /// It can be taken for one.
    Weak,
    /// It can't.
    No,
}

impl Fit {
    /// Whether the value may stand there.
    pub(super) fn is_assignable(self) -> bool {
        self != Self::No
    }

    /// Of two that must both fit.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Exact, Self::Exact) => Self::Exact,
            _ => Self::Weak,
        }
    }
}

/// A type where it stands: frozen or not, and in a clustering column that is stored in descending order or not. The server
/// wraps such a column's type into another one, and some of its checks do not look inside.
#[derive(Debug, Clone)]
pub(super) struct Typed<'a> {
    /// The type; never [`Type::Frozen`].
    pub(super) of: Cow<'a, Type>,
    /// Whether it is read and written as one value; of no meaning for types that always are.
    pub(super) frozen: bool,
    /// Whether it is the type of a descending clustering column.
    pub(super) reversed: bool,
}

/// The kinds of collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collection {
    List,
    Set,
    Map,
}

impl<'a> Typed<'a> {
    /// The type of a column, a field or an argument.
    pub(super) fn new(of: &'a Type) -> Self {
        Self { of: Cow::Borrowed(strip(of)), frozen: matches!(of, Type::Frozen(_)), reversed: false }
    }

    /// A type of the language itself.
    pub(super) fn native(native: Native) -> Self {
        Self { of: Cow::Owned(Type::Native(native)), frozen: false, reversed: false }
    }

    /// A type that is built here, frozen.
    pub(super) fn frozen(of: Type) -> Self {
        let of = match of {
            Type::Frozen(of) => *of,
            of => of,
        };
        Self { of: Cow::Owned(of), frozen: true, reversed: false }
    }

    /// A type that nobody knows.
    pub(super) fn unknown() -> Self {
        Self { of: Cow::Owned(Type::Unknown(String::new())), frozen: false, reversed: false }
    }

    /// The same without a tie to the schema.
    pub(super) fn into_owned(self) -> Typed<'static> {
        Typed { of: Cow::Owned(self.of.into_owned()), frozen: self.frozen, reversed: self.reversed }
    }

    /// The same, but of an ascending column.
    pub(super) fn unwrapped(&self) -> Typed<'_> {
        Typed { of: Cow::Borrowed(&self.of), frozen: self.frozen, reversed: false }
    }

    /// Whether nothing is known about it, or too little: a hole, a name of nothing, a class of somebody's.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(*self.of, Type::Unknown(_) | Type::Custom(_))
    }

    /// Whether it is this native type.
    pub(super) fn is(&self, native: Native) -> bool {
        *self.of == Type::Native(native)
    }

    /// The native type, unless it is another.
    pub(super) fn as_native(&self) -> Option<Native> {
        match *self.of {
            Type::Native(native) => Some(native),
            _ => None,
        }
    }

    /// Which collection it is, seen through the order of a column.
    pub(super) fn collection_within(&self) -> Option<Collection> {
        match *self.of {
            Type::List(_) => Some(Collection::List),
            Type::Set(_) => Some(Collection::Set),
            Type::Map(..) => Some(Collection::Map),
            _ => None,
        }
    }

    /// Which collection it is as the server sees it: none in a descending column.
    pub(super) fn collection(&self) -> Option<Collection> {
        if self.reversed { None } else { self.collection_within() }
    }

    /// Whether it is a user-defined type; the server sees none in a descending column.
    pub(super) fn is_user_type(&self) -> bool {
        !self.reversed && matches!(*self.of, Type::User(_))
    }

    /// Whether its parts are cells of their own.
    pub(super) fn is_multi_cell(&self) -> bool {
        !self.frozen
            && !self.reversed
            && matches!(*self.of, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::User(_))
    }

    /// What a list, set or vector holds, or the values of a map.
    pub(super) fn element(&self) -> Typed<'_> {
        match &*self.of {
            Type::List(of) | Type::Set(of) | Type::Vector(of, _) | Type::Map(_, of) => nested(of),
            _ => Typed::unknown(),
        }
    }

    /// The keys of a map.
    pub(super) fn key(&self) -> Typed<'_> {
        match &*self.of {
            Type::Map(key, _) => nested(key),
            _ => Typed::unknown(),
        }
    }

    /// As it is named in CQL.
    pub(super) fn name(&self) -> String {
        name(&self.of)
    }
}

fn strip(of: &Type) -> &Type {
    match of {
        Type::Frozen(of) => strip(of),
        of => of,
    }
}

/// A type within another: whatever is not frozen there is so by being there.
pub(super) fn nested(of: &Type) -> Typed<'_> {
    Typed { of: Cow::Borrowed(strip(of)), frozen: true, reversed: false }
}

/// The type as it is named in CQL.
pub(super) fn name(of: &Type) -> String {
    match of {
        Type::Native(native) => native_name(*native).to_owned(),
        Type::List(of) => format!("list<{}>", name(of)),
        Type::Set(of) => format!("set<{}>", name(of)),
        Type::Map(key, value) => format!("map<{}, {}>", name(key), name(value)),
        Type::Tuple(of) => format!("tuple<{}>", of.iter().map(name).collect::<Vec<_>>().join(", ")),
        Type::Vector(of, size) => format!("vector<{}, {size}>", name(of)),
        Type::Frozen(of) => format!("frozen<{}>", name(of)),
        Type::User(name) | Type::Unknown(name) => name.clone(),
        Type::Custom(class) => format!("'{class}'"),
    }
}

/// The native type as it is named in CQL.
pub(super) fn native_name(native: Native) -> &'static str {
    match native {
        Native::Ascii => "ascii",
        Native::Bigint => "bigint",
        Native::Blob => "blob",
        Native::Boolean => "boolean",
        Native::Counter => "counter",
        Native::Date => "date",
        Native::Decimal => "decimal",
        Native::Double => "double",
        Native::Duration => "duration",
        Native::Empty => "empty",
        Native::Float => "float",
        Native::Inet => "inet",
        Native::Int => "int",
        Native::Smallint => "smallint",
        Native::Text => "text",
        Native::Time => "time",
        Native::Timestamp => "timestamp",
        Native::Timeuuid => "timeuuid",
        Native::Tinyint => "tinyint",
        Native::Uuid => "uuid",
        Native::Varint => "varint",
    }
}

/// Whether the word names a native type.
pub(super) fn is_native_name(word: &str) -> bool {
    word == "varchar" || NATIVES.iter().any(|native| native_name(*native) == word)
}

/// All native types.
pub(super) const NATIVES: [Native; 21] = [
    Native::Ascii,
    Native::Bigint,
    Native::Blob,
    Native::Boolean,
    Native::Counter,
    Native::Date,
    Native::Decimal,
    Native::Double,
    Native::Duration,
    Native::Empty,
    Native::Float,
    Native::Inet,
    Native::Int,
    Native::Smallint,
    Native::Text,
    Native::Time,
    Native::Timestamp,
    Native::Timeuuid,
    Native::Tinyint,
    Native::Uuid,
    Native::Varint,
];

impl<'s> Context<'s> {
    /// The user-defined type of that name in the table's keyspace.
    pub(super) fn user_type(&self, name: &str) -> Option<&'s UserType> {
        self.keyspace.and_then(|keyspace| keyspace.types.get(name))
    }

    /// The field of a user-defined type: `None` when the type has none of that name, unknown when the type is.
    pub(super) fn field(&self, of: &Typed<'_>, field: &str) -> Option<Typed<'s>> {
        let Type::User(name) = &*of.of else { return Some(Typed::unknown()) };
        let Some(user) = self.user_type(name) else { return Some(Typed::unknown()) };
        let (_, field) = user.fields.iter().find(|(name, _)| name == field)?;
        let mut field = Typed::new(field);
        field.frozen |= of.frozen;
        Some(field)
    }

    /// Whether a duration is, or is within, a value of this type.
    pub(super) fn has_duration(&self, of: &Type) -> bool {
        match of {
            Type::Native(native) => *native == Native::Duration,
            Type::List(of) | Type::Set(of) | Type::Vector(of, _) | Type::Frozen(of) => self.has_duration(of),
            Type::Map(key, value) => self.has_duration(key) || self.has_duration(value),
            Type::Tuple(of) => of.iter().any(|of| self.has_duration(of)),
            Type::User(name) => {
                self.user_type(name).is_some_and(|user| user.fields.iter().any(|(_, of)| self.has_duration(of)))
            }
            Type::Custom(_) | Type::Unknown(_) => false,
        }
    }

    /// How a value of type `given` fits where `asked` is asked.
    pub(super) fn fit(&self, given: &Typed<'_>, asked: &Typed<'_>) -> Fit {
        if given.is_unknown() || asked.is_unknown() {
            return Fit::Weak;
        }
        let frozen = asked.frozen || (given.frozen && !asked.reversed);
        let reversed = asked.reversed || given.reversed;
        if given.reversed == reversed
            && same(&given.of, &asked.of)
            && (given.frozen == frozen || !is_freezable(&given.of))
        {
            return Fit::Exact;
        }
        let asked = Typed { of: Cow::Borrowed(&asked.of), frozen, reversed };
        if self.reads(&asked, given) { Fit::Weak } else { Fit::No }
    }

    /// Whether a value of type `value` can be read as one of type `into`.
    pub(super) fn reads(&self, into: &Typed<'_>, value: &Typed<'_>) -> bool {
        if into.is_unknown() || value.is_unknown() {
            return true;
        }
        let frozen_alike = into.frozen == value.frozen;
        match (&*into.of, &*value.of) {
            (Type::Native(into), value) => reads_native(*into, value),
            (Type::List(into), Type::List(value)) => frozen_alike && self.reads(&nested(into), &nested(value)),
            (Type::Set(into), Type::Set(value)) => frozen_alike && self.sorts_as(into, value),
            (Type::Map(key, into), Type::Map(value_key, value)) => {
                frozen_alike && self.sorts_as(key, value_key) && self.reads(&nested(into), &nested(value))
            }
            (Type::Vector(..), Type::Vector(..)) => same(&into.of, &value.of),
            // A user-defined type is a tuple to the server, and in a descending column nothing more.
            (of, Type::Tuple(_) | Type::User(_))
                if matches!(of, Type::Tuple(_)) || (into.reversed && matches!(of, Type::User(_))) =>
            {
                let (Some(into), Some(value)) = (self.parts(&into.of), self.parts(&value.of)) else { return true };
                into.len() >= value.len()
                    && into.iter().zip(&value).all(|(into, value)| self.reads(&nested(into), &nested(value)))
            }
            (Type::User(_), Type::User(_)) => {
                let (Some(of), Some(other)) = (self.parts(&into.of), self.parts(&value.of)) else { return true };
                frozen_alike
                    && of.len() >= other.len()
                    && of.iter().zip(&other).all(|(into, value)| self.sorts_as(into, value))
            }
            _ => false,
        }
    }

    /// Whether values of type `value` sort as those of type `into` do, and can be read as them.
    fn sorts_as(&self, into: &Type, value: &Type) -> bool {
        match (strip(into), strip(value)) {
            (Type::Unknown(_) | Type::Custom(_), _) | (_, Type::Unknown(_) | Type::Custom(_)) => true,
            (Type::Native(Native::Blob), Type::Native(value)) => {
                matches!(value, Native::Blob | Native::Ascii | Native::Text)
            }
            (Type::Native(Native::Text), Type::Native(value)) => matches!(value, Native::Text | Native::Ascii),
            (Type::List(into), Type::List(value)) | (Type::Set(into), Type::Set(value)) => self.sorts_as(into, value),
            (Type::Map(key, into), Type::Map(value_key, value)) => {
                self.sorts_as(key, value_key) && self.sorts_as(into, value)
            }
            (into @ (Type::Tuple(_) | Type::User(_)), value @ (Type::Tuple(_) | Type::User(_))) => {
                let (Some(into), Some(value)) = (self.parts(into), self.parts(value)) else { return true };
                into.len() >= value.len() && into.iter().zip(&value).all(|(into, value)| self.sorts_as(into, value))
            }
            (into, value) => same(into, value),
        }
    }

    /// The parts of a tuple or the fields of a user-defined type.
    fn parts<'t>(&self, of: &'t Type) -> Option<Vec<&'t Type>>
    where
        's: 't,
    {
        match of {
            Type::Tuple(of) => Some(of.iter().collect()),
            Type::User(name) => self.user_type(name).map(|user| user.fields.iter().map(|(_, of)| of).collect()),
            _ => None,
        }
    }
}

fn is_freezable(of: &Type) -> bool {
    matches!(of, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::User(_))
}

/// Whether two types are the same, whatever is frozen within them.
fn same(one: &Type, other: &Type) -> bool {
    match (strip(one), strip(other)) {
        (Type::List(one), Type::List(other)) | (Type::Set(one), Type::Set(other)) => same(one, other),
        (Type::Map(key, value), Type::Map(other_key, other_value)) => same(key, other_key) && same(value, other_value),
        (Type::Tuple(one), Type::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Type::Vector(one, size), Type::Vector(other, other_size)) => size == other_size && same(one, other),
        (one, other) => one == other,
    }
}

fn reads_native(into: Native, value: &Type) -> bool {
    let Type::Native(value) = *value else { return into == Native::Blob };
    into == value
        || match into {
            Native::Blob => true,
            Native::Text => value == Native::Ascii,
            Native::Timestamp | Native::Time => value == Native::Bigint,
            Native::Bigint => value == Native::Timestamp,
            Native::Varint => matches!(value, Native::Int | Native::Bigint | Native::Timestamp),
            Native::Date => value == Native::Int,
            Native::Uuid => value == Native::Timeuuid,
            _ => false,
        }
}
