//! Where statements are sent, prepared and bound, and what is set there.

use tree_sitter::Node;

use super::batches::{ADDS, BATCH_BEGINS};
use super::calls::Given;
use super::{Reader, span};
use crate::Language;
use crate::shape::bytes;
use crate::sight::begins_statement;
use crate::snippet::{BatchKind, Consumed, Marker};
use crate::value::{Kind, Shared, Value};

/// Calls that take a statement, also where it is only a name.
const SENDS: &[&str] = &[
    "Query",
    "Exec",
    "ExecuteBatch",
    "query",
    "exec",
    "execute",
    "executeAsync",
    "execute_async",
    "executeReactive",
    "executeRead",
    "executeWrite",
    "executeAsyncRead",
    "executeAsyncWrite",
    "executeVoid",
    "executeRow",
    "executeRows",
    "executeSingleRow",
    "executeReturnExists",
    "prepare",
    "prepareAsync",
    "prepare_async",
    "prepareStatement",
    "SimpleStatement",
    "newInstance",
    "SimpleStatementBuilder",
    "eachRow",
    "stream",
    "execute_concurrent_with_args",
    "execute_concurrent",
    "query_unpaged",
    "query_iter",
    "query_single_page",
    "execute_unpaged",
    "execute_iter",
    "selectOne",
    "selectList",
    "select",
    "Bind",
    "bind",
    "add",
    "addStatement",
    "add_prepared",
    "Prepare",
    "Execute",
    "ExecuteAsync",
    "PrepareAsync",
    "ContextQuery",
    "executeQuery",
    "append_statement",
    "batch",
    "push",
    "query1",
    "write",
    "addPrepQuery",
    "addQuery",
    "paginate",
    "trans",
    "BoundStatementBuilder",
];

/// Calls on a prepared statement that bind values.
const BINDS: &[&str] = &["bind", "Bind", "boundStatementBuilder", "BindStruct", "BindMap"];

