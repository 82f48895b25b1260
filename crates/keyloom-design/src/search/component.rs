//! Which entities are looked at together: those whose tables meet in one write.

use super::copy::Reference;
use keyloom_model::{Action, Catalog, Origin, Pattern, Step};

/// Entities whose tables are chosen together, and the patterns that write them.
#[derive(Debug, Clone)]
pub(crate) struct Component<'a> {
    /// By name, in the order of the catalog.
    pub entities: Vec<&'a str>,
    /// All that write one of them.
    pub patterns: Vec<&'a Pattern>,
}

impl Component<'_> {
    pub(crate) fn has(&self, entity: &str) -> bool {
        self.entities.contains(&entity)
    }
}

/// The components of a catalog, in the order of their first entities, where fields of these references are copied.
pub(crate) fn components<'a>(catalog: &'a Catalog, copied: &[Reference]) -> Vec<Component<'a>> {
    let names: Vec<&str> = catalog.entities.iter().map(|entity| entity.name.as_str()).collect();
    let mut group: Vec<usize> = (0..names.len()).collect();
    let mut join = |a: &str, b: &str| {
        let at = |name: &str| names.iter().position(|known| *known == name);
        if let (Some(a), Some(b)) = (at(a), at(b)) {
            let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
            group.iter_mut().filter(|known| **known == from).for_each(|known| *known = to);
        }
    };
    for entity in &catalog.entities {
        // What is added, counted or deleted with a row of another entity is written with it.
        match &entity.origin {
            Origin::Rollup(rollup) => join(&entity.name, &rollup.of),
            Origin::History { of } | Origin::Event { of } => join(&entity.name, of),
            Origin::Declared | Origin::Elsewhere => {}
        }
        if let Some((_, whole)) = entity.felled_by(catalog) {
            join(&entity.name, &whole.name);
        }
    }
    for reference in copied {
        join(&reference.entity, &reference.to);
    }
    for pattern in &catalog.patterns {
        let written = written(pattern);
        for pair in written.windows(2) {
            join(pair[0], pair[1]);
        }
    }
    let mut firsts: Vec<usize> = group.clone();
    firsts.sort_unstable();
    firsts.dedup();
    let component = |first: usize| {
        let entities: Vec<&str> =
            names.iter().zip(&group).filter(|(_, group)| **group == first).map(|(name, _)| *name).collect();
        let writes = |pattern: &&Pattern| written(pattern).iter().any(|name| entities.contains(name));
        let patterns = catalog.patterns.iter().filter(writes).collect();
        Component { entities, patterns }
    };
    firsts.into_iter().map(component).collect()
}

/// The entities whose rows a pattern changes or looks at within its decision.
fn written(pattern: &Pattern) -> Vec<&str> {
    match &pattern.action {
        Action::Write(write) => vec![&write.entity],
        Action::Claim(claim) => vec![&claim.selection.entity],
        Action::Atomic(steps) => steps
            .iter()
            .map(|step| match step {
                Step::Write { write, .. } => write.entity.as_str(),
                Step::Check { entity, .. } => entity.as_str(),
            })
            .collect(),
        Action::Read(_) | Action::Outside(_) => Vec::new(),
    }
}
