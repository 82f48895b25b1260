//! Ruby.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, bytes, child_of, children, field, field_bytes, fields, operands,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => {
            let open = child_of(node, "string_content").map_or(1, |content| content.start_byte() - node.start_byte());
            let escapes = !bytes(node, text).starts_with('\'');
            Shape::Text(spans(node, text, [open.clamp(1, 3), 1], &["interpolation"], escapes))
        }
        // The text of `<<~CQL` stands by itself; which expression it belongs to is not followed.
        "heredoc_body" => {
            let end = child_of(node, "heredoc_end").map_or(0, |end| end.byte_range().len());
            Shape::Text(spans(node, text, [0, end], &["interpolation"], true))
        }
        "chained_string" => Shape::Sum(children(node)),
        "integer" | "float" | "true" | "false" => Shape::Plain,
        "nil" => Shape::Null,
        "binary" => match (sides(node, text), field_bytes(node, "operator", text)) {
            (Some(_), _) => Shape::Sum(operands(node, |node| sides(node, text))),
            (None, "<<") => bind(node, How::Append),
            _ => Shape::Other,
        },
        "identifier" | "constant" | "instance_variable" => Shape::Name(bytes(node, text)),
        "self" => Shape::This,
        "scope_resolution" => match field(node, "scope") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "name", text) },
            None => Shape::Other,
        },
        "call" => call(node, text),
        "parenthesized_statements" => children(node).last().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "array" => Shape::List(children(node)),
        "assignment" => bind(node, How::Assign),
        "operator_assignment" if field_bytes(node, "operator", text) == "+=" => bind(node, How::Append),
        "if" | "unless" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "if_modifier" | "unless_modifier" => {
            Shape::Branch { conditions: fields(node, "condition"), branches: fields(node, "body"), total: false }
        }
        "while" | "until" | "for" => Shape::Loop { over: None, variables: vec![], parts: children(node) },
        "method" | "singleton_method" => {
            let parameters = field(node, "parameters").map(children).unwrap_or_default();
            let name = |parameter: Node<'t>| field(parameter, "name").unwrap_or(parameter);
            Shape::Function(Function {
                name: Some(field_bytes(node, "name", text)),
                parameters: parameters.into_iter().map(|parameter| bytes(name(parameter), text)).collect(),
                receiver: None,
                parts: fields(node, "body"),
            })
        }
        "block" | "do_block" | "lambda" => {
            let parameters = field(node, "parameters").map(children).unwrap_or_default();
            Shape::Function(Function {
                name: None,
                parameters: parameters.into_iter().map(|name| bytes(name, text)).collect(),
                receiver: None,
                parts: fields(node, "body"),
            })
        }
        "class" | "module" => {
            Shape::Container { name: field_bytes(node, "name", text), bases: vec![], body: fields(node, "body") }
        }
        "return" => Shape::Return(children(node).first().copied()),
        "break" | "next" => Shape::Leave,
        "comment" => Shape::Comment,
        "simple_symbol" | "regex" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn bind<'t>(node: Node<'t>, how: How) -> Shape<'t> {
    Shape::Bind(Bind { targets: fields(node, "left"), values: fields(node, "right"), how, type_name: "" })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let name = field_bytes(node, "method", text);
    let list = field(node, "arguments").map(children).unwrap_or_default();
    if matches!(name, "require" | "require_relative") {
        let path = list.first().map_or("", |path| bytes(*path, text).trim_matches(['"', '\''])).to_owned();
        return Shape::Import(vec![Import { path, name: None, local: String::new() }]);
    }
    let argument = |node: Node<'t>| match (node.kind(), field(node, "value")) {
        ("pair", Some(value)) => Argument { name: Some(field_bytes(node, "key", text)), value },
        _ => Argument { name: None, value: node },
    };
    let block = field(node, "block").map(|value| Argument { name: None, value });
    let arguments = list.into_iter().map(argument).chain(block).collect();
    Shape::Call(Call { receiver: field(node, "receiver"), name, arguments })
}
