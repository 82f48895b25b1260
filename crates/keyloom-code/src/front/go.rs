//! Go.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Bind, Call, Function, How, Import, Shape, bytes, child_of, children, field, field_bytes, fields, operands,
    positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "interpreted_string_literal" => Shape::Text(spans(node, text, [1, 1], &[], true)),
        "raw_string_literal" => Shape::Text(spans(node, text, [1, 1], &[], false)),
        "int_literal" | "float_literal" | "true" | "false" => Shape::Plain,
        "nil" => Shape::Null,
        "binary_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => Shape::Other,
        },
        "identifier" | "field_identifier" => Shape::Name(bytes(node, text)),
        "selector_expression" => match field(node, "operand") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "field", text) },
            None => Shape::Other,
        },
        "call_expression" => call(node, text),
        "composite_literal" => composite(node, text),
        "literal_value" => list_or_record(node, text),
        "literal_element" | "parenthesized_expression" | "expression_statement" => inner(node),
        "unary_expression" => match field_bytes(node, "operator", text) {
            "&" | "*" => field(node, "operand").map_or(Shape::Other, Shape::Same),
            "-" => Shape::Plain,
            _ => Shape::Other,
        },
        "expression_list" => match children(node).as_slice() {
            [one] => Shape::Same(*one),
            _ => Shape::List(children(node)),
        },
        "const_spec" | "var_spec" => Shape::Bind(Bind {
            targets: fields(node, "name"),
            values: values(node, "value"),
            how: How::Declare,
            type_name: field_bytes(node, "type", text),
        }),
        "short_var_declaration" => bind(node, How::Declare),
        "assignment_statement" => match field_bytes(node, "operator", text) {
            "=" => bind(node, How::Assign),
            "+=" => bind(node, How::Append),
            _ => Shape::Other,
        },
        "if_statement" => Shape::Branch {
            conditions: ["initializer", "condition"].iter().filter_map(|name| field(node, name)).collect(),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "expression_switch_statement" | "type_switch_statement" | "select_statement" => switch(node),
        "for_statement" => looped(node, text),
        "function_declaration" | "method_declaration" => function(node, text),
        "func_literal" => Shape::Function(Function {
            name: None,
            parameters: parameters(node, "parameters", text),
            receiver: None,
            parts: field(node, "body").into_iter().collect(),
        }),
        "return_statement" => Shape::Return(children(node).first().copied()),
        "break_statement" | "continue_statement" | "goto_statement" => Shape::Leave,
        "block" | "statement_list" => Shape::Block,
        "package_clause" => Shape::Package(children(node).first().map_or("", |name| bytes(*name, text)).to_owned()),
        "import_spec" => Shape::Import(vec![import(node, text)]),
        "comment" => Shape::Comment,
        "type_declaration" | "parameter_list" | "rune_literal" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn inner<'t>(node: Node<'t>) -> Shape<'t> {
    children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner))
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_expression" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn values<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    field(node, name).map(children).unwrap_or_default()
}

fn bind<'t>(node: Node<'t>, how: How) -> Shape<'t> {
    Shape::Bind(Bind { targets: values(node, "left"), values: values(node, "right"), how, type_name: "" })
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let (Some(function), Some(arguments)) = (field(node, "function"), field(node, "arguments")) else {
        return Shape::Other;
    };
    let arguments = positional(children(arguments));
    match function.kind() {
        "identifier" => Shape::Call(Call { receiver: None, name: bytes(function, text), arguments }),
        "selector_expression" => Shape::Call(Call {
            receiver: field(function, "operand"),
            name: field_bytes(function, "field", text),
            arguments,
        }),
        _ => Shape::Other,
    }
}

fn composite<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    field(node, "body").map_or(Shape::Other, |body| list_or_record(body, text))
}

fn list_or_record<'t>(body: Node<'t>, text: &'t str) -> Shape<'t> {
    let elements = children(body);
    let is_keyed = |element: &Node<'t>| element.kind() == "keyed_element";
    if elements.is_empty() || !elements.iter().all(is_keyed) {
        return Shape::List(elements);
    }
    let pair = |element: &Node<'t>| {
        let key = field(*element, "key")?;
        Some((bytes(key, text).trim_matches('"'), field(*element, "value")?))
    };
    Shape::Record(elements.iter().filter_map(pair).collect())
}

fn switch<'t>(node: Node<'t>) -> Shape<'t> {
    let (cases, conditions): (Vec<_>, Vec<_>) =
        children(node).into_iter().partition(|child| child.kind().ends_with("_case"));
    Shape::Branch { conditions, total: cases.iter().any(|case| case.kind() == "default_case"), branches: cases }
}

fn looped<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let range = child_of(node, "range_clause");
    let variables = range.and_then(|range| field(range, "left")).map(children).unwrap_or_default();
    Shape::Loop {
        over: range.and_then(|range| field(range, "right")),
        variables: variables.into_iter().map(|variable| bytes(variable, text)).collect(),
        parts: children(node).into_iter().filter(|child| child.kind() != "range_clause").collect(),
    }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let receiver = field(node, "receiver").and_then(|list| children(list).into_iter().next()).map(|receiver| {
        let type_name = field_bytes(receiver, "type", text).trim_start_matches('*');
        (field_bytes(receiver, "name", text), type_name.split('[').next().unwrap_or(type_name))
    });
    Shape::Function(Function {
        name: Some(field_bytes(node, "name", text)),
        parameters: parameters(node, "parameters", text),
        receiver,
        parts: field(node, "body").into_iter().collect(),
    })
}

fn parameters<'t>(node: Node<'t>, name: &str, text: &'t str) -> Vec<&'t str> {
    let lists = field(node, name).map(children).unwrap_or_default();
    lists.into_iter().flat_map(|list| fields(list, "name")).map(|name| bytes(name, text)).collect()
}

fn import(node: Node<'_>, text: &str) -> Import {
    let path = field_bytes(node, "path", text).trim_matches(['"', '`']).to_owned();
    // `gopkg.in/yaml.v3` and `x/y/v2` are called by the word before the version; enough for looking up constants.
    let last = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(&path).to_owned();
    let local = field(node, "name").map_or(last, |name| bytes(name, text).to_owned());
    Import { path, name: None, local }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
