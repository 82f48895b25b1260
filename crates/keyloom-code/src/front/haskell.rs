//! Haskell.

use tree_sitter::Node;

use crate::literal::escaped;
use crate::shape::{
    Call, Function, Import, Shape, Span, bytes, children, field, field_bytes, fields, operands, positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => {
            let range = node.byte_range();
            Shape::Text(escaped(text, range.start + 1..range.end.saturating_sub(1).max(range.start + 1)))
        }
        "quasiquote" => {
            Shape::Text(field(node, "body").map(|body| Span::Plain(body.byte_range())).into_iter().collect())
        }
        "literal" | "parens" | "exp" | "match" => {
            let inner = field(node, "expression").or_else(|| children(node).last().copied());
            inner.map_or(Shape::Skip, Shape::Same)
        }
        "integer" | "float" => Shape::Plain,
        "variable" => Shape::Name(bytes(node, text)),
        "constructor" if bytes(node, text) == "Nothing" => Shape::Null,
        "qualified" => match (field(node, "module"), field(node, "id")) {
            (Some(object), Some(name)) => Shape::Member { object, name: bytes(name, text) },
            _ => Shape::Other,
        },
        "module" => Shape::Name(bytes(node, text).trim_end_matches('.')),
        "infix" => infix(node, text),
        "apply" => call(node, text, None),
        "tuple" | "list" => Shape::List(children(node)),
        // What is bound behind `where` is used before it.
        "bind" | "function" => {
            let parameters = field(node, "patterns").map(children).unwrap_or_default();
            Shape::Function(Function {
                name: Some(field_bytes(node, "name", text)),
                parameters: parameters.into_iter().map(|name| bytes(name, text)).collect(),
                receiver: None,
                parts: fields(node, "binds").into_iter().chain(fields(node, "match")).collect(),
            })
        }
        "conditional" => Shape::Branch {
            conditions: fields(node, "if"),
            branches: ["then", "else"].iter().filter_map(|name| field(node, name)).collect(),
            total: true,
        },
        "lambda" => Shape::Function(Function {
            name: None,
            parameters: vec![],
            receiver: None,
            parts: fields(node, "expression"),
        }),
        "import" => {
            let path = field_bytes(node, "module", text).to_owned();
            let local = field(node, "alias").map_or("*", |alias| bytes(alias, text)).to_owned();
            Shape::Import(vec![Import { path, name: None, local }])
        }
        "header" => Shape::Package(field_bytes(node, "module", text).to_owned()),
        "comment" | "haddock" => Shape::Comment,
        "signature" | "char" | "data_type" | "type_synomym" | "deriving" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "infix" && matches!(field_bytes(node, "operator", text), "<>" | "++")).then_some(())?;
    Some([field(node, "left_operand")?, field(node, "right_operand")?])
}

fn infix<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    if sides(node, text).is_some() {
        return Shape::Sum(operands(node, |node| sides(node, text)));
    }
    match (field(node, "left_operand"), field(node, "right_operand")) {
        (Some(function), Some(argument)) if field_bytes(node, "operator", text) == "$" => {
            call(function, text, Some(argument))
        }
        _ => Shape::Other,
    }
}

/// A function and its arguments, which the grammar applies one by one.
fn call<'t>(node: Node<'t>, text: &'t str, last: Option<Node<'t>>) -> Shape<'t> {
    let mut arguments: Vec<Node<'t>> = last.into_iter().collect();
    let mut function = node;
    while function.kind() == "apply" {
        arguments.extend(field(function, "argument"));
        match field(function, "function") {
            Some(inner) => function = inner,
            None => return Shape::Other,
        }
    }
    arguments.reverse();
    match function.kind() {
        "variable" | "constructor" => {
            Shape::Call(Call { receiver: None, name: bytes(function, text), arguments: positional(arguments) })
        }
        "qualified" => Shape::Call(Call {
            receiver: None,
            name: field_bytes(function, "id", text),
            arguments: positional(arguments),
        }),
        _ => Shape::Other,
    }
}
