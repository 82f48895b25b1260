//! Branches and loops: what variables hold when one of several ways was taken.

use std::sync::Arc;

use tree_sitter::Node;

use super::bindings::Changes;
use super::{Reader, all_children, span, strings};
use crate::shape::{Shape, bytes};
use crate::snippet::Consumed;
use crate::value::{Kind, Shared, Value};

impl<'t> Reader<'t> {
    pub(super) fn branch(
        &mut self,
        node: Node<'t>,
        conditions: Vec<Node<'t>>,
        branches: Vec<Node<'t>>,
        total: bool,
    ) -> Shared {
        let (question, negated) = self.question(&conditions, branches.len());
        self.parts(conditions);
        let (mut outcomes, mut values) = (Vec::new(), Vec::new());
        let mut pending = branches;
        let mut total = total;
        let mut number = 0;
        pending.reverse();
        while let Some(branch) = pending.pop() {
            // A chain of `else if` is one question with many answers, and may be longer than the walk is deep.
            if pending.is_empty()
                && total
                && let Shape::Branch { conditions, branches, total: inner } = (self.shape)(branch, self.text)
            {
                self.parts(conditions);
                pending.extend(branches.into_iter().rev());
                total = inner;
                continue;
            }
            let mark = self.bindings.mark();
            let value = self.eval(branch);
            let changes = self.bindings.take_back(mark);
            if !std::mem::take(&mut self.left) {
                outcomes.push((if negated { 1 - number.min(1) } else { number }, changes));
                values.push((if negated { 1 - number.min(1) } else { number }, value));
            }
            number += 1;
        }
        if !total {
            outcomes.push((if negated { 0 } else { number }, Vec::new()));
        }
        self.left = outcomes.is_empty();
        self.bindings.merge(question.as_ref(), &outcomes);
        if total && !values.is_empty() { Value::either(question.as_ref(), values) } else { self.unknown(node) }
    }

    /// What decides between branches, as it is written, and whether it is written the other way round.
    fn question(&self, conditions: &[Node<'t>], branches: usize) -> (Option<Arc<str>>, bool) {
        let [condition] = conditions else { return (None, false) };
        let mut text = bytes(*condition, self.text).trim();
        while let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            text = inner.trim();
        }
        let positive = text.strip_prefix('!').filter(|_| branches <= 2).map(str::trim);
        let is_short = text.len() <= 200 && !text.is_empty();
        (is_short.then(|| Arc::from(positive.unwrap_or(text))), positive.is_some())
    }

    pub(super) fn looped(
        &mut self,
        node: Node<'t>,
        over: Option<Node<'t>>,
        variables: Vec<&'t str>,
        parts: Vec<Node<'t>>,
    ) -> Shared {
        if let Some(over) = over {
            let value = self.eval(over);
            self.consumed(&value, Consumed::Iterated);
        }
        if let Some(frame) = self.functions.last_mut() {
            frame.loops += 1;
        }
        let mark = self.bindings.mark();
        for variable in variables {
            self.bindings.set(variable, Some(Value::unknown(variable, span(node))));
        }
        self.parts(parts);
        self.left = false;
        let changes = self.bindings.take_back(mark);
        self.after_rounds(changes);
        if let Some(frame) = self.functions.last_mut() {
            frame.loops -= 1;
        }
        self.unknown(node)
    }

    /// Goes on after something that may have run any number of times: what grew in it grew by an unknown number of rounds,
    /// all else was changed or not.
    pub(super) fn after_rounds(&mut self, mut changes: Changes<'t>) {
        for (name, value) in &mut changes {
            let before = self.bindings.get(name);
            *value = value.take().map(|value| strings::repeated(before, value));
        }
        let is_grown =
            |value: &Option<Shared>| value.as_ref().is_some_and(|value| matches!(value.kind, Kind::Repeated(_)));
        let (grown, changed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(_, value)| is_grown(value));
        self.bindings.merge(None, &[(0, Vec::new()), (1, changed)]);
        for (name, value) in grown {
            self.bindings.set(name, value);
        }
    }

    pub(super) fn block(&mut self, node: Node<'t>) -> Shared {
        let hidden = self.functions.last_mut().map(|frame| std::mem::take(&mut frame.hidden));
        let last = self.parts(all_children(node));
        if let (Some(hidden), Some(frame)) = (hidden, self.functions.last_mut()) {
            for (name, before) in std::mem::replace(&mut frame.hidden, hidden).into_iter().rev() {
                self.bindings.set(name, before);
            }
        }
        last.unwrap_or_else(|| self.unknown(node))
    }
}
