//! Reads one file: walks its syntax tree once, following what variables hold.

mod batches;
mod bindings;
mod building;
mod calls;
mod flow;
pub(crate) mod gocqlx;
mod patience;
mod remarks;
mod scopes;
mod sites;
mod skim;
mod strings;
mod taken;
mod terms;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, ParseOptions, Parser};

use crate::Language;
use crate::front::{Front, front};
use crate::shape::{Bind, Function, How, Shape, Span, bytes, children};
use crate::sight::{Signs, begins_statement, names_builder};
use crate::snippet::BatchKind;
use crate::unit::{Declaration, Passed, Seed, Sent, Unit, Unread};
use crate::value::{Kind, Name, Shared, Text, Unknown, Value};
use bindings::Bindings;
use patience::{Patience, is_unbearable};
use skim::skim;

/// Bytes of a file beyond which it is not read. People do not write such files; generators do.
pub const BYTES_MAX: usize = 4 * 1024 * 1024;

/// How deep the walk goes. Chains of operators and calls do not count; the deepest program that was seen had 90.
const DEPTH_MAX: usize = 200;

/// Reads a file. The name is what others call it, a path with slashes: it tells packages and modules apart, and tests.
pub fn read(language: Language, name: &str, text: &str) -> Unit {
    let mut unit = Unit {
        language,
        name: name.to_owned(),
        package: String::new(),
        imports: Vec::new(),
        bases: Vec::new(),
        declarations: Vec::new(),
        seeds: Vec::new(),
        sent: Vec::new(),
        passed: Vec::new(),
        taken: Vec::new(),
        remarks: Vec::new(),
        unread: None,
    };
    if text.len() > BYTES_MAX {
        unit.unread = Some(Unread::TooLarge);
        return unit;
    }
    let mut parser = Parser::new();
    if is_unbearable(language, text) || parser.set_language(&language.grammar()).is_err() {
        unit.unread = Some(Unread::TooHard);
        return unit;
    }
    let signs = Signs::of(language, text.as_bytes());
    // With builders, any function may make a part of a statement.
    let skimmed =
        if names_builder(language, text.as_bytes()) { Cow::Borrowed(text) } else { skim(language, text, &signs) };
    let patience = Patience::of(text);
    let mut progress = |_: &tree_sitter::ParseState| patience.step();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut chunks = |at, _| patience.chunk(skimmed.as_bytes(), at);
    let tree = parser.parse_with_options(&mut chunks, None, Some(options)).filter(|_| patience.lasts());
    let Some(tree) = tree else {
        unit.unread = Some(Unread::TooHard);
        return unit;
    };
    unit.remarks = remarks::remarks(tree.root_node(), text);
    let mut reader = Reader::new(front(language), text, signs, unit);
    reader.eval(tree.root_node());
    reader.finish()
}

struct Reader<'t> {
    shape: Front,
    text: &'t str,
    signs: Signs,
    unit: Unit,
    bindings: Bindings<'t>,
    containers: Arc<[String]>,
    functions: Vec<Frame<'t>>,
    batches: Vec<Batch>,
    depth: usize,
    /// What follows in this branch does not run.
    left: bool,
    /// The file imports a query builder.
    uses_builders: bool,
}

/// A function that is being read.
struct Frame<'t> {
    name: Option<&'t str>,
    this: &'t str,
    answers: Vec<Shared>,
    loops: usize,
    range: Range<usize>,
    /// Variables that the block declares, with what they hide.
    hidden: Vec<(&'t str, Option<Shared>)>,
}

struct Batch {
    kind: BatchKind,
    loops: usize,
}

impl<'t> Reader<'t> {
    fn new(shape: Front, text: &'t str, signs: Signs, unit: Unit) -> Self {
        Self {
            shape,
            text,
            signs,
            unit,
            bindings: Bindings::default(),
            containers: Arc::from([]),
            functions: Vec::new(),
            batches: Vec::new(),
            depth: 0,
            left: false,
            uses_builders: false,
        }
    }

