use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "unknown-name",
    level: Level::Error,
    summary: "a name that nothing defines",
    page: include_str!("unknown_name.md"),
};

pub(crate) fn finding(
    place: Place,
    what: &str,
    name: &str,
    within: &str,
    nearest: Option<&str>,
    all: &[&str],
) -> Finding {
    let finding = Finding::new(&RULE, place, format!("there is no {what} `{name}`{within}"));
    match nearest {
        Some(nearest) => {
            finding.label(format!("did you mean `{nearest}`?")).help(format!("write `{nearest}`, or define `{name}`"))
        }
        None if all.is_empty() => finding.help(format!("define `{name}`")),
        None => finding.help(format!("there is: {}; or define `{name}`", listed(all))),
    }
}

/// A step into something that is neither a struct nor a map.
pub(crate) fn no_members(place: Place, name: &str, entity: &str, field: &str, ty: &str) -> Finding {
    Finding::new(&RULE, place, format!("there is no `{name}` below {entity}.{field}, which is {ty}"))
        .help("only a struct, a map and the row that a reference points to have something below them")
}

/// What every row has without its being a field, where only fields can stand.
pub(crate) fn built_in(place: Place, name: &str) -> Finding {
    let help = match name {
        "created" => "select and sort by a field of your own: `created_at: timestamp = now`",
        "updated" => "select and sort by a field of your own: `updated_at: timestamp = now on write`",
        _ => "test it in the `if` of a write",
    };
    Finding::new(&RULE, place, format!("`{name}` is built in: it stands in `if` and `returns` only"))
        .label("not a field")
        .help(help)
}

/// The first names of a long list.
fn listed(all: &[&str]) -> String {
    const SHOWN: usize = 12;
    let shown = all.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown}, and {} more", all.len() - SHOWN) } else { shown }
}
