use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Catalog, Entity, Returns, Root, Write, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "copy-without-contract",
    level: Level::Warning,
    summary: "a field of another entity is returned, it changes, and nothing says how long a copy may differ",
    page: include_str!("copy_without_contract.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut reported: Vec<(&str, &str)> = Vec::new();
    for pattern in &context.catalog.patterns {
        let Some(read) = pattern.read() else { continue };
        let reads = std::iter::once((format!("patterns.{}.returns", pattern.name), read)).chain(
            read.with.iter().map(|with| (format!("patterns.{}.with.{}.returns", pattern.name, with.name), &with.read)),
        );
        for (place, read) in reads {
            let Returns::Paths(paths) = &read.returns else { continue };
            for path in paths {
                let Root::Reference { entity: source, .. } = &path.root else { continue };
                let Some(entity) = context.catalog.entity(source) else { continue };
                let settled = entity.drift.iter().any(|drift| drift.field == path.field)
                    || reported.contains(&(source, &path.field));
                let Some((writer, _)) = changing(context.catalog, entity, &path.field).filter(|_| !settled) else {
                    continue;
                };
                reported.push((source, &path.field));
                let rows = context
                    .catalog
                    .entity(&read.selection.entity)
                    .and_then(|of| of.volume)
                    .and_then(|volume| volume.rows);
                let many = rows.map_or_else(
                    || format!("rows of {}", read.selection.entity),
                    |rows| format!("{} rows of {}", count_text(rows), read.selection.entity),
                );
                let message = format!(
                    "`{path}` is returned with {many}, `{writer}` changes {source}.{}, and nothing says how long a copy may differ",
                    path.field
                );
                findings.push(
                    Finding::new(&RULE, context.value(&place), message)
                        .related(context.key(&format!("patterns.{writer}")), "changes it")
                        .help(format!("state `drift: {{ {}: 1h }}` on {source}; `never` means written or checked each time, which costs more", path.field)),
                );
            }
        }
    }
}

/// The first write that changes a field of a row that is already there.
fn changing<'a>(catalog: &'a Catalog, entity: &'a Entity, field: &str) -> Option<(&'a str, &'a Write)> {
    catalog.patterns.iter().find_map(|pattern| {
        let write = pattern
            .writes()
            .into_iter()
            .map(|(_, write)| write)
            .find(|write| write.entity == entity.name && write.changed_fields(entity).contains(&field))?;
        Some((pattern.name.as_str(), write))
    })
}
