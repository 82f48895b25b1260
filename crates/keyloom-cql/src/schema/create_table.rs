//! `CREATE TABLE`.

use std::collections::BTreeMap;

use super::apply::Step;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::find::whose;
use super::typing::Typing;
use super::{Column, ColumnKind, Made, Schema, Table, Type};
use crate::Span;
use crate::ast::{ClusteringOrder, ColumnDefinition, CreateTable, Name, Native};

impl Schema {
    pub(super) fn create_table(&mut self, create: &CreateTable, step: &Step<'_>) -> Applied {
        let name = &create.name.name;
        if name.unknown {
            return Ok(());
        }
        let home = whose(create.name.keyspace.as_ref(), step.current).home();
        if self.keyspace_mut(&home).table(&name.text).is_some() {
            if create.if_not_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::Exists, create.name.span(), format!("table {} is there already", name.text));
        }
        let made = step.made(name);
        let key_made = Made { by: step.by, at: create.primary_key.unwrap_or(name.span) };
        let mut table = Table::new(&home, &name.text, made, key_made);
        let outcome = match &create.like {
            Some(_) => self.copy_columns(create, &mut table, step),
            None => self.lay_columns(create, &mut table, step),
        };
        table.set_options(&create.options, step.by);
        let outcome = outcome.and_then(|()| check_counters(&table, name.span, step));
        self.keyspace_mut(&home).tables.insert(name.text.clone(), table);
        outcome
    }

    /// `CREATE TABLE a LIKE b`
    fn copy_columns(&self, create: &CreateTable, table: &mut Table, step: &Step<'_>) -> Applied {
        let Some(like) = &create.like else { return Ok(()) };
        table.unknown = true;
        let Some((keyspace, name)) = self.target(like, false, step)? else { return Ok(()) };
        let other = self.keyspaces.get(&keyspace).and_then(|keyspace| keyspace.table(&name));
        if let Some(other) = other {
            table.columns.clone_from(&other.columns);
            table.unknown = other.unknown;
        }
        Ok(())
    }

    /// Puts the columns in their order and looks their types up.
    fn lay_columns(&self, create: &CreateTable, table: &mut Table, step: &Step<'_>) -> Applied {
        let mut typing = Typing::new(self, &table.keyspace);
        let mut types: BTreeMap<&str, (&ColumnDefinition, Type)> = BTreeMap::new();
        let mut duplicate = Ok(());
        for column in &create.columns {
            let of = typing.resolve(&column.of);
            let before = types.insert(&column.name.text, (column, of));
            if before.is_some() && !column.name.unknown {
                let message = format!("table {} has two columns {}", create.name.name.text, column.name.text);
                duplicate = duplicate.and(fault(SchemaFaultKind::Other, column.name.span, message));
            }
        }
        let typed = typing.outcome;
        table.unknown = step.open || create.columns.iter().any(|column| column.name.unknown);
        table.compact_storage = create.compact_storage.is_some();

        let key = create.partition_key.iter().map(|name| (name, ColumnKind::Partition));
        let clustering = create.clustering.iter().map(|name| {
            let order = create.clustering_order.iter().find(|order| order.column.text == name.text);
            (name, ColumnKind::Clustering { descending: order.is_some_and(|order| order.descending) })
        });
        let mut keyed = check_key_is_there(create, table);
        let mut key_columns: Vec<Column> = Vec::new();
        for (name, kind) in key.chain(clustering) {
            table.unknown |= name.unknown;
            let (of, made) = match types.get(name.text.as_str()) {
                Some((column, of)) => (of.clone(), Made { by: step.by, at: column.span }),
                None => (Type::Unknown(name.text.clone()), step.made(name)),
            };
            let definition = types.get(name.text.as_str()).map(|(column, _)| *column);
            keyed = keyed.and(self.check_key_column(name, definition, &of, table));
            if key_columns.iter().any(|known| known.name == name.text) {
                if !name.unknown {
                    let message = format!("column {} stands twice in the primary key", name.text);
                    keyed = keyed.and(fault(SchemaFaultKind::Key, name.span, message));
                }
                continue;
            }
            key_columns.push(Column { name: name.text.clone(), of, kind, made });
        }
        let ordered = check_order(create, table);
        let mut others = Vec::new();
        for column in &create.columns {
            // The last of two with one name is the one in the map; it is taken out, and stands once.
            let Some((column, of)) = types.remove(column.name.text.as_str()) else { continue };
            if key_columns.iter().any(|known| known.name == column.name.text) {
                continue;
            }
            let kind = if column.is_static { ColumnKind::Static } else { ColumnKind::Regular };
            let made = Made { by: step.by, at: column.span };
            others.push(Column { name: column.name.text.clone(), of, kind, made });
        }
        table.columns = key_columns;
        table.columns.extend(others);
        let columns = self.check_columns(create, table);
        duplicate.and(typed).and(keyed).and(ordered).and(columns)
    }

    /// What a column of the key must be.
    fn check_key_column(&self, name: &Name, column: Option<&ColumnDefinition>, of: &Type, table: &Table) -> Applied {
        let Some(column) = column else {
            if name.unknown || table.unknown {
                return Ok(());
            }
            let message = format!("the primary key names {}, which is no column of table {}", name.text, table.name);
            return fault(SchemaFaultKind::Key, name.span, message);
        };
        let at = column.of.span;
        if of.is_multi_cell() {
            let message = format!("the key column {} has to be frozen", name.text);
            return fault(SchemaFaultKind::Type, at, message);
        }
        if *of == Type::Native(Native::Counter) {
            return fault(SchemaFaultKind::Type, at, format!("the key column {} can't be a counter", name.text));
        }
        if of.holds(self, &table.keyspace, &|inner| *inner == Type::Native(Native::Duration)) {
            let message = format!("the key column {} can't be a duration: they have no order", name.text);
            return fault(SchemaFaultKind::Type, at, message);
        }
        if column.is_static {
            return fault(SchemaFaultKind::Key, column.span, format!("the key column {} can't be static", name.text));
        }
        Ok(())
    }

    /// What the columns outside of the key must be.
    fn check_columns(&self, create: &CreateTable, table: &Table) -> Applied {
        let definition = |column: &Column| create.columns.iter().find(|written| written.name.text == column.name);
        for column in &table.columns {
            let at = definition(column).map_or(column.made.at, |written| written.of.span);
            self.check_nested(&table.keyspace, column, at)?;
        }
        let first_static = table.columns.iter().find(|column| column.kind == ColumnKind::Static);
        let values = || table.columns.iter().filter(|column| column.kind == ColumnKind::Regular);
        if table.unknown {
            return Ok(());
        }
        if table.compact_storage {
            let at = create.compact_storage.unwrap_or(create.name.name.span);
            return check_compact(table, first_static, values().count(), at);
        }
        if let Some(column) = first_static
            && table.clustering().next().is_none()
        {
            let message =
                format!("column {} can't be static: table {} has no clustering column", column.name, table.name);
            return fault(SchemaFaultKind::Other, column.made.at, message);
        }
        Ok(())
    }

    /// A user-defined type that is not frozen may hold nothing that is not.
    pub(super) fn check_nested(&self, keyspace: &str, column: &Column, at: Span) -> Applied {
        let Type::User(name) = &column.of else { return Ok(()) };
        let user = self.user_type(keyspace, name);
        let nested = user.and_then(|user| user.fields.iter().find(|(_, field)| field.is_multi_cell()));
        match nested {
            Some((field, _)) => {
                let message = format!("column {} has to be frozen: field {field} of type {name} is not", column.name);
                fault(SchemaFaultKind::Type, at, message)
            }
            None => Ok(()),
        }
    }
}

