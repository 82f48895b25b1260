//! Comments that say something to Keyloom, and what they are about.

use tree_sitter::Node;

use crate::read::span;
use crate::shape::bytes;
use crate::unit::Remark;

/// The word that such a comment holds.
const MARK: &str = "keyloom:";

/// All of them, in the order of the text. Comments may stand anywhere, also between the parts of a node that is read by the
/// names of its parts: in Python and Ruby the first line of a block stands before the block.
pub(super) fn remarks(root: Node<'_>, text: &str) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if !text.contains(MARK) {
        return remarks;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_extra() && !node.kind().starts_with("heredoc") {
            remarks.extend(remark(node, text));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return remarks;
            }
        }
    }
}

fn remark(node: Node<'_>, text: &str) -> Option<Remark> {
    let words = bytes(node, text);
    let said = &words[words.find(MARK)?..];
    let said = said.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '/'));
    let beside = node
        .prev_named_sibling()
        .filter(|sibling| !sibling.is_extra() && !text[sibling.end_byte()..node.start_byte()].contains('\n'));
    let covers = beside.or_else(|| behind(node, text)).map(span);
    Some(Remark { at: span(node), text: said.to_owned(), covers })
}

/// What stands next behind a comment; of a block without brackets, its first statement.
fn behind<'t>(node: Node<'t>, text: &str) -> Option<Node<'t>> {
    let mut next = node.next_named_sibling()?;
    while next.is_extra() {
        next = next.next_named_sibling()?;
    }
    let is_bare = matches!(next.kind(), "block" | "body_statement" | "block_body" | "then" | "do");
    let first = next.named_child(0).filter(|_| is_bare && !bytes(next, text).starts_with('{'));
    Some(first.unwrap_or(next))
}
