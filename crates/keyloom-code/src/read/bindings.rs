//! What the variables of a function hold, with the way back: a branch is tried, its changes are kept aside, and both sides
//! are put together afterwards.

use std::collections::HashMap;

use crate::value::{Shared, Value};

#[derive(Default)]
pub(super) struct Bindings<'t> {
    values: HashMap<&'t str, Shared>,
    /// Every change, with what was there before.
    log: Vec<(&'t str, Option<Shared>)>,
}

/// What a branch changed: names in the order of their first change, with their last values.
pub(super) type Changes<'t> = Vec<(&'t str, Option<Shared>)>;

impl<'t> Bindings<'t> {
    pub fn get(&self, name: &str) -> Option<&Shared> {
        self.values.get(name)
    }

    pub fn set(&mut self, name: &'t str, value: Option<Shared>) {
        let before = match value {
            Some(value) => self.values.insert(name, value),
            None => self.values.remove(name),
        };
        self.log.push((name, before));
    }

    /// The present moment, to come back to.
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back all changes since the mark, and answers what they were.
    pub fn take_back(&mut self, mark: usize) -> Changes<'t> {
        let mut changes: Changes<'t> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for &(name, _) in &self.log[mark..] {
            if seen.insert(name) {
                changes.push((name, self.values.get(name).cloned()));
            }
        }
        for (name, before) in self.log.drain(mark..).rev() {
            match before {
                Some(value) => self.values.insert(name, value),
                None => self.values.remove(name),
            };
        }
        changes
    }

    /// Goes on as if one of the branches had run.
    pub fn merge(&mut self, outcomes: &[Changes<'t>]) {
        let mut names: Vec<&'t str> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for &(name, _) in outcomes.iter().flatten() {
            if seen.insert(name) {
                names.push(name);
            }
        }
        for name in names {
            let before = self.values.get(name).cloned();
            let after = |changes: &Changes<'t>| match changes.iter().find(|(changed, _)| *changed == name) {
                Some((_, value)) => value.clone(),
                None => before.clone(),
            };
            let mut values = outcomes.iter().filter_map(after);
            let merged = values.next().map(|first| values.fold(first, |merged, value| Value::either(&merged, &value)));
            self.set(name, merged);
        }
    }
}
