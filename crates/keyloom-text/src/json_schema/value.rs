//! What stands behind each word of the language.

use serde_json::{Value, json};

use super::scalar::{entity_name, field_name, one_of, text, unproposed_boolean};
use super::{merge, object};
use crate::vocabulary::{ALLOW, DISTRIBUTION, GROUP, HISTORY, RATE, SKEW, TENANT, VOLUME};

const FIELD: &str = "A field: its type, `?` if it may be absent, what it points to, and what fills it.";

/// Mappings and lists that stand in several places.
pub(super) fn definitions() -> Vec<(&'static str, Value)> {
    let distribution = |part: &'static str| object(DISTRIBUTION, move |_| reference(part), &[]);
    vec![
        ("allow", list_or_one(object(ALLOW, of_allow, &["rule", "because"]))),
        ("fields", names(field_name("field"), merge(json!({ "description": FIELD }), reference("type")))),
        ("field_names", list_or_one(reference("field_name"))),
        ("count_distribution", json!({ "anyOf": [reference("counts"), distribution("count")] })),
        ("time_distribution", json!({ "anyOf": [reference("times"), distribution("time")] })),
    ]
}

/// What stands behind a word of the file.
pub(super) fn of_file(word: &str) -> Value {
    match word {
        "language" => {
            json!({ "type": ["integer", "string"], "minimum": 1, "maximum": 1, "pattern": "^1$", "default": 1 })
        }
        "as_of" => reference("date"),
        "tenant" => {
            let either = [reference("field_name"), object(TENANT, of_tenant, &["field"])];
            json!({ "anyOf": either, "examples": ["tenant_id"] })
        }
        "retries" => reference("time"),
        "complete" => reference("flag"),
        "include" => list_or_one(json!({ "type": "string", "minLength": 1 })),
        "types" => names(entity_name("Struct"), reference("fields")),
        "entities" => names(entity_name("Entity"), reference("entity")),
        "rollups" => names(entity_name("Rollup"), reference("rollup")),
        "patterns" => names(field_name("pattern"), reference("pattern")),
        "scenarios" => names(field_name("scenario"), names(field_name("pattern"), reference("factor"))),
        _ => of_anything(word),
    }
}

fn of_tenant(word: &str) -> Value {
    match word {
        "field" => json!({ "type": "string", "examples": ["tenant_id"] }),
        "type" => reference("type"),
        "count" => reference("count"),
        "busiest" => reference("share"),
        _ => of_anything(word),
    }
}

/// What stands behind a word of an entity.
pub(super) fn of_entity(word: &str) -> Value {
    match word {
        "source" => one_of(&["elsewhere"]),
        "tenant" => one_of(&["none"]),
        "append_only" => reference("flag"),
        "part_of" => entity_name("Entity"),
        "key" | "secret" => reference("field_names"),
        "fields" => reference("fields"),
        "states" => {
            let change = text(".*->.*", "a change of state such as OPEN -> CLOSED", json!(["OPEN -> CLOSED"]));
            names(field_name("field"), list_or_one(change))
        }
        "unique" => names(field_name("reason"), list_or_one(json!({ "type": "string" }))),
        "drift" => names(field_name("field"), reference("drift")),
        "history" => object(HISTORY, of_history, &["of"]),
        "volume" => object(VOLUME, of_volume, &[]),
        "groups" => {
            let key = text("[a-z].*", "fields and perhaps a test, such as team_id where status = OPEN", json!([]));
            let list = json!({ "type": "array", "items": object(GROUP, of_group, &["by", "rows"]) });
            json!({ "anyOf": [names(key, reference("count_distribution")), list] })
        }
        "expires" => with_examples(reference("test"), &["expires_at", "at + 7 years", "forever"]),
        _ => of_anything(word),
    }
}

fn of_history(word: &str) -> Value {
    match word {
        "of" => reference("field_names"),
        "keep" => reference("time"),
        _ => of_anything(word),
    }
}

fn of_volume(word: &str) -> Value {
    match word {
        "rows" => reference("count"),
        "growth" => reference("per_time"),
        _ => of_anything(word),
    }
}

fn of_group(word: &str) -> Value {
    match word {
        "by" => reference("field_names"),
        "where" => reference("test"),
        "rows" => reference("count_distribution"),
        _ => of_anything(word),
    }
}

/// What stands behind a word of a rollup.
pub(super) fn of_rollup(word: &str) -> Value {
    match word {
        "of" => entity_name("Entity"),
        "by" => reference("field_names"),
        "every" => {
            let examples = json!(["1h of at", "1 day of at", "15min of at as slot"]);
            text(".* of .*", "a step and its field, such as 1h of at", examples)
        }
        "where" => reference("test"),
        "values" => {
            let examples = json!(["count", "count where breached = true", "avg of celsius", "last of value by at"]);
            let kinds = r" *(count|sum|avg|min|max|last|first)\b.*";
            names(field_name("value"), text(kinds, "a value such as count or avg of celsius", examples))
        }
        "late" | "freshness" => reference("time"),
        "expires" => with_examples(reference("test"), &["hour + 2 years", "forever"]),
        _ => of_anything(word),
    }
}

