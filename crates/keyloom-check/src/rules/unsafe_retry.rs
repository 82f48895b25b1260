use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Assignment, Compare, Entity, Expr, Fill, Pattern, Type, Write, WriteVerb};

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
        // It may be stated and not understood, which the reader has said.
        if context.is_stated(&format!("patterns.{}.once_per", pattern.name)) {
            findings.extend(forgets(context, pattern));
            continue;
        }
        if matches!(pattern.action, Action::Claim(_)) {
            claims.push((pattern.name.clone(), place));
            continue;
        }
        let adds_up = pattern
            .writes()
            .iter()
            .any(|(_, write)| context.entity(&write.entity).is_some_and(|entity| repeats_add_up(write, entity)));
        if adds_up {
            need_key.push((pattern.name.clone(), place));
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

/// Increments, appends and sequences have another effect each time, unless a condition stops the second: the row's
/// version is compared, or the value that the first has changed.
fn repeats_add_up(write: &Write, entity: &Entity) -> bool {
    let tests = || write.conditions.iter().flat_map(|condition| condition.test.conjuncts());
    let by_version = tests().any(|test| test.paths().iter().any(|path| path.own_field() == Some("version")));
    let adding: Vec<&Assignment> = write.assignments.iter().filter(|assignment| assignment.adds_up()).collect();
    let compared = |assignment: &&Assignment| {
        let is_it = |side: &Expr| matches!(side, Expr::Path(path) if *path == assignment.path);
        tests().any(|test| matches!(test, Expr::Compare(Compare::Equal, a, b) if is_it(a) || is_it(b)))
    };
    let stopped = by_version || adding.iter().any(compared);
    let changes = !adding.is_empty();
    let numbers =
        write.verb == WriteVerb::Create && entity.fields.iter().any(|field| matches!(field.fill, Fill::Next { .. }));
    (changes && !stopped) || numbers
}

/// A request is remembered for the retry horizon, so something must tell when it was made. The row that a create makes
/// is its own memory.
fn forgets(context: &Context<'_>, pattern: &Pattern) -> Option<Finding> {
    let is_create = matches!(&pattern.action, Action::Write(write) if write.verb == WriteVerb::Create);
    let has_birth_time = pattern.inputs.iter().any(|input| {
        pattern.once_per.contains(&input.name) && matches!(input.ty, Type::Uuid7 | Type::Timestamp { .. })
    });
    if is_create || has_birth_time || pattern.once_per.is_empty() {
        return None;
    }
    let message = format!(
        "`{}` remembers [{}] for the retry horizon, and none of them tells when the request was made",
        pattern.name,
        pattern.once_per.join(", ")
    );
    let help =
        "make one of them a uuid7 or a timestamp, or drop `once_per`: the request then carries an idempotency key";
    let place = context.value(&format!("patterns.{}.once_per", pattern.name));
    Some(Finding::new(&RULE, place, message).level(Level::Error).help(help))
}
