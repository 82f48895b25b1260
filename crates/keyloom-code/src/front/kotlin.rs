//! Kotlin.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, operands,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string_literal" => Shape::Text(holes(spans(node, text, [1, 1], &["interpolation"], true), text)),
        "multiline_string_literal" => Shape::Text(holes(spans(node, text, [3, 3], &["interpolation"], false), text)),
        "number_literal" => Shape::Plain,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "identifier" => match bytes(node, text) {
            "null" => Shape::Null,
            "true" | "false" => Shape::Plain,
            name => Shape::Name(name),
        },
        "this_expression" | "super_expression" => Shape::This,
        "navigation_expression" => match children(node).as_slice() {
            [object, .., name] => Shape::Member { object: *object, name: bytes(*name, text) },
            _ => Shape::Other,
        },
        "call_expression" => call(node, text),
        "unary_expression" => field(node, "argument").map_or(Shape::Other, Shape::Same),
        "parenthesized_expression"
        | "value_argument"
        | "as_expression"
        | "annotated_lambda"
        | "annotated_expression" => children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "collection_literal" => Shape::List(children(node)),
        "property_declaration" => property(node, text),
        "assignment" => Shape::Bind(Bind {
            targets: field(node, "left").into_iter().collect(),
            values: field(node, "right").into_iter().collect(),
            how: if field_bytes(node, "operator", text) == "+=" { How::Append } else { How::Assign },
            type_name: "",
        }),
        "if_expression" => {
            let condition = field(node, "condition");
            let branches: Vec<_> = children(node).into_iter().filter(|child| Some(*child) != condition).collect();
            let total = branches.len() > 1;
            Shape::Branch { conditions: condition.into_iter().collect(), branches, total }
        }
        "when_expression" => when(node),
        "when_entry" => children(node).last().map_or(Shape::Skip, |body| Shape::Same(*body)),
        "catch_block" => {
            Shape::Branch { conditions: vec![], branches: child_of(node, "block").into_iter().collect(), total: false }
        }
        "for_statement" => match children(node).as_slice() {
            [variable, over, parts @ ..] => {
                Shape::Loop { over: Some(*over), variables: vec![bytes(*variable, text)], parts: parts.to_vec() }
            }
            _ => Shape::Other,
        },
        "while_statement" | "do_while_statement" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "function_declaration" => function(node, text),
        "lambda_literal" | "anonymous_function" => Shape::Function(Function {
            name: None,
            parameters: child_of(node, "lambda_parameters")
                .map(|list| children(list).into_iter().map(|name| bytes(name, text)).collect())
                .unwrap_or_default(),
            receiver: None,
            parts: children(node).into_iter().filter(|child| child.kind() != "lambda_parameters").collect(),
        }),
        "class_declaration" | "object_declaration" => container(node, text),
        "return_expression" => Shape::Return(children(node).first().copied()),
        "throw_expression" | "break_expression" | "continue_expression" => Shape::Leave,
        "block" | "function_body" => Shape::Block,
        "package_header" => Shape::Package(children(node).first().map_or("", |name| bytes(*name, text)).to_owned()),
        "import" => import(node, text),
        "line_comment" | "block_comment" => Shape::Comment,
        "character_literal" | "user_type" | "function_value_parameters" => Shape::Skip,
        _ => Shape::Other,
    }
}

