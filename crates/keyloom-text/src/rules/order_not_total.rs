use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "order-not-total",
    level: Level::Error,
    summary: "an order by values that have no order",
    page: include_str!("order_not_total.md"),
};

pub(crate) fn finding(place: Place, field: &str, why: &str) -> Finding {
    Finding::new(&RULE, place, format!("rows can't be ordered by `{field}`: {why}"))
        .help("order by a field of another type, or by a derived one, such as `label_count: int = size(labels)`")
}
