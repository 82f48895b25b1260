//! The names that a statement makes and needs.

use keyloom_cql::ast::{CqlType, DropKind, QualifiedName, StatementKind, TypeKind};

/// What a name names. Keyspaces have no other name above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    Keyspace,
    Table,
    Type,
}

/// A name that is made or needed; the keyspace is empty where it is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Thing {
    pub sort: Sort,
    pub name: String,
    pub keyspace: String,
}

impl Thing {
    fn new(sort: Sort, name: &QualifiedName, keyspace: Option<&str>) -> Option<Self> {
        let known = name.keyspace.as_ref().filter(|keyspace| !keyspace.unknown).map(|keyspace| keyspace.text.as_str());
        // A hole for a keyspace is a keyspace that is not known, whichever was used before.
        let keyspace = if name.keyspace.is_some() { known } else { keyspace };
        let keyspace = keyspace.unwrap_or("").to_owned();
        (!name.name.unknown).then(|| Self { sort, name: name.name.text.clone(), keyspace })
    }

    /// Whether both may be the same: a keyspace that is not known may be any.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let unknown = self.keyspace.is_empty() || other.keyspace.is_empty();
        self.sort == other.sort && self.name == other.name && (unknown || self.keyspace == other.keyspace)
    }
}

/// Whether a statement changes the schema.
pub(crate) fn is_ddl(kind: &StatementKind) -> bool {
    use StatementKind as Kind;
    match kind {
        Kind::CreateKeyspace(_)
        | Kind::CreateTable(_)
        | Kind::CreateType(_)
        | Kind::CreateIndex(_)
        | Kind::CreateView(_)
        | Kind::CreateFunction(_)
        | Kind::AlterKeyspace(_)
        | Kind::AlterTable(_)
        | Kind::AlterType(_)
        | Kind::AlterView { .. }
        | Kind::Drop(_) => true,
        Kind::Select(_)
        | Kind::Insert(_)
        | Kind::Update(_)
        | Kind::Delete(_)
        | Kind::Batch(_)
        | Kind::Truncate(_)
        | Kind::Use(_)
        | Kind::Skipped(_)
        | Kind::Dynamic(_) => false,
    }
}

/// Whether a statement reads or writes rows.
pub(crate) fn is_dml(kind: &StatementKind) -> bool {
    use StatementKind as Kind;
    matches!(
        kind,
        Kind::Select(_) | Kind::Insert(_) | Kind::Update(_) | Kind::Delete(_) | Kind::Batch(_) | Kind::Truncate(_)
    )
}

/// The tables that a statement reads or writes; several for a batch.
pub(crate) fn tables(kind: &StatementKind) -> Vec<&QualifiedName> {
    match kind {
        StatementKind::Select(select) => vec![&select.table],
        StatementKind::Insert(insert) => vec![&insert.table],
        StatementKind::Update(update) => vec![&update.table],
        StatementKind::Delete(delete) => vec![&delete.table],
        StatementKind::Truncate(table) => vec![table],
        StatementKind::Batch(batch) => batch.statements.iter().flat_map(|statement| tables(&statement.kind)).collect(),
        _ => Vec::new(),
    }
}

/// The table of a statement that reads or writes one, to be changed.
pub(crate) fn table_mut(kind: &mut StatementKind) -> Option<&mut QualifiedName> {
    match kind {
        StatementKind::Select(select) => Some(&mut select.table),
        StatementKind::Insert(insert) => Some(&mut insert.table),
        StatementKind::Update(update) => Some(&mut update.table),
        StatementKind::Delete(delete) => Some(&mut delete.table),
        StatementKind::Truncate(table) => Some(table),
        _ => None,
    }
}

/// What a statement of a schema makes.
pub(crate) fn makes(kind: &StatementKind, keyspace: Option<&str>) -> Option<Thing> {
    match kind {
        StatementKind::CreateKeyspace(create) => (!create.name.unknown).then(|| Thing {
            sort: Sort::Keyspace,
            name: create.name.text.clone(),
            keyspace: String::new(),
        }),
        StatementKind::CreateTable(create) => Thing::new(Sort::Table, &create.name, keyspace),
        StatementKind::CreateView(create) => Thing::new(Sort::Table, &create.name, keyspace),
        StatementKind::CreateType(create) => Thing::new(Sort::Type, &create.name, keyspace),
        _ => None,
    }
}