/// The grammar sees `${x}` and takes `$x` for text.
fn holes<'t>(spans: Vec<Span<'t>>, text: &'t str) -> Vec<Span<'t>> {
    let mut found = Vec::new();
    for span in spans {
        let Span::Plain(range) = span else {
            found.push(span);
            continue;
        };
        let mut from = range.start;
        let mut at = from;
        while let Some(start) = text.get(at..range.end).and_then(|rest| rest.find('$')).map(|start| at + start) {
            let name = text[start + 1..range.end].chars();
            let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
            let length: usize = name.take_while(is_part).map(char::len_utf8).sum();
            at = start + 1 + length;
            if length > 0 && !text[start + 1..].starts_with(|letter: char| letter.is_ascii_digit()) {
                found.push(Span::Plain(from..start));
                found.push(Span::HoleName(start + 1..at));
                from = at;
            }
        }
        found.push(Span::Plain(from..range.end));
    }
    found
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let parts = children(node);
    let Some(function) = parts.first().copied() else { return Shape::Other };
    let mut arguments = Vec::new();
    for part in &parts[1..] {
        match part.kind() {
            "value_arguments" => arguments.extend(children(*part).into_iter().filter_map(|argument| {
                let parts = children(argument);
                let name = (parts.len() > 1).then(|| bytes(parts[0], text));
                Some(Argument { name, value: *parts.last()? })
            })),
            "annotated_lambda" | "lambda_literal" => arguments.push(Argument { name: None, value: *part }),
            _ => {}
        }
    }
    match function.kind() {
        "identifier" => Shape::Call(Call { receiver: None, name: bytes(function, text), arguments }),
        "navigation_expression" => match children(function).as_slice() {
            [receiver, .., name] => {
                Shape::Call(Call { receiver: Some(*receiver), name: bytes(*name, text), arguments })
            }
            _ => Shape::Other,
        },
        // `f(x) { … }`: the lambda is one more argument.
        "call_expression" => match call(function, text) {
            Shape::Call(mut inner) => {
                inner.arguments.extend(arguments);
                Shape::Call(inner)
            }
            _ => Shape::Other,
        },
        _ => Shape::Other,
    }
}

fn property<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let parts = children(node);
    let Some(at) = parts.iter().position(|part| part.kind().ends_with("variable_declaration")) else {
        return Shape::Other;
    };
    let targets = match parts[at].kind() {
        "variable_declaration" => children(parts[at]).into_iter().take(1).collect(),
        _ => children(parts[at]).into_iter().filter_map(|variable| children(variable).first().copied()).collect(),
    };
    let value = parts[at + 1..].iter().find_map(|part| match part.kind() {
        "property_delegate" => children(*part).first().copied(),
        "getter" | "setter" | "type_constraints" => None,
        _ => Some(*part),
    });
    // `by lazy { … }` is what its lambda answers.
    let value = value.map(|value| match call(value, text) {
        Shape::Call(Call { receiver: None, name: "lazy", arguments }) if value.kind() == "call_expression" => {
            arguments.last().map_or(value, |argument| argument.value)
        }
        _ => value,
    });
    Shape::Bind(Bind { targets, values: value.into_iter().collect(), how: How::Declare, type_name: "" })
}

fn when<'t>(node: Node<'t>) -> Shape<'t> {
    let (entries, conditions): (Vec<_>, Vec<_>) =
        children(node).into_iter().partition(|child| child.kind() == "when_entry");
    let total = entries.iter().any(|entry| field(*entry, "condition").is_none());
    Shape::Branch { conditions, branches: entries, total }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let parameters = child_of(node, "function_value_parameters").map(children).unwrap_or_default();
    let parameters = parameters.into_iter().filter(|parameter| parameter.kind() == "parameter");
    Shape::Function(Function {
        name: Some(field_bytes(node, "name", text)),
        parameters: parameters
            .filter_map(|parameter| children(parameter).first().map(|name| bytes(*name, text)))
            .collect(),
        receiver: None,
        parts: child_of(node, "modifiers").into_iter().chain(child_of(node, "function_body")).collect(),
    })
}

fn container<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let specifiers = child_of(node, "delegation_specifiers").map(children).unwrap_or_default();
    let base = |specifier: Node<'t>| bytes(specifier, text).split(['(', '<', ' ']).next().unwrap_or("");
    Shape::Container {
        name: field_bytes(node, "name", text),
        bases: specifiers.into_iter().map(base).collect(),
        body: children(node).into_iter().filter(|child| child.kind() != "primary_constructor").collect(),
    }
}

fn import<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let parts = children(node);
    let Some(path) = parts.first().map(|path| bytes(*path, text)) else { return Shape::Skip };
    let all = bytes(node, text).trim_end().ends_with('*');
    let import = match path.rsplit_once('.') {
        Some((path, name)) if !all => {
            let local = parts.get(1).map_or(name, |alias| bytes(*alias, text));
            Import { path: path.to_owned(), name: Some(name.to_owned()), local: local.to_owned() }
        }
        _ => Import { path: path.to_owned(), name: None, local: "*".to_owned() },
    };
    Shape::Import(vec![import])
}
