use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::Type;

pub(crate) static RULE: Rule = Rule {
    name: "order-not-total",
    level: Level::Error,
    summary: "an order by values that have no order",
    page: include_str!("order_not_total.md"),
};

pub(crate) fn finding(place: Place, field: &str, ty: &Type, why: &str) -> Finding {
    let help = match ty {
        Type::Duration => format!("keep it as a number, `{field}_ms: int`, and order by that"),
        Type::List(..) | Type::Set(..) | Type::Map(..) => {
            format!("order by its size, in a field of its own: `{field}_count: int = size({field})`")
        }
        _ => "order by a field of another type".to_owned(),
    };
    Finding::new(&RULE, place, format!("rows can't be ordered by `{field}`: {why}")).help(help)
}
