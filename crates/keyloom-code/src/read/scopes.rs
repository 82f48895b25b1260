//! Functions and containers: what is declared in them, and what they answer.

use tree_sitter::Node;

use super::skim::SHORT;
use super::{Frame, Reader, span};
use crate::Language;
use crate::shape::Function;
use crate::value::{Kind, Shared, Unknown, Value};

impl<'t> Reader<'t> {
    /// A long function in which nothing is asked is not looked into; a short one may answer a part of a statement.
    fn is_idle(&self, node: Node<'t>, function: &Function<'t>) -> bool {
        let range = node.byte_range();
        function.name.is_some()
            && range.len() > SHORT
            && !self.uses_builders
            && self.unit.language != Language::Haskell
            && !self.signs.any_in(&range)
    }

    pub(super) fn function(&mut self, node: Node<'t>, function: Function<'t>) -> Shared {
        if self.is_idle(node, &function) {
            return self.unknown(node);
        }
        let is_lambda = function.name.is_none();
        let (this, container) = function.receiver.unwrap_or(("", ""));
        let outer = self.containers.clone();
        if !container.is_empty() {
            self.containers = outer.iter().cloned().chain([container.to_owned()]).collect();
        }
        let mark = self.bindings.mark();
        let owner = function.name.unwrap_or("").to_owned();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let parameter_of = (!is_lambda).then(|| (owner.clone(), index));
            let unknown = Unknown { name: (*parameter).to_owned(), at: span(node), parameter: parameter_of };
            self.bindings.set(parameter, Some(Value::new(Kind::Unknown(unknown))));
        }
        let loops = if is_lambda { self.functions.last().map_or(0, |frame| frame.loops) } else { 0 };
        let (name, range) = (function.name, node.byte_range());
        self.functions.push(Frame { name, this, answers: Vec::new(), loops, range, hidden: Vec::new() });
        let left = std::mem::take(&mut self.left);
        let last = self.parts(function.parts);
        let ended = std::mem::replace(&mut self.left, left);
        let frame = self.functions.pop();
        let changes = self.bindings.take_back(mark);
        if is_lambda {
            let parameters = function.parameters;
            let outer = changes.into_iter().filter(|(name, _)| !parameters.contains(name)).collect();
            self.after_rounds(outer);
        }
        let mut answers = frame.map(|frame| frame.answers).unwrap_or_default();
        if !ended && let Some(last) = last {
            answers.push(last);
        }
        answers.retain(|answer| answer.is_telling());
        let value = match answers.is_empty() {
            true => self.unknown(node),
            false => Value::either(None, (0..).zip(answers).collect()),
        };
        match function.name {
            // What is bound within a function is a variable of it.
            Some(name) if self.unit.language == Language::Haskell && !self.functions.is_empty() => {
                self.bindings.set(name, Some(value.clone()));
            }
            Some(name) => self.declare(name, value.clone(), node, true),
            None => {}
        }
        self.containers = outer;
        value
    }

    pub(super) fn container(
        &mut self,
        node: Node<'t>,
        name: &'t str,
        bases: Vec<&'t str>,
        body: Vec<Node<'t>>,
    ) -> Shared {
        let outer = self.containers.clone();
        self.containers = outer.iter().cloned().chain([name.to_owned()]).collect();
        for base in bases {
            self.unit.bases.push((name.to_owned(), base.to_owned()));
        }
        // A class within a function has fields, not variables of that function.
        let functions = std::mem::take(&mut self.functions);
        let mark = self.bindings.mark();
        self.parts(body);
        self.bindings.take_back(mark);
        self.functions = functions;
        self.containers = outer;
        self.unknown(node)
    }
}
