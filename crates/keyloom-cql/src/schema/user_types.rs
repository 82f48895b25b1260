//! `CREATE TYPE`, `ALTER TYPE` and `DROP TYPE`.

use super::apply::Step;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::find::{Whose, whose};
use super::typing::Typing;
use super::{Schema, Type, UserType};
use crate::ast::{AlterType, AlterTypeChange, CqlType, CreateType, Drop, Name, Native};

impl Schema {
    pub(super) fn create_type(&mut self, create: &CreateType, step: &Step<'_>) -> Applied {
        let name = &create.name.name;
        if name.unknown {
            return Ok(());
        }
        let home = whose(create.name.keyspace.as_ref(), step.current).home();
        if self.keyspace_mut(&home).types.contains_key(&name.text) {
            if create.if_not_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::Exists, create.name.span(), format!("type {} is there already", name.text));
        }
        let mut fields: Vec<(String, Type)> = Vec::with_capacity(create.fields.len());
        let mut outcome = Ok(());
        for (field, of) in &create.fields {
            let (resolved, typed) = self.field(field, of, &home);
            outcome = outcome.and(typed);
            if fields.iter().any(|(known, _)| *known == field.text) && !field.unknown {
                let message = format!("type {} has two fields {}", name.text, field.text);
                outcome = outcome.and(fault(SchemaFaultKind::Other, field.span, message));
            }
            fields.push((field.text.clone(), resolved));
        }
        let user = UserType { name: name.text.clone(), fields, made: step.made(name) };
        self.keyspace_mut(&home).types.insert(name.text.clone(), user);
        outcome
    }

    /// The type of a field, and what is wrong with it.
    fn field(&self, field: &Name, of: &CqlType, home: &str) -> (Type, Applied) {
        let mut typing = Typing::new(self, home);
        let resolved = typing.resolve(of);
        let outcome = match &resolved {
            Type::Native(Native::Counter) => {
                fault(SchemaFaultKind::Type, of.span, format!("field {} can't be a counter", field.text))
            }
            Type::User(user) => {
                let message = format!("the type {user} of field {} has to be frozen", field.text);
                fault(SchemaFaultKind::Type, of.span, message)
            }
            _ => typing.outcome,
        };
        (resolved, outcome)
    }

    pub(super) fn alter_type(&mut self, alter: &AlterType, step: &Step<'_>) -> Applied {
        let name = &alter.name.name;
        if name.unknown {
            return Ok(());
        }
        let whose = whose(alter.name.keyspace.as_ref(), step.current);
        let Some(home) = self.keyspace_where(whose, |keyspace| keyspace.types.contains_key(&name.text)) else {
            if alter.if_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::UnknownType, alter.name.span(), format!("there is no type {}", name.text));
        };
        match &alter.change {
            AlterTypeChange::Add { fields, if_not_exists } => {
                let mut outcome = Ok(());
                for (field, of) in fields {
                    outcome = outcome.and(self.add_field(&home, name, (field, of), *if_not_exists));
                }
                outcome
            }
            AlterTypeChange::Rename { fields, if_exists } => self.rename_fields(&home, name, fields, *if_exists),
            AlterTypeChange::Retype(field, of) => {
                let resolved = Typing::new(self, &home).resolve(of);
                if let Some(known) =
                    self.fields_mut(&home, &name.text).iter_mut().find(|(known, _)| *known == field.text)
                {
                    known.1 = resolved;
                }
                let message = "the type of a field can't be changed".to_owned();
                fault(SchemaFaultKind::Other, field.span.to(of.span), message)
            }
        }
    }

    fn fields_mut(&mut self, home: &str, name: &str) -> &mut [(String, Type)] {
        self.keyspace_mut(home).types.get_mut(name).map_or(&mut [], |user| &mut user.fields)
    }

    fn add_field(&mut self, home: &str, name: &Name, field: (&Name, &CqlType), if_not_exists: bool) -> Applied {
        let (field, of) = field;
        let known = self.fields_mut(home, &name.text).iter().any(|(known, _)| *known == field.text);
        if known && !field.unknown {
            if if_not_exists {
                return Ok(());
            }
            let message = format!("type {} has a field {} already", name.text, field.text);
            return fault(SchemaFaultKind::Exists, field.span, message);
        }
        let (resolved, outcome) = self.field(field, of, home);
        let is_self = |inner: &Type| matches!(inner, Type::User(inner) if *inner == name.text);
        if resolved.holds(self, home, &is_self) {
            let message = format!("field {} would hold the type {} that it is part of", field.text, name.text);
            return fault(SchemaFaultKind::Type, of.span, message);
        }
        let in_key = self.table_keyed_by(home, is_self);
        if let Some(user) = self.keyspace_mut(home).types.get_mut(&name.text) {
            user.fields.push((field.text.clone(), resolved));
        }
        match in_key {
            Some(table) => {
                let message = format!("type {} is part of the partition key of table {table}", name.text);
                outcome.and(fault(SchemaFaultKind::InUse, field.span, message))
            }
            None => outcome,
        }
    }

    /// A table of the keyspace in whose partition key such a type stands.
    fn table_keyed_by(&self, home: &str, is: impl Fn(&Type) -> bool) -> Option<String> {
        let mut tables = self.keyspaces.get(home)?.tables.values();
        let table = tables.find(|table| table.partition_key().any(|column| column.of.holds(self, home, &is)))?;
        Some(table.name.clone())
    }

    fn rename_fields(&mut self, home: &str, name: &Name, renames: &[(Name, Name)], if_exists: bool) -> Applied {
        let fields = self.fields_mut(home, &name.text);
        let mut outcome = Ok(());
        for (from, to) in renames {
            let position = fields.iter().position(|(known, _)| *known == from.text);
            let taken = fields.iter().any(|(known, _)| *known == to.text);
            match position {
                Some(_) if taken && !to.unknown => {
                    let message = format!("type {} has a field {} already", name.text, to.text);
                    outcome = outcome.and(fault(SchemaFaultKind::Exists, to.span, message));
                }
                Some(position) => fields[position].0.clone_from(&to.text),
                None if if_exists || from.unknown => {}
                None => {
                    let message = format!("type {} has no field {}", name.text, from.text);
                    outcome = outcome.and(fault(SchemaFaultKind::UnknownName, from.span, message));
                }
            }
        }
        outcome
    }

    pub(super) fn drop_type(&mut self, drop: &Drop, whose: Whose<'_>) -> Applied {
        let name = &drop.name.name.text;
        let Some(home) = self.keyspace_where(whose, |keyspace| keyspace.types.contains_key(name)) else {
            if drop.if_exists {
                return Ok(());
            }
            return fault(SchemaFaultKind::UnknownType, drop.name.span(), format!("there is no type {name}"));
        };
        let user = self.user_of_type(&home, name);
        self.keyspace_mut(&home).types.remove(name);
        match user {
            Some(user) => {
                let message = format!("type {name} is still used by {user}");
                fault(SchemaFaultKind::InUse, drop.name.span(), message)
            }
            None => Ok(()),
        }
    }

    /// What uses a type of the keyspace, in words.
    fn user_of_type(&self, home: &str, name: &str) -> Option<String> {
        let keyspace = self.keyspaces.get(home)?;
        let is_it = |inner: &Type| matches!(inner, Type::User(inner) if inner == name);
        let holds = |of: &Type| of.holds(self, home, &is_it);
        let function = keyspace
            .functions
            .iter()
            .find(|(_, all)| all.iter().any(|one| one.arguments.iter().chain(&one.returns).any(holds)));
        if let Some((function, _)) = function {
            return Some(format!("function {function}"));
        }
        let others = keyspace.types.values().filter(|other| other.name != *name);
        if let Some(other) = others.into_iter().find(|other| other.fields.iter().any(|(_, of)| holds(of))) {
            return Some(format!("type {}", other.name));
        }
        let table = keyspace.tables.values().find(|table| table.columns.iter().any(|column| holds(&column.of)))?;
        Some(format!("table {}", table.name))
    }
}
