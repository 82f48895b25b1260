use std::collections::HashSet;

use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Entity, Expr, Path, Pattern, Returns, Root, Selection, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "copy-without-contract",
    level: Level::Warning,
    summary: "a field of another entity is returned, it changes, and nothing says how long a copy may differ",
    page: include_str!("copy_without_contract.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut reported: HashSet<(&str, &str)> = HashSet::new();
    for pattern in &context.catalog.patterns {
        let path = format!("patterns.{}", pattern.name);
        let mut copies = Vec::new();
        match &pattern.action {
            Action::Read(read) => {
                gather(&path, &read.selection, &read.returns, &mut copies);
                for with in &read.with {
                    let path = format!("{path}.with.{}", with.name);
                    gather(&path, &with.read.selection, &with.read.returns, &mut copies);
                }
            }
            Action::Claim(claim) => gather(&path, &claim.selection, &claim.returns, &mut copies),
            Action::Write(_) | Action::Atomic(_) | Action::Outside(_) => {}
        }
        for copy in copies {
            let Root::Reference { entity: source, .. } = &copy.path.root else { continue };
            let Some(entity) = context.entity(source) else { continue };
            let field = copy.path.field.as_str();
            let settled = entity.drift.iter().any(|drift| drift.field == field)
                || reported.contains(&(source.as_str(), field))
                || context.is_misread(&format!("entities.{source}.drift"));
            let Some(writer) = changing(context, entity, field).filter(|_| !settled) else { continue };
            reported.insert((source, field));
            let rows = context.entity(copy.of).and_then(|of| of.volume).and_then(|volume| volume.rows);
            let many = rows.map_or_else(|| "rows".to_owned(), |rows| format!("{} rows", count_text(rows)));
            let message = format!(
                "`{}` is {} {many} of {}, `{writer}` changes {source}.{field}, and nothing says how long a copy may differ",
                copy.path, copy.used, copy.of
            );
            findings.push(
                Finding::new(&RULE, context.value(&copy.place), message)
                    .related(context.key(&format!("patterns.{writer}")), "changes it")
                    .help(format!("state `drift: {{ {field}: 1h }}` on {source}; `never` means written or checked each time, which costs more")),
            );
        }
    }
}

/// A path over a reference, and what a pattern does with it.
struct Copy<'a> {
    path: &'a Path,
    of: &'a str,
    used: &'static str,
    place: String,
}

fn gather<'a>(at: &str, selection: &'a Selection, returns: &'a Returns, copies: &mut Vec<Copy<'a>>) {
    let of = selection.entity.as_str();
    let mut push = |paths: Vec<&'a Path>, used, key: &str| {
        copies.extend(paths.into_iter().map(|path| Copy { path, of, used, place: format!("{at}.{key}") }));
    };
    if let Returns::Paths(paths) = returns {
        push(paths.iter().collect(), "returned with", "returns");
    }
    push(selection.by.items().iter().map(|item| &item.path).collect(), "what groups", "by");
    push(selection.filter.iter().flat_map(Expr::paths).collect(), "what filters", "where");
    push(
        selection.orders.iter().flat_map(|order| &order.items).map(|item| &item.path).collect(),
        "what orders",
        "order",
    );
}

/// The first pattern that changes a field of a row that is already there.
fn changing<'a>(context: &Context<'a>, entity: &Entity, field: &str) -> Option<&'a str> {
    let changes = |pattern: &&&Pattern| {
        let mut writes = pattern.writes().into_iter().filter(|(_, write)| write.entity == entity.name);
        writes.any(|(_, write)| write.changed_fields(entity).contains(&field))
    };
    context.writers(&entity.name).iter().find(changes).map(|pattern| pattern.name.as_str())
}
