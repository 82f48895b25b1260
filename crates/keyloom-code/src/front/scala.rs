//! Scala.

use tree_sitter::Node;

use crate::literal::{escaped, spans};
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, fields,
    operands, positional,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => Shape::Text(plain(node, text)),
        "interpolated_string_expression" => {
            let Some(string) = child_of(node, "interpolated_string") else { return Shape::Other };
            let quotes = if bytes(string, text).starts_with("\"\"\"") { 3 } else { 1 };
            let raw = quotes == 3 || field_bytes(node, "interpolator", text) == "raw";
            Shape::Text(spans(string, text, [quotes, quotes], &["interpolation"], !raw))
        }
        "integer_literal" | "floating_point_literal" | "boolean_literal" => Shape::Plain,
        "null_literal" => Shape::Null,
        "infix_expression" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => infix(node, text),
        },
        "identifier" => match bytes(node, text) {
            "this" => Shape::This,
            name => Shape::Name(name),
        },
        "field_expression" => match field(node, "value") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "field", text) },
            None => Shape::Other,
        },
        "call_expression" => call(node, text),
        "generic_function" => field(node, "function").map_or(Shape::Other, Shape::Same),
        "instance_expression" => {
            let parts = children(node);
            let name = parts.first().map_or("", |name| bytes(*name, text));
            let arguments = field(node, "arguments").map(|list| arguments(list, text)).unwrap_or_default();
            Shape::Call(Call { receiver: None, name: simple(name), arguments })
        }
        "parenthesized_expression" | "ascription_expression" | "vararg" => {
            children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner))
        }
        "tuple_expression" => Shape::List(children(node)),
        "val_definition" | "var_definition" => Shape::Bind(Bind {
            targets: fields(node, "pattern"),
            values: fields(node, "value"),
            how: How::Declare,
            type_name: field_bytes(node, "type", text),
        }),
        "assignment_expression" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: How::Assign,
            type_name: "",
        }),
        "if_expression" => Shape::Branch {
            conditions: fields(node, "condition"),
            branches: ["consequence", "alternative"].iter().filter_map(|name| field(node, name)).collect(),
            total: field(node, "alternative").is_some(),
        },
        "match_expression" => {
            let cases = field(node, "body").map(children).unwrap_or_default();
            Shape::Branch { conditions: fields(node, "value"), branches: cases, total: true }
        }
        "case_clause" => match fields(node, "body").as_slice() {
            [one] => Shape::Same(*one),
            _ => Shape::Other,
        },
        "for_expression" => for_expression(node, text),
        "while_expression" | "do_while_expression" => {
            Shape::Loop { over: None, variables: vec![], parts: children(node) }
        }
        "function_definition" => function(node, text),
        "lambda_expression" => {
            let parts = children(node);
            let parameters = field(node, "parameters");
            Shape::Function(Function {
                name: None,
                parameters: parameters.map(|list| names(list, text)).unwrap_or_default(),
                receiver: None,
                parts: parts.into_iter().filter(|part| Some(*part) != parameters).collect(),
            })
        }
        "class_definition" | "object_definition" | "trait_definition" | "enum_definition" | "package_object" => {
            let bases = field(node, "extend").map(|list| fields(list, "type")).unwrap_or_default();
            Shape::Container {
                name: field_bytes(node, "name", text),
                bases: bases.into_iter().map(|base| simple(bytes(base, text))).collect(),
                body: field(node, "body").into_iter().collect(),
            }
        }
        "return_expression" => Shape::Return(children(node).first().copied()),
        "throw_expression" => Shape::Leave,
        "block" | "indented_block" => Shape::Block,
        "package_clause" => Shape::Package(field_bytes(node, "name", text).to_owned()),
        "import_declaration" => import(node, text),
        "comment" | "block_comment" => Shape::Comment,
        "character_literal" | "type_identifier" | "parameters" | "class_parameters" => Shape::Skip,
        _ => Shape::Other,
    }
}

fn plain<'t>(node: Node<'t>, text: &'t str) -> Vec<Span<'t>> {
    let range = node.byte_range();
    if bytes(node, text).starts_with("\"\"\"") {
        return spans(node, text, [3, 3], &[], false);
    }
    escaped(text, range.start + 1..range.end.saturating_sub(1).max(range.start + 1))
}

fn simple(name: &str) -> &str {
    let name = name.split(['[', '(']).next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name)
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "infix_expression" && matches!(field_bytes(node, "operator", text), "+" | "++")).then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

