//! BATCH: each statement by itself, and what goes together.

use super::names::{Finding, Found, find, resolve_write};
use super::{Fault, FaultKind, Resolution, Verdict};
use crate::Span;
use crate::ast::{Batch, BatchKind, Name, QualifiedName, Statement, StatementKind, Term, TermKind};
use crate::schema::Schema;

/// Answers for a batch: the first fault within it, or what does not go together, or what a hole leaves open.
pub(super) fn resolve(schema: &Schema, statement: &Statement, batch: &Batch, keyspace: Option<&str>) -> Resolution {
    let findings: Vec<Finding> =
        batch.statements.iter().map(|statement| resolve_write(schema, statement, keyspace)).collect();
    let mut holes: Vec<String> = statement.unknown.iter().flat_map(Name::holes).map(str::to_owned).collect();
    for finding in &findings {
        match &finding.resolution.verdict {
            Verdict::Illegal(fault) => return answer(Verdict::Illegal(fault.clone())),
            Verdict::Maybe { holes: more } => {
                for hole in more {
                    if !holes.contains(hole) {
                        holes.push(hole.clone());
                    }
                }
            }
            Verdict::Legal | Verdict::NeedsFiltering(_) => {}
        }
    }
    if let Some((at, message)) = clash(schema, batch, &findings, keyspace) {
        // A hole for a part of the batch may say of which kind it is.
        if statement.unknown.is_empty() {
            return answer(Verdict::Illegal(Fault { kind: FaultKind::Other, at, message: message.to_owned() }));
        }
    }
    if holes.is_empty() { answer(Verdict::Legal) } else { answer(Verdict::Maybe { holes }) }
}

fn answer(verdict: Verdict) -> Resolution {
    Resolution { verdict, access: None }
}

/// The first thing in a batch that does not go with another. What is not known of a statement clashes with nothing.
fn clash(schema: &Schema, batch: &Batch, findings: &[Finding], keyspace: Option<&str>) -> Option<(Span, &'static str)> {
    let using = |name: &str| batch.using.iter().find(|using| using.name.text == name).map(|using| &using.value);
    let timestamp = using("timestamp");
    if let Some(value) = using("ttl") {
        return Some((value.span, "a batch has no TTL of its own"));
    }
    if let Some(value) = timestamp
        && !is_long(value)
    {
        return Some((value.span, "the time of writing is no bigint"));
    }
    let known = || {
        batch
            .statements
            .iter()
            .zip(findings)
            .filter_map(|(statement, finding)| finding.written.map(|written| (statement, written)))
    };
    let conditional = known().find(|(_, written)| written.conditional).map(|(statement, _)| statement.span);
    let counter = known().find(|(_, written)| written.counts).map(|(statement, _)| statement.span);
    let plain = known().find(|(_, written)| !written.counts).map(|(statement, _)| statement.span);
    if let Some(value) = timestamp {
        if conditional.is_some() {
            return Some((value.span, "with an IF, the server sets the time of writing"));
        }
        if batch.kind == BatchKind::Counter || counter.is_some() {
            return Some((value.span, "a counter has no time of writing to be set"));
        }
        if let Some((statement, _)) = known().find(|(_, written)| written.timestamp) {
            return Some((statement.span, "the time of writing is set by the batch or by its statements, not by both"));
        }
    }
    if batch.kind == BatchKind::Counter
        && let Some(at) = plain
    {
        return Some((at, "a batch of counters can only count"));
    }
    if let (Some(at), Some(_)) = (counter, plain) {
        return Some((at, "a counter can't be in one batch with what is no counter"));
    }
    if batch.kind == BatchKind::Logged
        && let Some(at) = counter
    {
        return Some((at, "a counter can't be in a logged batch"));
    }
    conditional?;
    let mut tables = batch.statements.iter().filter_map(|statement| {
        let Found::Known(context) = find(schema, table_of(statement)?, keyspace) else { return None };
        (!context.is_unsure()).then_some((statement.span, context.table.keyspace.as_str(), context.table.name.as_str()))
    });
    let (_, keyspace, table) = tables.next()?;
    let (at, ..) = tables.find(|(_, other_keyspace, other)| (*other_keyspace, *other) != (keyspace, table))?;
    Some((at, "a batch with an IF is about one table"))
}

fn table_of(statement: &Statement) -> Option<&QualifiedName> {
    match &statement.kind {
        StatementKind::Insert(insert) => Some(&insert.table),
        StatementKind::Update(update) => Some(&update.table),
        StatementKind::Delete(delete) => Some(&delete.table),
        _ => None,
    }
}

fn is_long(value: &Term) -> bool {
    match &value.kind {
        TermKind::Literal(literal) => literal.unknown || literal.text.parse::<i64>().is_ok(),
        _ => true,
    }
}
