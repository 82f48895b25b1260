//! `ALTER TABLE`.

use super::apply::Step;
use super::create_table::check_counters;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::typing::Typing;
use super::{Column, ColumnKind, Made, Schema, Table};
use crate::ast::{AlterTable, AlterTableChange, ColumnDefinition, Name, QualifiedName, TableOption};

impl Schema {
    pub(super) fn alter_table(&mut self, alter: &AlterTable, step: &Step<'_>) -> Applied {
        let Some((keyspace, name)) = self.target(&alter.name, alter.if_exists, step)? else { return Ok(()) };
        if self.keyspace_mut(&keyspace).views.contains_key(&name) {
            let message = format!("{name} is a materialized view: ALTER MATERIALIZED VIEW changes it");
            return fault(SchemaFaultKind::Other, alter.name.span(), message);
        }
        let at = Place { keyspace: &keyspace, table: &name };
        if step.open
            && let Some(table) = self.table_mut(at)
        {
            table.unknown = true;
        }
        match &alter.change {
            AlterTableChange::Add { columns, if_not_exists } => {
                each(columns, |column| self.add_column(at, column, *if_not_exists, step))?;
                self.table_mut(at).map_or(Ok(()), |table| check_counters(table, alter.name.span(), step))
            }
            AlterTableChange::Drop { columns, if_exists } => {
                each(columns, |column| self.drop_column(at, column, *if_exists, step))
            }
            AlterTableChange::Rename { columns, .. } => {
                each(columns, |(from, to)| self.rename_column(at, from, to, step))
            }
            AlterTableChange::Retype(name, of) => {
                let of_column = Typing::new(self, at.keyspace).resolve(of);
                let made = Made { by: step.by, at: name.span.to(of.span) };
                let column =
                    self.table_mut(at).and_then(|table| table.columns.iter_mut().find(|known| known.name == name.text));
                if let Some(column) = column {
                    column.of = of_column;
                    column.made = made;
                }
                fault(SchemaFaultKind::Other, made.at, "the type of a column can't be changed".to_owned())
            }
            AlterTableChange::Options(options) => self.set_table_options(at, options, step),
            AlterTableChange::DropCompactStorage => {
                if let Some(table) = self.table_mut(at) {
                    table.compact_storage = false;
                }
                Ok(())
            }
            AlterTableChange::Other => Ok(()),
        }
    }

    fn table_mut(&mut self, at: Place<'_>) -> Option<&mut Table> {
        self.keyspaces.get_mut(at.keyspace)?.tables.get_mut(at.table)
    }

    fn add_column(
        &mut self,
        at: Place<'_>,
        column: &ColumnDefinition,
        if_not_exists: bool,
        step: &Step<'_>,
    ) -> Applied {
        let name = &column.name;
        let mut typing = Typing::new(self, at.keyspace);
        let of = typing.resolve(&column.of);
        let typed = typing.outcome;
        let kind = if column.is_static { ColumnKind::Static } else { ColumnKind::Regular };
        let new = Column { name: name.text.clone(), of, kind, made: Made { by: step.by, at: column.span } };
        let Some(table) = self.table_mut(at) else { return Ok(()) };
        if name.unknown {
            table.unknown = true;
            return typed;
        }
        if table.column(&name.text).is_some() {
            if if_not_exists {
                return Ok(());
            }
            let message = format!("table {} has a column {} already", table.name, name.text);
            return fault(SchemaFaultKind::Exists, name.span, message);
        }
        let mut outcome = typed;
        if table.compact_storage {
            let message = format!("table {} has compact storage: no column can be added", table.name);
            outcome = outcome.and(fault(SchemaFaultKind::Other, name.span, message));
        }
        if column.is_static && table.clustering().next().is_none() && !table.unknown {
            let message =
                format!("column {} can't be static: table {} has no clustering column", name.text, table.name);
            outcome = outcome.and(fault(SchemaFaultKind::Other, column.span, message));
        }
        table.columns.push(new.clone());
        outcome = outcome.and(self.check_nested(at.keyspace, &new, column.of.span));
        if !column.is_static {
            self.views_of(at, |view| {
                if view.all_columns {
                    view.table.columns.push(new.clone());
                }
            });
        }
        outcome
    }

    /// Looks at each view that follows the table.
    fn views_of(&mut self, at: Place<'_>, mut each: impl FnMut(&mut super::View)) {
        let views = self.keyspaces.get_mut(at.keyspace).into_iter().flat_map(|keyspace| keyspace.views.values_mut());
        for view in views.filter(|view| view.base.0 == at.keyspace && view.base.1 == at.table) {
            each(view);
        }
    }

