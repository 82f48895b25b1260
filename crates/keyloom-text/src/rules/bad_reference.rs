use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_model::Entity;

pub(crate) static RULE: Rule = Rule {
    name: "bad-reference",
    level: Level::Error,
    summary: "a reference that does not fit the key it points to",
    page: include_str!("bad_reference.md"),
};

pub(crate) fn finding(place: Place, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding::new(&RULE, place, message).help(help)
}

/// No field of `from` points to `to`.
pub(crate) fn missing(place: Place, message: impl Into<String>, from: &Entity, to: &Entity) -> Finding {
    let key = to.key.last().and_then(|name| to.field(name));
    let field = key.map_or_else(|| "ref_id: uuid".to_owned(), |field| format!("{}: {}", field.name, field.ty));
    finding(place, message, format!("let a field of {} point to {}: `{field} -> {}`", from.name, to.name, to.name))
}