/// `a += b` is an assignment, `a method b` is a call.
fn infix<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Shape::Other };
    let operator = field_bytes(node, "operator", text);
    match operator {
        "+=" | "++=" => Shape::Bind(Bind { targets: vec![left], values: vec![right], how: How::Append, type_name: "" }),
        _ if operator.starts_with(char::is_alphabetic) => {
            Shape::Call(Call { receiver: Some(left), name: operator, arguments: positional(vec![right]) })
        }
        _ => Shape::Other,
    }
}

fn arguments<'t>(list: Node<'t>, text: &'t str) -> Vec<Argument<'t>> {
    if list.kind() != "arguments" {
        return positional(vec![list]);
    }
    let argument = |node: Node<'t>| match (node.kind(), field(node, "left"), field(node, "right")) {
        ("assignment_expression", Some(name), Some(value)) => Argument { name: Some(bytes(name, text)), value },
        _ => Argument { name: None, value: node },
    };
    children(list).into_iter().map(argument).collect()
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let Some(mut function) = field(node, "function") else { return Shape::Other };
    if function.kind() == "generic_function"
        && let Some(inner) = field(function, "function")
    {
        function = inner;
    }
    let arguments = field(node, "arguments").map(|list| arguments(list, text)).unwrap_or_default();
    match function.kind() {
        "identifier" => Shape::Call(Call { receiver: None, name: bytes(function, text), arguments }),
        "field_expression" => Shape::Call(Call {
            receiver: field(function, "value"),
            name: field_bytes(function, "field", text),
            arguments,
        }),
        // A second list of arguments.
        "call_expression" => match call(function, text) {
            Shape::Call(mut inner) => {
                inner.arguments.extend(arguments);
                Shape::Call(inner)
            }
            shape => shape,
        },
        _ => Shape::Other,
    }
}

fn for_expression<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let enumerators: Vec<_> = fields(node, "enumerators")
        .into_iter()
        .filter(|list| list.kind() == "enumerators")
        .flat_map(children)
        .collect();
    let is_loop = !bytes(node, text).contains("yield");
    let mut parts = Vec::new();
    let mut variables = Vec::new();
    for enumerator in enumerators {
        if let [name, rest @ ..] = children(enumerator).as_slice() {
            variables.push(bytes(*name, text));
            parts.extend(rest.iter().copied());
        }
    }
    parts.extend(fields(node, "body"));
    // A `for … yield` over effects runs once as often as over lists; it is no loop to speak of.
    if is_loop {
        Shape::Loop { over: None, variables, parts }
    } else {
        Shape::Function(Function { name: None, parameters: variables, receiver: None, parts })
    }
}

fn names<'t>(list: Node<'t>, text: &'t str) -> Vec<&'t str> {
    match list.kind() {
        "identifier" => vec![bytes(list, text)],
        _ => children(list)
            .into_iter()
            .map(|parameter| bytes(field(parameter, "name").unwrap_or(parameter), text))
            .collect(),
    }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let lists = fields(node, "parameters");
    Shape::Function(Function {
        name: Some(field_bytes(node, "name", text)),
        parameters: lists.into_iter().flat_map(|list| names(list, text)).collect(),
        receiver: None,
        parts: fields(node, "body"),
    })
}

fn import<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let path: String = fields(node, "path").iter().map(|part| bytes(*part, text)).collect::<Vec<_>>().join(".");
    if child_of(node, "namespace_wildcard").is_some() {
        return Shape::Import(vec![Import { path, name: None, local: "*".to_owned() }]);
    }
    if let Some(selectors) = child_of(node, "namespace_selectors") {
        let import = |selector: Node<'t>| {
            let name = field(selector, "name").unwrap_or(selector);
            let local = field(selector, "alias").unwrap_or(name);
            Import {
                path: path.clone(),
                name: Some(bytes(name, text).to_owned()),
                local: bytes(local, text).to_owned(),
            }
        };
        let wildcard = Import { path: path.clone(), name: None, local: "*".to_owned() };
        let all = children(selectors).into_iter();
        let imports = all.map(|selector| match selector.kind() {
            "namespace_wildcard" | "wildcard" => wildcard.clone(),
            _ => import(selector),
        });
        return Shape::Import(imports.collect());
    }
    Shape::Import(match path.rsplit_once('.') {
        Some((path, name)) => {
            vec![Import { path: path.to_owned(), name: Some(name.to_owned()), local: name.to_owned() }]
        }
        None => vec![Import { path: path.clone(), name: None, local: path }],
    })
}