    fn finish(mut self) -> Unit {
        let declared: HashSet<&str> = self
            .unit
            .declarations
            .iter()
            .filter(|declaration| declaration.function)
            .map(|declaration| declaration.name.as_str())
            .collect();
        self.unit.passed.retain(|passed| declared.contains(passed.function.as_str()));
        self.unit
    }

    /// What a node is; on the way, what it declares and sends is noted.
    fn eval(&mut self, node: Node<'t>) -> Shared {
        if self.depth >= DEPTH_MAX {
            self.unit.unread = Some(Unread::TooDeep);
            return self.unknown(node);
        }
        self.depth += 1;
        let value = self.eval_shape(node);
        self.depth -= 1;
        value
    }

    fn eval_shape(&mut self, node: Node<'t>) -> Shared {
        match (self.shape)(node, self.text) {
            Shape::Text(spans) => {
                let value = self.literal(node, spans);
                self.seed(node, &value);
                value
            }
            Shape::Plain => Value::new(Kind::Plain(bytes(node, self.text).to_owned())),
            Shape::Null => Value::new(Kind::Null),
            Shape::Sum(operands) => {
                let values = operands.into_iter().map(|operand| self.operand(operand)).collect();
                let value = Value::join(values);
                self.seed(node, &value);
                value
            }
            Shape::Percent { template, arguments } => self.percent(node, template, arguments),
            Shape::Name(name) => self.name(node, name),
            Shape::This => self.unknown(node),
            Shape::Member { object, name } => self.member(node, object, name),
            Shape::Call(call) => self.call(node, call),
            Shape::List(items) => {
                let items = items.into_iter().map(|item| self.eval(item)).collect();
                Value::new(Kind::List(items))
            }
            Shape::Record(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), self.eval(value))).collect();
                let record = Value::new(Kind::Record(fields));
                self.record(node, &record);
                record
            }
            Shape::Same(inner) => {
                self.take_by_index(node);
                self.eval(inner)
            }
            Shape::Bind(bind) => self.bind(node, bind),
            Shape::Branch { conditions, branches, total } => self.branch(node, conditions, branches, total),
            Shape::Loop { over, variables, parts } => self.looped(node, over, variables, parts),
            Shape::Function(function) => self.function(node, function),
            Shape::Container { name, bases, body } => self.container(node, name, bases, body),
            Shape::Return(value) => {
                let value = value.map(|value| self.eval(value));
                if let (Some(value), Some(frame)) = (value, self.functions.last_mut()) {
                    frame.answers.push(value);
                }
                self.left = true;
                self.unknown(node)
            }
            Shape::Leave => {
                // What is thrown is a message: it is looked at for calls, and holds no statement.
                let seeds = self.unit.seeds.len();
                self.parts(children(node));
                self.unit.seeds.truncate(seeds);
                self.left = true;
                self.unknown(node)
            }
            Shape::Block => self.block(node),
            Shape::Import(imports) => {
                self.unit.imports.extend(imports);
                self.uses_builders = self.imports_builder() || self.imports_gocqlx();
                self.unknown(node)
            }
            Shape::Package(name) => {
                self.unit.package = name;
                self.unknown(node)
            }
            Shape::Comment | Shape::Skip => self.unknown(node),
            Shape::Other => {
                self.take_by_index(node);
                self.parts(all_children(node));
                self.unknown(node)
            }
        }
    }

    fn parts(&mut self, nodes: Vec<Node<'t>>) -> Option<Shared> {
        let mut last = None;
        for node in nodes {
            // Comments, and the text of Ruby's here-documents, may stand anywhere.
            if !node.is_extra() || node.kind().starts_with("heredoc") {
                last = Some(self.eval(node));
            }
        }
        last
    }

    /// An operand of a larger text: it is no statement by itself.
    fn operand(&mut self, node: Node<'t>) -> Shared {
        match (self.shape)(node, self.text) {
            Shape::Text(spans) => self.literal(node, spans),
            Shape::Same(inner) if self.depth < DEPTH_MAX => {
                self.depth += 1;
                let value = self.operand(inner);
                self.depth -= 1;
                value
            }
            _ => self.eval(node),
        }
    }

    fn literal(&mut self, node: Node<'t>, spans: Vec<Span<'t>>) -> Shared {
        let mut text = Text::default();
        let mut values = Vec::new();
        for span in spans {
            match span {
                Span::Plain(range) => text.push(self.text.get(range.clone()).unwrap_or(""), place(range), true),
                Span::Escape(range, meant) => text.push(&meant, place(range), false),
                Span::Hole(inner) => {
                    values.push(Value::text(std::mem::take(&mut text)));
                    values.push(self.eval(inner));
                }
                Span::HoleName(range) => {
                    values.push(Value::text(std::mem::take(&mut text)));
                    values.push(self.variable(self.text.get(range.clone()).unwrap_or(""), place(range)));
                }
            }
        }
        values.push(Value::text(text));
        let value = Value::join(values);
        let block = self.unit.language == Language::Java && bytes(node, self.text).starts_with("\"\"\"");
        if block { strings::without_indentation(&value) } else { value }
    }

    /// Remembers an expression that begins as a statement does.
    fn seed(&mut self, node: Node<'t>, value: &Shared) {
        let begins = match &value.kind {
            Kind::Built(built) => built.start().is_some(),
            Kind::Derived { .. } => true,
            _ => value.first_text().is_some_and(|text| begins_statement(&text.text)),
        };
        if begins {
            let (function, container) = self.around();
            self.unit.seeds.push(Seed { at: span(node), value: value.clone(), function, container });
        }
    }

    /// The function and the container around.
    fn around(&self) -> (Option<String>, Option<String>) {
        let function = self.functions.iter().rev().find_map(|frame| frame.name).map(str::to_owned);
        (function, self.containers.last().cloned())
    }

    fn name(&mut self, node: Node<'t>, name: &'t str) -> Shared {
        self.variable(name, span(node))
    }

    fn variable(&self, name: &str, at: Range<u32>) -> Shared {
        match self.bindings.get(name) {
            Some(value) => match &value.kind {
                // The hole stands where the name is used.
                Kind::Unknown(unknown) => Value::new(Kind::Unknown(Unknown { at, ..unknown.clone() })),
                _ => value.clone(),
            },
            None => self.elsewhere(vec![name.to_owned()], at, false),
        }
    }

    fn elsewhere(&self, path: Vec<String>, at: Range<u32>, call: bool) -> Shared {
        Value::new(Kind::Name(Name { path, from: self.containers.clone(), at, call }))
    }

    fn is_this(&self, node: Node<'t>) -> bool {
        match (self.shape)(node, self.text) {
            Shape::This => true,
            Shape::Name(name) => {
                let mut frames = self.functions.iter();
                frames.any(|frame| !frame.this.is_empty() && frame.this == name)
            }
            _ => false,
        }
    }

    fn member(&mut self, node: Node<'t>, object: Node<'t>, name: &'t str) -> Shared {
        if self.is_this(object) {
            return self.elsewhere(vec![name.to_owned()], span(node), false);
        }
        let value = self.eval(object);
        if let Some(value) = self.method(node, object, &value, name, &[]) {
            return value;
        }
        match &value.kind {
            Kind::Name(path) if !path.call && path.path.len() < 4 => {
                let path = path.path.iter().cloned().chain([name.to_owned()]).collect();
                self.elsewhere(path, span(node), false)
            }
            Kind::Record(fields) => match fields.iter().find(|(field, _)| field == name) {
                Some((_, value)) => value.clone(),
                None => self.unknown(node),
            },
            _ => Value::unknown(name, span(node)),
        }
    }

    fn unknown(&self, node: Node<'t>) -> Shared {
        let text = bytes(node, self.text);
        let end = text.char_indices().nth(40).map_or(text.len(), |(end, _)| end);
        Value::unknown(&text[..end], span(node))
    }

    fn bind(&mut self, node: Node<'t>, bind: Bind<'t>) -> Shared {
        let mut values: Vec<Shared> = Vec::new();
        for (index, value) in bind.values.iter().enumerate() {
            let named = match (self.shape)(*value, self.text) {
                Shape::Function(function) if function.name.is_none() => {
                    bind.targets.get(index).map(|target| (function, bytes(*target, self.text)))
                }
                _ => None,
            };
            values.push(match named {
                Some((function, name)) => self.function(*value, Function { name: Some(name), ..function }),
                None => self.eval(*value),
            });
        }
        if bind.values.is_empty() && strings::is_builder(bind.type_name) {
            values.push(Value::join(vec![]));
        }
        for (index, target) in bind.targets.iter().enumerate() {
            // `a, err := f()`: what is known of the call belongs to its first answer.
            let value = match values.get(index) {
                Some(value) => value.clone(),
                None => self.unknown(*target),
            };
            self.assign(*target, value, bind.how, node);
        }
        values.into_iter().next().unwrap_or_else(|| self.unknown(node))
    }

    fn assign(&mut self, target: Node<'t>, value: Shared, how: How, at: Node<'t>) {
        match (self.shape)(target, self.text) {
            Shape::Name(name) => {
                let value = match how {
                    How::Append => strings::appended(&self.variable(name, span(target)), &value),
                    _ => value,
                };
                let is_local = !self.functions.is_empty() && (how == How::Declare || self.bindings.get(name).is_some());
                let open = self.functions.is_empty() || !is_local && self.is_field(name);
                if open {
                    self.declare(name, value, at, false);
                    return;
                }
                let value = if value.is_telling() || matches!(value.kind, Kind::Batch(_) | Kind::Plain(_)) {
                    value
                } else {
                    match &value.kind {
                        Kind::Null | Kind::Unset => value,
                        _ => Value::unknown(name, span(target)),
                    }
                };
                if how == How::Declare
                    && let Some(frame) = self.functions.last_mut()
                {
                    frame.hidden.push((name, self.bindings.get(name).cloned()));
                }
                self.bindings.set(name, Some(value));
            }
            Shape::Member { object, name } => {
                if self.is_this(object) {
                    self.declare(name, value, at, false);
                } else {
                    let object = self.eval(object);
                    self.set_property(&object, name, at, &value);
                }
            }
            Shape::List(targets) => {
                for target in targets {
                    let value = self.unknown(target);
                    self.assign(target, value, how, at);
                }
            }
            _ => self.parts(children(target)).map_or((), drop),
        }
    }

    /// A name that is assigned in a method without being a variable of it: where languages have no `this`.
    fn is_field(&self, name: &str) -> bool {
        !self.containers.is_empty()
            && self.bindings.get(name).is_none()
            && !matches!(self.unit.language, Language::Python | Language::Go | Language::Ruby | Language::Php)
    }

    fn declare(&mut self, name: &str, value: Shared, node: Node<'t>, function: bool) {
        if !value.is_telling() && !matches!(value.kind, Kind::Plain(_)) {
            return;
        }
        let container = self.containers.clone();
        self.unit.declarations.push(Declaration { container, name: name.to_owned(), value, at: span(node), function });
    }

    /// Remembers the arguments of a call of a function that may be in this unit.
    fn passed(&mut self, function: &str, arguments: &[Shared]) {
        let is_constant = |value: &Shared| matches!(value.kind, Kind::Text(_) | Kind::Name(_) | Kind::Plain(_));
        if arguments.iter().any(is_constant) {
            self.unit.passed.push(Passed { function: function.to_owned(), arguments: arguments.to_vec() });
        }
    }

    fn new_site(&mut self, node: Node<'t>, value: Shared) -> usize {
        let (function, container) = self.around();
        self.unit.sent.push(Sent {
            value,
            at: span(node),
            calls: Vec::new(),
            function,
            container,
            in_loop: self.functions.last().is_some_and(|frame| frame.loops > 0),
            batch: None,
            arguments: Vec::new(),
            page_size: None,
            consistency: None,
            idempotent: None,
            timestamp: None,
            consumed: None,
        });
        self.unit.sent.len() - 1
    }
}

fn all_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

fn span(node: Node<'_>) -> Range<u32> {
    place(node.byte_range())
}

fn place(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}
