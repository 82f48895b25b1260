use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Change, Entity, Expr, Literal, Path, Type, Write, WriteVerb};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "unconditional-claim",
    level: Level::Warning,
    summary: "a state changes or a row is claimed without a look at what it was",
    page: include_str!("unconditional_claim.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        for (path, write) in pattern.writes().into_iter().filter(|(_, write)| write.verb == WriteVerb::Update) {
            let Some(entity) = context.entity(&write.entity) else { continue };
            // One write is one decision: what guards one of its fields guards them all, and one finding says it.
            if is_guarded(write, entity) || context.is_misread(&format!("entities.{}.states", entity.name)) {
                continue;
            }
            let sets = || write.assignments.iter().filter(|assignment| assignment.change == Change::Set);
            let state = sets().find_map(|assignment| {
                let field = entity.field(&assignment.path.field).filter(|field| is_state_name(&field.name))?;
                match (&field.ty, &assignment.value) {
                    (Type::Enum(variants), Expr::Literal(Literal::Variant(to))) => Some((field, variants, to)),
                    _ => None,
                }
            });
            if let Some((field, variants, to)) = state {
                let message = format!(
                    "`{}` sets {}.{} whatever it was before: two callers both win, and an ended row can come back",
                    pattern.name, entity.name, field.name
                );
                let from = variants.iter().map(|variant| &variant.name).find(|name| *name != to).unwrap_or(to);
                let help = format!(
                    "state the allowed changes on {}, such as `states: {{ {}: [{from} -> {to}] }}`, or add an `if`; the write then compares before it sets",
                    entity.name, field.name
                );
                findings
                    .push(Finding::new(&RULE, context.key(&format!("{path}.set.{}", field.name)), message).help(help));
                continue;
            }
            let taken = sets().filter(|_| is_claim_name(&pattern.name)).find_map(|assignment| {
                let field = entity.field(&assignment.path.field)?;
                match (&field.ty, &assignment.value) {
                    (Type::Bool, Expr::Literal(Literal::Bool(true))) => Some((field, "= false")),
                    (ty, Expr::Input { .. }) if field.optional && is_identity(ty) => Some((field, "is null")),
                    _ => None,
                }
            });
            if let Some((field, free)) = taken {
                let message =
                    format!("`{}` takes the row whoever holds it: the second caller silently wins", pattern.name);
                let help = format!(
                    "add `if: {} {free} else already_claimed`; the write then compares before it sets",
                    field.name
                );
                findings
                    .push(Finding::new(&RULE, context.key(&format!("{path}.set.{}", field.name)), message).help(help));
            }
        }
    }
}

/// Whether the write looks at something it changes, at the row's version or at its lease, or states rule the change.
fn is_guarded(write: &Write, entity: &Entity) -> bool {
    let changed = write.changed_fields(entity);
    let ruled = entity.states.iter().any(|states| changed.contains(&states.field.as_str()));
    let looks_at = |path: &Path| {
        path.own_field().is_some_and(|own| {
            changed.contains(&own) || is_state_name(own) || matches!(own, "version" | "lease" | "updated")
        })
    };
    ruled || write.conditions.iter().any(|condition| condition.test.paths().into_iter().any(looks_at))
}

fn is_state_name(name: &str) -> bool {
    ["status", "state", "phase", "stage"].iter().any(|word| name == *word || name.ends_with(&format!("_{word}")))
}

fn is_claim_name(name: &str) -> bool {
    name.split('_')
        .any(|word| matches!(word, "claim" | "take" | "accept" | "lock" | "reserve" | "acquire" | "book" | "grab"))
}

fn is_identity(ty: &Type) -> bool {
    matches!(ty, Type::Uuid | Type::Uuid7 | Type::Text(_) | Type::Int)
}
