use super::Made;
use crate::ast::Native;

/// A type with its names looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A type of the language itself.
    Native(Native),
    /// `list<x>`
    List(Box<Type>),
    /// `set<x>`
    Set(Box<Type>),
    /// `map<k, v>`
    Map(Box<Type>, Box<Type>),
    /// `tuple<..>`, always frozen.
    Tuple(Vec<Type>),
    /// `vector<x, n>`, always frozen.
    Vector(Box<Type>, u32),
    /// A collection or user-defined type written and read as one value.
    Frozen(Box<Type>),
    /// A user-defined type of the table's keyspace, by name; its fields are in [`super::Keyspace::types`].
    User(String),
    /// A class of the server's.
    Custom(String),
    /// Not known: a hole stands there, or the name names nothing.
    Unknown(String),
}

/// A user-defined type.
#[derive(Debug, Clone)]
pub struct UserType {
    /// Its name.
    pub name: String,
    /// Its fields, in order.
    pub fields: Vec<(String, Type)>,
    /// Where it was made.
    pub made: Made,
}
