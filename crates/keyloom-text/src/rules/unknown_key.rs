use keyloom_finding::{Finding, Level, Place, Rule};

use crate::vocabulary::Word;

pub(crate) static RULE: Rule = Rule {
    name: "unknown-key",
    level: Level::Error,
    summary: "a key that the language does not have at this place",
    page: include_str!("unknown_key.md"),
};

pub(crate) fn finding(place: Place, key: &str, what: &str, meant: Option<&Word>, all: &str) -> Finding {
    let finding = Finding::new(&RULE, place, format!("{what} has no key `{key}`"));
    match meant {
        Some(meant) => finding.label(format!("did you mean `{}`?", meant.name)).help(format!(
            "write `{}`: {}{}",
            meant.name,
            meant.doc[..1].to_lowercase(),
            meant.doc[1..].trim_end_matches('.')
        )),
        None => finding.help(format!("{what} may have: {all}")),
    }
}

/// A word of storage in a catalog.
pub(crate) fn storage(place: Place, key: &str, what: &str) -> Finding {
    Finding::new(&RULE, place, format!("{what} has no key `{key}`"))
        .help("remove it: a catalog states what is asked, and the layout decides how it is stored")
}

/// Whether a key is a word of storage, which a catalog has none of.
pub(crate) fn is_storage(key: &str) -> bool {
    STORAGE.iter().any(|word| key.contains(word))
}

const STORAGE: &[&str] =
    &["partition", "cluster", "shard", "bucket", "index", "table", "replica", "cache", "projection"];

/// What the language calls a thing that other languages call so; which of several, the place decides.
pub(crate) fn elsewhere_called(key: &str) -> &'static [&'static str] {
    match key {
        "limit" | "page_size" => &["page"],
        "top" => &["first"],
        "ttl" | "expiry" | "retention" => &["expires"],
        "sort" => &["order"],
        "order" => &["sort"],
        "order_by" | "sort_by" => &["order", "sort"],
        "sort_key" | "range_key" | "clustering" | "clustering_key" => &["sort"],
        "partition_key" | "hash_key" | "shard_key" => &["partition"],
        "filter" => &["where", "if"],
        "when" | "condition" | "precondition" | "guard" => &["if", "where"],
        "reason" | "why" => &["because"],
        "select" => &["list", "returns"],
        "columns" => &["fields"],
        "fields" => &["columns"],
        "attributes" | "properties" => &["fields", "columns"],
        "enums" => &["ranks"],
        "store" | "database" => &["engine"],
        "id" | "primary_key" => &["key"],
        "insert" => &["create"],
        "upsert" => &["put"],
        "query" | "find" => &["list"],
        "consistency" => &["freshness"],
        "description" | "comment" => &["doc"],
        "version" => &["language", "layout"],
        "avg" | "average" => &["mean", "typical"],
        "max" | "maximum" => &["peak", "worst"],
        "frequency" | "qps" | "throughput" => &["rate"],
        _ => &[],
    }
}

/// `increment: { plays: 1 }`, which is a `set` of the sum; `changes` are the fields with what is added to each.
pub(crate) fn increment(place: Place, key: &str, what: &str, changes: &[(&str, &str)]) -> Finding {
    let sums = changes.iter().map(|(field, by)| format!("{field}: {field} + {by}")).collect::<Vec<_>>().join(", ");
    Finding::new(&RULE, place, format!("{what} has no key `{key}`")).help(format!("write `set: {{ {sums} }}`"))
}

/// Whether a key is another language's word for adding to a number.
pub(crate) fn is_increment(key: &str) -> bool {
    matches!(key, "inc" | "incr" | "increment" | "increase")
}

/// A word of the language that does not go with this verb.
pub(crate) fn wrong_verb(place: Place, key: &str, verb: &str, fits: &str) -> Finding {
    let help = if fits.is_empty() {
        format!("say `{key}` on the whole pattern, beside `atomic`")
    } else {
        match (key, verb) {
            ("where", "update" | "delete" | "check") => {
                "which row is said by `by`; what must hold of it by `if`".to_owned()
            }
            _ => format!("it goes with {fits}"),
        }
    };
    Finding::new(&RULE, place, format!("`{key}` does not go with `{verb}`")).help(help)
}

/// Two keys of which each says what the thing is.
pub(crate) fn second_kind(place: Place, first: &str, second: &str) -> Finding {
    Finding::new(&RULE, place, format!("`{second}` does not go with `{first}`"))
        .help(format!("`{first}` says already what this is: remove one of them"))
}
