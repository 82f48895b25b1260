//! Python.

use tree_sitter::Node;

use crate::literal::spans;
use crate::shape::{
    Argument, Bind, Call, Function, How, Import, Shape, Span, bytes, child_of, children, field, field_bytes, fields,
    operands,
};

pub(crate) fn shape<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match node.kind() {
        "string" => Shape::Text(string(node, text)),
        "concatenated_string" => Shape::Sum(children(node)),
        "integer" | "float" | "true" | "false" => Shape::Plain,
        "none" => Shape::Null,
        "binary_operator" => match sides(node, text) {
            Some(_) => Shape::Sum(operands(node, |node| sides(node, text))),
            None => percent(node, text),
        },
        "identifier" => Shape::Name(bytes(node, text)),
        "attribute" => match field(node, "object") {
            Some(object) => Shape::Member { object, name: field_bytes(node, "attribute", text) },
            None => Shape::Other,
        },
        "call" => call(node, text),
        "parenthesized_expression" | "expression_statement" | "await" | "as_pattern" | "list_splat" => {
            children(node).first().map_or(Shape::Skip, |inner| Shape::Same(*inner))
        }
        "subscript" => field(node, "value").map_or(Shape::Other, Shape::Same),
        "list" | "tuple" | "expression_list" | "set" | "pattern_list" | "tuple_pattern" => Shape::List(children(node)),
        "dictionary" => dictionary(node, text),
        "assignment" | "named_expression" => Shape::Bind(Bind {
            targets: targets(node),
            values: match field(node, "right").or_else(|| field(node, "value")) {
                Some(list) if list.kind() == "expression_list" => children(list),
                value => value.into_iter().collect(),
            },
            how: How::Assign,
            type_name: "",
        }),
        "augmented_assignment" if field_bytes(node, "operator", text) == "+=" => Shape::Bind(Bind {
            targets: fields(node, "left"),
            values: fields(node, "right"),
            how: How::Append,
            type_name: "",
        }),
        "if_statement" => branch(node),
        "conditional_expression" => match children(node).as_slice() {
            [then, condition, otherwise] => {
                Shape::Branch { conditions: vec![*condition], branches: vec![*then, *otherwise], total: true }
            }
            _ => Shape::Other,
        },
        "except_clause" => Shape::Branch { conditions: vec![], branches: children(node), total: false },
        "match_statement" => Shape::Branch {
            conditions: fields(node, "subject"),
            branches: field(node, "body").map(children).unwrap_or_default(),
            total: false,
        },
        "for_statement" => Shape::Loop {
            over: field(node, "right"),
            variables: field(node, "left").map(|left| names(left, text)).unwrap_or_default(),
            parts: fields(node, "body"),
        },
        "while_statement" => Shape::Loop { over: None, variables: vec![], parts: children(node) },
        "list_comprehension" | "generator_expression" | "set_comprehension" | "dictionary_comprehension" => {
            comprehension(node, text)
        }
        "function_definition" => function(node, text),
        "lambda" => Shape::Function(Function {
            name: None,
            parameters: field(node, "parameters").map(|list| names(list, text)).unwrap_or_default(),
            receiver: None,
            parts: fields(node, "body"),
        }),
        "class_definition" => Shape::Container {
            name: field_bytes(node, "name", text),
            bases: field(node, "superclasses").map(|list| names(list, text)).unwrap_or_default(),
            body: fields(node, "body"),
        },
        "return_statement" => Shape::Return(children(node).first().copied()),
        "raise_statement" | "break_statement" | "continue_statement" => Shape::Leave,
        "import_statement" => Shape::Import(fields(node, "name").into_iter().map(|name| module(name, text)).collect()),
        "import_from_statement" => from_import(node, text),
        "comment" => Shape::Comment,
        _ => Shape::Other,
    }
}

fn string<'t>(node: Node<'t>, text: &'t str) -> Vec<Span<'t>> {
    let length = |kind: &str| child_of(node, kind).map_or(1, |quote| quote.byte_range().len());
    let raw = child_of(node, "string_start").is_some_and(|start| bytes(start, text).to_lowercase().contains('r'));
    spans(node, text, [length("string_start"), length("string_end")], &["interpolation"], !raw)
}

