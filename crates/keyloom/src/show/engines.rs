//! One catalog on several engines, side by side.

use std::fmt::Write as _;

use keyloom_design::search::Found;
use keyloom_model::Pattern;
use keyloom_plan::{Program, Refusal};
use keyloom_size::{Sizes, Tariff};

use super::amounts::cost;

/// A catalog on one engine.
pub struct Side {
    /// The layout, compiled.
    pub program: Program,
    /// How it was found.
    pub found: Found,
    /// What it comes to.
    pub sizes: Sizes,
    /// What was weighed.
    pub tariff: Tariff,
}

impl Side {
    fn refusals<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = &'a Refusal> {
        let path = format!("patterns.{}", pattern.name);
        let below = format!("{path}.");
        self.program.refusals.iter().filter(move |refusal| refusal.at == path || refusal.at.starts_with(&below))
    }

    fn cell(&self, pattern: &Pattern) -> String {
        if self.refusals(pattern).next().is_some() {
            return "refused".to_owned();
        }
        let size = self.sizes.patterns.iter().find(|size| size.name == pattern.name);
        size.map_or_else(String::new, |size| size.arithmetic(self.sizes.engine))
    }
}

/// Each pattern on each engine: whether it is served and what it comes to; then the whole, and why something is refused.
pub fn engines(sides: &[Side]) -> String {
    let Some(first) = sides.first() else { return String::new() };
    let mut lines: Vec<Vec<String>> = Vec::new();
    let head = sides.iter().map(|side| side.sizes.engine.title().to_uppercase());
    lines.push(std::iter::once("PATTERN".to_owned()).chain(head).collect());
    for pattern in &first.program.catalog.patterns {
        let cells = sides.iter().map(|side| side.cell(pattern));
        lines.push(std::iter::once(pattern.name.clone()).chain(cells).collect());
    }
    lines.push(vec![String::new(); sides.len() + 1]);
    let mut total = |name: &str, of: &dyn Fn(&Side) -> String| {
        lines.push(std::iter::once(name.to_owned()).chain(sides.iter().map(of)).collect());
    };
    total("in all", &|side| cost(side.found.score.weight, &side.tariff));
    total("tables", &|side| side.program.layout.tables.len().to_string());
    total("limits broken", &|side| side.sizes.breaks.len().to_string());
    total("refused", &|side| side.program.refusals.len().to_string());
    let mut out = columns(&lines);
    for side in sides {
        for broken in &side.sizes.breaks {
            let _ = writeln!(out, "{}: {} has {broken}", side.sizes.engine.title(), broken.table);
        }
        for refusal in &side.program.refusals {
            let _ = writeln!(out, "{}: {refusal}\n  {}", side.sizes.engine.title(), refusal.way_out());
        }
    }
    out
}

/// Columns as wide as they must be; an empty line stays one.
fn columns(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
    let mut out = String::new();
    for line in lines {
        let cells = line.iter().enumerate().map(|(at, cell)| {
            let pad = width(at).unwrap_or(0).saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(pad))
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
