//! C#.

use tree_sitter::Node;

use crate::literal::{doubled, spans};
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, fields,
    operands,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string_literal" => Shape::Text(spans(node, text, [1, 1], &[], true)),
        "verbatim_string_literal" => {
            let range = node.byte_range();
            let inside = range.start + 2..range.end.saturating_sub(1).max(range.start + 2);
            Shape::Text(doubled(vec![Span::Plain(inside)], text, &["\"\""]))
        }
        "raw_string_literal" => {
            let content = child_of(node, "raw_string_content").map(|content| content.byte_range());
            Shape::Text(content.into_iter().map(Span::Plain).collect())
        }
        "interpolated_string_expression" => {
            let open = bytes(node, text).find('"').map_or(1, |quote| quote + 1);
            let verbatim = bytes(node, text)[..open].contains('@');
            let pairs: &[&str] = if verbatim { &["{{", "}}", "\"\""] } else { &["{{", "}}"] };
            Shape::Text(doubled(spans(node, text, [open, 1], &["interpolation"], !verbatim), text, pairs))
        }
        "integer_literal" | "real_literal" | "boolean_literal" => Shape::Plain,
        "null_literal" => Shape::Null,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "identifier" | "predefined_type" => Shape::Name(bytes(node, text)),
        "this" | "this_expression" | "base_expression" => Shape::This,
        "member_access_expression" => match field(node, "expression") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "name", text) },
            None => Shape::Other,
        },
        "invocation_expression" => call(node, text),
        "object_creation_expression" => Shape::Call(Call {
            receiver: None,
            name: field_bytes(node, "type", text),
            arguments: arguments(node, text),
        }),
        "parenthesized_expression"
        | "await_expression"
        | "expression_statement"
        | "arrow_expression_clause"
        | "argument"
        | "equals_value_clause" => children(node).last().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "cast_expression" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "variable_declarator" => {
            let name = field(node, "name");
            let values = children(node).into_iter().filter(|child| Some(*child) != name).collect();
            Shape::Bind(Bind { targets: name.into_iter().collect(), values, how: How::Declare, type_name: "" })
        }
        "property_declaration" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "assignment_expression" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: if field_bytes(node, "operator", text) == "+=" { How::Append } else { How::Assign },
            type_name: "",
        }),
        "if_statement" | "conditional_expression" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "foreach_statement" => Shape::Loop {
            over: field(node, "right"),
            variables: fields(node, "left").into_iter().map(|name| bytes(name, text)).collect(),
            parts: fields(node, "body"),
        },
        "for_statement" | "while_statement" | "do_statement" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "method_declaration" | "constructor_declaration" | "local_function_statement" => {
            let parameters = field(node, "parameters").map(children).unwrap_or_default();
            Shape::Function(Function {
                name: Some(field_bytes(node, "name", text)),
                parameters: parameters.into_iter().map(|parameter| field_bytes(parameter, "name", text)).collect(),
                receiver: None,
                parts: fields(node, "body"),
            })
        }
        "lambda_expression" => {
            Shape::Function(Function { name: None, parameters: vec![], receiver: None, parts: fields(node, "body") })
        }
        "class_declaration" | "struct_declaration" | "record_declaration" | "interface_declaration" => {
            Shape::Container {
                name: field_bytes(node, "name", text),
                bases: child_of(node, "base_list")
                    .map(|list| children(list).into_iter().map(|base| bytes(base, text)).collect())
                    .unwrap_or_default(),
                body: fields(node, "body"),
            }
        }
        "return_statement" => Shape::Return(children(node).first().copied()),
        "throw_statement" | "break_statement" | "continue_statement" => Shape::Leave,
        "block" => Shape::Block,
        "using_directive" => {
            let path = children(node).last().map_or("", |name| bytes(*name, text)).to_owned();
            Shape::Import(vec![Import { path, name: None, local: "*".to_owned() }])
        }
        "comment" => Shape::Comment,
        "character_literal" | "modifier" | "attribute_list" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn arguments<'t>(node: Node<'t>, text: &'t str) -> Vec<Argument<'t>> {
    let argument = |node: Node<'t>| {
        let name = field(node, "name").map(|name| bytes(name, text));
        Argument { name, value: children(node).last().copied().unwrap_or(node) }
    };
    field(node, "arguments").map(children).unwrap_or_default().into_iter().map(argument).collect()
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let Some(function) = field(node, "function") else { return Shape::Other };
    let arguments = arguments(node, text);
    match function.kind() {
        "identifier" => Shape::Call(Call { receiver: None, name: bytes(function, text), arguments }),
        "member_access_expression" => Shape::Call(Call {
            receiver: field(function, "expression"),
            name: field_bytes(function, "name", text).split('<').next().unwrap_or(""),
            arguments,
        }),
        _ => Shape::Other,
    }
}
