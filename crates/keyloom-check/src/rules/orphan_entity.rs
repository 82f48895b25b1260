use keyloom_finding::{Finding, Level, Rule};
use std::collections::HashSet;

use keyloom_model::{Action, Fill, Origin, Returns, Root, Step, WriteVerb};

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
        read.extend(pattern.selection().map(|selection| selection.entity.as_str()));
        if let Some(own) = pattern.read() {
            read.extend(own.with.iter().map(|with| with.read.selection.entity.as_str()));
            read.extend(own.through.iter().map(|through| through.entity.as_str()));
            let paths = match &own.returns {
                Returns::Paths(paths) => paths.as_slice(),
                _ => &[],
            };
            let copied = paths.iter().filter_map(|path| match &path.root {
                Root::Reference { entity, .. } => Some(entity.as_str()),
                _ => None,
            });
            read.extend(copied);
        }
        if let Action::Atomic(steps) = &pattern.action {
            read.extend(steps.iter().filter_map(|step| match step {
                Step::Check { entity, .. } => Some(entity.as_str()),
                Step::Write { .. } => None,
            }));
        }
        for (_, write) in pattern.writes() {
            written.insert(write.entity.as_str());
            if matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create {
                made.insert(write.entity.as_str());
            }
        }
    }
    for entity in &context.catalog.entities {
        if let Origin::Rollup(rollup) = &entity.origin {
            read.insert(&rollup.of);
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
        let (is_read, is_written) = (read.contains(entity.name.as_str()), written.contains(entity.name.as_str()));
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
                format!("{} is kept and no pattern reads it", entity.name),
                "add the pattern that reads it, or remove it",
            ),
            (true, false) => (
                format!("{} is read and no pattern writes it", entity.name),
                "add the pattern that writes it, or say `source: elsewhere` with a `put`, or `complete: false` for the catalog",
            ),
        };
        findings.push(Finding::new(&RULE, context.key(&path), message).help(help));
    }
}
