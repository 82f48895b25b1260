//! PHP.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, fields,
    operands,
};

const HOLES: &[&str] = &["variable_name", "member_access_expression", "subscript_expression", "dynamic_variable_name"];

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => Shape::Text(spans(node, text, [1, 1], &[], true)),
        "encapsed_string" => Shape::Text(unbraced(spans(node, text, [1, 1], HOLES, true), text)),
        "heredoc_body" | "nowdoc_body" => Shape::Text(unbraced(spans(node, text, [0, 0], HOLES, true), text)),
        "heredoc" | "nowdoc" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "integer" | "float" | "boolean" => Shape::Plain,
        "null" => Shape::Null,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "variable_name" => match bytes(node, text).trim_start_matches('$') {
            "this" => Shape::This,
            name => Shape::Name(name),
        },
        "name" => Shape::Name(bytes(node, text)),
        "relative_scope" => Shape::This,
        "member_access_expression" => match field(node, "object") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "name", text) },
            None => Shape::Other,
        },
        "class_constant_access_expression" => match children(node).as_slice() {
            [object, name] => Shape::Member { object: *object, name: bytes(*name, text) },
            _ => Shape::Other,
        },
        "member_call_expression" | "nullsafe_member_call_expression" => Shape::Call(Call {
            receiver: field(node, "object"),
            name: field_bytes(node, "name", text),
            arguments: arguments(field(node, "arguments")),
        }),
        "scoped_call_expression" => Shape::Call(Call {
            receiver: field(node, "scope"),
            name: field_bytes(node, "name", text),
            arguments: arguments(field(node, "arguments")),
        }),
        "function_call_expression" => Shape::Call(Call {
            receiver: None,
            name: field_bytes(node, "function", text),
            arguments: arguments(field(node, "arguments")),
        }),
        "object_creation_expression" => {
            let name = children(node).first().map_or("", |name| bytes(*name, text));
            Shape::Call(Call {
                receiver: None,
                name: name.rsplit('\\').next().unwrap_or(name),
                arguments: arguments(child_of(node, "arguments")),
            })
        }
        "parenthesized_expression" | "expression_statement" | "argument" => {
            children(node).last().map_or(Shape::Skip, |inner| Shape::Same(*inner))
        }
        "array_creation_expression" => Shape::List(children(node)),
        "array_element_initializer" => children(node).last().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "const_element" | "property_element" => match children(node).as_slice() {
            [name, value] => {
                Shape::Bind(Bind { targets: vec![*name], values: vec![*value], how: How::Declare, type_name: "" })
            }
            _ => Shape::Other,
        },
        "assignment_expression" => bind(node, How::Assign),
        "augmented_assignment_expression" if field_bytes(node, "operator", text) == ".=" => bind(node, How::Append),
        "if_statement" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: fields(node, "body").into_iter().chain(fields(node, "alternative")).collect(),
            total: fields(node, "alternative").iter().any(|branch| branch.kind() == "else_clause"),
        },
        "conditional_expression" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["body", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: true,
        },
        "foreach_statement" | "for_statement" | "while_statement" | "do_statement" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "method_declaration" | "function_definition" => {
            let parameters = field(node, "parameters").map(children).unwrap_or_default();
            let name = |parameter: Node<'t>| field_bytes(parameter, "name", text).trim_start_matches('$');
            Shape::Function(Function {
                name: Some(field_bytes(node, "name", text)),
                parameters: parameters.into_iter().map(name).collect(),
                receiver: None,
                parts: fields(node, "body"),
            })
        }
        "anonymous_function" | "arrow_function" => {
            Shape::Function(Function { name: None, parameters: vec![], receiver: None, parts: fields(node, "body") })
        }
        "class_declaration" | "interface_declaration" | "trait_declaration" => {
            Shape::Container { name: field_bytes(node, "name", text), bases: vec![], body: fields(node, "body") }
        }
        "return_statement" => Shape::Return(children(node).first().copied()),
        "throw_expression" | "break_statement" | "continue_statement" => Shape::Leave,
        "compound_statement" => Shape::Block,
        "namespace_use_clause" => {
            let path = children(node).first().map_or("", |name| bytes(*name, text)).replace('\\', ".");
            Shape::Import(vec![Import { path, name: None, local: String::new() }])
        }
        "comment" => Shape::Comment,
        _ => Shape::Other,
    }
}

/// The grammar leaves the braces of `{$x}` in the text around it.
fn unbraced<'t>(spans: Vec<Span<'t>>, text: &'t str) -> Vec<Span<'t>> {
    let mut found: Vec<Span<'t>> = Vec::new();
    let mut braced = false;
    for span in spans {
        match span {
            Span::Hole(node) => {
                braced = false;
                if let Some(Span::Plain(range)) = found.last_mut()
                    && text[range.clone()].ends_with('{')
                {
                    range.end -= 1;
                    braced = true;
                }
                found.push(Span::Hole(node));
            }
            Span::Plain(mut range) => {
                if std::mem::take(&mut braced) && text[range.clone()].starts_with('}') {
                    range.start += 1;
                }
                found.push(Span::Plain(range));
            }
            span => found.push(span),
        }
    }
    found
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == ".").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn bind<'t>(node: Node<'t>, how: How) -> Shape<'t> {
    Shape::Bind(Bind { targets: fields(node, "left"), values: fields(node, "right"), how, type_name: "" })
}

fn arguments<'t>(list: Option<Node<'t>>) -> Vec<Argument<'t>> {
    list.map(children).unwrap_or_default().into_iter().map(|value| Argument { name: None, value }).collect()
}
