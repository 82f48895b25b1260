use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "order-on-optional",
    level: Level::Error,
    summary: "an order by a field that rows may lack",
    page: include_str!("order_on_optional.md"),
};

pub(crate) fn finding(place: Place, field: &str, descending: bool) -> Finding {
    Finding::new(&RULE, place, format!("rows may lack `{field}`: where do they stand in this order?")).help(format!(
        "exclude them, `where: {field} is not null`, or put them at the end, `order: {field} {} nulls last`",
        if descending { "desc" } else { "asc" }
    ))
}
