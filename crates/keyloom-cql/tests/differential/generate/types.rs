//! Types, columns and tables, as far as a generator must know them.

use std::fmt::{self, Display, Formatter};

/// A type as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    Native(&'static str),
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Tuple(Vec<Type>),
    Vector(Box<Type>, usize),
    User(UserType),
    Frozen(Box<Type>),
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserType {
    pub name: String,
    pub fields: Vec<(String, Type)>,
}

pub const NATIVES: [&str; 20] = [
    "ascii",
    "bigint",
    "blob",
    "boolean",
    "date",
    "decimal",
    "double",
    "duration",
    "float",
    "inet",
    "int",
    "smallint",
    "text",
    "time",
    "timestamp",
    "timeuuid",
    "tinyint",
    "uuid",
    "varchar",
    "varint",
];

impl Type {
    /// What it is, frozen or not.
    pub fn bare(&self) -> &Self {
        if let Self::Frozen(inner) = self { inner.bare() } else { self }
    }

    pub fn is_collection(&self) -> bool {
        matches!(self.bare(), Self::List(_) | Self::Set(_) | Self::Map(..))
    }

    pub fn is_frozen(&self) -> bool {
        matches!(self, Self::Frozen(_))
    }

    pub fn is_native(&self, names: &[&str]) -> bool {
        matches!(self, Self::Native(name) if names.contains(name))
    }

    pub fn is_number(&self) -> bool {
        self.is_native(&["bigint", "decimal", "double", "float", "int", "smallint", "tinyint", "varint"])
    }

    pub fn is_text(&self) -> bool {
        self.is_native(&["ascii", "text", "varchar"])
    }

    pub fn is_counter(&self) -> bool {
        self.is_native(&["counter"])
    }
}

impl Display for Type {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native(name) => formatter.write_str(name),
            Self::List(of) => write!(formatter, "list<{of}>"),
            Self::Set(of) => write!(formatter, "set<{of}>"),
            Self::Map(key, value) => write!(formatter, "map<{key}, {value}>"),
            Self::Tuple(of) => {
                let of: Vec<String> = of.iter().map(ToString::to_string).collect();
                write!(formatter, "tuple<{}>", of.join(", "))
            }
            Self::Vector(of, size) => write!(formatter, "vector<{of}, {size}>"),
            Self::User(user) => formatter.write_str(&user.name),
            Self::Frozen(of) => write!(formatter, "frozen<{of}>"),
        }
    }
}

/// Whether a type is a duration or has one inside.
pub fn holds_duration(of: &Type) -> bool {
    match of {
        Type::Native(name) => *name == "duration",
        Type::List(of) | Type::Set(of) | Type::Vector(of, _) | Type::Frozen(of) => holds_duration(of),
        Type::Map(key, value) => holds_duration(key) || holds_duration(value),
        Type::Tuple(of) => of.iter().any(holds_duration),
        Type::User(user) => user.fields.iter().any(|(_, of)| holds_duration(of)),
    }
}

/// Where a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Partition,
    Clustering,
    Static,
    Regular,
}

#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub of: Type,
    pub kind: Kind,
    /// Whether some index was asked for, so that relations on it are worth trying.
    pub indexed: bool,
    /// Whether LIKE has a chance.
    pub searchable: bool,
}

/// A table or view.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The names of its indexes.
    pub indexes: Vec<String>,
    pub view: bool,
}

impl Table {
    pub fn of_kind(&self, kind: Kind) -> Vec<&Column> {
        self.columns.iter().filter(|column| column.kind == kind).collect()
    }

    pub fn partition(&self) -> Vec<&Column> {
        self.of_kind(Kind::Partition)
    }

    pub fn clustering(&self) -> Vec<&Column> {
        self.of_kind(Kind::Clustering)
    }

    /// Columns outside of the key.
    pub fn others(&self) -> Vec<&Column> {
        self.columns.iter().filter(|column| matches!(column.kind, Kind::Static | Kind::Regular)).collect()
    }

    pub fn has_statics(&self) -> bool {
        self.columns.iter().any(|column| column.kind == Kind::Static)
    }

    pub fn is_counter(&self) -> bool {
        self.columns.iter().any(|column| column.of.is_counter())
    }
}