/// Whether what stands behind a word of a pattern depends on the verb.
pub(super) fn varies(word: &str) -> bool {
    matches!(word, "by" | "returns")
}

/// A word of a pattern that means the same beside every verb.
pub(super) fn reference_to_word(word: &str) -> Value {
    reference(&format!("word_{word}"))
}

/// What stands behind a word of a pattern or step with this verb; a list of `with` has the verb `list`.
pub(super) fn of_pattern(verb: &str, word: &str) -> Value {
    match word {
        "get" | "list" | "count" | "summarize" | "rank" | "watch" | "scan" | "create" | "put" | "update" | "delete"
        | "claim" | "check" | "update_each" | "delete_each" => entity_name("Entity"),
        "atomic" => json!({ "type": "array", "minItems": 1, "items": reference("step") }),
        "each" => {
            let examples = json!(["l in $lines max 50"]);
            text(r".+ in +\$.+ max +.+", "an item, a list and its bound, such as l in $lines max 50", examples)
        }
        "outside" => reference("prose"),
        "tenant" => one_of(&["all"]),
        "through" => {
            let examples = json!(["Follow.followee_id = author_id"]);
            text(r".+\..+=.+", "one hop, such as Follow.followee_id = author_id", examples)
        }
        "by" => match verb {
            // These name one row, so `all` is seldom what is meant.
            "get" | "update" | "delete" | "check" => list_or_one(json!({ "type": "string" })),
            _ => list_or_word(&["all"]),
        },
        "where" => with_examples(reference("test"), &["status = OPEN", "at in $from..$to"]),
        "takes" | "any_of" | "one_per" => reference("field_names"),
        "once_per" => list_or_one(json!({ "type": "string" })),
        "newest" => reference("field_name"),
        "emits" => entity_name("Event"),
        "or_create" | "exact" => reference("flag"),
        "set" | "add" | "remove" | "append" => {
            let key = text("[a-z].*", "the field that changes, such as status or timers.$name", json!([]));
            names(merge(json!({ "title": "field" }), key), reference("expression"))
        }
        "if" => {
            let examples = ["status = OPEN else not_open", "version = $version else changed_meanwhile"];
            with_examples(list_or_one(reference("test")), &examples)
        }
        "order" => {
            let named = names(field_name("order"), json!({ "type": "string" }));
            with_examples(json!({ "anyOf": [{ "type": "string" }, named] }), &["at desc", "due_at asc"])
        }
        "page" | "first" | "up_to" | "batch" => reference("positive"),
        "lease" | "latency" => reference("time"),
        "span" => reference("time_distribution"),
        "matches" => reference("share"),
        "with" => names(field_name("part"), reference("with")),
        "returns" => match verb {
            "get" | "list" | "claim" | "outside" => list_or_word(&["all"]),
            _ => list_or_word(&["all", "before", "after"]),
        },
        "freshness" => reference("freshness"),
        "while_moving" => one_of(&["duplicate", "hole"]),
        "rate" => json!({ "anyOf": [reference("rate"), object(RATE, |_| reference("per_time"), &[])] }),
        "skew" => {
            let either = json!({ "anyOf": [{ "required": ["busiest"] }, { "required": ["zipf"] }] });
            merge(object(SKEW, of_skew, &[]), either)
        }
        "group" => reference("count_distribution"),
        _ => of_anything(word),
    }
}

fn of_skew(word: &str) -> Value {
    match word {
        "busiest" => reference("share"),
        "zipf" => reference("exponent"),
        _ => of_anything(word),
    }
}

fn of_allow(word: &str) -> Value {
    match word {
        "rule" => json!({ "type": "string", "examples": ["missing-rate"] }),
        "because" => {
            let schema = json!({ "type": ["string", "number"], "minLength": 1 });
            json!({ "anyOf": [schema, unproposed_boolean()] })
        }
        "until" => reference("date"),
        _ => of_anything(word),
    }
}

/// Words that mean the same wherever they stand; all others are words for people.
fn of_anything(word: &str) -> Value {
    match word {
        "allow" => reference("allow"),
        _ => reference("prose"),
    }
}

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn with_examples(schema: Value, examples: &[&str]) -> Value {
    merge(schema, json!({ "examples": examples }))
}

/// A list of such things; a single one stands for a list of one.
pub(super) fn list_or_one(one: Value) -> Value {
    json!({ "anyOf": [{ "type": "array", "items": one }, one] })
}

/// A list of names or paths; these words alone have a meaning of their own.
fn list_or_word(words: &[&str]) -> Value {
    let list = json!({ "type": "array", "items": { "type": "string" } });
    json!({ "anyOf": [list, one_of(words), { "type": "string" }] })
}

/// A mapping whose keys are the author's own names.
pub(super) fn names(key: Value, value: Value) -> Value {
    json!({ "type": "object", "propertyNames": key, "additionalProperties": value })
}
