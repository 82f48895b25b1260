//! Which native type a kind has: what a team sees in its tables, and what orders its rows.

use keyloom_value::{Kind, key::Part};

use crate::names::quoted;

/// In which form a component of the key is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the same kind is in a column.
    Native,
    /// The rank of an enumeration, which is its order.
    Rank,
    /// The bytes of [`keyloom_value::key`]: the native type would order otherwise.
    KeyForm,
    /// A text or bytes with a zero in front of the empty value, and of every value that begins with a zero: a partition
    /// key of one component may not be empty in Cassandra.
    Padded,
}

impl Form {
    /// The form of each component of a key: `partition` of them say where a row lies, the others in which order.
    pub(crate) fn of_key(parts: &[Part], partition: usize) -> Vec<Self> {
        let form = |(at, part): (usize, &Part)| match part.kind {
            Kind::Enum(_) => Self::Rank,
            Kind::Uuid | Kind::Ip if at >= partition => Self::KeyForm,
            Kind::Text | Kind::Bytes if partition == 1 && at == 0 => Self::Padded,
            _ => Self::Native,
        };
        parts.iter().enumerate().map(form).collect()
    }

    /// The CQL type of a component in this form.
    pub(crate) fn cql(self, kind: &Kind) -> String {
        match self {
            Self::Native | Self::Padded => cql(kind, ""),
            Self::Rank => "smallint".to_owned(),
            Self::KeyForm => "blob".to_owned(),
        }
    }
}

/// The CQL type of a column. `path` is the name of the user type, should it need one.
pub(crate) fn cql(kind: &Kind, path: &str) -> String {
    let word = match kind {
        Kind::Bool => "boolean",
        Kind::Int | Kind::Timestamp { micros: true } => "bigint",
        Kind::Float => "double",
        Kind::Decimal { .. } => "decimal",
        Kind::Text | Kind::Json | Kind::Enum(_) => "text",
        // Cassandra's duration wants one sign for all its parts.
        Kind::Bytes | Kind::Duration => "blob",
        Kind::Uuid | Kind::Uuid7 => "uuid",
        Kind::Date => "date",
        Kind::Timestamp { micros: false } => "timestamp",
        Kind::Ip => "inet",
        Kind::List(of) => return format!("frozen<list<{}>>", cql(of, path)),
        Kind::Set(of) => return format!("frozen<set<{}>>", cql(of, path)),
        Kind::Map(key, value) => {
            return format!("frozen<map<{}, {}>>", cql(key, &under(path, "key")), cql(value, path));
        }
        Kind::Struct(_) | Kind::OneOf(_) => return format!("frozen<{}>", quoted(path)),
    };
    word.to_owned()
}

/// A user type: its name, and its fields with their types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserType {
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl UserType {
    /// The same type before it had any fields.
    pub(crate) fn without_fields(&self) -> Self {
        Self { name: self.name.clone(), fields: Vec::new() }
    }
}

/// The user types that a kind needs, each behind those it is made of.
pub(crate) fn user_types(kind: &Kind, path: &str) -> Vec<UserType> {
    let fields: Vec<(String, &Kind)> = match kind {
        Kind::List(of) | Kind::Set(of) => return user_types(of, path),
        Kind::Map(key, value) => {
            let mut types = user_types(key, &under(path, "key"));
            types.extend(user_types(value, path));
            return types;
        }
        Kind::Struct(members) => members.iter().map(|member| (member.name.clone(), &member.kind)).collect(),
        Kind::OneOf(kinds) => kinds.iter().enumerate().map(|(at, kind)| (choice(kinds, at), kind)).collect(),
        _ => return Vec::new(),
    };
    let mut types: Vec<UserType> =
        fields.iter().flat_map(|(name, kind)| user_types(kind, &under(path, name))).collect();
    let fields = fields.iter().map(|(name, kind)| (name.clone(), cql(kind, &under(path, name)))).collect();
    types.push(UserType { name: path.to_owned(), fields });
    types
}

/// The name of the user type of a column.
pub(crate) fn user_type(table: &str, column: &str) -> String {
    format!("kl_{table}_{column}")
}

/// The name of the field in which one of several kinds stands: the word for the kind, with its position where an earlier
/// one has the same word. It stays when kinds are added behind it.
fn choice(kinds: &[Kind], at: usize) -> String {
    let word = kinds[at].word();
    if kinds[..at].iter().any(|earlier| earlier.word() == word) { format!("{word}_{at}") } else { word.to_owned() }
}

fn under(path: &str, name: &str) -> String {
    format!("{path}_{name}")
}
