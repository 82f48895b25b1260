use std::{borrow::Cow, fmt, net::IpAddr};

use crate::kind::Kind;

/// A value, borrowed from the buffer it was read from wherever that is possible.
///
/// Equality is that of the parts; whether two values of one kind are the same is a question to their canonical bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Absent.
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `float`
    Float(f64),
    /// `decimal`, counted in units of its scale: 12.50 with scale 2 is 1250.
    Decimal(i128),
    /// `text`
    Text(Cow<'a, str>),
    /// `bytes`
    Bytes(Cow<'a, [u8]>),
    /// `json`, as its text.
    Json(Cow<'a, str>),
    /// `uuid` and `uuid7`
    Uuid([u8; 16]),
    /// `date`, in days since 1970-01-01.
    Date(i32),
    /// `timestamp`, in milli- or microseconds since 1970, as its kind says.
    Timestamp(i64),
    /// `duration`
    Duration(Duration),
    /// `ip`
    Ip(IpAddr),
    /// `enum`, by its rank.
    Enum(u16),
    /// `list`
    List(Vec<Value<'a>>),
    /// `set`, in any order; the canonical form sorts it.
    Set(Vec<Value<'a>>),
    /// `map`, in any order; the canonical form sorts it.
    Map(Vec<(Value<'a>, Value<'a>)>),
    /// A struct's members, in the order of its kind.
    Struct(Vec<Value<'a>>),
    /// A value of one of several kinds, by its position among them.
    OneOf(u8, Box<Value<'a>>),
}

/// A span of the calendar and the clock. A month is no fixed number of days, nor a day of hours: they are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Duration {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

impl Value<'_> {
    /// The same value with buffers of its own.
    pub fn into_owned(self) -> Value<'static> {
        let all = |values: Vec<Value<'_>>| values.into_iter().map(Value::into_owned).collect();
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Float(value) => Value::Float(value),
            Self::Decimal(value) => Value::Decimal(value),
            Self::Text(value) => Value::Text(Cow::Owned(value.into_owned())),
            Self::Bytes(value) => Value::Bytes(Cow::Owned(value.into_owned())),
            Self::Json(value) => Value::Json(Cow::Owned(value.into_owned())),
            Self::Uuid(value) => Value::Uuid(value),
            Self::Date(value) => Value::Date(value),
            Self::Timestamp(value) => Value::Timestamp(value),
            Self::Duration(value) => Value::Duration(value),
            Self::Ip(value) => Value::Ip(value),
            Self::Enum(value) => Value::Enum(value),
            Self::List(values) => Value::List(all(values)),
            Self::Set(values) => Value::Set(all(values)),
            Self::Map(entries) => {
                Value::Map(entries.into_iter().map(|(key, value)| (key.into_owned(), value.into_owned())).collect())
            }
            Self::Struct(values) => Value::Struct(all(values)),
            Self::OneOf(which, value) => Value::OneOf(which, Box::new(value.into_owned())),
        }
    }

    /// Whether it is absent.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The word for what it is, in messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Decimal(_) => "decimal",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Json(_) => "json",
            Self::Uuid(_) => "uuid",
            Self::Date(_) => "date",
            Self::Timestamp(_) => "timestamp",
            Self::Duration(_) => "duration",
            Self::Ip(_) => "ip",
            Self::Enum(_) => "enum",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(_) => "map",
            Self::Struct(_) => "struct",
            Self::OneOf(..) => "oneof",
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(value))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(value))
    }
}

/// A value that is none of its kind: a fault of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch(pub(crate) String);

impl Mismatch {
    /// A mismatch in these words.
    pub fn new(words: String) -> Self {
        Self(words)
    }

    pub(crate) fn between(value: &Value<'_>, kind: &Kind) -> Self {
        Self(format!("{} where {} is expected", value.word(), kind.word()))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

/// Bytes that are no value of their kind: stored data that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub(crate) &'static str);

impl Malformed {
    /// Malformed bytes, and how one sees that.
    pub const fn from_static(words: &'static str) -> Self {
        Self(words)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}
