use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "bad-name",
    level: Level::Error,
    summary: "a name that does not follow the language's naming, or is kept for Keyloom",
    page: include_str!("bad_name.md"),
};

pub(crate) fn finding(place: Place, what: &str, name: &str, must: &str, better: Option<&str>) -> Finding {
    let finding = Finding::new(&RULE, place, format!("{what} is named {must}, not `{name}`"));
    match better {
        Some(better) => finding.help(format!("write `{better}`")),
        None => finding.help("use the letters a to z, digits and `_`, and begin with a letter"),
    }
}

/// The tenant's field is part of every row already.
pub(crate) fn tenant(place: Place, field: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{field}` is the tenant, which every row has already"))
        .help("leave it out; it comes first in every key, and its value comes from the caller's identity")
}

/// Names that begin with `kl_` are Keyloom's own columns and tables.
pub(crate) fn reserved(place: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{name}`: names that begin with `kl_` are kept for Keyloom's own use"))
        .help("choose another name")
}

/// A name that some engine could not take.
pub(crate) fn too_long(place: Place, what: &str, name: &str, most: usize) -> Finding {
    let length = name.chars().count();
    Finding::new(&RULE, place, format!("{what} has a name of at most {most} letters, and `{name}` has {length}"))
        .help("choose a shorter name: the shortest limit of an engine is 48, and an epoch is written behind it")
}

/// A word that expressions use for themselves.
pub(crate) fn word_of_the_language(place: Place, name: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{name}` is a word of expressions, so nothing can be called that"))
        .help("choose another name")
}