/// The keyspace that a statement of a schema is about, where that is known.
pub(crate) fn keyspace(kind: &StatementKind, current: Option<&str>) -> Option<String> {
    let of = |name: &QualifiedName| match &name.keyspace {
        Some(keyspace) => (!keyspace.unknown).then(|| keyspace.text.clone()),
        None => current.map(str::to_owned),
    };
    match kind {
        StatementKind::CreateKeyspace(create) | StatementKind::AlterKeyspace(create) => {
            (!create.name.unknown).then(|| create.name.text.clone())
        }
        StatementKind::Use(name) => (!name.unknown).then(|| name.text.clone()),
        StatementKind::CreateTable(create) => of(&create.name),
        StatementKind::CreateType(create) => of(&create.name),
        StatementKind::CreateIndex(create) => of(&create.table),
        StatementKind::CreateView(create) => of(&create.name),
        StatementKind::CreateFunction(create) => of(&create.name),
        StatementKind::AlterTable(alter) => of(&alter.name),
        StatementKind::AlterType(alter) => of(&alter.name),
        StatementKind::AlterView { name, .. } => of(name),
        StatementKind::Drop(drop) if drop.kind == DropKind::Keyspace => {
            (!drop.name.name.unknown).then(|| drop.name.name.text.clone())
        }
        StatementKind::Drop(drop) => of(&drop.name),
        _ => None,
    }
}

/// The table that a statement drops.
pub(crate) fn drops(kind: &StatementKind, keyspace: Option<&str>) -> Option<Thing> {
    match kind {
        StatementKind::Drop(drop) if drop.kind == DropKind::Table => Thing::new(Sort::Table, &drop.name, keyspace),
        _ => None,
    }
}

/// What must be there before a statement of a schema.
pub(crate) fn needs(kind: &StatementKind, keyspace: Option<&str>) -> Vec<Thing> {
    let table = |name: &QualifiedName| Thing::new(Sort::Table, name, keyspace);
    let mut needed: Vec<Option<Thing>> = Vec::new();
    match kind {
        StatementKind::CreateTable(create) => {
            needed.push(create.like.as_ref().and_then(table));
            for column in &create.columns {
                types(&column.of, keyspace, &mut needed);
            }
        }
        StatementKind::CreateType(create) => {
            for (_, of) in &create.fields {
                types(of, keyspace, &mut needed);
            }
        }
        StatementKind::CreateIndex(create) => needed.push(table(&create.table)),
        StatementKind::CreateView(create) => needed.push(table(&create.base)),
        StatementKind::AlterTable(alter) => needed.push(table(&alter.name)),
        StatementKind::AlterView { name, .. } => needed.push(table(name)),
        StatementKind::AlterType(alter) => needed.push(Thing::new(Sort::Type, &alter.name, keyspace)),
        StatementKind::Drop(drop) if matches!(drop.kind, DropKind::Table | DropKind::View) => {
            needed.push(table(&drop.name));
        }
        StatementKind::Use(name) if !name.unknown => {
            needed.push(Some(Thing { sort: Sort::Keyspace, name: name.text.clone(), keyspace: String::new() }));
        }
        _ => {}
    }
    needed.into_iter().flatten().collect()
}

/// The names of all that a statement of a schema makes, changes, drops or needs, without their keyspaces.
pub(crate) fn about(kind: &StatementKind) -> Vec<String> {
    let mut names: Vec<String> =
        makes(kind, None).into_iter().chain(needs(kind, None)).map(|thing| thing.name).collect();
    match kind {
        StatementKind::Drop(drop) => names.push(drop.name.name.text.clone()),
        StatementKind::CreateIndex(create) => names.extend(create.name.iter().map(|name| name.name.text.clone())),
        _ => {}
    }
    names
}

/// The types of the schema within a type. The parser limits how deep they nest.
fn types(of: &CqlType, keyspace: Option<&str>, needed: &mut Vec<Option<Thing>>) {
    match &of.kind {
        TypeKind::List(of) | TypeKind::Set(of) | TypeKind::Frozen(of) | TypeKind::Vector(of, _) => {
            types(of, keyspace, needed);
        }
        TypeKind::Map(key, value) => {
            types(key, keyspace, needed);
            types(value, keyspace, needed);
        }
        TypeKind::Tuple(all) => all.iter().for_each(|of| types(of, keyspace, needed)),
        TypeKind::Named(name) => needed.push(Thing::new(Sort::Type, name, keyspace)),
        _ => {}
    }
}
