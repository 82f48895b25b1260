//! JavaScript and TypeScript.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Bind, Call, Function, How, Import, Shape, bytes, child_of, children, field, field_bytes, fields, operands,
    positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => Shape::Text(spans(node, text, [1, 1], &[], true)),
        "template_string" => Shape::Text(spans(node, text, [1, 1], &["template_substitution"], true)),
        "number" | "true" | "false" => Shape::Plain,
        "null" | "undefined" => Shape::Null,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "identifier" | "shorthand_property_identifier" | "property_identifier" | "private_property_identifier" => {
            Shape::Name(bytes(node, text))
        }
        "this" | "super" => Shape::This,
        "member_expression" => match field(node, "object") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "property", text) },
            None => Shape::Other,
        },
        "subscript_expression" => field(node, "object").map_or(Shape::Other, Shape::Same),
        "call_expression" => call(node, text),
        "new_expression" => Shape::Call(Call {
            receiver: None,
            name: field(node, "constructor").map_or("", |name| last(bytes(name, text))),
            arguments: positional(field(node, "arguments").map(children).unwrap_or_default()),
        }),
        "parenthesized_expression"
        | "expression_statement"
        | "await_expression"
        | "as_expression"
        | "non_null_expression"
        | "satisfies_expression"
        | "export_default_declaration" => children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "array" => Shape::List(children(node)),
        "object" => object(node, text),
        "variable_declarator" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "public_field_definition" | "field_definition" => Shape::Bind(Bind {
            targets: field(node, "name").or_else(|| field(node, "property")).into_iter().collect(),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "assignment_expression" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: How::Assign,
            type_name: "",
        }),
        "augmented_assignment_expression" if field_bytes(node, "operator", text) == "+=" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: How::Append,
            type_name: "",
        }),
        "if_statement" | "ternary_expression" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "else_clause" => children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner)),
        "switch_statement" => {
            let cases = field(node, "body").map(children).unwrap_or_default();
            let total = cases.iter().any(|case| case.kind() == "switch_default");
            Shape::Branch { conditions: fields(node, "value"), branches: cases, total }
        }
        "catch_clause" => Shape::Branch { conditions: vec![], branches: fields(node, "body"), total: false },
        "for_in_statement" => Shape::Loop {
            over: field(node, "right"),
            variables: field(node, "left").map(|left| vec![bytes(left, text)]).unwrap_or_default(),
            parts: fields(node, "body"),
        },
        "for_statement" | "while_statement" | "do_statement" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "function_declaration" | "method_definition" | "generator_function_declaration" => function(node, text, true),
        "arrow_function" | "function_expression" | "generator_function" => function(node, text, false),
        "class_declaration" | "class" | "abstract_class_declaration" | "enum_declaration" | "internal_module" => {
            let bases = child_of(node, "class_heritage").map(|list| bytes(list, text)).unwrap_or("");
            Shape::Container {
                name: field_bytes(node, "name", text),
                bases: bases.split_whitespace().filter(|word| *word != "extends").take(1).collect(),
                body: fields(node, "body"),
            }
        }
        "enum_assignment" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: "",
        }),
        "return_statement" => Shape::Return(children(node).first().copied()),
        "throw_statement" | "break_statement" | "continue_statement" => Shape::Leave,
        "statement_block" => Shape::Block,
        "import_statement" => import(node, text),
        "comment" => Shape::Comment,
        "regex" | "type_annotation" | "type_arguments" | "interface_declaration" | "type_alias_declaration" => {
            Shape::Skip
        }
        _ => Shape::Other,
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let (Some(function), Some(list)) = (field(node, "function"), field(node, "arguments")) else { return Shape::Other };
    let arguments = if list.kind() == "arguments" { children(list) } else { vec![list] };
    match function.kind() {
        // A module by its name.
        "identifier" if bytes(function, text) == "require" => {
            let path = arguments.first().map_or("", |path| bytes(*path, text).trim_matches(['"', '\'', '`']));
            let target = node.parent().and_then(|parent| field(parent, "name"));
            Shape::Import(imports(path, target, text))
        }
        "identifier" => {
            Shape::Call(Call { receiver: None, name: bytes(function, text), arguments: positional(arguments) })
        }
        "member_expression" => Shape::Call(Call {
            receiver: field(function, "object"),
            name: field_bytes(function, "property", text),
            arguments: positional(arguments),
        }),
        _ => Shape::Other,
    }
}

fn object<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let pair = |pair: Node<'t>| match pair.kind() {
        "pair" => {
            let key = field(pair, "key")?;
            Some((bytes(key, text).trim_matches(['"', '\'']), field(pair, "value")?))
        }
        "shorthand_property_identifier" => Some((bytes(pair, text), pair)),
        "method_definition" => Some((field_bytes(pair, "name", text), pair)),
        "spread_element" => Some(("...", children(pair).into_iter().next()?)),
        _ => None,
    };
    Shape::Record(children(node).into_iter().filter_map(pair).collect())
}

fn function<'t>(node: Node<'t>, text: &'t str, named: bool) -> Shape<'t> {
    let one = field(node, "parameter");
    let list = field(node, "parameters").map(children).unwrap_or_default();
    let name =
        |parameter: Node<'t>| field(parameter, "pattern").or_else(|| field(parameter, "left")).unwrap_or(parameter);
    Shape::Function(Function {
        name: named.then(|| field_bytes(node, "name", text)),
        parameters: one.into_iter().chain(list.into_iter().map(name)).map(|name| bytes(name, text)).collect(),
        receiver: None,
        parts: fields(node, "body"),
    })
}

fn import<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let path = field_bytes(node, "source", text).trim_matches(['"', '\'']);
    let clause = child_of(node, "import_clause");
    let mut found = Vec::new();
    for part in clause.map(children).unwrap_or_default() {
        found.extend(imports(path, Some(part), text));
    }
    if found.is_empty() {
        found.push(Import { path: path.to_owned(), name: None, local: String::new() });
    }
    Shape::Import(found)
}

fn imports<'t>(path: &str, target: Option<Node<'t>>, text: &'t str) -> Vec<Import> {
    let whole = |local: &str| Import { path: path.to_owned(), name: None, local: local.to_owned() };
    let Some(target) = target else { return vec![whole("")] };
    let part = |specifier: Node<'t>| {
        let name = field(specifier, "name").or_else(|| field(specifier, "key")).unwrap_or(specifier);
        let local = field(specifier, "alias").or_else(|| field(specifier, "value")).unwrap_or(name);
        Import { path: path.to_owned(), name: Some(bytes(name, text).to_owned()), local: bytes(local, text).to_owned() }
    };
    match target.kind() {
        "named_imports" | "object_pattern" => children(target).into_iter().map(part).collect(),
        "namespace_import" => vec![whole(children(target).first().map_or("", |name| bytes(*name, text)))],
        _ => vec![whole(bytes(target, text))],
    }
}
