use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "yaml-feature",
    level: Level::Error,
    summary: "anchors, aliases, tags, merge keys, directives and further documents are not part of the language",
    page: include_str!("yaml_feature.md"),
};

pub(crate) fn anchor(place: Place, text: &str) -> Finding {
    Finding::new(
        &RULE,
        place,
        format!("`{text}` is an anchor to YAML, and anchors are not part of the catalog language"),
    )
    .help("leave it out, and write the value again where it is needed; if it is text, put the whole value in quotes")
}

pub(crate) fn alias(place: Place, text: &str) -> Finding {
    Finding::new(
        &RULE,
        place,
        format!("`{text}` is an alias to YAML, and aliases are not part of the catalog language"),
    )
    .help(format!("write the value itself, or quote it if it is text: \"{text}\""))
}

pub(crate) fn tag(place: Place, text: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{text}` is a tag to YAML, and tags are not part of the catalog language"))
        .help("leave it out, Keyloom knows the type of every value; if it is text, put the whole value in quotes")
}

pub(crate) fn directive(place: Place) -> Finding {
    Finding::new(&RULE, place, "a line that begins with `%` is a directive to YAML, and a catalog has none")
        .help("remove the line; a catalog begins with `language: 1`")
}

pub(crate) fn merge_key(place: Place) -> Finding {
    Finding::new(&RULE, place, "a merge key (`<<`) is not part of the catalog language")
        .help("write the keys where they are needed; a catalog is read by people, top to bottom")
}

pub(crate) fn second_document(place: Place) -> Finding {
    Finding::new(&RULE, place, "a second document begins here; a catalog file has one")
        .help("put it in a file of its own and name that under `include:`")
}

pub(crate) fn not_a_key(place: Place, what: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} stands where a key is expected"))
        .help("write a name before the `:`; quote it if it begins with `[` or `{`")
}
