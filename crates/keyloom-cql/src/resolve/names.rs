//! From a statement to its table: what leads there, and what stands in the way.

use super::context::{Context, Outcome, Refusal};
use super::modify::Written;
use super::{Access, Fault, FaultKind, Resolution, Verdict, batch, own};
use crate::Span;
use crate::ast::{Name, QualifiedName, Select, Statement, StatementKind};
use crate::schema::{Lookup, Schema, Table};

/// What was found out about one statement that writes.
pub(super) struct Finding {
    pub(super) resolution: Resolution,
    /// What it is to a batch, where it was found legal.
    pub(super) written: Option<Written>,
}

/// What a name of a table leads to.
pub(super) enum Found<'s> {
    /// A table to look at.
    Known(Box<Context<'s>>),
    /// An answer that needs no table.
    Answered(Verdict),
}

/// Answers for any statement.
pub(super) fn resolve(schema: &Schema, statement: &Statement, keyspace: Option<&str>) -> Resolution {
    match &statement.kind {
        StatementKind::Select(select) => resolve_select(schema, statement, select, keyspace),
        StatementKind::Insert(_) | StatementKind::Update(_) | StatementKind::Delete(_) => {
            resolve_write(schema, statement, keyspace).resolution
        }
        StatementKind::Batch(all) => batch::resolve(schema, statement, all, keyspace),
        StatementKind::Truncate(table) => match find(schema, table, keyspace) {
            Found::Known(context) => conclude(*context, Ok(()), None),
            Found::Answered(verdict) => Resolution { verdict, access: None },
        },
        StatementKind::Dynamic(_) => {
            let holes = statement.unknown.iter().flat_map(Name::holes).map(str::to_owned).collect();
            Resolution { verdict: Verdict::Maybe { holes }, access: None }
        }
        _ => Resolution { verdict: Verdict::Legal, access: None },
    }
}

/// The table that a name leads to.
pub(super) fn find<'s>(schema: &'s Schema, name: &QualifiedName, keyspace: Option<&str>) -> Found<'s> {
    // Where both are open, the table decides: any keyspace will do that has it.
    if let Some(hole) = [&name.name].into_iter().chain(&name.keyspace).find(|name| name.unknown) {
        // The only table of that name is meant, whichever keyspace is filled in.
        match (schema.find(name, keyspace), name.name.unknown) {
            (Lookup::One(table), false) => return Found::Known(Box::new(context(schema, table))),
            (Lookup::Several(table), false) => {
                let context = context(schema, table);
                context.meet(&hole.text);
                return Found::Known(Box::new(context));
            }
            _ => {}
        }
        return Found::Answered(Verdict::Maybe { holes: hole.holes().map(str::to_owned).collect() });
    }
    match schema.find(name, keyspace) {
        Lookup::One(table) => Found::Known(Box::new(context(schema, table))),
        Lookup::Several(table) => {
            let context = context(schema, table);
            context.meet(&name.name.text);
            Found::Known(Box::new(context))
        }
        Lookup::None => {
            let written = name.keyspace.as_ref().map(|keyspace| keyspace.text.as_str()).or(keyspace);
            if written.and_then(|keyspace| own::has(keyspace, &name.name.text)) == Some(true) {
                return Found::Answered(Verdict::Legal);
            }
            Found::Answered(Verdict::Illegal(Fault {
                kind: FaultKind::UnknownTable,
                at: name.span(),
                message: format!("there is no table {}", full_name(name)),
            }))
        }
    }
}

fn full_name(name: &QualifiedName) -> String {
    match &name.keyspace {
        Some(keyspace) => format!("{}.{}", keyspace.text, name.name.text),
        None => name.name.text.clone(),
    }
}

fn context<'s>(schema: &'s Schema, table: &'s Table) -> Context<'s> {
    let keyspace = schema.keyspaces.get(&table.keyspace);
    let base = keyspace.and_then(|keyspace| keyspace.views.get(&table.name)).and_then(|view| {
        let (keyspace, base) = &view.base;
        schema.keyspaces.get(keyspace)?.tables.get(base)
    });
    let context = Context::new(schema, keyspace, table, base);
    if table.columns.is_empty() && table.unknown {
        context.meet(&table.name);
    }
    context
}

