//! Functions and aggregates: kept by name and arguments.

use super::apply::Step;
use super::fault::{Applied, SchemaFaultKind, fault};
use super::find::{Whose, whose};
use super::typing::Typing;
use super::{Function, Schema, Type};
use crate::ast::{CqlType, CreateFunction, Drop, DropKind};

impl Schema {
    pub(super) fn create_function(&mut self, create: &CreateFunction, step: &Step<'_>) -> Applied {
        let name = &create.name.name;
        if name.unknown {
            return Ok(());
        }
        let home = whose(create.name.keyspace.as_ref(), step.current).home();
        let mut typing = Typing::new(self, &home);
        let arguments: Vec<Type> = create.arguments.iter().map(|of| typing.resolve(of)).collect();
        // What an aggregate returns, its last function decides.
        let returns = create.returns.as_ref().map(|of| typing.resolve(of)).filter(|_| !create.aggregate);
        let typed = typing.outcome;
        let function = Function { aggregate: create.aggregate, arguments, returns, made: step.made(name) };
        let known = self.keyspace_mut(&home).functions.entry(name.text.clone()).or_default();
        match known.iter_mut().find(|known| known.arguments == function.arguments) {
            None => known.push(function),
            Some(known) if create.or_replace => *known = function,
            Some(_) if create.if_not_exists => {}
            Some(_) => {
                let message = format!("a function {} with these arguments is there already", name.text);
                return fault(SchemaFaultKind::Exists, create.name.span(), message);
            }
        }
        typed
    }

    pub(super) fn drop_function(&mut self, drop: &Drop, whose: Whose<'_>) -> Applied {
        let name = &drop.name.name.text;
        let aggregate = drop.kind == DropKind::Aggregate;
        let found = self.keyspace_where(whose, |keyspace| keyspace.functions.contains_key(name));
        let home = found.unwrap_or_default();
        let arguments = drop.arguments.as_ref().map(|arguments: &Vec<CqlType>| {
            let mut typing = Typing::new(self, &home);
            arguments.iter().map(|of| typing.resolve(of)).collect::<Vec<_>>()
        });
        let fits = |function: &Function| {
            function.aggregate == aggregate
                && arguments.as_ref().is_none_or(|arguments| *arguments == function.arguments)
        };
        let functions = &mut self.keyspace_mut(&home).functions;
        let known = functions.get(name).map_or(0, |known| known.iter().filter(|known| fits(known)).count());
        match known {
            0 if drop.if_exists => Ok(()),
            0 => fault(SchemaFaultKind::UnknownName, drop.name.span(), format!("there is no function {name}")),
            1 => {
                if let Some(known) = functions.get_mut(name) {
                    known.retain(|known| !fits(known));
                }
                Ok(())
            }
            _ => {
                let message = format!("several functions are called {name}: its arguments have to be named");
                fault(SchemaFaultKind::Other, drop.name.span(), message)
            }
        }
    }
}
