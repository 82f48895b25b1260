//! What a name leads to.

use super::{Keyspace, Lookup, Schema, Table, UserType};
use crate::ast::{Name, QualifiedName};

/// A keyspace as far as a statement says which one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Whose<'a> {
    /// This one.
    Named(&'a str),
    /// Any: no keyspace is named, or a hole stands for it.
    Any,
}

impl Schema {
    /// The table or view of that name. Without a keyspace it is the one that was chosen with `USE`; without that, any that has
    /// such a table. A table that was created without a keyspace may belong to any of them. A hole for the keyspace may be
    /// each of them; a hole in the table's own name finds nothing.
    pub fn find(&self, name: &QualifiedName, current: Option<&str>) -> Lookup<'_> {
        if name.name.unknown {
            return Lookup::None;
        }
        let whose = whose(name.keyspace.as_ref(), current);
        let mut found = self.candidates(whose).filter_map(|keyspace| keyspace.table(&name.name.text));
        match (found.next(), found.next()) {
            (None, _) => Lookup::None,
            (Some(table), None) => Lookup::One(table),
            // Both were made and are asked for without a keyspace.
            (Some(table), Some(_)) if table.keyspace.is_empty() && name.keyspace.is_none() => Lookup::One(table),
            (Some(table), Some(_)) if matches!(whose, Whose::Named(_)) => Lookup::One(table),
            (Some(table), Some(_)) => Lookup::Several(table),
        }
    }

    /// A user-defined type as a table of that keyspace sees it.
    pub fn user_type(&self, keyspace: &str, name: &str) -> Option<&UserType> {
        let whose = if keyspace.is_empty() { Whose::Any } else { Whose::Named(keyspace) };
        self.candidates(whose).find_map(|keyspace| keyspace.types.get(name))
    }

    /// The keyspaces that are meant, the best first: the named one, then the one without a name.
    fn candidates(&self, whose: Whose<'_>) -> impl Iterator<Item = &Keyspace> + use<'_> {
        let (named, all) = match whose {
            Whose::Named(name) => ([self.keyspaces.get(name), self.keyspaces.get("")], None),
            Whose::Any => ([None, None], Some(self.keyspaces.values())),
        };
        named.into_iter().flatten().chain(all.into_iter().flatten())
    }

    /// The name of the first keyspace that is meant and of which this is true.
    pub(super) fn keyspace_where(&self, whose: Whose<'_>, holds: impl Fn(&Keyspace) -> bool) -> Option<String> {
        self.candidates(whose).find(|keyspace| holds(keyspace)).map(|keyspace| keyspace.name.clone())
    }
}

/// Which keyspace a statement means.
pub(super) fn whose<'a>(written: Option<&'a Name>, current: Option<&'a str>) -> Whose<'a> {
    match (written, current) {
        (Some(name), _) if name.unknown => Whose::Any,
        (Some(name), _) => Whose::Named(&name.text),
        (None, Some(current)) => Whose::Named(current),
        (None, None) => Whose::Any,
    }
}

impl Whose<'_> {
    /// Where something is created: without a name, in the keyspace without one.
    pub(super) fn home(self) -> String {
        match self {
            Self::Named(name) => name.to_owned(),
            Self::Any => String::new(),
        }
    }
}

impl Keyspace {
    /// The table or view of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name).or_else(|| self.views.get(name).map(|view| &view.table))
    }
}
