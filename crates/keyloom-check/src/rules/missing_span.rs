use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Compare, Engine, Entity, Expr, Limit, Path, RowSize, Selection, Set, Type};

use crate::Context;
use crate::context::limit;

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
        let Some(entity) = context.entity(&selection.entity) else { continue };
        if selection.span.is_some()
            || context.is_stated(&format!("{path}.span"))
            || matches!(pattern.action, Action::Claim(_))
        {
            continue;
        }
        // The first N of a range stop by themselves, and a group that fits in one partition is not cut.
        let stops =
            pattern.read().is_some_and(|read| matches!(read.limit, Some(Limit::First(_))) || read.up_to.is_some());
        if stops || fits_one_partition(context, entity, selection) {
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

/// Whether the worst case of a group that does not grow is below what one partition holds well.
fn fits_one_partition(context: &Context<'_>, entity: &Entity, selection: &Selection) -> bool {
    let size = context.group_size(selection).map(|size| size.rows).filter(|rows| rows.per.is_none());
    let Some(worst) = size.and_then(|rows| rows.worst) else { return false };
    let bytes = worst.saturating_mul(RowSize::of_entity(context.catalog, entity).typical);
    worst <= limit(Engine::Cassandra, "partition_rows").0.value
        && bytes <= limit(Engine::Cassandra, "partition_bytes").0.value
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
            Expr::Path(path) if is_sent(test) && is_time(path) => Some(path.field.as_str()),
            _ => None,
        },
        Expr::Compare(Compare::Less | Compare::LessOrEqual | Compare::Greater | Compare::GreaterOrEqual, a, b) => {
            match (&**a, &**b) {
                (Expr::Path(path), other) | (other, Expr::Path(path)) if is_sent(other) && is_time(path) => {
                    Some(path.field.as_str())
                }
                _ => None,
            }
        }
        _ => None,
    })
}

/// Whether a caller sends a part of it; `now - 7 days` is as wide as it says.
fn is_sent(expr: &Expr) -> bool {
    let mut sent = false;
    expr.walk(&mut |part| sent |= matches!(part, Expr::Input { .. }));
    sent
}
