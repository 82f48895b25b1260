//! Calls of the Java drivers' query and schema builders.

use std::ops::Range;

use tree_sitter::Node;

use super::calls::Given;
use super::{Reader, place};
use crate::Language;
use crate::builder::{Built, Slot, Statement, Verb};
use crate::value::{Kind, Shared, Value};

impl<'t> Reader<'t> {
    /// Whether the file imports a builder; else `update(…)` and `set(…)` are anybody's functions.
    pub(super) fn imports_builder(&self) -> bool {
        matches!(self.unit.language, Language::Java | Language::Kotlin | Language::Scala)
            && self.unit.imports.iter().any(|import| {
                let path = import.path.to_lowercase();
                path.contains("querybuilder")
                    || path.contains("schemabuilder")
                    || path.contains("datastax.oss.driver")
                    || path.contains("datastax.driver.core.schema")
                    || import.name.as_deref().is_some_and(|name| name.ends_with("Builder") && path.contains("datastax"))
            })
    }

    /// A function that begins a statement, or makes a part of one.
    pub(super) fn begin(&mut self, node: Node<'t>, owner: &str, name: &str, given: &[Given<'t>]) -> Option<Shared> {
        let owner = owner.rsplit('.').next().unwrap_or(owner);
        if !self.uses_builders || !self.imports_builder() {
            return None;
        }
        let at = place(node.byte_range());
        if matches!(owner, "DataTypes" | "DataType") {
            return Some(fragment(data_type(name, given, at)?));
        }
        if owner == "CqlIdentifier" && name.starts_with("from") {
            return given.first().map(|given| given.value.clone());
        }
        if !matches!(
            owner,
            "" | "QueryBuilder" | "SchemaBuilder" | "Relation" | "Assignment" | "Selector" | "Condition"
        ) {
            return None;
        }
        if let Some(verb) = verb(name) {
            return Some(self.statement(node, verb, name, given));
        }
        let left = |value: Shared| Some(built(Built::Relation { statement: None, slot: Slot::Where, left: value }));
        match (owner, name) {
            ("Relation", "column") => return left(given.first()?.value.clone()),
            ("Relation", "columns") => return left(tuple(given, &at)),
            ("Relation", "token") => return left(called("token", given, &at)),
            ("Relation" | "Condition", _) if name == "column" || name == "field" => {
                return left(joined(given, ".", &at));
            }
            _ => {}
        }
        term(name, given, &at)
            .or_else(|| relation(name, given, &at))
            .or_else(|| assignment(name, given, &at))
            .map(fragment)
    }

    fn statement(&mut self, node: Node<'t>, verb: Verb, name: &str, given: &[Given<'t>]) -> Shared {
        let at = place(node.byte_range());
        let names: Vec<Shared> = given.iter().map(|given| given.value.clone()).collect();
        let mut statement = match (verb, name) {
            // `select("a", "b").from("t")`, `delete("a").from("t")`: the older driver.
            (Verb::Select, "select") | (Verb::Delete, "delete") => {
                let items = names.into_iter().filter(|name| !is_star(name)).map(|name| (Slot::Item, text_of(&name)));
                Statement { verb, at, parts: items.collect() }
            }
            (Verb::CreateIndex | Verb::CreateView, _) => {
                Statement { verb, at, parts: names.into_iter().map(|name| (Slot::Name, name)).collect() }
            }
            _ => Statement::new(verb, at, names),
        };
        statement.parts.truncate(64);
        let value = built(Built::Statement(statement));
        self.seed(node, &value);
        value
    }

    /// A call on a statement under construction. Nothing is answered for a call that is none of the builder's.
    pub(super) fn build(
        &mut self,
        node: Node<'t>,
        object: Node<'t>,
        value: &Shared,
        name: &str,
        given: &[Given<'t>],
    ) -> Option<Shared> {
        // The call's own words lie behind the object that it is called on.
        let at = place(object.end_byte().min(node.end_byte())..node.end_byte());
        let answer = match &value.kind {
            Kind::Either(values) if values.iter().any(|value| matches!(value.kind, Kind::Built(_))) => {
                let extended = values.iter().take(8).map(|value| match &value.kind {
                    Kind::Built(inner) => extend(inner, name, given, &at),
                    _ => Some(value.clone()),
                });
                let mut extended = extended.collect::<Option<Vec<_>>>()?.into_iter();
                let first = extended.next()?;
                extended.fold(first, |merged, value| Value::either(&merged, &value))
            }
            Kind::Built(inner) => extend(inner, name, given, &at)?,
            _ => return None,
        };
        self.seed(node, &answer);
        Some(answer)
    }
}

