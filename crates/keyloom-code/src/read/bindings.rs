//! What the variables of a function hold, with the way back: a branch is tried, its changes are kept aside, and both sides
//! are put together afterwards.

use std::collections::HashMap;
use std::sync::Arc;

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

    /// Goes on as if one of the branches had run, each given with its number; the question is what decides.
    pub fn merge(&mut self, question: Option<&Arc<str>>, outcomes: &[(u32, Changes<'t>)]) {
        let mut names: Vec<&'t str> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for &(name, _) in outcomes.iter().flat_map(|(_, changes)| changes) {
            if seen.insert(name) {
                names.push(name);
            }
        }
        for name in names {
            let before = self.values.get(name).cloned();
            let after = |(branch, changes): &(u32, Changes<'t>)| {
                let value = match changes.iter().find(|(changed, _)| *changed == name) {
                    Some((_, value)) => value.clone(),
                    None => before.clone(),
                };
                value.map(|value| (*branch, value))
            };
            let options: Vec<(u32, Shared)> = outcomes.iter().filter_map(after).collect();
            let merged = (!options.is_empty()).then(|| Value::either(question, options));
            self.set(name, merged);
        }
    }
}
