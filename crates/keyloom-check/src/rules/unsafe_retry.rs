use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Change, Entity, Expr, Fill, Path, Pattern, Type, Write, WriteVerb};

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "unsafe-retry",
    level: Level::Note,
    summary: "a repeated request would have a second effect unless it carries a key",
    page: include_str!("unsafe_retry.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (mut need_key, mut claims) = (Vec::new(), Vec::new());
    for pattern in &context.catalog.patterns {
        let place = context.key(&format!("patterns.{}", pattern.name));
        if matches!(pattern.action, Action::Claim(_)) {
            claims.push((pattern.name.clone(), place));
            continue;
        }
        // An atomic states it for all of its steps.
        let once = context.is_stated(&format!("patterns.{}.once_per", pattern.name));
        for (path, write) in pattern.writes() {
            let Some(entity) = context.entity(&write.entity) else { continue };
            if write.once_per.is_empty() {
                if !once && repeats_add_up(write, entity) && !need_key.iter().any(|(name, _)| *name == pattern.name) {
                    need_key.push((pattern.name.clone(), place));
                }
            } else if write.verb != WriteVerb::Create && !has_birth_time(pattern, write, entity) {
                let message = format!(
                    "`{}` remembers [{}] for the retry horizon, and none of them tells when the request was made",
                    pattern.name,
                    write.once_per.join(", ")
                );
                findings.push(
                    Finding::new(&RULE, context.value(&format!("{path}.once_per")), message)
                        .level(Level::Error)
                        .help("make one of them a uuid7 or a timestamp, or drop `once_per`: the request then carries an idempotency key"),
                );
            }
        }
    }
    let key = "the request must carry an `Idempotency-Key`";
    findings.extend(gathered(&RULE, need_key, |names| format!("a repeat of {names} adds up: {key}")).map(|finding| {
        finding.help("send the header with every call (it is refused without), or name what makes a request one of a kind, a uuid7 or a timestamp among it: `once_per: [event_id]`")
    }));
    findings.extend(gathered(&RULE, claims, |names| format!("a repeat of {names} would take other rows: {key}")).map(
        |finding| {
            finding.help("send the header with every call (it is refused without); a repeat then gets the same rows")
        },
    ));
}

/// Increments, appends and sequences have another effect each time, unless the row's version stops the second.
fn repeats_add_up(write: &Write, entity: &Entity) -> bool {
    let stopped = write.conditions.iter().any(|condition| {
        condition.test.paths().iter().any(|path| path.own_field().is_some_and(|own| own == "version"))
    });
    let changes = write
        .assignments
        .iter()
        .any(|assignment| assignment.change == Change::Append || counts_on(&assignment.value, &assignment.path));
    let numbers =
        write.verb == WriteVerb::Create && entity.fields.iter().any(|field| matches!(field.fill, Fill::Next { .. }));
    (changes && !stopped) || numbers
}

/// Whether a value is reckoned from what the field holds, as in `stock - $n`; `max(best, $score)` is the same twice.
fn counts_on(value: &Expr, own: &Path) -> bool {
    let mut counts = false;
    value.walk(&mut |part| counts |= matches!(part, Expr::Arithmetic(..)) && part.paths().contains(&own));
    counts
}

fn has_birth_time(pattern: &Pattern, write: &Write, entity: &Entity) -> bool {
    write.once_per.iter().any(|name| {
        let input = pattern.inputs.iter().find(|input| input.name == *name).map(|input| &input.ty);
        let ty = entity.field(name).map(|field| &field.ty).or(input);
        matches!(ty, Some(Type::Uuid7 | Type::Timestamp { .. }))
    })
}
