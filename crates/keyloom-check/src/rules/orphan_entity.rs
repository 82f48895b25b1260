use keyloom_finding::{Finding, Level, Rule};
use std::collections::HashSet;

use keyloom_model::{
    Action, Entity, Expiry, Expr, Fill, Origin, Path, Returns, Rollup, Root, Selection, Step, Write, WriteVerb,
};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "orphan-entity",
    level: Level::Warning,
    summary: "an entity is written and never read, or read and never written",
    page: include_str!("orphan_entity.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    // Nothing follows from absence while a part of the catalog is not understood, or other programs use the data.
    if !context.whole {
        return;
    }
    let (mut read, mut written, mut made) = (HashSet::new(), HashSet::new(), HashSet::new());
    for pattern in &context.catalog.patterns {
        match &pattern.action {
            Action::Read(own) => {
                for read_here in std::iter::once(own).chain(own.with.iter().map(|with| &with.read)) {
                    reads_of_selection(&read_here.selection, &mut read);
                    reads_of_returns(&read_here.returns, &mut read);
                }
                read.extend(own.through.iter().map(|through| through.entity.as_str()));
            }
            Action::Claim(claim) => {
                reads_of_selection(&claim.selection, &mut read);
                reads_of_returns(&claim.returns, &mut read);
            }
            Action::Atomic(steps) => read.extend(steps.iter().filter_map(|step| match step {
                Step::Check { entity, .. } => Some(entity.as_str()),
                Step::Write { .. } => None,
            })),
            Action::Write(_) | Action::Outside(_) => {}
        }
        let in_atomic = matches!(pattern.action, Action::Atomic(_));
        for (_, write) in pattern.writes() {
            written.insert(write.entity.as_str());
            if matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create {
                made.insert(write.entity.as_str());
            }
            let Some(entity) = context.entity(&write.entity) else { continue };
            if answers_by_row(write, entity, in_atomic) {
                read.insert(entity.name.as_str());
            }
        }
    }
    for entity in &context.catalog.entities {
        match &entity.origin {
            Origin::Rollup(Rollup { of, .. }) => {
                read.insert(of);
            }
            // A list of what changed is a way to read what was changed.
            Origin::History { of } | Origin::Event { of } if read.contains(entity.name.as_str()) => {
                read.insert(of);
            }
            _ => {}
        }
        for field in &entity.fields {
            match &field.fill {
                Fill::Kept(kept) => {
                    read.insert(&kept.entity);
                }
                Fill::Snapshot(path) => read.extend(match &path.root {
                    Root::Reference { entity, .. } => Some(entity.as_str()),
                    _ => None,
                }),
                _ => {}
            }
            // A reference that is checked reads the other row.
            read.extend(
                field
                    .reference
                    .iter()
                    .filter(|reference| reference.must_exist)
                    .map(|reference| reference.entity.as_str()),
            );
        }
    }
    for entity in &context.catalog.entities {
        let is_read = context.read_elsewhere || read.contains(entity.name.as_str());
        let is_written = written.contains(entity.name.as_str());
        let path = match &entity.origin {
            Origin::Rollup(_) => format!("rollups.{}", entity.name),
            // Histories and events are read by export and by other services.
            Origin::History { .. } | Origin::Event { .. } => continue,
            _ => format!("entities.{}", entity.name),
        };
        let (message, help) = match (is_read, is_written || !entity.is_declared()) {
            (true, true) if made.contains(entity.name.as_str()) || !entity.is_declared() => continue,
            (true, true) => (
                format!("{} is read and changed, and no pattern makes a row of it", entity.name),
                "add the pattern that creates it, or `complete: false` for the catalog if another program does",
            ),
            (false, false) => (format!("no pattern reads or writes {}", entity.name), "add its patterns, or remove it"),
            (false, true) => (
                format!(
                    "{} is {} and no pattern reads it",
                    entity.name,
                    if entity.is_declared() { "written" } else { "kept" }
                ),
                "add the pattern that reads it, or remove it; `complete: false` if another program reads it",
            ),
            (true, false) if entity.origin == Origin::Elsewhere => (
                format!("{} comes from elsewhere, and no pattern takes its rows in", entity.name),
                "add the `put` that the other system calls, with `newest` so that an old row never wins",
            ),
            (true, false) => (
                format!("{} is read and no pattern writes it", entity.name),
                "add the pattern that writes it, or say `source: elsewhere` with a `put`, or `complete: false` for the catalog",
            ),
        };
        findings.push(Finding::new(&RULE, context.key(&path), message).help(help));
    }
}

fn reads_of_path<'a>(path: &'a Path, read: &mut HashSet<&'a str>) {
    if let Root::Reference { entity, .. } = &path.root {
        read.insert(entity);
    }
}

fn reads_of_selection<'a>(selection: &'a Selection, read: &mut HashSet<&'a str>) {
    read.insert(&selection.entity);
    selection.by.items().iter().for_each(|item| reads_of_path(&item.path, read));
    selection.filter.iter().flat_map(Expr::paths).for_each(|path| reads_of_path(path, read));
    selection.orders.iter().flat_map(|order| &order.items).for_each(|item| reads_of_path(&item.path, read));
}

fn reads_of_returns<'a>(returns: &'a Returns, read: &mut HashSet<&'a str>) {
    if let Returns::Paths(paths) = returns {
        paths.iter().for_each(|path| reads_of_path(path, read));
    }
}

/// Whether a write's answer, or what follows from it, tells what the row holds: a condition, the row returned, an
/// event, or `exists` where the row is there to say so (a lock, a request already seen).
fn answers_by_row(write: &Write, entity: &Entity, in_atomic: bool) -> bool {
    let sent = |name: &String| entity.field(name).is_some_and(|field| field.fill == Fill::Taken);
    let guards = write.verb == WriteVerb::Create
        && entity.key.iter().any(sent)
        && (in_atomic || matches!(entity.expires, Some(Expiry::At(_))));
    !write.conditions.is_empty() || write.returns != Returns::Default || write.emits.is_some() || guards
}
