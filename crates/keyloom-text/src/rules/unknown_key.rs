use keyloom_finding::{Finding, Level, Place, Rule};

pub(crate) static RULE: Rule = Rule {
    name: "unknown-key",
    level: Level::Error,
    summary: "a key that the language does not have at this place",
    page: include_str!("unknown_key.md"),
};

pub(crate) fn finding(place: Place, key: &str, what: &str, nearest: Option<&str>, all: &str) -> Finding {
    let finding = Finding::new(&RULE, place, format!("{what} has no key `{key}`"));
    if STORAGE.iter().any(|word| key.contains(word)) {
        return finding.help("remove it: a catalog states what is asked, and the layout decides how it is stored");
    }
    match nearest {
        Some(nearest) => finding.label(format!("did you mean `{nearest}`?")).help(format!("write `{nearest}`")),
        None => finding.help(format!("{what} may have: {all}")),
    }
}

/// Words of storage, which a catalog has none of.
const STORAGE: &[&str] =
    &["partition", "cluster", "shard", "bucket", "index", "table", "replica", "cache", "projection"];

/// What the language calls a thing that other languages call so.
pub(crate) fn elsewhere_called(key: &str) -> Option<&'static str> {
    Some(match key {
        "limit" | "page_size" => "page",
        "top" => "first",
        "ttl" | "expiry" | "retention" => "expires",
        "sort" | "order_by" | "sort_by" => "order",
        "filter" => "where",
        "select" => "returns",
        "columns" | "attributes" | "properties" => "fields",
        "id" | "primary_key" => "key",
        "insert" => "create",
        "upsert" => "put",
        "query" | "find" => "list",
        "consistency" => "freshness",
        "description" | "comment" => "doc",
        _ => return None,
    })
}

/// A word of the language that does not go with this verb.
pub(crate) fn wrong_verb(place: Place, key: &str, verb: &str, fits: &str) -> Finding {
    let help = if fits.is_empty() {
        format!("say `{key}` on the whole pattern, beside `atomic`")
    } else {
        format!("it goes with {fits}")
    };
    Finding::new(&RULE, place, format!("`{key}` does not go with `{verb}`")).help(help)
}
