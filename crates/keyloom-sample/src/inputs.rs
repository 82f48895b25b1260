//! The inputs of one pattern: one name, one type, and at most three tests that may be dropped.

use std::collections::BTreeMap;

use keyloom_model::Type;

#[derive(Debug, Default)]
pub(crate) struct Inputs {
    types: BTreeMap<String, Type>,
    optional: usize,
}

impl Inputs {
    /// Uses an input by this name; false where the pattern has one of another type already.
    pub(crate) fn take(&mut self, name: &str, ty: &Type) -> bool {
        self.types.entry(name.to_owned()).or_insert_with(|| ty.clone()) == ty
    }

    /// A new input, of this name if it is free.
    pub(crate) fn fresh(&mut self, wish: &str, ty: &Type) -> String {
        let numbered = (2..).map(|number| format!("{wish}_{number}"));
        let mut names = std::iter::once(wish.to_owned()).chain(numbered);
        let name = names.find(|name| !self.types.contains_key(name)).unwrap_or_default();
        self.types.insert(name.clone(), ty.clone());
        name
    }

    /// Whether one more test may be dropped; it counts as used.
    pub(crate) fn may_drop(&mut self) -> bool {
        self.optional += 1;
        self.optional <= 3
    }
}
