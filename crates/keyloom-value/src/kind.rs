use keyloom_model::{Catalog, Type};
use serde::{Deserialize, Serialize};

/// A type as stores see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// True or false; false comes first.
    Bool,
    /// 64 bit.
    Int,
    /// Finite or infinite, never NaN; there is one zero.
    Float,
    /// Exact, up to 38 digits, with a fixed number of digits behind the point.
    Decimal {
        /// Digits behind the point.
        scale: u8,
    },
    /// Ordered by code point.
    Text,
    /// Ordered byte by byte.
    Bytes,
    /// Opaque.
    Json,
    /// Ordered by version, then by bytes.
    Uuid,
    /// Version 7 only: ordered by time.
    Uuid7,
    /// A day of the calendar.
    Date,
    /// A moment.
    Timestamp {
        /// In microseconds instead of milliseconds since 1970.
        micros: bool,
    },
    /// Months, days and microseconds.
    Duration,
    /// Version 4 before version 6.
    Ip,
    /// One of these; ordered by rank.
    Enum(Vec<Variant>),
    /// In the order given.
    List(Box<Kind>),
    /// Each once.
    Set(Box<Kind>),
    /// One value for each key.
    Map(Box<Kind>, Box<Kind>),
    /// Named members.
    Struct(Vec<Member>),
    /// One of several kinds.
    OneOf(Vec<Kind>),
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// As written in the catalog.
    pub name: String,
    /// Its place in the order, and what is stored.
    pub rank: u16,
}

/// One member of a struct.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Member {
    /// As written in the catalog.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// May be absent.
    pub optional: bool,
}

impl Kind {
    /// How many steps apart the ranks of an enumeration are when nobody stated them, so that a value can be put between
    /// two others later.
    pub const RANK_STEP: u16 = 10;

    /// What a 16-bit number with a sign holds, so that every engine can keep a rank.
    pub const RANK_MAX: u16 = 32_767;

    /// The kind of a catalog's type. Enumerations are ranked as written; once rows are stored, the ranks that were given
    /// then stay.
    pub fn of(ty: &Type, catalog: &Catalog) -> Self {
        match ty {
            Type::Uuid => Self::Uuid,
            Type::Uuid7 => Self::Uuid7,
            Type::Text(_) => Self::Text,
            Type::Bytes(_) => Self::Bytes,
            Type::Json(_) => Self::Json,
            Type::Int => Self::Int,
            Type::Float => Self::Float,
            Type::Decimal { scale } => Self::Decimal { scale: *scale },
            Type::Bool => Self::Bool,
            Type::Date => Self::Date,
            Type::Timestamp { micros } => Self::Timestamp { micros: *micros },
            Type::Duration => Self::Duration,
            Type::Ip => Self::Ip,
            Type::Enum(variants) => Self::Enum(
                variants
                    .iter()
                    .zip(1u16..)
                    .map(|(variant, place)| Variant {
                        name: variant.name.clone(),
                        rank: place.saturating_mul(Self::RANK_STEP),
                    })
                    .collect(),
            ),
            Type::List(of, _) => Self::List(Box::new(Self::of(of, catalog))),
            Type::Set(of, _) => Self::Set(Box::new(Self::of(of, catalog))),
            Type::Map(key, value, _) => Self::Map(Box::new(Self::of(key, catalog)), Box::new(Self::of(value, catalog))),
            Type::Struct(name) => Self::Struct(
                catalog
                    .struct_type(name)
                    .into_iter()
                    .flat_map(|found| &found.members)
                    .map(|(name, ty, optional)| Member {
                        name: name.clone(),
                        kind: Self::of(ty, catalog),
                        optional: *optional,
                    })
                    .collect(),
            ),
            Type::OneOf(types) => Self::OneOf(types.iter().map(|ty| Self::of(ty, catalog)).collect()),
        }
    }

    /// Whether every value of an older kind is one of this, with the same bytes: an enumeration or a struct grew. What is
    /// new stands at the end, a new member is optional, and a rank keeps its name.
    pub fn extends(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Enum(new), Self::Enum(old)) => old.iter().all(|variant| new.contains(variant)),
            (Self::Struct(new), Self::Struct(old)) => {
                new.len() >= old.len()
                    && new.iter().zip(old).all(|(new, old)| {
                        new.name == old.name && new.optional >= old.optional && new.kind.extends(&old.kind)
                    })
                    && new[old.len()..].iter().all(|member| member.optional)
            }
            (Self::OneOf(new), Self::OneOf(old)) => {
                new.len() >= old.len() && new.iter().zip(old).all(|(new, old)| new.extends(old))
            }
            (Self::List(new), Self::List(old)) | (Self::Set(new), Self::Set(old)) => new.extends(old),
            (Self::Map(new_key, new), Self::Map(old_key, old)) => new_key.extends(old_key) && new.extends(old),
            (new, old) => new == old,
        }
    }

    /// What is wrong with it, in words; `None` for a sound kind.
    pub fn unsound(&self) -> Option<String> {
        match self {
            Self::Decimal { scale } if *scale > 38 => Some(format!("a decimal with {scale} digits behind the point")),
            Self::Enum(variants) => {
                let twice = |at: usize, variant: &Variant| {
                    variants[..at].iter().any(|known| known.name == variant.name || known.rank == variant.rank)
                };
                let bad =
                    |at: usize, variant: &Variant| !(1..=Self::RANK_MAX).contains(&variant.rank) || twice(at, variant);
                let (_, variant) = variants.iter().enumerate().find(|(at, variant)| bad(*at, variant))?;
                Some(format!("`{}` has no rank of its own from 1 to {}", variant.name, Self::RANK_MAX))
            }
            Self::List(of) | Self::Set(of) => of.unsound(),
            Self::Map(key, value) => key.unsound().or_else(|| value.unsound()),
            Self::Struct(members) => members.iter().find_map(|member| member.kind.unsound()),
            Self::OneOf(kinds) => kinds.iter().find_map(Self::unsound),
            _ => None,
        }
    }

    /// Whether its values may stand in a key: they have an order that every engine can keep.
    pub fn is_ordered(&self) -> bool {
        !matches!(
            self,
            Self::Json
                | Self::Duration
                | Self::List(_)
                | Self::Set(_)
                | Self::Map(..)
                | Self::Struct(_)
                | Self::OneOf(_)
        )
    }

    /// The word for it in messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Decimal { .. } => "decimal",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Json => "json",
            Self::Uuid => "uuid",
            Self::Uuid7 => "uuid7",
            Self::Date => "date",
            Self::Timestamp { micros: false } => "timestamp",
            Self::Timestamp { micros: true } => "timestamp(us)",
            Self::Duration => "duration",
            Self::Ip => "ip",
            Self::Enum(_) => "enum",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(..) => "map",
            Self::Struct(_) => "struct",
            Self::OneOf(_) => "oneof",
        }
    }
}
