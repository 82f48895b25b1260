//! Java.

use tree_sitter::Node;

use crate::literal::{continued, spans};
use crate::shape::{
    Bind, Call, Function, How, Import, Shape, bytes, child_of, children, field, field_bytes, fields, operands,
    positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string_literal" => {
            let quotes = if bytes(node, text).starts_with("\"\"\"") { 3 } else { 1 };
            let spans = spans(node, text, [quotes, quotes], &["string_interpolation"], true);
            Shape::Text(if quotes == 3 { continued(spans, text) } else { spans })
        }
        "decimal_integer_literal" | "hex_integer_literal" | "decimal_floating_point_literal" | "true" | "false" => {
            Shape::Plain
        }
        "null_literal" => Shape::Null,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "identifier" => Shape::Name(bytes(node, text)),
        "this" | "super" => Shape::This,
        "field_access" => match field(node, "object") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "field", text) },
            None => Shape::Other,
        },
        "method_invocation" => Shape::Call(Call {
            receiver: field(node, "object"),
            name: field_bytes(node, "name", text),
            arguments: arguments(node),
        }),
        "object_creation_expression" => Shape::Call(Call {
            receiver: None,
            name: simple(field_bytes(node, "type", text)),
            arguments: arguments(node),
        }),
        "array_creation_expression" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "array_initializer" | "element_value_array_initializer" => Shape::List(children(node)),
        "parenthesized_expression" | "expression_statement" => {
            children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner))
        }
        "cast_expression" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "ternary_expression" => branch(node),
        "variable_declarator" | "resource" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: node.parent().map_or("", |parent| field_bytes(parent, "type", text)),
        }),
        "assignment_expression" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: if field_bytes(node, "operator", text) == "+=" { How::Append } else { How::Assign },
            type_name: "",
        }),
        "if_statement" => branch(node),
        "switch_expression" => switch(node),
        "catch_clause" => Shape::Branch { conditions: vec![], branches: fields(node, "body"), total: false },
        "for_statement" | "while_statement" | "do_statement" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "enhanced_for_statement" => Shape::Loop {
            over: field(node, "value"),
            variables: vec![field_bytes(node, "name", text)],
            parts: fields(node, "body"),
        },
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => function(node, text),
        "lambda_expression" => Shape::Function(Function {
            name: None,
            parameters: lambda_parameters(node, text),
            receiver: None,
            parts: fields(node, "body"),
        }),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => container(node, text),
        "return_statement" | "yield_statement" => Shape::Return(children(node).first().copied()),
        "throw_statement" | "break_statement" | "continue_statement" => Shape::Leave,
        "block" | "constructor_body" => Shape::Block,
        "package_declaration" => Shape::Package(children(node).last().map_or("", |name| bytes(*name, text)).to_owned()),
        "import_declaration" => import(node, text),
        "line_comment" | "block_comment" => Shape::Comment,
        "character_literal" | "type_arguments" | "formal_parameters" | "generic_type" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

/// A type's name without its package and its parameters.
fn simple(name: &str) -> &str {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name)
}

fn arguments<'t>(node: Node<'t>) -> Vec<crate::shape::Argument<'t>> {
    positional(field(node, "arguments").map(children).unwrap_or_default())
}

fn branch<'t>(node: Node<'t>) -> Shape<'t> {
    Shape::Branch {
        conditions: fields(node, "condition"),
        branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
        total: field(node, "alternative").is_some(),
    }
}

fn switch<'t>(node: Node<'t>) -> Shape<'t> {
    let branches = field(node, "body").map(children).unwrap_or_default();
    let is_default = |case: &Node<'t>| {
        child_of(*case, "switch_label").is_some_and(|label| label.child(0).is_some_and(|word| word.kind() == "default"))
    };
    Shape::Branch { conditions: fields(node, "condition"), total: branches.iter().any(is_default), branches }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let list = field(node, "parameters").map(children).unwrap_or_default();
    let name = |parameter: Node<'t>| {
        field(parameter, "name").or_else(|| field(child_of(parameter, "variable_declarator")?, "name"))
    };
    Shape::Function(Function {
        name: Some(field_bytes(node, "name", text)),
        parameters: list.into_iter().filter_map(name).map(|name| bytes(name, text)).collect(),
        receiver: None,
        // What stands in annotations belongs to the function: `@Query("…")`.
        parts: child_of(node, "modifiers").into_iter().chain(field(node, "body")).collect(),
    })
}

fn lambda_parameters<'t>(node: Node<'t>, text: &'t str) -> Vec<&'t str> {
    match field(node, "parameters") {
        Some(one) if one.kind() == "identifier" => vec![bytes(one, text)],
        Some(list) => {
            let name = |child: Node<'t>| field(child, "name").unwrap_or(child);
            children(list).into_iter().map(|child| bytes(name(child), text)).collect()
        }
        None => vec![],
    }
}

fn container<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let base = |name: &str| {
        let types = field(node, name).map(children).unwrap_or_default();
        types.into_iter().flat_map(|types| if types.kind() == "type_list" { children(types) } else { vec![types] })
    };
    Shape::Container {
        name: field_bytes(node, "name", text),
        bases: base("superclass").chain(base("interfaces")).map(|name| simple(bytes(name, text))).collect(),
        body: child_of(node, "modifiers").into_iter().chain(field(node, "body")).collect(),
    }
}

fn import<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let Some(path) = children(node).into_iter().find(|child| child.kind() != "asterisk") else { return Shape::Skip };
    let path = bytes(path, text);
    let import = match (child_of(node, "asterisk"), path.rsplit_once('.')) {
        (None, Some((path, name))) => {
            Import { path: path.to_owned(), name: Some(name.to_owned()), local: name.to_owned() }
        }
        _ => Import { path: path.to_owned(), name: None, local: "*".to_owned() },
    };
    Shape::Import(vec![import])
}
