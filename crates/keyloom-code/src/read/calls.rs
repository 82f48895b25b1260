//! Calls: what they make of texts, and where they send statements.

use tree_sitter::Node;

use super::{Reader, span, strings};
use crate::Language;
use crate::shape::{Call, Shape, bytes};
use crate::template::{With, blanks};
use crate::value::{Kind, Shared, Style, Value};

/// An argument of a call.
pub(super) struct Given<'t> {
    pub name: Option<&'t str>,
    pub node: Node<'t>,
    pub value: Shared,
}

impl<'t> Reader<'t> {
    pub(super) fn call(&mut self, node: Node<'t>, call: Call<'t>) -> Shared {
        let Call { receiver, name, arguments } = call;
        let this = receiver.is_some_and(|receiver| self.is_this(receiver));
        let owner = receiver.filter(|_| !this).map(|receiver| (receiver, self.eval(receiver)));
        let seeds = self.unit.seeds.len();
        let in_loop = is_looping(name);
        self.turn(in_loop, 1);
        let mut given: Vec<Given<'t>> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.eval(argument.value);
            // What a lambda answers is asked within it, or not at all: the call is given a function, not a statement.
            let is_given = matches!(value.kind, Kind::Sent { .. }) || !self.is_lambda(argument.value);
            let value = if is_given { value } else { self.unknown(argument.value) };
            given.push(Given { name: argument.name, node: argument.value, value });
        }
        self.turn(in_loop, -1);
        if is_message(name, receiver.map_or("", |receiver| bytes(receiver, self.text))) {
            self.unit.seeds.truncate(seeds);
            return self.unknown(node);
        }
        self.take(receiver, name, &given);
        let owner_text = receiver.map_or("", |receiver| bytes(receiver, self.text));
        let by_name = match &owner {
            Some((_, value)) => matches!(value.kind, Kind::Name(_)),
            None => true,
        };
        if by_name {
            let begun = self.begin(node, owner_text, name, &given);
            if let Some(answer) = begun.or_else(|| self.begin_gocqlx(node, owner_text, name, &given)) {
                return answer;
            }
            if let Some(answer) = self.known_function(owner_text, name, &given) {
                self.seed(node, &answer);
                return answer;
            }
        }
        if let Some((object, value)) = &owner
            && let Some(answer) = self.method(node, *object, value, name, &given)
        {
            return answer;
        }
        if let Some(answer) = self.send(node, receiver, owner.as_ref().map(|(_, value)| value), name, &given) {
            return answer;
        }
        // Each type shows itself in its own way: what another one of that name answers is not what this one does.
        if is_showing(name) {
            let shown = given.first().map(|given| given.node).or(receiver).unwrap_or(node);
            return Value::unknown(bytes(shown, self.text), span(node));
        }
        match owner.as_ref().map(|(_, value)| &value.kind) {
            None => {
                let values: Vec<Shared> = given.into_iter().map(|given| given.value).collect();
                self.passed(name, &values);
                self.elsewhere(vec![name.to_owned()], span(node), true)
            }
            Some(Kind::Name(path)) if !path.call && path.path.len() < 4 => {
                let path = path.path.iter().cloned().chain([name.to_owned()]).collect();
                self.elsewhere(path, span(node), true)
            }
            _ => Value::unknown(name, span(node)),
        }
    }

    fn is_lambda(&self, node: Node<'t>) -> bool {
        match (self.shape)(node, self.text) {
            Shape::Function(function) => function.name.is_none(),
            Shape::Same(inner) => matches!((self.shape)(inner, self.text), Shape::Function(_)),
            _ => false,
        }
    }

    fn turn(&mut self, in_loop: bool, by: isize) {
        if in_loop && let Some(frame) = self.functions.last_mut() {
            frame.loops = frame.loops.saturating_add_signed(by);
        }
    }

    /// A call on a text, a list or a statement.
    pub(super) fn method(
        &mut self,
        node: Node<'t>,
        object: Node<'t>,
        value: &Shared,
        name: &'t str,
        given: &[Given<'t>],
    ) -> Option<Shared> {
        if matches!(value.kind, Kind::Sent { .. }) {
            return Some(self.chain(node, value, name, given));
        }
        let built = self.build(node, object, value, name, given);
        if let Some(answer) = built.or_else(|| self.extend_gocqlx(node, object, value, name, given)) {
            return Some(answer);
        }
        let is_text = matches!(
            value.kind,
            Kind::Text(_)
                | Kind::Join(_)
                | Kind::Either(_)
                | Kind::Format { .. }
                | Kind::Repeated(_)
                | Kind::Rewritten(_)
        );
        let is_list = matches!(value.kind, Kind::List(_))
            || matches!(&value.kind, Kind::Either(choice)
            if choice.values().any(|value| matches!(value.kind, Kind::List(_))));
        let may_be_text = is_text || matches!(value.kind, Kind::Name(_));
        let answer = match name {
            "stripMargin" | "trimMargin" if may_be_text => strings::without_margin(value),
            "trimIndent" | "stripIndent" if is_text => strings::without_indentation(value),
            "trim" | "strip" | "rstrip" | "lstrip" | "toString" | "String" | "intern" | "as_str" | "to_owned"
            | "to_string" | "into" | "clone" | "ToString" | "squish" | "freeze" | "strip_heredoc" | "as_ref"
            | "toLowerCase" | "trimEnd" | "trimStart"
                if is_text =>
            {
                value.clone()
            }
            "format" | "formatted" if may_be_text => {
                let style = if self.unit.language == Language::Python { Style::Braces } else { Style::Percent };
                formatted(value.clone(), style, given)
            }
            "replace" | "replaceAll" | "replaceFirst" | "replacen" | "gsub" | "sub" | "Replace" if is_text => {
                Value::new(Kind::Rewritten(value.clone()))
            }
            "concat" | "plus" if is_text => {
                Value::join([value.clone()].into_iter().chain(given.iter().map(|given| given.value.clone())).collect())
            }
            "join" if is_text && given.len() == 1 => separated(&given[0].value, value),
            "join" | "mkString" | "joinToString" if is_list || matches!(value.kind, Kind::Repeated(_)) => {
                let comma = || Value::meant(if name == "mkString" { "" } else { ", " }, span(node));
                separated(value, &given.first().map_or_else(comma, |given| given.value.clone()))
            }
            "append" | "WriteString" | "push" | "push_str" | "add" | "appendln" | "Append" | "extend" | "addAll"
                if (is_text || is_list) && !given.is_empty() =>
            {
                let more = Value::join(given.iter().take(1).map(|given| given.value.clone()).collect());
                let more = if is_list { given[0].value.clone() } else { more };
                let answer = strings::appended(value, &more);
                self.rebind(object, &answer);
                return Some(answer);
            }
            _ => return None,
        };
        self.seed(node, &answer);
        Some(answer)
    }

    /// The variable at the root of a chain now holds another value.
    pub(super) fn rebind(&mut self, object: Node<'t>, value: &Shared) {
        let mut node = object;
        loop {
            match (self.shape)(node, self.text) {
                Shape::Call(Call { receiver: Some(receiver), .. }) => node = receiver,
                Shape::Same(inner) => node = inner,
                Shape::Name(name) if self.bindings.get(name).is_some() => {
                    self.bindings.set(name, Some(value.clone()));
                    return;
                }
                _ => return,
            }
        }
    }

    /// Functions of the languages' libraries that put texts together.
    fn known_function(&mut self, owner: &str, name: &str, given: &[Given<'t>]) -> Option<Shared> {
        let first = given.first().map(|given| given.value.clone());
        let values = || given.iter().map(|given| given.value.clone()).collect::<Vec<_>>();
        Some(match (owner, name) {
            ("String" | "string", "format" | "Format") | ("fmt", "Sprintf") | ("util", "format") | ("", "sprintf") => {
                let style = if name == "Format" { Style::Braces } else { Style::Percent };
                formatted(first?, style, &given[1..])
            }
            ("", "format") if self.unit.language == Language::Rust => self.rust_format(first?, &given[1..]),
            ("", "fromString" | "QueryString" | "fromText" | "pack") if self.unit.language == Language::Haskell => {
                first?
            }
            ("MessageFormat", "format") => formatted(first?, Style::Braces, &given[1..]),
            ("fmt", "Fprintf") => {
                let target = given.first()?;
                let more = formatted(given.get(1)?.value.clone(), Style::Percent, &given[2..]);
                let answer = strings::appended(&target.value, &more);
                self.rebind(target.node, &answer);
                answer
            }
            ("String" | "string", "join" | "Join") => match values().as_slice() {
                [separator, list] => separated(list, separator),
                [separator, items @ ..] => separated(&Value::new(Kind::List(items.to_vec())), separator),
                [] => return None,
            },
            ("strings", "Join") | ("StringUtils", "join") => separated(&first?, &given.get(1)?.value),
            ("strings", "Replace" | "ReplaceAll") | ("regexp", "ReplaceAllString") => {
                Value::new(Kind::Rewritten(first?))
            }
            ("strings", "TrimSpace") | ("textwrap", "dedent") | ("", "dedent" | "str" | "text" | "String") => first?,
            ("", "append") => {
                let list = first?;
                given[1..].iter().fold(list, |list, given| strings::appended(&list, &given.value))
            }
            ("", "StringBuilder" | "StringBuffer") => {
                let text = first.filter(|value| !matches!(value.kind, Kind::Plain(_)));
                text.unwrap_or_else(|| Value::join(vec![]))
            }
            ("Arrays", "asList")
            | ("List" | "Set" | "ImmutableList" | "ImmutableSet" | "Lists" | "Seq", "of" | "newArrayList")
            | (
                "",
                "listOf" | "arrayOf" | "setOf" | "mutableListOf" | "List" | "Seq" | "Array" | "Vector" | "ArrayList",
            ) => Value::new(Kind::List(values())),
            ("", "make") => Value::new(Kind::List(vec![])),
            _ => return None,
        })
    }

    /// `format!("… {name}", …)`: names within the template are variables.
    fn rust_format(&self, template: Shared, given: &[Given<'t>]) -> Shared {
        let mut arguments: Vec<(Option<String>, Shared)> =
            given.iter().map(|given| (None, given.value.clone())).collect();
        if let Kind::Text(text) = &template.kind {
            for blank in blanks(&text.text, Style::Braces) {
                if let With::Name(name) = blank.with {
                    let value = self.variable(&name, text.parts.first().map_or(0..0, |part| part.at.clone()));
                    arguments.push((Some(name), value));
                }
            }
        }
        Value::new(Kind::Format { template, style: Style::Braces, arguments })
    }
}

fn separated(list: &Shared, separator: &Shared) -> Shared {
    Value::new(Kind::Separated { separator: separator.clone(), list: list.clone() })
}

fn formatted(template: Shared, style: Style, given: &[Given<'_>]) -> Shared {
    let mut arguments = Vec::new();
    for given in given {
        match &given.value.kind {
            Kind::List(items) if given.name.is_none() => {
                arguments.extend(items.iter().map(|item| (None, item.clone())));
            }
            Kind::Record(fields) if given.name.is_none() => {
                arguments.extend(fields.iter().map(|(name, value)| (Some(name.clone()), value.clone())));
            }
            _ => arguments.push((given.name.map(str::to_owned), given.value.clone())),
        }
    }
    Value::new(Kind::Format { template, style, arguments })
}

impl<'t> Reader<'t> {
    /// A template filled in by an operator.
    pub(super) fn percent(&mut self, node: Node<'t>, template: Node<'t>, arguments: Vec<Node<'t>>) -> Shared {
        let template = self.operand(template);
        let given: Vec<Given<'t>> = arguments
            .into_iter()
            .map(|argument| Given { name: None, node: argument, value: self.eval(argument) })
            .collect();
        let value = formatted(template, Style::Percent, &given);
        self.seed(node, &value);
        value
    }
}

/// Calls that turn a value of any type into text.
fn is_showing(name: &str) -> bool {
    matches!(name, "show" | "toString" | "ToString" | "to_string" | "to_s" | "str" | "repr" | "String" | "valueOf")
}

/// Calls that are given functions to run for each of many.
fn is_looping(name: &str) -> bool {
    matches!(
        name,
        "forEach"
            | "foreach"
            | "map"
            | "flatMap"
            | "each"
            | "for_each"
            | "mapM_"
            | "forM_"
            | "traverse"
            | "mapAsync"
            | "concatMap"
            | "forEachOrdered"
            | "parTraverse"
            | "ForEach"
            | "Select"
            | "forEachIndexed"
            | "foldLeft"
    )
}

/// Calls whose text is read by people.
fn is_message(name: &str, owner: &str) -> bool {
    let owner = owner.rsplit('.').next().unwrap_or(owner);
    let logs =
        ["log", "logger", "LOG", "LOGGER", "Log", "logging", "console", "slog", "tracing", "out", "err", "t", "errors"];
    matches!(
        name,
        "debug"
            | "info"
            | "warn"
            | "error"
            | "trace"
            | "warning"
            | "critical"
            | "fatal"
            | "println"
            | "print"
            | "printf"
            | "Println"
            | "Printf"
            | "Errorf"
            | "Fatalf"
            | "Infof"
            | "Debugf"
            | "Warnf"
            | "Logf"
            | "Fatal"
            | "Debug"
            | "Info"
            | "Warn"
            | "Error"
            | "WriteLine"
            | "puts"
            | "description"
            | "describe"
            | "it"
            | "assertEquals"
            | "assertThat"
            | "assert_eq"
            | "Equal"
            | "expect"
            | "finest"
            | "severe"
            | "verbose"
            | "panic"
            | "New"
            | "Errorw"
            | "Wrap"
            | "Wrapf"
            | "eprintln"
            | "bail"
            | "anyhow"
            | "displayName"
            | "DisplayName"
            | "as"
            | "withDescription"
            | "startsWith"
            | "startswith"
            | "endsWith"
            | "includes"
            | "indexOf"
            | "HasPrefix"
            | "equals"
            | "equalsIgnoreCase"
            | "matches"
    ) && !(name == "New" && owner == "table")
        || logs.contains(&owner) && !matches!(name, "Run")
}
