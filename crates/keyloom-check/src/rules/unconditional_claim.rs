use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Change, Expr, Literal, Type, WriteVerb};

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
            let Some(entity) = context.catalog.entity(&write.entity) else { continue };
            for assignment in write.assignments.iter().filter(|assignment| assignment.change == Change::Set) {
                let Some(field) = entity.field(&assignment.path.field) else { continue };
                let guarded = write.conditions.iter().any(|condition| looks_at(&condition.test, &field.name))
                    || entity.states.iter().any(|states| states.field == field.name);
                if guarded {
                    continue;
                }
                let place = context.key(&format!("{path}.set.{}", field.name));
                let is_state = matches!(field.ty, Type::Enum(_))
                    && matches!(assignment.value, Expr::Literal(Literal::Variant(_)))
                    && is_state_name(&field.name);
                if is_state {
                    let message = format!(
                        "`{}` sets {}.{} whatever it was before: two callers both win, and a closed row can come back",
                        pattern.name, entity.name, field.name
                    );
                    let help = format!(
                        "state the allowed changes on {}: `states: {{ {}: [A -> B] }}`, or add an `if`",
                        entity.name, field.name
                    );
                    findings.push(Finding::new(&RULE, place, message).help(help));
                } else if field.optional
                    && is_identity(&field.ty)
                    && matches!(assignment.value, Expr::Input { .. })
                    && is_claim_name(&pattern.name)
                {
                    let message =
                        format!("`{}` takes the row whoever holds it: the second caller silently wins", pattern.name);
                    let help = format!("add `if: {} is null else already_claimed`", field.name);
                    findings.push(Finding::new(&RULE, place, message).help(help));
                }
            }
        }
    }
}

/// Whether a condition reads a field, or compares versions, which covers all of them.
fn looks_at(test: &Expr, field: &str) -> bool {
    test.paths().iter().any(|path| path.own_field().is_some_and(|own| own == field || own == "version"))
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
