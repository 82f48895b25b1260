//! Rust.

use tree_sitter::Node;

use crate::literal::{continued, spans};
use crate::shape::{
    Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, fields, positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string_literal" => {
            let open = if bytes(node, text).starts_with('"') { 1 } else { 2 };
            Shape::Text(continued(spans(node, text, [open, 1], &[], true), text))
        }
        "raw_string_literal" => {
            let content = child_of(node, "string_content").map(|content| content.byte_range());
            Shape::Text(content.into_iter().map(Span::Plain).collect())
        }
        "integer_literal" | "float_literal" | "boolean_literal" => Shape::Plain,
        "identifier" | "field_identifier" => match bytes(node, text) {
            "None" => Shape::Null,
            name => Shape::Name(name),
        },
        "self" => Shape::This,
        "field_expression" => match field(node, "value") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "field", text) },
            None => Shape::Other,
        },
        "scoped_identifier" => match field(node, "path") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "name", text) },
            None => Shape::Other,
        },
        "macro_invocation" => macro_call(node, text),
        "call_expression" => call(node, text),
        "try_expression"
        | "await_expression"
        | "reference_expression"
        | "parenthesized_expression"
        | "expression_statement"
        | "else_clause" => children(node).last().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "tuple_expression" | "array_expression" => Shape::List(children(node)),
        "let_declaration" => Shape::Bind(Bind {
            targets: fields(node, "pattern"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "const_item" | "static_item" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "assignment_expression" => assign(node, How::Assign),
        "compound_assignment_expr" if field_bytes(node, "operator", text) == "+=" => assign(node, How::Append),
        "if_expression" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "match_expression" => Shape::Branch {
            conditions: fields(node, "value"),
            branches: field(node, "body").map(children).unwrap_or_default(),
            total: true,
        },
        "match_arm" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "for_expression" => Shape::Loop {
            over: field(node, "value"),
            variables: fields(node, "pattern").into_iter().map(|name| bytes(name, text)).collect(),
            parts: fields(node, "body"),
        },
        "while_expression" | "loop_expression" => Shape::Loop { over: None, variables: vec![], parts: children(node) },
        "function_item" => {
            let parameters = field(node, "parameters").map(children).unwrap_or_default();
            let parameters = parameters.into_iter().filter_map(|parameter| field(parameter, "pattern"));
            Shape::Function(Function {
                name: Some(field_bytes(node, "name", text)),
                parameters: parameters.map(|name| bytes(name, text)).collect(),
                receiver: None,
                parts: fields(node, "body"),
            })
        }
        "closure_expression" => {
            Shape::Function(Function { name: None, parameters: vec![], receiver: None, parts: fields(node, "body") })
        }
        "impl_item" | "trait_item" | "mod_item" => {
            let name = field(node, "type").or_else(|| field(node, "name")).map_or("", |name| bytes(name, text));
            Shape::Container { name: name.split('<').next().unwrap_or(name), bases: vec![], body: fields(node, "body") }
        }
        "return_expression" => Shape::Return(children(node).first().copied()),
        "break_expression" | "continue_expression" => Shape::Leave,
        "block" => Shape::Block,
        "use_declaration" => {
            let path = field_bytes(node, "argument", text).replace("::", ".");
            Shape::Import(vec![Import { path, name: None, local: String::new() }])
        }
        "line_comment" | "block_comment" => Shape::Comment,
        "char_literal" | "attribute_item" | "struct_item" | "enum_item" | "type_arguments" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn assign<'t>(node: Node<'t>, how: How) -> Shape<'t> {
    Shape::Bind(Bind { targets: fields(node, "left"), values: fields(node, "right"), how, type_name: "" })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let Some(function) = field(node, "function") else { return Shape::Other };
    let arguments = positional(field(node, "arguments").map(children).unwrap_or_default());
    let (receiver, name) = match function.kind() {
        "identifier" => (None, bytes(function, text)),
        "field_expression" => (field(function, "value"), field_bytes(function, "field", text)),
        "scoped_identifier" => (field(function, "path"), field_bytes(function, "name", text)),
        _ => return Shape::Other,
    };
    // What is wrapped is what is meant.
    match (name, arguments.as_slice()) {
        ("Some" | "Ok" | "from" | "new", [one]) if one.value.kind().ends_with("string_literal") => {
            Shape::Same(one.value)
        }
        _ => Shape::Call(Call { receiver, name, arguments }),
    }
}

/// A macro's tokens: the first node between two commas stands for each argument.
fn macro_call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let name = field_bytes(node, "macro", text);
    let Some(tokens) = child_of(node, "token_tree") else { return Shape::Other };
    let mut cursor = tokens.walk();
    let mut arguments = Vec::new();
    let mut open = true;
    for token in tokens.children(&mut cursor) {
        if token.kind() == "," {
            open = true;
        } else if token.is_named() && std::mem::take(&mut open) {
            arguments.push(token);
        }
    }
    match name.rsplit("::").next().unwrap_or(name) {
        "concat" => Shape::Sum(arguments),
        name => Shape::Call(Call { receiver: None, name, arguments: positional(arguments) }),
    }
}
