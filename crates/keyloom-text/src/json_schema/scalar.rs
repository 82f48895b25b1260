//! Single values: names, numbers with units, types, expressions.
//!
//! To an editor a plain `100` is a number and a plain `true` is a boolean, to the reader both are text; so whatever may
//! be written plainly is accepted as what YAML makes of it, and quoted as well.

use serde_json::{Value, json};

const NUMBER: &str = r"[0-9]+(\.[0-9]+)?";
const COUNT: &str = r"[0-9]+(\.[0-9]+)? *[kMG]?";
const TIME: &str =
    r"[0-9]+(\.[0-9]+)? *(ms|s|min|h|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)";
const RATE: &str = r"[0-9]+(\.[0-9]+)? *[kMG]? */ *(s|min|h|seconds?|minutes?|hours?|days?)";

/// The kinds of single values that stand in several places.
pub(super) fn definitions() -> Vec<(&'static str, Value)> {
    let three = |one: &str| format!("{one}( */ *{one} */ *{one})?");
    let per = " +per +(ms|s|min|h|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)";
    vec![
        ("count", number("integer", 0, COUNT, "a count such as 300, 5k or 1.5M", json!([100, "5k", "1.5M"]))),
        ("positive", number("integer", 1, COUNT, "a count such as 100 or 5k", json!([100]))),
        ("exponent", number("number", 0, NUMBER, "an exponent such as 1.1", json!([1.1]))),
        ("time", text(TIME, "a time such as 80ms, 5s, 1 day or 7 years", json!(["80ms", "5s", "24h", "7 years"]))),
        (
            "freshness",
            text(
                &format!("latest|read_your_writes|{TIME}"),
                "latest, read_your_writes, or how old an answer may be, such as 5s",
                json!(["latest", "read_your_writes", "5s"]),
            ),
        ),
        ("drift", text(&format!("never|{TIME}"), "never, or a time such as 1h", json!(["never", "1h"]))),
        ("per_time", text(RATE, "a rate such as 2000/s or 120k/day", json!(["20/s", "120k/day"]))),
        (
            "rate",
            text(
                &format!("rare|unknown|{RATE}"),
                "a rate such as 2000/s or 120k/day, rare or unknown",
                json!(["20/s", "120k/day", "rare", "unknown"]),
            ),
        ),
        ("share", text(&format!("{NUMBER} *%"), "a share such as 30%", json!(["30%"]))),
        ("factor", text(r"[0-9]+(\.[0-9]{1,3})?x", "a factor such as 20x or 0.5x", json!(["20x", "0.5x"]))),
        ("date", text("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2026-11-01", json!(["2026-11-01"]))),
        (
            "counts",
            number(
                "integer",
                0,
                &format!("{}({per})?", three(COUNT)),
                "typical / p99 / worst such as 40 / 5k / 200k, or one hard maximum",
                json!(["40 / 5k / 200k", "200 / 5k / 100k per month"]),
            ),
        ),
        (
            "times",
            text(
                &three(TIME),
                "typical / p99 / worst such as 1 day / 7 days / 31 days, or one hard maximum",
                json!(["1 day / 7 days / 31 days"]),
            ),
        ),
        ("flag", json!({ "type": ["boolean", "string"], "pattern": "^(true|false)$" })),
        ("prose", json!({ "anyOf": [{ "type": ["string", "number"] }, unproposed_boolean()] })),
        ("expression", json!({ "type": ["string", "number", "boolean", "null"] })),
        ("test", json!({ "anyOf": [{ "type": "string" }, unproposed_boolean()] })),
        ("type", type_of_field()),
        ("field_name", field_name("field")),
    ]
}

/// A name in lower snake case; what begins with `kl_` is Keyloom's own.
pub(super) fn field_name(of: &str) -> Value {
    let words = format!("the {of} in lower snake case, such as due_at, and without a leading kl_");
    titled(of, text("(?!kl_)[a-z][a-z0-9_]*", &words, json!([])))
}

/// A name that begins with a capital.
pub(super) fn entity_name(of: &str) -> Value {
    let words = format!("the {of} as one word that begins with a capital, such as CaseEvent");
    titled(of, text("[A-Z][A-Za-z0-9]*", &words, json!([])))
}

/// A text that is all of this pattern; editors that can will show the words instead of the pattern.
pub(super) fn text(pattern: &str, words: &str, examples: Value) -> Value {
    let schema = json!({ "type": "string", "pattern": format!("^({pattern})$") });
    explained(schema, words, examples)
}

/// One of these words and no other.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// The whole text behind a field: only its beginning is looked at, the rest is for the reader.
fn type_of_field() -> Value {
    let plain = "uuid7?|text|bytes|json|int|float|decimal|bool|date|timestamp|duration|ip|enum|oneof";
    let mut schema = text(
        &format!(r" *(({plain})\b|(list|set|map) +of |[A-Z]).*"),
        "a type such as uuid, text(80..400), int, timestamp, enum(OPEN | CLOSED) or list of Line (3 / 20 / 100)",
        json!(["uuid = new", "text(80..400)", "timestamp = now"]),
    );
    // What is an example here is shown whenever somebody points at a field; these are only proposed.
    let proposed = [
        "uuid7 = new",
        "uuid -> Case must exist",
        "int",
        "float",
        "decimal(2)",
        "bool = false",
        "date",
        "timestamp?",
        "duration",
        "ip",
        "bytes(32)",
        "json(1KB..60KB)",
        "enum(OPEN 6% | CLOSED 94%) = OPEN",
        "list of text(8..30) (3 / 20 / 100)",
        "set of text(8..30) (2 / 10 / 40)",
        "map of text(8..30) to int (2 / 10 / 40)",
    ];
    schema["defaultSnippets"] = proposed.map(|ty| json!({ "label": ty, "body": ty })).into();
    schema
}

/// A number that may be written with a unit.
fn number(kind: &str, minimum: u64, pattern: &str, words: &str, examples: Value) -> Value {
    let schema = json!({ "type": [kind, "string"], "minimum": minimum, "pattern": format!("^({pattern})$") });
    explained(schema, words, examples)
}

/// `true` and `false` where they are possible, but nothing that an editor should propose.
pub(super) fn unproposed_boolean() -> Value {
    json!({ "not": { "type": ["string", "number", "array", "object", "null"] } })
}

fn explained(mut schema: Value, words: &str, examples: Value) -> Value {
    schema["patternErrorMessage"] = format!("Write {words}.").into();
    if examples.as_array().is_some_and(|examples| !examples.is_empty()) {
        schema["examples"] = examples;
    }
    schema
}

fn titled(title: &str, mut schema: Value) -> Value {
    schema["title"] = title.into();
    schema
}
