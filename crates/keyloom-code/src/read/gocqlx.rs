//! Go's gocqlx: its query builder, and statements that it derives from the description of a table.

use std::ops::Range;

use tree_sitter::Node;

use super::calls::Given;
use super::{Reader, place};
use crate::Language;
use crate::builder::{Built, Slot, Statement, Verb};
use crate::value::{Kind, Shared, Value};

/// The methods of a table that answer a statement.
const DERIVED: &[&str] = &[
    "Insert",
    "InsertQuery",
    "InsertQueryContext",
    "Get",
    "GetQuery",
    "GetQueryContext",
    "Select",
    "SelectQuery",
    "SelectQueryContext",
    "SelectAll",
    "Delete",
    "DeleteQuery",
    "DeleteQueryContext",
    "Update",
    "UpdateQuery",
    "UpdateQueryContext",
];

impl<'t> Reader<'t> {
    pub(super) fn imports_gocqlx(&self) -> bool {
        self.unit.language == Language::Go && self.unit.imports.iter().any(|import| import.path.contains("gocqlx"))
    }

    /// A function of the builder or of the tables.
    pub(super) fn begin_gocqlx(
        &mut self,
        node: Node<'t>,
        owner: &str,
        name: &str,
        given: &[Given<'t>],
    ) -> Option<Shared> {
        if !self.uses_builders || !self.imports_gocqlx() {
            return None;
        }
        let at = place(node.byte_range());
        match (owner, name) {
            ("table", "New") => given.first().map(|given| given.value.clone()),
            ("qb", "Select" | "Insert" | "Update" | "Delete") => {
                let verb = match name {
                    "Select" => Verb::Select,
                    "Insert" => Verb::Insert,
                    "Update" => Verb::Update,
                    _ => Verb::Delete,
                };
                let table = given.iter().map(|given| given.value.clone()).collect();
                let value = built(Statement::new(verb, at, table));
                self.seed(node, &value);
                Some(value)
            }
            ("qb", _) => Some(Value::new(Kind::Built(Box::new(Built::Fragment(comparison(name, given, &at)?))))),
            _ => None,
        }
    }

    /// A call on a builder or on a table.
    pub(super) fn extend_gocqlx(
        &mut self,
        node: Node<'t>,
        object: Node<'t>,
        value: &Shared,
        name: &str,
        given: &[Given<'t>],
    ) -> Option<Shared> {
        if !self.uses_builders || !self.imports_gocqlx() {
            return None;
        }
        let at = place(object.end_byte().min(node.end_byte())..node.end_byte());
        let answer = match &value.kind {
            Kind::Built(inner) => {
                let Built::Statement(statement) = &**inner else { return None };
                let mut statement = statement.clone();
                statement.parts.extend(parts(statement.verb, name, given, &at)?);
                built(statement)
            }
            Kind::Name(_) | Kind::Record(_) if DERIVED.contains(&name) => {
                // A session that is handed in is not a column.
                let columns = if name.contains("Query") { given.get(1..).unwrap_or_default() } else { given };
                let columns = columns.iter().filter(|given| !matches!(given.value.kind, Kind::Unknown(_)));
                Value::new(Kind::Derived {
                    table: value.clone(),
                    method: name.to_owned(),
                    arguments: columns.map(|given| given.value.clone()).collect(),
                    at: place(node.byte_range()),
                })
            }
            _ => return None,
        };
        self.seed(node, &answer);
        Some(answer)
    }
}

fn built(statement: Statement) -> Shared {
    Value::new(Kind::Built(Box::new(Built::Statement(statement))))
}

fn text_of(value: &Shared) -> Shared {
    match &value.kind {
        Kind::Built(inner) => inner.text(),
        _ => value.clone(),
    }
}

/// `qb.Eq("a")` is `a=?`.
fn comparison(name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let column = text_of(&given.first()?.value);
    let (operator, rest) = [
        ("ContainsKey", " CONTAINS KEY "),
        ("Contains", " CONTAINS "),
        ("GtOrEq", ">="),
        ("LtOrEq", "<="),
        ("Like", " LIKE "),
        ("Eq", "="),
        ("Ne", "!="),
        ("Gt", ">"),
        ("Lt", "<"),
        ("In", " IN "),
    ]
    .iter()
    .find_map(|(word, sign)| name.strip_prefix(word).map(|rest| (*sign, rest)))?;
    let right = match rest {
        "Lit" => given.get(1)?.value.clone(),
        "" | "Named" | "Tuple" | "TupleNamed" => say("?"),
        _ => Value::unknown(name, at.clone()),
    };
    Some(Value::join(vec![column, say(operator), right]))
}

fn parts(verb: Verb, name: &str, given: &[Given<'_>], at: &Range<u32>) -> Option<Vec<(Slot, Shared)>> {
    let say = |text: &str| Value::meant(text, at.clone());
    let first = given.first().map(|given| text_of(&given.value));
    let all = |slot: Slot| {
        let mut parts = Vec::new();
        for given in given {
            match &given.value.kind {
                Kind::List(items) => parts.extend(items.iter().map(|item| (slot, text_of(item)))),
                _ => parts.push((slot, text_of(&given.value))),
            }
        }
        parts
    };
    let marked = |sign: &str| -> Vec<(Slot, Shared)> {
        let assignment = |column: Shared| match sign {
            "=" => Value::join(vec![column, say("=?")]),
            _ => Value::join(vec![column.clone(), say("="), column, say(sign), say("?")]),
        };
        all(Slot::Assignment).into_iter().map(|(slot, column)| (slot, assignment(column))).collect()
    };
    Some(match (verb, name) {
        (Verb::Insert, "Columns") => {
            all(Slot::Item).into_iter().flat_map(|item| [item, (Slot::Value, say("?"))]).collect()
        }
        (Verb::Select | Verb::Delete, "Columns") => all(Slot::Item),
        (Verb::Select, "Distinct") => {
            let mut parts = all(Slot::Item);
            parts.push((Slot::Mode, say("DISTINCT ")));
            parts
        }
        (Verb::Select | Verb::Delete, "From") | (Verb::Insert, "Into") | (Verb::Update, "Table") => all(Slot::Table),
        (_, "Where") => all(Slot::Where),
        (Verb::Update | Verb::Delete, "If") => all(Slot::Condition),
        (Verb::Insert, "Unique") | (Verb::Update | Verb::Delete, "Existing") => vec![(Slot::IfExists, say(""))],
        (Verb::Insert, "Json") => vec![(Slot::Mode, say("?"))],
        (Verb::Select, "OrderBy") => {
            let order = given.get(1).map(|given| match &given.value.kind {
                Kind::Name(name) if name.path.last().is_some_and(|word| word == "DESC") => say(" DESC"),
                Kind::Name(_) => say(" ASC"),
                _ => text_of(&given.value),
            });
            vec![(Slot::OrderBy, Value::join([first?].into_iter().chain(order).collect()))]
        }
        (Verb::Select, "GroupBy") => all(Slot::GroupBy),
        (Verb::Select, "Limit") => vec![(Slot::Limit, first?)],
        (Verb::Select, "LimitNamed") => vec![(Slot::Limit, say("?"))],
        (Verb::Select, "LimitPerPartition") => vec![(Slot::PerPartitionLimit, first?)],
        (Verb::Select, "AllowFiltering") => vec![(Slot::Filtering, say(""))],
        (Verb::Select, "CountAll") => vec![(Slot::Item, say("count(*)"))],
        (Verb::Select, "Count") => vec![(Slot::Item, Value::join(vec![say("count("), first?, say(")")]))],
        (Verb::Update, "Set" | "SetNamed") => marked("="),
        (Verb::Update, "Add" | "AddNamed") => marked("+"),
        (Verb::Update, "Remove" | "RemoveNamed") => marked("-"),
        (Verb::Update, "SetLit") => {
            vec![(Slot::Assignment, Value::join(vec![first?, say("="), given.get(1)?.value.clone()]))]
        }
        (_, "TTL") => vec![(Slot::Using, Value::join(vec![say("TTL "), first?]))],
        (_, "TTLNamed") => vec![(Slot::Using, say("TTL ?"))],
        (_, "Timestamp") => vec![(Slot::Using, Value::join(vec![say("TIMESTAMP "), first?]))],
        (_, "TimestampNamed") => vec![(Slot::Using, say("TIMESTAMP ?"))],
        _ => return None,
    })
}

/// What a table's method means, from the table's description.
pub(crate) fn derive(
    fields: &[(String, Shared)],
    method: &str,
    arguments: &[Shared],
    at: &Range<u32>,
) -> Option<Shared> {
    let say = |text: &str| Value::meant(text, at.clone());
    let find = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let list = |name: &str| match find(name).as_deref().map(|value| &value.kind) {
        Some(Kind::List(items)) => items.clone(),
        _ => Vec::new(),
    };
    let verb = match method.trim_end_matches("Context").trim_end_matches("Query") {
        "Insert" => Verb::Insert,
        "Update" => Verb::Update,
        "Delete" => Verb::Delete,
        _ => Verb::Select,
    };
    let mut statement = Statement::new(verb, at.clone(), vec![find("Name")?]);
    match verb {
        Verb::Insert => {
            for column in list("Columns") {
                statement.parts.extend([(Slot::Item, column), (Slot::Value, say("?"))]);
            }
        }
        Verb::Update => {
            let set = |column: &Shared| (Slot::Assignment, Value::join(vec![column.clone(), say("=?")]));
            statement.parts.extend(arguments.iter().map(set));
        }
        _ => statement.parts.extend(arguments.iter().map(|column| (Slot::Item, column.clone()))),
    }
    let mut key = match (verb, method) {
        (Verb::Insert, _) | (_, "SelectAll") => Vec::new(),
        _ => list("PartKey"),
    };
    if verb != Verb::Select && verb != Verb::Insert || method.starts_with("Get") {
        key.extend(list("SortKey"));
    }
    statement.parts.extend(key.into_iter().map(|column| (Slot::Where, Value::join(vec![column, say("=?")]))));
    Some(built(statement))
}
