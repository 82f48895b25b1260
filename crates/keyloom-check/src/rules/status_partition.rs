use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Part, Table};
use keyloom_model::{Entity, Share, Type};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "status-partition",
    level: Level::Warning,
    summary: "rows are gathered by a state that most of them share",
    page: include_str!("status_partition.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for (table, entity) in context.spread_tables() {
        let parts = context.parts_beside_tenant(table, entity);
        let is_state = |field: &str| entity.states.iter().any(|states| states.field == field);
        let Some(state) = parts.iter().map(|part| part.field()).find(|field| is_state(field)) else { continue };
        if context.has_tenant(table, entity) || !few_values(context, table, entity) {
            continue;
        }
        let share = largest_share(entity, state);
        let most = share.map_or_else(String::new, |(value, share)| format!(", and {share} of all rows have `{value}`"));
        let message = format!("all rows of `{}` with one `{state}` lie in one partition{most}", table.name);
        findings.push(Finding::new(&RULE, context.word_place(&table.name, "partition"), message).help(format!(
            "put an owner before it (a team, a user, a day), or hold only the rows that are asked for: `where: {state} = ..`"
        )));
    }
}

/// Whether every part of the partition has only a few values.
pub(crate) fn few_values(context: &LayoutContext<'_>, table: &Table, entity: &Entity) -> bool {
    let parts = context.parts_beside_tenant(table, entity);
    let few = |part: &&Part| match part {
        Part::Field(field) => entity.field(field).is_some_and(|field| matches!(field.ty, Type::Enum(_) | Type::Bool)),
        Part::Bucket(..) => false,
    };
    !parts.is_empty() && parts.iter().all(few)
}

/// The value that most rows have, where the catalog says so.
fn largest_share<'a>(entity: &'a Entity, field: &str) -> Option<(&'a str, Share)> {
    let Type::Enum(variants) = &entity.field(field)?.ty else { return None };
    variants.iter().filter_map(|variant| Some((variant.name.as_str(), variant.share?))).max_by_key(|(_, share)| *share)
}