fn sides<'t>(node: Node<'t>, text: &'t str) -> Option<[Node<'t>; 2]> {
    (node.kind() == "binary_operator" && field_bytes(node, "operator", text) == "+").then_some(())?;
    Some([field(node, "left")?, field(node, "right")?])
}

fn percent<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    match (field(node, "left"), field(node, "right")) {
        (Some(template), Some(right)) if field_bytes(node, "operator", text) == "%" => {
            let arguments = if right.kind() == "tuple" { children(right) } else { vec![right] };
            Shape::Percent { template, arguments }
        }
        _ => Shape::Other,
    }
}

fn call<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let Some(function) = field(node, "function") else { return Shape::Other };
    let argument = |node: Node<'t>| match (node.kind(), field(node, "value")) {
        ("keyword_argument", Some(value)) => Argument { name: Some(field_bytes(node, "name", text)), value },
        _ => Argument { name: None, value: node },
    };
    let arguments = match field(node, "arguments") {
        Some(list) if list.kind() == "argument_list" => children(list).into_iter().map(argument).collect(),
        list => list.into_iter().map(argument).collect(),
    };
    match function.kind() {
        "identifier" => Shape::Call(Call { receiver: None, name: bytes(function, text), arguments }),
        "attribute" => Shape::Call(Call {
            receiver: field(function, "object"),
            name: field_bytes(function, "attribute", text),
            arguments,
        }),
        _ => Shape::Other,
    }
}

fn dictionary<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let pair = |pair: Node<'t>| {
        let key = field(pair, "key")?;
        Some((bytes(key, text).trim_matches(['"', '\'']), field(pair, "value")?))
    };
    Shape::Record(children(node).into_iter().filter_map(pair).collect())
}

fn targets<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    match field(node, "left").or_else(|| field(node, "name")) {
        Some(list) if list.kind() == "pattern_list" => children(list),
        target => target.into_iter().collect(),
    }
}

fn branch<'t>(node: Node<'t>) -> Shape<'t> {
    let mut conditions = fields(node, "condition");
    let mut branches = fields(node, "consequence");
    let mut total = false;
    for alternative in fields(node, "alternative") {
        conditions.extend(field(alternative, "condition"));
        branches.extend(field(alternative, "consequence").or_else(|| field(alternative, "body")));
        total |= alternative.kind() == "else_clause";
    }
    Shape::Branch { conditions, branches, total }
}

fn comprehension<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let clause = child_of(node, "for_in_clause");
    Shape::Loop {
        over: clause.and_then(|clause| field(clause, "right")),
        variables: clause.and_then(|clause| field(clause, "left")).map(|left| names(left, text)).unwrap_or_default(),
        parts: fields(node, "body"),
    }
}

fn names<'t>(node: Node<'t>, text: &'t str) -> Vec<&'t str> {
    if node.kind() == "identifier" {
        return vec![bytes(node, text)];
    }
    let name = |child: Node<'t>| {
        field(child, "name").or_else(|| children(child).into_iter().find(|inner| inner.kind() == "identifier"))
    };
    children(node).into_iter().map(|child| bytes(name(child).unwrap_or(child), text)).collect()
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let mut parameters = field(node, "parameters").map(|list| names(list, text)).unwrap_or_default();
    let receiver = match parameters.first() {
        Some(&this @ ("self" | "cls")) => {
            // Callers do not write it among the arguments.
            parameters.remove(0);
            Some((this, ""))
        }
        _ => None,
    };
    Shape::Function(Function {
        name: Some(field_bytes(node, "name", text)),
        parameters,
        receiver,
        parts: fields(node, "body"),
    })
}

fn module(name: Node<'_>, text: &str) -> Import {
    let path = field(name, "name").unwrap_or(name);
    let path = bytes(path, text).to_owned();
    let local = field(name, "alias").map_or(path.clone(), |alias| bytes(alias, text).to_owned());
    Import { path, name: None, local }
}

fn from_import<'t>(node: Node<'t>, text: &'t str) -> Shape<'t> {
    let path = field_bytes(node, "module_name", text).to_owned();
    if child_of(node, "wildcard_import").is_some() {
        return Shape::Import(vec![Import { path, name: None, local: "*".to_owned() }]);
    }
    let import = |name: Node<'t>| {
        let Import { path: name, local, .. } = module(name, text);
        Import { path: path.clone(), name: Some(name), local }
    };
    Shape::Import(fields(node, "name").into_iter().map(import).collect())
}
