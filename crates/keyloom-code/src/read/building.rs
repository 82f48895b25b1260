//! Calls of the Java drivers' query and schema builders.

use std::ops::Range;

use tree_sitter::Node;

use super::calls::Given;
use super::terms::{
    assignment, called, data_type, joined, listed, operator, order, relation, spread, term, term_of, text_of, tuple,
    type_of,
};
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

    /// Whether a call changes the statement that it is made on: in the older driver. In the newer one it answers another.
    fn builders_change(&self) -> bool {
        self.unit.imports.iter().any(|import| import.path.starts_with("com.datastax.driver.core"))
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
            Kind::Either(choice) if choice.values().any(|value| matches!(value.kind, Kind::Built(_))) => {
                choice.map(|value| match &value.kind {
                    Kind::Built(inner) => extend(inner, name, given, &at),
                    _ => Some(value.clone()),
                })?
            }
            Kind::Built(inner) => extend(inner, name, given, &at)?,
            // A statement to which a loop added something.
            Kind::Repeated(inner) => match &inner.kind {
                Kind::Built(inner) => Value::new(Kind::Repeated(extend(inner, name, given, &at)?)),
                _ => return None,
            },
            _ => return None,
        };
        if self.builders_change() {
            self.rebind(object, &answer);
        }
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