    fn drop_column(&mut self, at: Place<'_>, name: &Name, if_exists: bool, step: &Step<'_>) -> Applied {
        let mut follower = None;
        self.views_of(at, |view| follower = Some(view.table.name.clone()));
        let Some(table) = self.table_mut(at) else { return Ok(()) };
        let Some(position) = table.columns.iter().position(|column| column.name == name.text) else {
            if if_exists || name.unknown || table.unknown {
                return Ok(());
            }
            let message = format!("table {} has no column {}", table.name, name.text);
            return fault(SchemaFaultKind::UnknownColumn, name.span, message);
        };
        if matches!(table.columns[position].kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
            let message = format!("column {} is part of the primary key of table {}", name.text, table.name);
            return fault(SchemaFaultKind::Key, name.span, message);
        }
        let column = table.columns.remove(position);
        table.dropped.push((column.name.clone(), step.made(name)));
        let index = table.indexes.iter().find(|index| index.column == column.name).map(|index| index.name.clone());
        if matches!(column.of, super::Type::User(_)) {
            let message = format!("column {} has a type that is not frozen: it can't be dropped", name.text);
            return fault(SchemaFaultKind::Type, name.span, message);
        }
        if let Some(index) = index {
            let message = format!("the index {index} is over column {}", name.text);
            return fault(SchemaFaultKind::InUse, name.span, message);
        }
        if let Some(view) = follower {
            let message = format!("the materialized view {view} follows table {}: no column can be dropped", at.table);
            return fault(SchemaFaultKind::InUse, name.span, message);
        }
        Ok(())
    }

    fn rename_column(&mut self, at: Place<'_>, from: &Name, to: &Name, step: &Step<'_>) -> Applied {
        let Some(table) = self.table_mut(at) else { return Ok(()) };
        if from.unknown || to.unknown {
            table.unknown = true;
            return Ok(());
        }
        let index = table.indexes.iter().find(|index| index.column == from.text).map(|index| index.name.clone());
        let taken = table.column(&to.text).is_some();
        let (unknown, name) = (table.unknown, table.name.clone());
        let Some(column) = table.columns.iter_mut().find(|column| column.name == from.text) else {
            // The server looks for the column before it looks at IF EXISTS, and so refuses it all the same.
            if unknown {
                return Ok(());
            }
            return fault(
                SchemaFaultKind::UnknownColumn,
                from.span,
                format!("table {name} has no column {}", from.text),
            );
        };
        if taken {
            let message = format!("table {name} has a column {} already", to.text);
            return fault(SchemaFaultKind::Exists, to.span, message);
        }
        let in_key = matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. });
        column.name.clone_from(&to.text);
        column.made = step.made(to);
        if !in_key {
            let message = format!("column {} is not part of the primary key: it can't be renamed", from.text);
            return fault(SchemaFaultKind::Key, from.span, message);
        }
        self.views_of(at, |view| {
            if let Some(column) = view.table.columns.iter_mut().find(|column| column.name == from.text) {
                column.name.clone_from(&to.text);
            }
        });
        match index {
            Some(index) => {
                let message = format!("the index {index} is over column {}", from.text);
                fault(SchemaFaultKind::InUse, from.span, message)
            }
            None => Ok(()),
        }
    }

    fn set_table_options(&mut self, at: Place<'_>, options: &[TableOption], step: &Step<'_>) -> Applied {
        let mut follower = None;
        self.views_of(at, |view| follower = Some(view.table.name.clone()));
        let Some(table) = self.table_mut(at) else { return Ok(()) };
        table.set_options(options, step.by);
        let Some(option) = options.first() else { return Ok(()) };
        if let Some(view) = follower
            && matches!(table.gc_grace, Some((Some(0), _)))
        {
            let message =
                format!("gc_grace_seconds can't be 0: the materialized view {view} follows table {}", table.name);
            return fault(SchemaFaultKind::Other, option.span, message);
        }
        check_counters(table, option.span, step)
    }

    pub(super) fn alter_view(
        &mut self,
        name: &QualifiedName,
        options: &[TableOption],
        if_exists: bool,
        step: &Step<'_>,
    ) -> Applied {
        let Some((keyspace, view)) = self.target(name, if_exists, step)? else { return Ok(()) };
        match self.keyspace_mut(&keyspace).views.get_mut(&view) {
            Some(view) => {
                view.table.set_options(options, step.by);
                Ok(())
            }
            None => fault(SchemaFaultKind::Other, name.span(), format!("{view} is a table, not a materialized view")),
        }
    }
}

/// A table by its keyspace and name.
#[derive(Clone, Copy)]
struct Place<'a> {
    keyspace: &'a str,
    table: &'a str,
}

/// Does all of them, and answers the first fault.
fn each<T>(all: &[T], mut one: impl FnMut(&T) -> Applied) -> Applied {
    let mut outcome = Ok(());
    for item in all {
        let done = one(item);
        outcome = outcome.and(done);
    }
    outcome
}
