//! Columns that a program takes out of a row by their names.

use tree_sitter::Node;

use super::Reader;
use super::calls::Given;
use crate::shape::{bytes, children};
use crate::value::Kind;

impl<'t> Reader<'t> {
    /// A call that may take a column: `row.getString("name")`, `row.get("name", X.class)`, `row.GetValue<int>("name")`.
    ///
    /// Whether that is a row is not known, and what is taken out of something else does no harm: it is one name more.
    pub(super) fn take(&mut self, receiver: Option<Node<'t>>, name: &str, given: &[Given<'t>]) {
        let gets = ["get", "Get", "decode", "try_get", "column"].iter().any(|verb| name.starts_with(verb));
        let (Some(receiver), Some(key), true) = (receiver, given.first(), gets) else { return };
        let names_a_column = match &key.value.kind {
            Kind::Text(_) => true,
            // A name of a constant: only what is taken out of a row is worth to look for it.
            Kind::Name(name) => !name.call && self.is_row(receiver),
            Kind::Unknown(_) => self.is_row(receiver) && name != "get",
            _ => false,
        };
        if names_a_column {
            self.unit.taken.push(key.value.clone());
        }
    }

    /// An index that may take a column: `row["name"]`.
    pub(super) fn take_by_index(&mut self, node: Node<'t>) {
        const INDEXES: [&str; 6] = [
            "subscript",
            "subscript_expression",
            "element_access_expression",
            "index_expression",
            "element_reference",
            "indexing_expression",
        ];
        if !INDEXES.contains(&node.kind()) {
            return;
        }
        let parts = children(node);
        let [object, .., key] = parts.as_slice() else { return };
        if self.is_row(*object) {
            let mut key = *key;
            while ["bracketed_argument_list", "argument"].contains(&key.kind())
                && let Some(inner) = children(key).pop()
            {
                key = inner;
            }
            let key = self.operand(key);
            if matches!(key.kind, Kind::Text(_)) {
                self.unit.taken.push(key);
            }
        }
    }

    /// Whether an expression is a row, by the variable that it ends with.
    fn is_row(&self, node: Node<'t>) -> bool {
        let text = bytes(node, self.text);
        self.signs.is_row(text.rsplit(['.', ' ']).next().unwrap_or(text))
    }
}