impl Table {
    /// A table without columns.
    pub(super) fn new(keyspace: &str, name: &str, made: Made, key_made: Made) -> Self {
        Self {
            keyspace: keyspace.to_owned(),
            name: name.to_owned(),
            columns: Vec::new(),
            indexes: Vec::new(),
            default_ttl: None,
            gc_grace: None,
            compaction: None,
            compact_storage: false,
            options: Vec::new(),
            dropped: Vec::new(),
            made,
            key_made,
            unknown: false,
        }
    }

    /// Whether a column outside of the key counts.
    pub fn is_counter(&self) -> bool {
        self.columns.iter().any(|column| column.of == Type::Native(Native::Counter))
    }
}

fn check_key_is_there(create: &CreateTable, table: &Table) -> Applied {
    if create.primary_key.is_none() && !table.unknown {
        let message = format!("table {} has no primary key", table.name);
        return fault(SchemaFaultKind::Key, create.name.span(), message);
    }
    Ok(())
}

/// `CLUSTERING ORDER BY` names clustering columns in their order, from the first on.
fn check_order(create: &CreateTable, table: &Table) -> Applied {
    if table.unknown || create.clustering_order.iter().any(|order| order.column.unknown) {
        return Ok(());
    }
    check_clustering_order(&create.clustering_order, &create.clustering)
}