fn resolve_select(schema: &Schema, statement: &Statement, select: &Select, keyspace: Option<&str>) -> Resolution {
    let run = |filtering: bool| -> Resolution {
        match find(schema, &select.table, keyspace) {
            Found::Answered(verdict) => Resolution { verdict, access: None },
            Found::Known(context) => {
                meet_all(&context, &statement.unknown);
                let mut access = None;
                let mut outcome = context.select(select, statement.span, filtering, &mut access);
                if let Err(refusal) = &mut outcome {
                    weigh(refusal, &statement.unknown);
                }
                conclude(*context, outcome, access)
            }
        }
    };
    let allowed = select.allow_filtering.is_some();
    let first = run(allowed);
    let Verdict::Illegal(fault) = first.verdict else { return first };
    if allowed || matches!(fault.kind, FaultKind::UnknownTable | FaultKind::UnknownColumn) {
        return Resolution { verdict: Verdict::Illegal(fault), access: first.access };
    }
    let second = run(true);
    match second.verdict {
        Verdict::Illegal(_) => Resolution { verdict: Verdict::Illegal(fault), access: first.access },
        _ => Resolution { verdict: Verdict::NeedsFiltering(fault), access: second.access },
    }
}

/// Answers for an INSERT, UPDATE or DELETE, alone or in a batch.
pub(super) fn resolve_write(schema: &Schema, statement: &Statement, keyspace: Option<&str>) -> Finding {
    let table = match &statement.kind {
        StatementKind::Insert(insert) => &insert.table,
        StatementKind::Update(update) => &update.table,
        StatementKind::Delete(delete) => &delete.table,
        _ => {
            let fault = Fault {
                kind: FaultKind::Other,
                at: statement.span,
                message: "a batch holds INSERT, UPDATE and DELETE alone".to_owned(),
            };
            return Finding {
                resolution: Resolution { verdict: Verdict::Illegal(fault), access: None },
                written: None,
            };
        }
    };
    let context = match find(schema, table, keyspace) {
        Found::Answered(verdict) => {
            return Finding { resolution: Resolution { verdict, access: None }, written: None };
        }
        Found::Known(context) => context,
    };
    meet_all(&context, &statement.unknown);
    let mut access = None;
    let at = statement.span;
    let outcome = match &statement.kind {
        StatementKind::Insert(insert) => context.insert(insert, at, &mut access),
        StatementKind::Update(update) => context.update(update, at, &mut access),
        StatementKind::Delete(delete) => context.delete(delete, at, &mut access),
        _ => Ok(Written::default()),
    };
    let (outcome, written) = match outcome {
        Ok(written) => (Ok(()), Some(written)),
        Err(mut refusal) => {
            // What is wrong with the statement as a whole points at it.
            if refusal.fault.at == Span::default() {
                refusal.fault.at = table.span();
            }
            weigh(&mut refusal, &statement.unknown);
            (Err(refusal), None)
        }
    };
    Finding { resolution: conclude(*context, outcome, access), written }
}

/// Leaves certain only what no hole for a part of the statement could change: names that name nothing, and what stands
/// before the hole. What stands behind it may not be what it reads as.
fn weigh(refusal: &mut Refusal, holes: &[Name]) {
    let named = matches!(refusal.fault.kind, FaultKind::UnknownTable | FaultKind::UnknownColumn);
    if let Some(first) = holes.iter().map(|hole| hole.span.start).min() {
        refusal.certain &= named || refusal.fault.at.end <= first;
    }
}

fn meet_all(context: &Context<'_>, holes: &[Name]) {
    for hole in holes {
        context.meet(&hole.text);
    }
}

/// From what the checks found to a verdict.
fn conclude(context: Context<'_>, outcome: Outcome, access: Option<Access>) -> Resolution {
    let verdict = match outcome {
        Err(Refusal { fault, certain: true }) => Verdict::Illegal(fault),
        Err(_) => Verdict::Maybe { holes: context.into_holes() },
        Ok(()) if context.is_unsure() => Verdict::Maybe { holes: context.into_holes() },
        Ok(()) => Verdict::Legal,
    };
    Resolution { verdict, access }
}
