//! The front ends: which shape a node of a grammar has. One file for each language.

mod csharp;
mod go;
mod haskell;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
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
        Language::Rust => rust::shape,
        Language::CSharp => csharp::shape,
        Language::Haskell => haskell::shape,
        Language::Ruby => ruby::shape,
        Language::Php => php::shape,
    }
}
