use std::fmt;

use crate::quantity::{Distribution, Share, bytes_text};

/// Typical and maximum bytes: `text(80..400)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    /// What most have.
    pub typical: u64,
    /// What none exceeds.
    pub max: u64,
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Variant {
    /// `UPPER`.
    pub name: String,
    /// How many rows have it; all values have a share, or none.
    pub share: Option<Share>,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// `uuid`: ordered by version, then by bytes.
    Uuid,
    /// `uuid7`: version 7 only, ordered by time.
    Uuid7,
    /// `text(80..400)`
    Text(Size),
    /// `bytes(1KB..60KB)`
    Bytes(Size),
    /// `json(1KB..60KB)`: opaque.
    Json(Size),
    /// `int`: 64 bit.
    Int,
    /// `float`
    Float,
    /// `decimal(2)`: exact, up to 38 digits.
    Decimal {
        /// Digits behind the point.
        scale: u8,
    },
    /// `bool`
    Bool,
    /// `date`
    Date,
    /// `timestamp`, `timestamp(us)`
    Timestamp {
        /// Microseconds instead of milliseconds.
        micros: bool,
    },
    /// `duration`
    Duration,
    /// `ip`
    Ip,
    /// `enum(OPEN 6% | CLOSED 94%)`: ordered as written.
    Enum(Vec<Variant>),
    /// `list of T (3 / 20 / 100)`
    List(Box<Type>, Distribution<u64>),
    /// `set of T (..)`
    Set(Box<Type>, Distribution<u64>),
    /// `map of K to V (..)`
    Map(Box<Type>, Box<Type>, Distribution<u64>),
    /// A named struct of the catalog.
    Struct(String),
    /// `oneof(int | text(20..400))`
    OneOf(Vec<Type>),
}

impl Type {
    /// Why a value of this type can't stand in a key or an order; `None` where it can.
    pub fn unordered(&self) -> Option<&'static str> {
        match self {
            Self::Duration => Some("a duration has no order of its own: a month may be shorter than 30 days"),
            Self::Json(_) => Some("json is opaque"),
            Self::List(..) => Some("a list has no order"),
            Self::Set(..) => Some("a set has no order"),
            Self::Map(..) => Some("a map has no order"),
            Self::Struct(_) => Some("a struct has no order"),
            Self::OneOf(_) => Some("values of different types have no common order"),
            _ => None,
        }
    }

    /// The word for it in messages: `text`, `list of Line`.
    pub fn word(&self) -> String {
        match self {
            Self::Uuid => "uuid".into(),
            Self::Uuid7 => "uuid7".into(),
            Self::Text(_) => "text".into(),
            Self::Bytes(_) => "bytes".into(),
            Self::Json(_) => "json".into(),
            Self::Int => "int".into(),
            Self::Float => "float".into(),
            Self::Decimal { scale } => format!("decimal({scale})"),
            Self::Bool => "bool".into(),
            Self::Date => "date".into(),
            Self::Timestamp { micros: false } => "timestamp".into(),
            Self::Timestamp { micros: true } => "timestamp(us)".into(),
            Self::Duration => "duration".into(),
            Self::Ip => "ip".into(),
            Self::Enum(variants) => {
                format!("enum({})", variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(" | "))
            }
            Self::List(of, _) => format!("list of {}", of.word()),
            Self::Set(of, _) => format!("set of {}", of.word()),
            Self::Map(key, value, _) => format!("map of {} to {}", key.word(), value.word()),
            Self::Struct(name) => name.clone(),
            Self::OneOf(types) => format!("oneof({})", types.iter().map(Self::word).collect::<Vec<_>>().join(" | ")),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(size) | Self::Bytes(size) | Self::Json(size) => {
                write!(f, "{}({size})", self.word())
            }
            Self::List(_, count) | Self::Set(_, count) | Self::Map(_, _, count) => {
                write!(f, "{} ({count})", self.word())
            }
            _ => f.write_str(&self.word()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: u64| if bytes < 1024 { bytes.to_string() } else { bytes_text(bytes).replace(' ', "") };
        if self.typical == self.max {
            return f.write_str(&text(self.max));
        }
        write!(f, "{}..{}", text(self.typical), text(self.max))
    }
}