impl<'t> Reader<'t> {
    /// A call that may be given a statement; the answer is that statement, which the call's own answer stands for.
    pub(super) fn send(
        &mut self,
        node: Node<'t>,
        receiver: Option<Node<'t>>,
        owner: Option<&Shared>,
        name: &'t str,
        given: &[Given<'t>],
    ) -> Option<Shared> {
        let owner_text = receiver.map_or("", |receiver| bytes(receiver, self.text));
        let batch = self.batch(node, owner, owner_text, name, given);
        let in_batch = batch.filter(|_| ADDS.contains(&name) || BATCH_BEGINS.contains(&name) || name == "newInstance");
        let mut statement = None;
        for (index, argument) in given.iter().enumerate() {
            let sent = self.statement_of(node, name, argument, &given[index + 1..]);
            if let Some((site, value)) = sent {
                if let Some(batch) = in_batch {
                    self.join_batch(site, batch);
                }
                statement.get_or_insert(value);
            }
        }
        if let Some(batch) = batch {
            return Some(Value::new(Kind::Batch(batch)));
        }
        if statement.is_some() {
            return statement;
        }
        // A statement that was built is sent as it is: `insert.build()`.
        if let Some(value) = owner
            && is_built(value)
        {
            return Some(self.begin_site(node, name, value, &[]).1);
        }
        // A prepared statement that another function or file holds.
        if let Some(value) = owner
            && BINDS.contains(&name)
            && matches!(value.kind, Kind::Name(_) | Kind::Either(_) | Kind::Text(_))
        {
            let site = self.new_site(node, value.clone());
            self.note(site, node, name, given, true);
            return Some(Value::new(Kind::Sent { statement: value.clone(), site }));
        }
        None
    }

    /// The statement that an argument is, and its site.
    fn statement_of(
        &mut self,
        node: Node<'t>,
        name: &str,
        argument: &Given<'t>,
        rest: &[Given<'t>],
    ) -> Option<(usize, Shared)> {
        match &argument.value.kind {
            Kind::Sent { site, .. } => {
                let site = *site;
                // Values beside a prepared statement are bound to it: Python and JavaScript.
                let binds = rest.first().is_some_and(|rest| matches!(rest.value.kind, Kind::List(_) | Kind::Record(_)));
                let site = if binds && !self.unit.sent[site].arguments.is_empty() {
                    let copy = self.unit.sent[site].clone();
                    self.unit.sent.push(crate::unit::Sent { arguments: Vec::new(), ..copy });
                    self.unit.sent.len() - 1
                } else {
                    site
                };
                self.note(site, node, name, rest, binds);
                let statement = self.unit.sent[site].value.clone();
                Some((site, Value::new(Kind::Sent { statement, site })))
            }
            Kind::Derived { .. } => Some(self.begin_site(node, name, &argument.value, rest)),
            _ if is_built(&argument.value) => Some(self.begin_site(node, name, &argument.value, rest)),
            // What is bound to a prepared statement is a value.
            Kind::Name(_) if SENDS.contains(&name) && name != "bind" => {
                Some(self.begin_site(node, name, &argument.value, rest))
            }
            _ if argument.value.first_text().is_some_and(|text| begins_statement(&text.text)) => {
                Some(self.begin_site(node, name, &argument.value, rest))
            }
            Kind::Join(_) | Kind::Format { .. } | Kind::Either(_) | Kind::Rewritten(_) | Kind::Repeated(_)
                if SENDS.contains(&name) && name != "bind" =>
            {
                Some(self.begin_site(node, name, &argument.value, rest))
            }
            _ => None,
        }
    }

    fn begin_site(&mut self, node: Node<'t>, name: &str, value: &Shared, rest: &[Given<'t>]) -> (usize, Shared) {
        let site = self.new_site(node, value.clone());
        self.note(site, node, name, rest, true);
        (site, Value::new(Kind::Sent { statement: value.clone(), site }))
    }

    /// A call on a statement that was sent, prepared or bound before.
    pub(super) fn chain(&mut self, node: Node<'t>, value: &Shared, name: &str, given: &[Given<'t>]) -> Shared {
        let Kind::Sent { statement, site } = &value.kind else { return value.clone() };
        let mut site = *site;
        // One prepared statement is bound in several places.
        if BINDS.contains(&name) && self.unit.sent[site].calls.iter().any(|call| BINDS.contains(&call.as_str())) {
            let copy = self.unit.sent[site].clone();
            let prepared = copy.calls.iter().position(|call| BINDS.contains(&call.as_str())).unwrap_or(0);
            let calls = copy.calls[..prepared].to_vec();
            self.unit.sent.push(crate::unit::Sent { calls, arguments: Vec::new(), batch: None, ..copy });
            site = self.unit.sent.len() - 1;
        }
        self.note(site, node, name, given, true);
        // What these answer is an error, not the statement.
        if self.unit.language == Language::Go
            && matches!(name, "Exec" | "Scan" | "ScanCAS" | "MapScan" | "MapScanCAS" | "Close")
        {
            return self.unknown(node);
        }
        Value::new(Kind::Sent { statement: statement.clone(), site })
    }

