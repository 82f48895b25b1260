//! The JSON Schema of the layout language.

use keyloom_model::layout::{CopyRule, Keeper, Table, Way, WhenExpired};
use keyloom_model::{Class, Engine};
use serde_json::{Map, Value, json};

use super::scalar::{self, entity_name, field_name, one_of, text, unproposed_boolean};
use super::value::{list_or_one, names, reference, reference_to_word};
use super::{by_kind, closed, described, head, merge, object};
use crate::vocabulary::{
    HORIZONS, LAYOUT, LAYOUT_PATH, READS_AT_MOST, SPREAD, TABLE, Word, path_forms, path_words, table_kinds, table_words,
};

/// The schema of layouts, as JSON text.
///
/// ```
/// assert!(keyloom_text::layout_json_schema().contains("urn:keyloom:layout:1"));
/// ```
pub fn layout_json_schema() -> String {
    let file = object(LAYOUT, of_file, &["layout", "catalog", "engine", "epoch"]);
    let head = head("layout", "The layout language of Keyloom, version 1: how a catalog is stored on one engine.");
    let schema = merge(merge(head, file), json!({ "$defs": definitions() }));
    format!("{schema:#}\n")
}

fn definitions() -> Value {
    const SCALARS: &[&str] = &["count", "time", "per_time", "test", "prose", "field_name"];
    let scalars = scalar::definitions().into_iter().filter(|(name, _)| SCALARS.contains(name));
    let mut all: Map<String, Value> = scalars.map(|(name, schema)| (name.to_owned(), schema)).collect();
    all.insert("table_name".to_owned(), table_name());
    for word in TABLE.iter().chain(LAYOUT_PATH) {
        all.insert(format!("word_{}", word.name), described(word, of_word(word.name)));
    }
    let (kinds, lacks) = (table_kinds(), "does not say what it holds");
    all.insert("table".to_owned(), by_kind(&kinds, &[], "table", lacks, "{ source: Task, partition: [task_id] }"));
    for kind in &kinds {
        let required: &[&str] =
            if kind.name == "of" { &["of", "keeper", "partition"] } else { &[kind.name, "partition"] };
        all.insert(format!("table_{}", kind.name), said("table", kind, &table_words(kind.name), required));
    }
    let (forms, lacks) = (path_forms(), "does not say which table it reads");
    all.insert("path".to_owned(), by_kind(&forms, &[], "path", lacks, "{ get: task }"));
    for form in &forms {
        all.insert(format!("path_{}", form.name), said("path", form, &path_words(form.name), &[form.name]));
    }
    Value::Object(all)
}

/// What a table or path of this kind may and must say.
fn said(of: &str, kind: &Word, words: &[&Word], required: &[&str]) -> Value {
    let schema = closed(words, |word| reference_to_word(word.name), required);
    merge(json!({ "title": format!("{} {of}", kind.name) }), schema)
}

/// What stands behind a word of the file.
fn of_file(word: &str) -> Value {
    match word {
        "layout" => {
            json!({ "type": ["integer", "string"], "minimum": 1, "maximum": 1, "pattern": "^1$", "default": 1 })
        }
        "engine" => one_of(&Engine::ALL.map(Engine::name)),
        "epoch" => {
            json!({ "type": ["integer", "string"], "minimum": 1, "pattern": "^[0-9]*[1-9][0-9]*$", "default": 1 })
        }
        "horizons" => object(HORIZONS, |_| reference("time"), &[]),
        "tables" => names(reference("table_name"), reference("table")),
        "ranks" => {
            let field = text(FIELD_OF_ENTITY, "a field of an entity, such as Task.priority", json!([]));
            let value = text("[A-Z][A-Z0-9_]*", "a value of the enum, such as HIGH", json!([]));
            let rank =
                json!({ "type": ["integer", "string"], "minimum": 0, "maximum": u16::MAX, "pattern": "^[0-9]{1,5}$" });
            names(field, names(value, rank))
        }
        "paths" => {
            let name = "[a-z][a-z0-9_]*";
            let of_pattern = format!(r"{name}(/{name})?(:{name})?(\?{name}(&{name})*)?");
            let words = "the address of a question, such as open_case/todo, list_tasks:urgent or Task.case_id";
            names(text(&format!("{of_pattern}|{FIELD_OF_ENTITY}"), words, json!([])), reference("path"))
        }
        _ => reference("prose"),
    }
}

const FIELD_OF_ENTITY: &str = r"[A-Z][A-Za-z0-9]*\.[a-z][a-z0-9_]*";

/// What stands behind a word of a table or a path; it means the same in every kind of them.
fn of_word(word: &str) -> Value {
    let named = |all: Vec<&str>| one_of(&all);
    match word {
        "source" | "of" | "newest" => entity_name("Entity"),
        "reserves" | "keeps" | "numbers" => {
            text(FIELD_OF_ENTITY, "an entity and a name of it, such as User.email_taken", json!([]))
        }
        "counts" => {
            let either = format!("{FIELD_OF_ENTITY}|[A-Z][A-Za-z0-9]*");
            text(&either, "a kept field such as Case.open_tasks, or a rollup", json!([]))
        }
        "class" => named(Class::ALL.iter().map(|class| class.name()).collect()),
        "keeper" => named(Keeper::ALL.iter().map(|keeper| keeper.name()).collect()),
        "way" => named(Way::ALL.iter().map(|way| way.name()).collect()),
        "expires" => named(WhenExpired::ALL.iter().map(|expires| expires.name()).collect()),
        "tenants" => one_of(&["all"]),
        "every" => reference("time"),
        "where" => reference("test"),
        "from" | "get" | "slice" | "via" => reference("table_name"),
        "partition" => {
            let component = r"(?!kl_)[a-z][a-z0-9_]*|(hour|day|month|year) *\( *[a-z][a-z0-9_]* *\)";
            let words = "a field, or a time bucket such as month(at); [all] is one partition for all rows";
            merge(fields(text(component, words, json!([]))), json!({ "examples": [["task_id"], ["all"]] }))
        }
        "sort" => list_or_one(text(r"[a-z].* +(asc|desc)( +nulls +last)?", "a field and asc or desc", json!([]))),
        "columns" => fields(reference("field_name")),
        "copies" => {
            let path = text(r"[a-z].*\..+", "a field of a row that this one points to, such as case.title", json!([]));
            names(path, named(CopyRule::ALL.iter().map(|rule| rule.name()).collect()))
        }
        "spread" => object(SPREAD, of_spread, &["at_most"]),
        "looks_up" | "remains" => fields(json!({ "type": "string" })),
        "reads_at_most" => object(READS_AT_MOST, |_| reference("count"), &["partitions", "rows"]),
        _ => reference("prose"),
    }
}

/// A list of fields. One of them may be called `n` or `on`, of which some editors make a boolean.
fn fields(one: Value) -> Value {
    list_or_one(json!({ "anyOf": [one, unproposed_boolean()] }))
}

fn of_spread(word: &str) -> Value {
    match word {
        "reads" => reference("per_time"),
        _ => reference("count"),
    }
}

fn table_name() -> Value {
    merge(json!({ "maxLength": Table::NAME_MAX }), field_name("table"))
}
