use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Compare, Entity, Expr, Limit, Path, Selection, Set, Type};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "missing-span",
    level: Level::Note,
    summary: "a range over time does not say how wide it may be",
    page: include_str!("missing_span.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        let Some(selection) = pattern.selection() else { continue };
        let path = format!("patterns.{}", pattern.name);
        let Some(entity) = context.catalog.entity(&selection.entity) else { continue };
        if selection.span.is_some()
            || context.is_stated(&format!("{path}.span"))
            || matches!(pattern.action, Action::Claim(_))
        {
            continue;
        }
        // The first N of a range stop by themselves.
        if matches!(pattern.read().and_then(|read| read.limit), Some(Limit::First(_))) {
            continue;
        }
        let Some(field) = time_range(selection, entity) else { continue };
        let message = format!(
            "`{}` reads a range of `{field}` and does not say how wide: a page may have to look back over all time",
            pattern.name
        );
        findings.push(
            Finding::new(&RULE, context.value(&format!("{path}.where")), message)
                .help("state `span: 1 day / 7 days / 31 days` (typical / p99 / worst); the worst is enforced, and decides how time is cut into buckets"),
        );
    }
}

/// The field of a range over time whose ends the caller sends.
fn time_range<'a>(selection: &'a Selection, entity: &Entity) -> Option<&'a str> {
    let is_time = |path: &Path| {
        entity
            .field(&path.field)
            .is_some_and(|field| matches!(field.ty, Type::Timestamp { .. } | Type::Date | Type::Uuid7))
    };
    selection.filter.iter().flat_map(Expr::conjuncts).find_map(|test| match test {
        Expr::In(of, Set::Range(..)) => match &**of {
            Expr::Path(path) if test.varies() && is_time(path) => Some(path.field.as_str()),
            _ => None,
        },
        Expr::Compare(Compare::Less | Compare::LessOrEqual | Compare::Greater | Compare::GreaterOrEqual, a, b) => {
            match (&**a, &**b) {
                (Expr::Path(path), other) | (other, Expr::Path(path)) if other.varies() && is_time(path) => {
                    Some(path.field.as_str())
                }
                _ => None,
            }
        }
        _ => None,
    })
}