fn check_clustering_order(orders: &[ClusteringOrder], clustering: &[Name]) -> Applied {
    let is_clustering = |order: &ClusteringOrder| clustering.iter().any(|column| column.text == order.column.text);
    if let Some(order) = orders.iter().find(|order| !is_clustering(order)) {
        let message = format!("CLUSTERING ORDER BY names {}, which is no clustering column", order.column.text);
        return fault(SchemaFaultKind::Key, order.column.span, message);
    }
    for (index, order) in orders.iter().enumerate() {
        if clustering.get(index).is_none_or(|column| column.text != order.column.text) {
            let message = format!("CLUSTERING ORDER BY names {} out of the order of the key", order.column.text);
            return fault(SchemaFaultKind::Key, order.column.span, message);
        }
    }
    Ok(())
}

/// What can be told of old tables that are stored as they were before CQL.
fn check_compact(table: &Table, first_static: Option<&Column>, values: usize, at: Span) -> Applied {
    if let Some(column) = table.columns.iter().find(|column| column.of.is_multi_cell()) {
        let message = format!("column {} has to be frozen in a table with compact storage", column.name);
        return fault(SchemaFaultKind::Type, column.made.at, message);
    }
    if let Some(column) = first_static {
        let message = format!("column {} can't be static in a table with compact storage", column.name);
        return fault(SchemaFaultKind::Other, column.made.at, message);
    }
    let clustered = table.clustering().next().is_some();
    if clustered && values > 1 {
        let message = "with compact storage and clustering columns there can be only one other column".to_owned();
        return fault(SchemaFaultKind::Other, at, message);
    }
    if !clustered && values == 0 {
        let message = "with compact storage there has to be a column outside of the key".to_owned();
        return fault(SchemaFaultKind::Other, at, message);
    }
    Ok(())
}

/// Counters stand among counters only, and do not expire. What this statement did not make itself is told at `at`.
pub(super) fn check_counters(table: &Table, at: Span, step: &Step<'_>) -> Applied {
    if table.unknown {
        return Ok(());
    }
    let mut values =
        table.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Static | ColumnKind::Regular));
    if !table.is_counter() {
        return Ok(());
    }
    let other = values.find(|column| !matches!(column.of, Type::Native(Native::Counter) | Type::Unknown(_)));
    if let Some(other) = other {
        let message = format!("column {} stands beside counters, and counters stand only among counters", other.name);
        return fault(SchemaFaultKind::Type, step.own(other.made, at), message);
    }
    if let Some((Some(1..), made)) = table.default_ttl {
        let message = format!("table {} counts, and counters do not expire", table.name);
        return fault(SchemaFaultKind::Other, step.own(made, at), message);
    }
    Ok(())
}
