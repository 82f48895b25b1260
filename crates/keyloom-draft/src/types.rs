//! Types of CQL as types of the language.

use std::collections::BTreeMap;
use std::fmt;

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Keyspace, Type};

use crate::names::{Names, capitalised, field_name, words};

/// A type of the language, with a placeholder where the language wants a number that CQL does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Uuid,
    Text,
    Bytes,
    Json,
    Int,
    Float,
    Decimal,
    Bool,
    Date,
    Timestamp,
    Duration,
    Ip,
    Enum(Vec<String>),
    List(Box<Kind>),
    Set(Box<Kind>),
    Map(Box<Kind>, Box<Kind>),
    /// A list that always has this many items.
    Vector(Box<Kind>, u32),
    Struct(String),
}

/// Stands where the language wants a size, a scale or a count. The same everywhere, so that nobody takes it for knowledge.
const SIZE: &str = "(32..400)";
const COUNTS: &str = "(3 / 20 / 100)";
const SCALE: &str = "(2)";

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uuid => f.write_str("uuid"),
            Self::Text => write!(f, "text{SIZE}"),
            Self::Bytes => write!(f, "bytes{SIZE}"),
            Self::Json => write!(f, "json{SIZE}"),
            Self::Int => f.write_str("int"),
            Self::Float => f.write_str("float"),
            Self::Decimal => write!(f, "decimal{SCALE}"),
            Self::Bool => f.write_str("bool"),
            Self::Date => f.write_str("date"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::Ip => f.write_str("ip"),
            Self::Enum(values) => write!(f, "enum({})", values.join(" | ")),
            Self::List(of) => write!(f, "list of {of} {COUNTS}"),
            Self::Set(of) => write!(f, "set of {of} {COUNTS}"),
            Self::Map(key, value) => write!(f, "map of {key} to {value} {COUNTS}"),
            Self::Vector(of, count) => write!(f, "list of {of} ({count})"),
            Self::Struct(name) => f.write_str(name),
        }
    }
}

impl Kind {
    /// Whether a placeholder stands in it.
    pub(crate) fn has_placeholder(&self) -> bool {
        match self {
            Self::Text | Self::Bytes | Self::Json | Self::Decimal => true,
            Self::List(_) | Self::Set(_) | Self::Map(..) => true,
            Self::Vector(of, _) => of.has_placeholder(),
            _ => false,
        }
    }

    /// What the placeholders stand for, as the end of a question.
    pub(crate) fn asks(&self) -> &'static str {
        match self {
            Self::Decimal => "digits behind the point",
            Self::List(_) | Self::Set(_) | Self::Map(..) => "items",
            _ => "bytes",
        }
    }

    /// Whether it can stand in a key, in `by` and in `order`.
    pub(crate) fn is_ordered(&self) -> bool {
        !matches!(
            self,
            Self::Duration
                | Self::Json
                | Self::List(_)
                | Self::Set(_)
                | Self::Map(..)
                | Self::Vector(..)
                | Self::Struct(_)
        )
    }
}

/// The user-defined types of a schema as structs of the language.
#[derive(Default)]
pub(crate) struct Structs {
    /// By keyspace and name.
    names: BTreeMap<(String, String), Option<String>>,
    /// The members of each struct, in the order in which the structs were met.
    pub(crate) all: Vec<(String, Vec<(String, Kind)>)>,
    given: Names,
}

/// How deep structs may stand in structs; what lies deeper becomes `json`.
const DEPTH_MAX: usize = 16;

impl Structs {
    /// The type of the language for a column's type, and what was lost on the way.
    pub(crate) fn kind(&mut self, keyspace: &Keyspace, of: &Type) -> (Kind, Option<&'static str>) {
        self.at_depth(keyspace, of, false, 0)
    }

    /// The same for a column of a key, where only single values may stand.
    pub(crate) fn key_kind(&mut self, keyspace: &Keyspace, of: &Type) -> (Kind, Option<&'static str>) {
        match self.kind(keyspace, of) {
            (kind, note) if kind.is_ordered() => (kind, note),
            _ => (Kind::Bytes, Some("a collection or type in the key: its bytes stand for it")),
        }
    }

    fn at_depth(&mut self, keyspace: &Keyspace, of: &Type, inside: bool, depth: usize) -> (Kind, Option<&'static str>) {
        if depth > DEPTH_MAX {
            return (Kind::Json, Some("nested too deeply to be spelled out"));
        }
        let mut inner = |of: &Type| self.at_depth(keyspace, of, true, depth + 1).0;
        match of {
            Type::Native(native) => native_kind(*native),
            Type::Frozen(of) => self.at_depth(keyspace, of, inside, depth + 1),
            Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Vector(..) if inside => {
                (Kind::Json, Some("a collection in a collection"))
            }
            Type::List(of) => (Kind::List(Box::new(inner(of))), None),
            Type::Set(of) => (Kind::Set(Box::new(inner(of))), None),
            Type::Map(key, value) => {
                let key = Some(inner(key)).filter(Kind::is_ordered).unwrap_or(Kind::Text);
                (Kind::Map(Box::new(key), Box::new(inner(value))), None)
            }
            Type::Vector(_, 0) => (Kind::Json, Some("a vector without a size")),
            Type::Vector(of, count) => (Kind::Vector(Box::new(inner(of)), *count), None),
            Type::Tuple(_) => (Kind::Json, Some("a tuple: a struct under `types:` would name its parts")),
            Type::User(name) => match self.structure(keyspace, name, depth) {
                Some(name) => (Kind::Struct(name), None),
                None => (Kind::Json, Some("its type is not known")),
            },
            Type::Custom(_) => (Kind::Bytes, Some("a class of the server's")),
            Type::Unknown(_) => (Kind::Json, Some("its type is not known")),
        }
    }

    fn structure(&mut self, keyspace: &Keyspace, name: &str, depth: usize) -> Option<String> {
        let key = (keyspace.name.clone(), name.to_owned());
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let user = keyspace.types.get(name).filter(|user| !user.fields.is_empty())?;
        // While its members are read it has no name, so a type that holds itself ends here.
        self.names.insert(key.clone(), None);
        let mut given = Names::default();
        let mut members = Vec::new();
        for (member, of) in &user.fields {
            let kind = self.at_depth(keyspace, of, false, depth + 1).0;
            members.push((given.give(field_name(member), "_"), kind));
        }
        let struct_name = self.given.give(capitalised(&words(name), "Type"), "");
        self.all.push((struct_name.clone(), members));
        self.names.insert(key, Some(struct_name.clone()));
        Some(struct_name)
    }

    /// Whether a name is taken by a struct.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.given.is_free(name)
    }
}

fn native_kind(native: Native) -> (Kind, Option<&'static str>) {
    let kind = match native {
        Native::Uuid | Native::Timeuuid => Kind::Uuid,
        Native::Ascii | Native::Text => Kind::Text,
        Native::Bigint | Native::Int | Native::Smallint | Native::Tinyint | Native::Counter => Kind::Int,
        Native::Varint => return (Kind::Int, Some("varint: 64 bits must be enough")),
        Native::Time => return (Kind::Int, Some("a time of day, in nanoseconds")),
        Native::Double | Native::Float => Kind::Float,
        Native::Decimal => Kind::Decimal,
        Native::Boolean => Kind::Bool,
        Native::Date => Kind::Date,
        Native::Timestamp => Kind::Timestamp,
        Native::Duration => Kind::Duration,
        Native::Inet => Kind::Ip,
        Native::Blob | Native::Empty => Kind::Bytes,
    };
    (kind, None)
}