    /// What a call says about a statement.
    fn note(&mut self, site: usize, node: Node<'t>, name: &str, given: &[Given<'t>], binds: bool) {
        let in_loop = self.functions.last().is_some_and(|frame| frame.loops > 0);
        let arguments = if binds { self.bound(name, given) } else { Vec::new() };
        let first = given.first().map(|given| bytes(given.node, self.text));
        let sent = &mut self.unit.sent[site];
        sent.at = span(node);
        sent.in_loop |= in_loop && (SENDS.contains(&name) || BINDS.contains(&name));
        if sent.calls.len() < 32 {
            sent.calls.push(name.to_owned());
        }
        sent.arguments.extend(arguments);
        self.option(site, name, first.unwrap_or(""));
        for given in given {
            if let Some(name) = given.name {
                self.option(site, name, bytes(given.node, self.text));
            }
            if let Kind::Record(fields) = &given.value.kind {
                for (name, value) in fields {
                    if let Kind::Plain(text) = &value.kind {
                        self.option(site, name, text);
                    } else if let Kind::Name(path) = &value.kind {
                        self.option(site, name, path.path.last().map_or("", String::as_str));
                    }
                }
            }
        }
        if let Some(consumed) = consumption(self.unit.language, name) {
            let before = &mut self.unit.sent[site].consumed;
            // One row after the other out of an iterator is not one row.
            if !(*before == Some(Consumed::Iterated) && consumed == Consumed::One) {
                *before = Some(consumed);
            }
        }
    }

    /// Settings by the name of a call, a keyword or a property.
    fn option(&mut self, site: usize, name: &str, text: &str) {
        let sent = &mut self.unit.sent[site];
        let last = text.rsplit('.').next().unwrap_or(text).trim();
        let said = || (!text.is_empty()).then(|| shortened(text));
        match name {
            "setPageSize" | "PageSize" | "setFetchSize" | "fetch_size" | "fetchSize" | "SetPageSize"
            | "withPageSize" | "setPagingSize" => sent.page_size = said(),
            "setConsistencyLevel"
            | "Consistency"
            | "consistency"
            | "consistency_level"
            | "SetConsistencyLevel"
            | "withConsistencyLevel" => sent.consistency = (!last.is_empty()).then(|| shortened(last)),
            "setIdempotent" | "setIdempotence" | "Idempotent" | "is_idempotent" | "isIdempotent" | "SetIdempotence" => {
                sent.idempotent = Some(!matches!(last, "false" | "False" | "FALSE"));
            }
            "setQueryTimestamp"
            | "setDefaultTimestamp"
            | "WithTimestamp"
            | "DefaultTimestamp"
            | "timestamp"
            | "setTimestamp"
            | "SetTimestamp" => sent.timestamp = said(),
            _ => {}
        }
    }

    /// A property of a statement is set: `statement.fetch_size = 10`.
    pub(super) fn set_property(&mut self, object: &Shared, name: &str, node: Node<'t>, value: &Shared) {
        if let Kind::Sent { site, .. } = &object.kind {
            let text = match &value.kind {
                Kind::Plain(text) => text.clone(),
                Kind::Name(path) => path.path.last().cloned().unwrap_or_default(),
                _ => bytes(node, self.text).rsplit('=').next().unwrap_or("").trim().to_owned(),
            };
            self.option(*site, name, &text);
        }
    }

    pub(super) fn consumed(&mut self, value: &Shared, how: Consumed) {
        if let Kind::Sent { site, .. } = &value.kind {
            let consumed = &mut self.unit.sent[*site].consumed;
            if consumed.is_none() {
                *consumed = Some(how);
            }
        }
    }

    /// The values that a call binds.
    fn bound(&self, name: &str, given: &[Given<'t>]) -> Vec<(Marker, String, Shared)> {
        let text = |node: Node<'t>| shortened(bytes(node, self.text));
        let marker = |value: &Shared| match &value.kind {
            Kind::Plain(number) => number.parse().ok().map(Marker::Position),
            Kind::Text(text) => Some(Marker::Name(text.text.clone())),
            Kind::Name(name) => name.path.last().map(|name| Marker::Name(name.clone())),
            _ => None,
        };
        if name == "setToNull" || name == "unset" {
            let value = Value::new(if name == "unset" { Kind::Unset } else { Kind::Null });
            let first = given.first().and_then(|given| marker(&given.value));
            return first.map(|marker| (marker, String::new(), value)).into_iter().collect();
        }
        if let Some(kind) = name.strip_prefix("set")
            && kind.starts_with(|letter: char| letter.is_ascii_uppercase())
            && let [key, value, ..] = given
            && let Some(marker) = marker(&key.value)
        {
            return vec![(marker, text(value.node), value.value.clone())];
        }
        let takes_values = matches!(
            name,
            "bind"
                | "Bind"
                | "Query"
                | "query"
                | "execute"
                | "executeAsync"
                | "execute_async"
                | "exec"
                | "Exec"
                | "SimpleStatement"
                | "newInstance"
                | "addPositionalValues"
                | "addPositionalValue"
                | "positionalValues"
                | "eachRow"
                | "stream"
                | "add"
                | "query_unpaged"
                | "query_iter"
                | "execute_unpaged"
                | "execute_iter"
                | "ContextQuery"
                | "BindStruct"
                | "Execute"
                | "ExecuteAsync"
                | "executeReactive"
                | "add_prepared"
        );
        if !takes_values {
            return Vec::new();
        }
        let listed = matches!(
            self.unit.language,
            Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Rust
        );
        if listed {
            return match given.first() {
                Some(given) if given.name.is_none_or(|name| name == "parameters") => match &given.value.kind {
                    Kind::List(items) => self.listed(given.node, items),
                    Kind::Record(fields) => fields
                        .iter()
                        .map(|(name, value)| (Marker::Name(name.clone()), told(value), value.clone()))
                        .collect(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
        }
        let values = given.iter().filter(|given| given.name.is_none());
        (0u32..)
            .zip(values)
            .map(|(index, given)| (Marker::Position(index), text(given.node), given.value.clone()))
            .collect()
    }

    /// The values of a list, with the text of each.
    fn listed(&self, node: Node<'t>, items: &[Shared]) -> Vec<(Marker, String, Shared)> {
        let nodes = crate::shape::children(node);
        let text = |index: usize, value: &Shared| match nodes.get(index) {
            Some(node) if nodes.len() == items.len() => shortened(bytes(*node, self.text)),
            _ => told(value),
        };
        let items = (0u32..).zip(items.iter().enumerate());
        items.map(|(marker, (index, value))| (Marker::Position(marker), text(index, value), value.clone())).collect()
    }

    /// An object that names a statement and its parameters: JavaScript's entry of a batch.
    pub(super) fn record(&mut self, node: Node<'t>, record: &Shared) {
        let Kind::Record(fields) = &record.kind else { return };
        let find = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let (Some(query), Some(params)) = (find("query"), find("params")) else { return };
        let query = match &query.kind {
            Kind::Sent { statement, .. } => statement.clone(),
            _ => query.clone(),
        };
        let site = self.new_site(node, query);
        let arguments = match &params.kind {
            Kind::List(items) => {
                let items = (0u32..).zip(items);
                items.map(|(index, value)| (Marker::Position(index), told(value), value.clone())).collect()
            }
            _ => Vec::new(),
        };
        let batch = self.open_batch(BatchKind::Unknown);
        self.unit.sent[site].arguments = arguments;
        self.join_batch(site, batch);
    }
}

/// Whether a value is a statement that was built by calls, or one of several.
fn is_built(value: &Shared) -> bool {
    let is_built = |value: &Shared| matches!(&value.kind, Kind::Built(built) if built.start().is_some());
    match &value.kind {
        Kind::Either(choice) => choice.values().any(is_built),
        Kind::Repeated(inner) => is_built(inner),
        _ => is_built(value),
    }
}

fn consumption(language: Language, name: &str) -> Option<Consumed> {
    let script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    Some(match name {
        "one" | "first" | "Scan" | "MapScan" | "ScanCAS" | "MapScanCAS" | "Get" | "GetRelease" | "FirstOrDefault"
        | "First" | "selectOne" | "single_row" | "first_row" | "maybe_first_row" | "firstOrNull" | "headOption"
        | "executeSingleRow" => Consumed::One,
        "all" | "SliceMap" | "SelectRelease" | "toList" | "ToList" | "collect" | "fetchall" => Consumed::All,
        "currentPage" | "current_rows" => Consumed::FirstPage,
        "rows" if script => Consumed::FirstPage,
        "Iter" | "iterator" | "eachRow" | "stream" | "forEach" | "Scanner" | "rows_stream" | "query_iter"
        | "execute_iter" => Consumed::Iterated,
        _ => return None,
    })
}

/// A value as it could be written.
fn told(value: &Shared) -> String {
    match &value.kind {
        Kind::Text(text) => shortened(&text.text),
        Kind::Plain(text) => shortened(text),
        Kind::Name(name) => name.path.join("."),
        Kind::Unknown(unknown) => unknown.name.clone(),
        Kind::Null => "null".to_owned(),
        _ => String::new(),
    }
}

/// The first part of a text.
fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}