fn built(inner: Built) -> Shared {
    Value::new(Kind::Built(Box::new(inner)))
}

fn fragment(text: Shared) -> Shared {
    built(Built::Fragment(text))
}

fn verb(name: &str) -> Option<Verb> {
    Some(match name {
        "selectFrom" | "select" => Verb::Select,
        "insertInto" => Verb::Insert,
        "update" => Verb::Update,
        "deleteFrom" | "delete" => Verb::Delete,
        "truncate" => Verb::Truncate,
        "createTable" => Verb::CreateTable,
        "createType" => Verb::CreateType,
        "createIndex" => Verb::CreateIndex,
        "createMaterializedView" => Verb::CreateView,
        "createKeyspace" => Verb::CreateKeyspace,
        "alterTable" => Verb::AlterTable,
        "alterType" => Verb::AlterType,
        "dropTable" => Verb::Drop("TABLE"),
        "dropType" => Verb::Drop("TYPE"),
        "dropIndex" => Verb::Drop("INDEX"),
        "dropKeyspace" => Verb::Drop("KEYSPACE"),
        "dropMaterializedView" => Verb::Drop("MATERIALIZED VIEW"),
        _ => return None,
    })
}

fn is_star(value: &Shared) -> bool {
    matches!(&value.kind, Kind::Text(text) if text.text == "*")
}

/// What a value reads as within a statement: a fragment as it is, a text as a name.
fn text_of(value: &Shared) -> Shared {
    match &value.kind {
        Kind::Built(inner) => inner.text(),
        _ => value.clone(),
    }
}

/// What a value reads as where a term stands: texts are quoted, what is not known would be a literal of its own.
fn term_of(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Text(_) | Kind::Join(_) | Kind::Format { .. } => {
            let quote = || Value::meant("'", at.clone());
            Value::join(vec![quote(), value.clone(), quote()])
        }
        Kind::Null => Value::meant("null", at.clone()),
        Kind::List(items) => {
            let items: Vec<Shared> = items.iter().map(|item| term_of(item, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        _ => text_of(value),
    }
}

fn listed(items: &[Shared], (open, comma, close): (&str, &str, &str), at: &Range<u32>) -> Shared {
    let say = |text: &str| Value::meant(text, at.clone());
    let mut all = vec![say(open)];
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            all.push(say(comma));
        }
        all.push(item.clone());
    }
    all.push(say(close));
    Value::join(all)
}

