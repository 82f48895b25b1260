//! `CREATE INDEX` and `DROP INDEX`.

use super::apply::Step;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::find::Whose;
use super::{Column, ColumnKind, Index, IndexKind, Schema, Table, Type, index_options};
use crate::HOLE;
use crate::ast::{CreateIndex, Drop, IndexTarget, IndexTargetKind, Native};

impl Schema {
    pub(super) fn create_index(&mut self, create: &CreateIndex, step: &Step<'_>) -> Applied {
        let Some((home, table_name)) = self.target(&create.table, false, step)? else { return Ok(()) };
        let keyspace = self.keyspace_mut(&home);
        let given = create.name.as_ref().map(|name| &name.name);
        if let Some(name) = given
            && keyspace.indexes.contains_key(&name.text)
            && !name.unknown
        {
            if create.if_not_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::Exists, name.span, format!("index {} is there already", name.text));
        }
        let at = create.table.span();
        if keyspace.views.contains_key(&table_name) {
            let message = format!("{table_name} is a materialized view: it can't have an index");
            return fault(SchemaFaultKind::Other, at, message);
        }
        let name = match given {
            Some(name) => name.text.clone(),
            None => keyspace.free_index_name(&made_up_name(&table_name, &create.targets)),
        };
        let kind = kind_of(create);
        let Some(table) = self.keyspaces.get(&home).and_then(|keyspace| keyspace.tables.get(&table_name)) else {
            return Ok(());
        };
        let mut outcome = check_index(create, &kind, table);
        let mut indexes = Vec::new();
        for target in &create.targets {
            outcome = outcome.and(self.check_target(target, &kind, table));
            let column = table.column(&target.column.text);
            if let Some(column) = column.filter(|_| !table.unknown && outcome.is_ok()) {
                outcome = index_options::check(create, &kind, column, target);
            }
            let plain_collection = target.kind == IndexTargetKind::Plain
                && column.is_some_and(|column| column.of.is_collection() && column.of.is_multi_cell());
            indexes.push(Index {
                name: name.clone(),
                kind: kind.clone(),
                column: target.column.text.clone(),
                target: if plain_collection { IndexTargetKind::Values } else { target.kind },
                options: create.options.clone(),
                made: super::Made { by: step.by, at: given.map_or(at, |name| name.span) },
            });
        }
        if let Some(same) = indexes.iter().find_map(|index| table.indexes.iter().find(|known| is_same(known, index))) {
            if create.if_not_exists || outcome.is_err() {
                return outcome;
            }
            let message = format!("index {} holds the same as {name} would", same.name);
            return fault(SchemaFaultKind::Exists, at, message);
        }
        let keyspace = self.keyspace_mut(&home);
        keyspace.indexes.insert(name, table_name.clone());
        if let Some(table) = keyspace.tables.get_mut(&table_name) {
            table.indexes.extend(indexes);
        }
        outcome
    }

    /// What a column must be to be indexed.
    fn check_target(&self, target: &IndexTarget, kind: &IndexKind, table: &Table) -> Applied {
        let at = target.column.span;
        let name = &target.column.text;
        let Some(column) = table.column(name) else {
            if target.column.unknown || table.unknown {
                return Ok(());
            }
            return fault(SchemaFaultKind::UnknownColumn, at, format!("table {} has no column {name}", table.name));
        };
        let of = &column.of;
        if matches!(of, Type::Unknown(_) | Type::Custom(_)) || table.unknown {
            return Ok(());
        }
        let refuse = |message: String| fault(SchemaFaultKind::Type, at, message);
        if of.holds(self, &table.keyspace, &|inner| *inner == Type::Native(Native::Duration)) {
            return refuse(format!("column {name} holds durations, which can't be indexed"));
        }
        if table.compact_storage && matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
            return refuse(format!(
                "the key of a table with compact storage can't be indexed, and {name} is part of it"
            ));
        }
        if table.compact_storage && column.kind == ColumnKind::Regular && table.clustering().next().is_some() {
            return refuse(format!("the one value of a table with compact storage can't be indexed, and {name} is it"));
        }
        if column.kind == ColumnKind::Partition && table.partition_key().count() == 1 {
            return refuse(format!("column {name} is the whole partition key: an index over it would be of no use"));
        }
        check_part(target, of)?;
        if matches!(of, Type::User(_)) {
            return refuse(format!("column {name} has to be frozen to be indexed"));
        }
        match kind {
            IndexKind::StorageAttached => check_storage_attached(column, target),
            IndexKind::Sasi if of.is_multi_cell() => refuse(format!("SASI can't index the collection {name}")),
            IndexKind::Sasi if column.kind == ColumnKind::Partition => {
                refuse(format!("SASI can't index {name}, which is part of the partition key"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn drop_index(&mut self, drop: &Drop, whose: Whose<'_>) -> Applied {
        let name = &drop.name.name.text;
        let Some(home) = self.keyspace_where(whose, |keyspace| keyspace.indexes.contains_key(name)) else {
            if drop.if_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::UnknownName, drop.name.span(), format!("there is no index {name}"));
        };
        let keyspace = self.keyspace_mut(&home);
        if let Some(table) = keyspace.indexes.remove(name)
            && let Some(table) = keyspace.tables.get_mut(&table)
        {
            table.indexes.retain(|index| index.name != *name);
        }
        Ok(())
    }
}

impl super::Keyspace {
    /// The name, with a number behind it as long as another index has it.
    fn free_index_name(&self, name: &str) -> String {
        let numbered = (1..).map(|number: u64| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.indexes.contains_key(name)).unwrap_or_default()
    }
}

/// The name that the server makes up: of table and column, without what is no letter, digit or underscore.
fn made_up_name(table: &str, targets: &[IndexTarget]) -> String {
    let column = match targets {
        [target] => format!("{}_", target.column.text),
        _ => String::new(),
    };
    let name = format!("{table}_{column}idx");
    name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_' || *letter == HOLE).collect()
}

fn kind_of(create: &CreateIndex) -> IndexKind {
    if !create.local.is_empty() {
        return IndexKind::Local;
    }
    let Some(using) = &create.using else { return IndexKind::Legacy };
    let class = using.rsplit('.').next().unwrap_or(using).to_ascii_lowercase();
    match class.as_str() {
        "sai" | "storageattachedindex" => IndexKind::StorageAttached,
        "sasiindex" => IndexKind::Sasi,
        "legacy_local_table" if !create.custom => IndexKind::Legacy,
        _ => IndexKind::Custom(using.clone()),
    }
}

/// What holds for the whole index.
fn check_index(create: &CreateIndex, kind: &IndexKind, table: &Table) -> Applied {
    let at = create.table.span();
    let custom = create.using.is_some() && *kind != IndexKind::Legacy;
    if create.custom && create.using.is_none() {
        return fault(SchemaFaultKind::Other, at, "a custom index needs its class: USING 'class'".to_owned());
    }
    if table.is_counter() {
        let message = format!("table {} counts: it can't have an index", table.name);
        return fault(SchemaFaultKind::Other, at, message);
    }
    if *kind == IndexKind::Local {
        return Ok(());
    }
    if create.targets.is_empty() && !custom {
        return fault(SchemaFaultKind::Other, at, "the index names no column".to_owned());
    }
    if create.targets.len() > 1 && (!custom || *kind == IndexKind::StorageAttached) {
        return fault(SchemaFaultKind::Other, at, "an index is over one column".to_owned());
    }
    if !custom && !create.options.is_empty() {
        return fault(SchemaFaultKind::Other, at, "only an index with a class of its own has options".to_owned());
    }
    Ok(())
}

/// `keys(m)`, `full(c)` and the like fit only some types.
fn check_part(target: &IndexTarget, of: &Type) -> Applied {
    let at = target.column.span;
    let name = &target.column.text;
    let refuse = |message: String| fault(SchemaFaultKind::Type, at, message);
    let frozen_collection = of.is_collection() && !of.is_multi_cell();
    match target.kind {
        IndexTargetKind::Full if frozen_collection => Ok(()),
        IndexTargetKind::Full => refuse(format!("full({name}) needs a frozen collection")),
        _ if frozen_collection => refuse(format!("{name} is frozen: only full({name}) can be indexed")),
        IndexTargetKind::Plain => Ok(()),
        _ if !of.is_collection() => refuse(format!("column {name} is no collection: it has no parts to index")),
        IndexTargetKind::Keys | IndexTargetKind::Entries if !matches!(of, Type::Map(..)) => {
            refuse(format!("column {name} is no map: it has no keys to index"))
        }
        _ => Ok(()),
    }
}

/// Which types storage-attached indexes take.
fn check_storage_attached(column: &Column, target: &IndexTarget) -> Applied {
    let takes =
        |of: &Type| !matches!(of, Type::Native(Native::Blob | Native::Counter | Native::Duration | Native::Empty));
    let fits = match (&column.of, target.kind) {
        (Type::Map(key, value), IndexTargetKind::Entries) => takes(key) && takes(value),
        (of, part) => match index_options::held(of, part) {
            Some(Type::Vector(element, _)) => **element == Type::Native(Native::Float),
            held => held.is_none_or(takes),
        },
    };
    if fits {
        return Ok(());
    }
    let message = format!("a storage-attached index can't hold what column {} has", column.name);
    fault(SchemaFaultKind::Type, target.column.span, message)
}

/// Whether two indexes differ in nothing but their names.
fn is_same(known: &Index, index: &Index) -> bool {
    let storage_attached = known.kind == IndexKind::StorageAttached;
    known.kind == index.kind
        && known.column == index.column
        && known.target == index.target
        && (storage_attached || known.options == index.options)
}
