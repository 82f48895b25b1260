use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Compare, Entity, Expr, Selection, Set, Type, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "filter-after-read",
    level: Level::Warning,
    summary: "a filter that no order serves: rows are read and thrown away, and nothing says how many",
    page: include_str!("filter_after_read.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        let Some(selection) = pattern.selection() else { continue };
        let Some(entity) = context.catalog.entity(&selection.entity) else { continue };
        if selection.matches.is_some() || context.is_stated(&format!("patterns.{}.matches", pattern.name)) {
            continue;
        }
        let Some(test) = remaining(selection, entity) else { continue };
        let worst =
            context.catalog.group_size(selection).and_then(|size| size.rows.worst.filter(|_| size.rows.per.is_none()));
        let message = match worst {
            Some(worst) => format!(
                "`{test}` is tested after reading: a page may read all {} rows of a group to fill itself",
                count_text(worst)
            ),
            None => format!("`{test}` is tested after reading, and nothing says how many rows pass"),
        };
        let help = match test {
            Expr::Compare(Compare::Equal, ..) => {
                "state `matches: 20%` (the share that passes), or move the field into `by`"
            }
            Expr::In(..) | Expr::Compare(..) => {
                "state `matches: 20%` (the share that passes), or add an order that begins with this field: only one range can be read in order"
            }
            _ => "state `matches: 20%`, the share of read rows that passes",
        };
        findings
            .push(Finding::new(&RULE, context.value(&format!("patterns.{}.where", pattern.name)), message).help(help));
    }
}

/// The first test that varies from call to call and that neither the order nor known shares account for.
fn remaining<'a>(selection: &'a Selection, entity: &Entity) -> Option<&'a Expr> {
    let first_ordered: Vec<&str> = selection
        .orders
        .iter()
        .filter_map(|order| order.items.first())
        .filter_map(|item| item.path.own_field())
        .collect();
    let mut range_served: Option<&str> =
        first_ordered.first().copied().filter(|first| first_ordered.iter().all(|other| other == first));
    let may_choose = selection.orders.is_empty();
    for test in selection.filter.iter().flat_map(Expr::conjuncts).filter(|test| test.varies()) {
        let own = test.paths().first().and_then(|path| path.own_field());
        let served = match test {
            Expr::Compare(Compare::Equal, a, _) => known_share(a, entity),
            Expr::Compare(Compare::NotEqual, ..) => false,
            Expr::Compare(..) | Expr::In(_, Set::Range(..)) | Expr::StartsWith(..) => {
                if may_choose && range_served.is_none() {
                    range_served = own;
                }
                own.is_some() && own == range_served
            }
            _ => false,
        };
        if !served {
            return Some(test);
        }
    }
    None
}

/// Equality with a value of an enum whose shares are stated: what passes is known.
fn known_share(side: &Expr, entity: &Entity) -> bool {
    let Expr::Path(path) = side else { return false };
    matches!(entity.field(&path.field).map(|field| &field.ty), Some(Type::Enum(variants)) if variants.iter().all(|variant| variant.share.is_some()))
}