/// Arguments, where a list stands for its entries.
fn spread(given: &[Given<'_>]) -> Vec<Shared> {
    let mut all = Vec::new();
    for given in given {
        match &given.value.kind {
            Kind::List(items) => all.extend(items.iter().cloned()),
            _ => all.push(given.value.clone()),
        }
    }
    all
}

fn joined(given: &[Given<'_>], comma: &str, at: &Range<u32>) -> Shared {
    let items: Vec<Shared> = spread(given).iter().map(text_of).collect();
    listed(&items, ("", comma, ""), at)
}

fn tuple(given: &[Given<'_>], at: &Range<u32>) -> Shared {
    let items: Vec<Shared> = spread(given).iter().map(text_of).collect();
    listed(&items, ("(", ", ", ")"), at)
}

fn called(function: &str, given: &[Given<'_>], at: &Range<u32>) -> Shared {
    Value::join(vec![Value::meant(function, at.clone()), tuple(given, at)])
}

/// Terms and selectors.
fn term(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let first = given.first().map(|given| &given.value);
    Some(match name {
        "bindMarker" => match first {
            Some(marker) => Value::join(vec![say(":"), marker.clone()]),
            None => say("?"),
        },
        "literal" => term_of(first?, at),
        "raw" => first?.clone(),
        "now" | "currentTimestamp" | "currentDate" | "currentTime" | "currentTimeUuid" => {
            let function = name.chars().fold(String::new(), |mut snake, letter| {
                if letter.is_uppercase() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
                snake
            });
            say(&format!("{function}()"))
        }
        "function" | "fcall" => {
            let arguments: Vec<Shared> = spread(&given[1..]).iter().map(|value| term_of(value, at)).collect();
            Value::join(vec![text_of(first?), listed(&arguments, ("(", ", ", ")"), at)])
        }
        "tuple" => {
            let items: Vec<Shared> = spread(given).iter().map(|value| term_of(value, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        "typeHint" => Value::join(vec![say("("), text_of(&given.get(1)?.value), say(")"), text_of(first?)]),
        "toDate" | "toTimestamp" | "toUnixTimestamp" | "minTimeUuid" | "maxTimeUuid" => called(name, given, at),
        "ttl" | "timestamp" if given.len() == 1 => {
            let words = if name == "ttl" { "TTL " } else { "TIMESTAMP " };
            Value::join(vec![say(words), term_of(first?, at)])
        }
        "token" => called("token", given, at),
        "asc" | "desc" => Value::join(vec![first?.clone(), say(if name == "asc" { " ASC" } else { " DESC" })]),
        _ => return None,
    })
}

/// Relations of the older driver: `eq("a", bindMarker())`.
fn relation(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let [left, right @ ..] = given else { return None };
    let operator = match name {
        "eq" => " = ",
        "ne" => " != ",
        "gt" => " > ",
        "gte" => " >= ",
        "lt" => " < ",
        "lte" => " <= ",
        "in" => " IN ",
        "like" => " LIKE ",
        "contains" => " CONTAINS ",
        "containsKey" => " CONTAINS KEY ",
        _ => return None,
    };
    let right = match (name, right) {
        (_, []) => return None,
        ("in", [one]) if !matches!(one.value.kind, Kind::List(_) | Kind::Text(_)) => text_of(&one.value),
        ("in", several) => {
            let items: Vec<Shared> = spread(several).iter().map(|value| term_of(value, at)).collect();
            listed(&items, ("(", ", ", ")"), at)
        }
        (_, [one, ..]) => term_of(&one.value, at),
    };
    Some(Value::join(vec![text_of(&left.value), Value::meant(operator, at.clone()), right]))
}

/// Assignments: `set("a", …)`, `setColumn("a", …)`, `increment("n")`, `append("list", …)`.
fn assignment(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let column = text_of(&given.first()?.value);
    let value = |index: usize| given.get(index).map(|given| term_of(&given.value, at));
    let change = |sign: &str, open: &str, close: &str, value: Shared| {
        Value::join(vec![column.clone(), say(" = "), column.clone(), say(sign), say(open), value, say(close)])
    };
    let before = |open: &str, close: &str, value: Shared| {
        Value::join(vec![column.clone(), say(" = "), say(open), value, say(close), say(" + "), column.clone()])
    };
    Some(match name {
        "set" | "setColumn" => Value::join(vec![column, say(" = "), value(1)?]),
        "increment" | "incr" => change(" + ", "", "", value(1).unwrap_or_else(|| say("1"))),
        "decrement" | "decr" => change(" - ", "", "", value(1).unwrap_or_else(|| say("1"))),
        "append" | "appendAll" | "addAll" | "putAll" => change(" + ", "", "", value(1)?),
        "appendListElement" => change(" + ", "[", "]", value(1)?),
        "appendSetElement" | "add" => change(" + ", "{", "}", value(1)?),
        "appendMapEntry" | "put" => change(" + ", "{", "}", Value::join(vec![value(1)?, say(": "), value(2)?])),
        "prepend" | "prependAll" => before("", "", value(1)?),
        "prependListElement" => before("[", "]", value(1)?),
        "prependSetElement" => before("{", "}", value(1)?),
        "remove" | "removeAll" | "discardAll" => change(" - ", "", "", value(1)?),
        "removeListElement" | "discard" => change(" - ", "[", "]", value(1)?),
        "removeSetElement" | "removeMapEntry" => change(" - ", "{", "}", value(1)?),
        "setMapValue" | "setListValue" | "setIdx" => {
            Value::join(vec![column, say("["), value(1)?, say("] = "), value(2)?])
        }
        _ => return None,
    })
}

/// The operator that a relation's second call names.
fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "isEqualTo" => " = ",
        "isNotEqualTo" => " != ",
        "isLessThan" => " < ",
        "isLessThanOrEqualTo" => " <= ",
        "isGreaterThan" => " > ",
        "isGreaterThanOrEqualTo" => " >= ",
        "like" => " LIKE ",
        "contains" => " CONTAINS ",
        "containsKey" => " CONTAINS KEY ",
        "in" => " IN ",
        "notIn" => " NOT IN ",
        "isNotNull" => " IS NOT NULL",
        _ => return None,
    })
}

fn extend(inner: &Built, name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    match inner {
        Built::Fragment(_) => None,
        Built::Relation { statement, slot, left } => {
            let right = match (name, given) {
                ("in" | "notIn", [one]) if !matches!(one.value.kind, Kind::List(_) | Kind::Text(_)) => {
                    let text = text_of(&one.value);
                    if matches!(one.value.kind, Kind::Built(_)) { text } else { term_of(&one.value, at) }
                }
                ("in" | "notIn", several) => {
                    let items: Vec<Shared> = spread(several).iter().map(|value| term_of(value, at)).collect();
                    listed(&items, ("(", ", ", ")"), at)
                }
                (_, [one, ..]) => term_of(&one.value, at),
                _ => Value::join(vec![]),
            };
            let relation = Value::join(vec![left.clone(), Value::meant(operator(name)?, at.clone()), right]);
            Some(match statement {
                Some(statement) => {
                    let mut statement = statement.clone();
                    statement.parts.push((*slot, relation));
                    built(Built::Statement(statement))
                }
                None => fragment(relation),
            })
        }
        Built::Statement(statement) => {
            let mut next = statement.clone();
            if let Some((slot, left)) = open_relation(statement, name, given, at) {
                return Some(built(Built::Relation { statement: Some(next), slot, left }));
            }
            next.parts.extend(parts(statement, name, given, at)?);
            Some(built(Built::Statement(next)))
        }
    }
}

/// The first half of a relation: `whereColumn("a")`, `ifColumn("a")`.
fn open_relation(statement: &Statement, name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<(Slot, Shared)> {
    let say = |text: &str| Value::meant(text, at.clone());
    let two = |open: &str, close: &str| {
        let [one, other, ..] = given else { return None };
        Some(Value::join(vec![text_of(&one.value), say(open), term_of(&other.value, at), say(close)]))
    };
    Some(match name {
        "whereColumn" => (Slot::Where, text_of(&given.first()?.value)),
        "whereColumns" => (Slot::Where, tuple(given, at)),
        "whereToken" => (Slot::Where, called("token", given, at)),
        "whereMapValue" => (Slot::Where, two("[", "]")?),
        "ifColumn" if statement.verb != Verb::Select => (Slot::Condition, text_of(&given.first()?.value)),
        "ifElement" => (Slot::Condition, two("[", "]")?),
        "ifField" => (Slot::Condition, joined(given, ".", at)),
        _ => return None,
    })
}

/// What a call adds to a statement.
fn parts(statement: &Statement, name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Vec<(Slot, Shared)>> {
    let say = |text: &str| Value::meant(text, at.clone());
    let first = given.first().map(|given| &given.value);
    let all = |slot: Slot| spread(given).iter().map(|value| (slot, text_of(value))).collect::<Vec<_>>();
    let pair = |slot: Slot| {
        let [one, two, ..] = given else { return None };
        Some(vec![(slot, Value::join(vec![text_of(&one.value), say(" "), type_of(&two.value, at)]))])
    };
    let verb = statement.verb;
    Some(match (verb, name) {
        (Verb::Select | Verb::Delete, "from") => all(Slot::Table),
        (Verb::Select, "distinct") => vec![(Slot::Mode, say("DISTINCT "))],
        (Verb::Select, "json") => vec![(Slot::Mode, say("JSON "))],
        (Verb::Select | Verb::CreateView, "all") => vec![],
        (
            Verb::Select | Verb::Delete | Verb::CreateView,
            "column" | "columns" | "selector" | "selectors" | "raw" | "columnsIds",
        ) => all(Slot::Item),
        (Verb::Select, "countAll") => vec![(Slot::Item, say("count(*)"))],
        (Verb::Select, "writeTime") => vec![(Slot::Item, called("writetime", given, at))],
        (Verb::Select, "ttl") => vec![(Slot::Item, called("ttl", given, at))],
        (Verb::Select, "function" | "fcall") => vec![(Slot::Item, term("function", given, at)?)],
        (Verb::Select, "max" | "min" | "sum" | "avg" | "count" | "toJson") => {
            vec![(Slot::Item, called(name, given, at))]
        }
        (Verb::Select, "as") => vec![(Slot::Tail, first?.clone())],
        (Verb::Select, "groupBy" | "groupByColumns" | "groupByColumn") => all(Slot::GroupBy),
        (Verb::Select, "orderBy") => match given {
            [one, two] if !matches!(one.value.kind, Kind::Built(_)) => {
                vec![(Slot::OrderBy, Value::join(vec![text_of(&one.value), say(" "), order(&two.value, at)]))]
            }
            _ => all(Slot::OrderBy),
        },
        (Verb::Select, "limit") => vec![(Slot::Limit, text_of(first?))],
        (Verb::Select, "perPartitionLimit") => vec![(Slot::PerPartitionLimit, text_of(first?))],
        (Verb::Select, "allowFiltering") => vec![(Slot::Filtering, say(""))],
        (Verb::Select | Verb::Update | Verb::Delete | Verb::CreateView, "where" | "whereRaw") => all(Slot::Where),
        (Verb::Select | Verb::Delete, "and") => all(Slot::Where),
        (Verb::Update, "and") => vec![(following(statement), text_of(first?))],
        (Verb::Insert, "value") => {
            let [column, value, ..] = given else { return None };
            vec![(Slot::Item, text_of(&column.value)), (Slot::Value, term_of(&value.value, at))]
        }
        (Verb::Insert, "json") => vec![(Slot::Mode, term_of(first?, at))],
        (_, "ifNotExists" | "ifExists") => vec![(Slot::IfExists, say(""))],
        (_, "usingTtl") => vec![(Slot::Using, Value::join(vec![say("TTL "), text_of(first?)]))],
        (_, "usingTimestamp") => vec![(Slot::Using, Value::join(vec![say("TIMESTAMP "), text_of(first?)]))],
        (Verb::Insert | Verb::Update | Verb::Delete, "using") => all(Slot::Using),
        (Verb::Update, "with") if given.is_empty() => vec![],
        (Verb::Update, "with" | "set") if given.iter().all(|given| matches!(given.value.kind, Kind::Built(_))) => {
            all(Slot::Assignment)
        }
        (Verb::Update | Verb::Delete, "onlyIf" | "if_" | "ifRaw" | "if") => all(Slot::Condition),
        (Verb::Update, _) => vec![(Slot::Assignment, assignment(name, given, at)?)],
        (Verb::CreateTable | Verb::CreateView, "withPartitionKey" | "addPartitionKey") => {
            let mut parts = if verb == Verb::CreateTable { pair(Slot::Item)? } else { vec![] };
            parts.push((Slot::PartitionKey, text_of(first?)));
            parts
        }
        (Verb::CreateTable | Verb::CreateView, "withClusteringColumn" | "addClusteringColumn") => {
            let mut parts = if verb == Verb::CreateTable { pair(Slot::Item)? } else { vec![] };
            parts.push((Slot::ClusteringColumn, text_of(first?)));
            parts
        }
        (Verb::CreateTable | Verb::CreateType, "withColumn" | "addColumn" | "withField") => pair(Slot::Item)?,
        (Verb::CreateTable, "withStaticColumn" | "addStaticColumn") => {
            let mut parts = pair(Slot::Item)?;
            parts.iter_mut().for_each(|(_, column)| *column = Value::join(vec![column.clone(), say(" STATIC")]));
            parts
        }
        (Verb::CreateTable | Verb::CreateView, "withClusteringOrder" | "clusteringOrder") => match given {
            [one, two] => {
                vec![(Slot::ClusteringOrder, Value::join(vec![text_of(&one.value), say(" "), order(&two.value, at)]))]
            }
            _ => return None,
        },
        (Verb::AlterTable | Verb::AlterType, "addColumn" | "addField") => pair(Slot::Item)?,
        (Verb::AlterTable, "dropColumn" | "dropColumns") => {
            vec![(Slot::Tail, Value::join(vec![say("DROP "), joined(given, ", ", at)]))]
        }
        (Verb::AlterTable | Verb::AlterType, "renameColumn" | "renameField") => {
            vec![(Slot::Tail, Value::join(vec![say("RENAME "), joined(given, " TO ", at)]))]
        }
        (Verb::CreateIndex, "onTable") => all(Slot::Table),
        (Verb::CreateIndex, "andColumn") => vec![(Slot::Item, text_of(first?))],
        (Verb::CreateIndex, "andColumnKeys") => vec![(Slot::Item, called("keys", given, at))],
        (Verb::CreateIndex, "andColumnValues") => vec![(Slot::Item, called("values", given, at))],
        (Verb::CreateIndex, "andColumnEntries") => vec![(Slot::Item, called("entries", given, at))],
        (Verb::CreateIndex, "andColumnFull") => vec![(Slot::Item, called("full", given, at))],
        (Verb::CreateIndex, "custom") => vec![(Slot::Tail, term_of(first?, at))],
        (Verb::CreateIndex, "usingSASI") => vec![(Slot::Tail, say("'org.apache.cassandra.index.sasi.SASIIndex'"))],
        (Verb::CreateView, "asSelectFrom") => all(Slot::Table),
        (Verb::CreateKeyspace, "withSimpleStrategy") => vec![(
            Slot::Option,
            Value::join(vec![
                say("replication = {'class': 'SimpleStrategy', 'replication_factor': "),
                text_of(first?),
                say("}"),
            ]),
        )],
        (Verb::CreateKeyspace, "withDurableWrites") => {
            vec![(Slot::Option, Value::join(vec![say("durable_writes = "), text_of(first?)]))]
        }
        (Verb::CreateTable | Verb::AlterTable | Verb::CreateView, "withDefaultTimeToLiveSeconds") => {
            vec![(Slot::Option, Value::join(vec![say("default_time_to_live = "), text_of(first?)]))]
        }
        (Verb::CreateTable | Verb::AlterTable | Verb::CreateView, "withGcGraceSeconds") => {
            vec![(Slot::Option, Value::join(vec![say("gc_grace_seconds = "), text_of(first?)]))]
        }
        (Verb::CreateTable | Verb::AlterTable | Verb::CreateView, "withComment") => {
            vec![(Slot::Option, Value::join(vec![say("comment = "), term_of(first?, at)]))]
        }
        // Further options and wrappers say nothing that a review asks about.
        (Verb::CreateTable | Verb::AlterTable | Verb::CreateView | Verb::CreateKeyspace | Verb::CreateIndex, other)
            if other.starts_with("with") =>
        {
            vec![]
        }
        _ => return None,
    })
}

/// What `and(…)` goes on with in an update: what was said last.
fn following(statement: &Statement) -> Slot {
    match statement.parts.last() {
        Some((slot @ (Slot::Where | Slot::Condition | Slot::Using), _)) => *slot,
        _ => Slot::Assignment,
    }
}

/// `ClusteringOrder.DESC`, `Direction.DESC`.
fn order(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Name(name) if name.path.last().is_some_and(|word| matches!(word.as_str(), "ASC" | "DESC")) => {
            Value::meant(name.path.last().map_or("", String::as_str), at.clone())
        }
        _ => text_of(value),
    }
}

/// `DataTypes.TEXT`, or a type made by a call.
fn type_of(value: &Shared, at: &Range<u32>) -> Shared {
    match &value.kind {
        Kind::Name(name) if name.path.first().is_some_and(|first| first == "DataTypes") || name.path.len() == 1 => {
            let word = name.path.last().map_or("", String::as_str);
            if word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_') {
                Value::meant(word.to_lowercase(), at.clone())
            } else {
                value.clone()
            }
        }
        _ => text_of(value),
    }
}

fn data_type(name: &str, given: &[Given<'_>], at: Range<u32>) -> Option<Shared> {
    let types: Vec<Shared> = given.iter().map(|given| type_of(&given.value, &at)).collect();
    let frozen = name.starts_with("frozen")
        || given.iter().any(|given| matches!(&given.value.kind, Kind::Plain(word) if word == "true"));
    let kind = name.trim_start_matches("frozen").to_lowercase();
    let (open, types) = match kind.as_str() {
        "listof" | "list" => ("list<", &types[..types.len().min(1)]),
        "setof" | "set" => ("set<", &types[..types.len().min(1)]),
        "mapof" | "map" => ("map<", &types[..types.len().min(2)]),
        "tupleof" => ("tuple<", &types[..]),
        "udt" => return given.first().map(|given| given.value.clone()),
        // The older driver's names for words that Java has taken.
        "cint" | "cboolean" | "cdouble" | "cfloat" => return Some(Value::meant(&kind[1..], at)),
        word if given.is_empty() && !word.is_empty() => return Some(Value::meant(word, at)),
        _ => return None,
    };
    let (open, close) = if frozen { (format!("frozen<{open}"), ">>") } else { (open.to_owned(), ">") };
    Some(listed(types, (&open, ", ", close), &at))
}
