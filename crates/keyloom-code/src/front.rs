//! The front ends: which shape a node of a grammar has. One file for each language.

mod go;
mod java;
mod kotlin;
mod python;
mod scala;
mod script;

use tree_sitter::Node;

use crate::Language;
use crate::shape::Shape;

/// Says which shape a node has.
pub(crate) type Front = for<'t> fn(Node<'t>, &'t str) -> Shape<'t>;

pub(crate) fn front(language: Language) -> Front {
    match language {
        Language::Go => go::shape,
        Language::Java => java::shape,
        Language::Kotlin => kotlin::shape,
        Language::Scala => scala::shape,
        Language::Python => python::shape,
        Language::TypeScript | Language::Tsx | Language::JavaScript => script::shape,
        _ => java::shape,
    }
}
