//! One statement after the other, to the state in which they leave the schema.

use super::fault::{Applied, SchemaFault, SchemaFaultKind, fault};
use super::find::{Whose, whose};
use super::{Keyspace, Made, Schema};
use crate::Span;
use crate::ast::{CreateKeyspace, Drop, DropKind, Name, QualifiedName, Statement, StatementKind};

/// What all that changes a schema knows about the statement at hand.
pub(super) struct Step<'a> {
    /// The number that the caller gave it.
    pub by: u32,
    /// The keyspace chosen with `USE`.
    pub current: Option<&'a str>,
    /// Whether holes stand for parts of it.
    pub open: bool,
}

impl Step<'_> {
    /// Where something was made if this statement made it, else the given part of this statement.
    pub fn own(&self, made: Made, at: Span) -> Span {
        if made.by == self.by { made.at } else { at }
    }

    pub fn made(&self, name: &Name) -> Made {
        Made { by: self.by, at: name.span }
    }
}

impl Schema {
    /// Applies a statement under a number of the caller's own, and `USE` to the current keyspace. Statements that change no
    /// schema do nothing.
    ///
    /// # Errors
    ///
    /// What the server would say against it, the first thing only. What could be understood is applied all the same.
    pub fn apply(
        &mut self,
        statement: &Statement,
        number: u32,
        current: &mut Option<String>,
    ) -> Result<(), SchemaFault> {
        if let StatementKind::Use(name) = &statement.kind {
            *current = (!name.unknown).then(|| name.text.clone());
            return Ok(());
        }
        let step = Step { by: number, current: current.as_deref(), open: !statement.unknown.is_empty() };
        match &statement.kind {
            StatementKind::CreateKeyspace(create) => self.create_keyspace(create, &step),
            StatementKind::AlterKeyspace(alter) => {
                if !alter.name.unknown {
                    self.keyspace_mut(&alter.name.text).set_options(&alter.options, step.by);
                }
                Ok(())
            }
            StatementKind::CreateTable(create) => self.create_table(create, &step),
            StatementKind::AlterTable(alter) => self.alter_table(alter, &step),
            StatementKind::CreateType(create) => self.create_type(create, &step),
            StatementKind::AlterType(alter) => self.alter_type(alter, &step),
            StatementKind::CreateIndex(create) => self.create_index(create, &step),
            StatementKind::CreateView(create) => self.create_view(create, &step),
            StatementKind::AlterView { name, options, if_exists } => self.alter_view(name, options, *if_exists, &step),
            StatementKind::CreateFunction(create) => self.create_function(create, &step),
            StatementKind::Drop(drop) => self.drop(drop, &step),
            StatementKind::Select(_)
            | StatementKind::Insert(_)
            | StatementKind::Update(_)
            | StatementKind::Delete(_)
            | StatementKind::Batch(_)
            | StatementKind::Truncate(_)
            | StatementKind::Use(_)
            | StatementKind::Skipped(_)
            | StatementKind::Dynamic(_) => Ok(()),
        }
    }

    /// The keyspace of that name, which is there from now on.
    pub(super) fn keyspace_mut(&mut self, name: &str) -> &mut Keyspace {
        let new = || Keyspace { name: name.to_owned(), ..Keyspace::default() };
        self.keyspaces.entry(name.to_owned()).or_insert_with(new)
    }

    fn create_keyspace(&mut self, create: &CreateKeyspace, step: &Step<'_>) -> Applied {
        let name = &create.name;
        if name.unknown {
            return Ok(());
        }
        let keyspace = self.keyspace_mut(&name.text);
        if keyspace.made.is_some() {
            if create.if_not_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::Exists, name.span, format!("keyspace {} is there already", name.text));
        }
        keyspace.made = Some(step.made(name));
        keyspace.set_options(&create.options, step.by);
        let holes = step.open || create.options.iter().any(|option| option.name.unknown);
        if keyspace.replication.is_none()
            && !holes
            && !create.options.iter().any(|option| option.name.text == "replication")
        {
            return fault(SchemaFaultKind::Other, name.span, format!("keyspace {} lacks its replication", name.text));
        }
        Ok(())
    }

    /// The keyspace and name of a table or view that a statement changes; `None` when nobody can know which one it is, or when
    /// it need not be there.
    pub(super) fn target(
        &self,
        name: &QualifiedName,
        if_exists: bool,
        step: &Step<'_>,
    ) -> Applied<Option<(String, String)>> {
        if name.name.unknown {
            return Ok(None);
        }
        let whose = whose(name.keyspace.as_ref(), step.current);
        let table = &name.name.text;
        match self.keyspace_where(whose, |keyspace| keyspace.table(table).is_some()) {
            Some(keyspace) => Ok(Some((keyspace, table.clone()))),
            None if if_exists => Ok(None),
            None => fault(SchemaFaultKind::UnknownTable, name.span(), format!("there is no table {table}")),
        }
    }

    fn drop(&mut self, drop: &Drop, step: &Step<'_>) -> Applied {
        let name = &drop.name.name;
        if name.unknown {
            return Ok(());
        }
        let whose = whose(drop.name.keyspace.as_ref(), step.current);
        match drop.kind {
            DropKind::Keyspace => {
                self.keyspaces.remove(&name.text);
                Ok(())
            }
            DropKind::Table => self.drop_table(drop, step),
            DropKind::View => self.drop_view(drop, whose),
            DropKind::Type => self.drop_type(drop, whose),
            DropKind::Index => self.drop_index(drop, whose),
            DropKind::Function | DropKind::Aggregate => self.drop_function(drop, whose),
        }
    }

    fn drop_table(&mut self, drop: &Drop, step: &Step<'_>) -> Applied {
        let Some((keyspace, table)) = self.target(&drop.name, drop.if_exists, step)? else { return Ok(()) };
        let keyspace = self.keyspace_mut(&keyspace);
        if keyspace.views.contains_key(&table) {
            let message = format!("{table} is a materialized view, not a table");
            return fault(SchemaFaultKind::Other, drop.name.span(), message);
        }
        let view = keyspace.views.values().find(|view| view.base == (keyspace.name.clone(), table.clone()));
        let used = view.map(|view| view.table.name.clone());
        keyspace.tables.remove(&table);
        keyspace.indexes.retain(|_, of| *of != table);
        match used {
            Some(view) => {
                let message = format!("the materialized view {view} still follows table {table}");
                fault(SchemaFaultKind::InUse, drop.name.span(), message)
            }
            None => Ok(()),
        }
    }

    fn drop_view(&mut self, drop: &Drop, whose: Whose<'_>) -> Applied {
        let name = &drop.name.name.text;
        match self.keyspace_where(whose, |keyspace| keyspace.views.contains_key(name)) {
            Some(keyspace) => {
                self.keyspace_mut(&keyspace).views.remove(name);
                Ok(())
            }
            None if drop.if_exists => Ok(()),
            None => {
                let message = format!("there is no materialized view {name}");
                fault(SchemaFaultKind::UnknownTable, drop.name.span(), message)
            }
        }
    }
}
