//! The shapes that all languages share. A front end says of a node of its grammar which shape it has; the reader knows
//! shapes alone.

use std::ops::Range;

use tree_sitter::Node;

/// What a node is to the reader.
pub(crate) enum Shape<'t> {
    /// A literal text.
    Text(Vec<Span<'t>>),
    /// A number or a boolean.
    Plain,
    Null,
    /// Operands that are joined into one text.
    Sum(Vec<Node<'t>>),
    /// A template filled in by an operator: Python's `%`.
    Percent {
        template: Node<'t>,
        arguments: Vec<Node<'t>>,
    },
    Name(&'t str),
    /// The object around: `this`, `self`.
    This,
    Member {
        object: Node<'t>,
        name: &'t str,
    },
    Call(Call<'t>),
    /// A list, an array, a tuple.
    List(Vec<Node<'t>>),
    /// An object with named parts, and its type where it has one.
    Record(Vec<(&'t str, Node<'t>)>),
    /// A node that means what another means: parentheses, casts, `await`.
    Same(Node<'t>),
    Bind(Bind<'t>),
    /// One of the branches, or none of them unless `total`.
    Branch {
        conditions: Vec<Node<'t>>,
        branches: Vec<Node<'t>>,
        total: bool,
    },
    Loop {
        over: Option<Node<'t>>,
        variables: Vec<&'t str>,
        parts: Vec<Node<'t>>,
    },
    Function(Function<'t>),
    Container {
        name: &'t str,
        bases: Vec<&'t str>,
        body: Vec<Node<'t>>,
    },
    Return(Option<Node<'t>>),
    /// `throw`, `break`, `continue`: what follows in this branch does not run.
    Leave,
    /// A sequence with names of its own; it means what its last part means.
    Block,
    Import(Vec<Import>),
    Package(String),
    Comment,
    /// Nothing of interest itself; its parts may be.
    Other,
    /// Nothing of interest at all.
    Skip,
}

/// A run of bytes of a literal.
pub(crate) enum Span<'t> {
    /// Text that stands for itself.
    Plain(Range<usize>),
    /// Text that means another.
    Escape(Range<usize>, String),
    /// An expression whose text is put in.
    Hole(Node<'t>),
    /// A name whose text is put in, where the grammar has no node for it.
    HoleName(Range<usize>),
}

#[derive(Default)]
pub(crate) struct Call<'t> {
    pub receiver: Option<Node<'t>>,
    pub name: &'t str,
    pub arguments: Vec<Argument<'t>>,
}

pub(crate) struct Argument<'t> {
    pub name: Option<&'t str>,
    pub value: Node<'t>,
}

pub(crate) struct Bind<'t> {
    pub targets: Vec<Node<'t>>,
    pub values: Vec<Node<'t>>,
    pub how: How,
    /// The type, as it is written.
    pub type_name: &'t str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Declare,
    Assign,
    Append,
}

pub(crate) struct Function<'t> {
    /// None of a lambda.
    pub name: Option<&'t str>,
    pub parameters: Vec<&'t str>,
    /// The name of the object around, where the program chooses it, and its type: Go's receiver.
    pub receiver: Option<(&'t str, &'t str)>,
    pub parts: Vec<Node<'t>>,
}

/// Something that another unit or a library declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The path without the name: `com.datastax.driver.core`, `./queries`.
    pub path: String,
    /// What is imported from it, and what it is called here; none: all of it.
    pub name: Option<String>,
    pub local: String,
}

/// The named children of a node without comments.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The child in a field.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// All named children in a field.
pub(crate) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).filter(Node::is_named).collect()
}

/// The first child of a kind.
pub(crate) fn child_of<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}

/// A node's bytes.
pub(crate) fn bytes<'t>(node: Node<'t>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The bytes of the child in a field.
pub(crate) fn field_bytes<'t>(node: Node<'t>, name: &str, text: &'t str) -> &'t str {
    field(node, name).map_or("", |child| bytes(child, text))
}

/// The operands of a chain of one operator, from left to right, without recursion: such chains are long.
pub(crate) fn operands<'t>(node: Node<'t>, mut sides: impl FnMut(Node<'t>) -> Option<[Node<'t>; 2]>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        match sides(node) {
            Some([left, right]) => pending.extend([right, left]),
            None => found.push(node),
        }
    }
    found
}

/// Positional arguments.
pub(crate) fn positional<'t>(nodes: Vec<Node<'t>>) -> Vec<Argument<'t>> {
    nodes.into_iter().map(|value| Argument { name: None, value }).collect()
}
