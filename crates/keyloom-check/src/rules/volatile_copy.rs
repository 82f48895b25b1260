use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{CopyRule, Table};
use keyloom_model::{Distribution, Path, Root, count_text};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "volatile-copy",
    level: Level::Warning,
    summary: "a field that changes often is copied to many rows",
    page: include_str!("volatile_copy.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const ROWS_A_DAY: f64 = 1_000_000.0;
    for copy in copies(context) {
        let (Some(changes), Some(rows)) = (copy.changes_per_day, copy.rows.typical) else { continue };
        let a_day = changes * rows as f64;
        if a_day < ROWS_A_DAY {
            continue;
        }
        let message =
            format!("`{}` is copied into `{}`, and its changes rewrite many rows", copy.path, copy.table.name);
        findings.push(
            Finding::new(&RULE, context.word_place(&copy.table.name, "copies"), message)
                .derivation(format!(
                    "{} changes/day x {} rows = {} rows/day",
                    count_text(changes.round() as u64),
                    count_text(rows),
                    count_text(a_day.round() as u64)
                ))
                .help("look it up instead of copying it: take it out of `copies`"),
        );
    }
}

/// A field of another row that a table copies.
pub(crate) struct Copied<'a> {
    pub(crate) table: &'a Table,
    pub(crate) path: &'a Path,
    pub(crate) rule: CopyRule,
    /// The patterns that change it.
    pub(crate) writers: Vec<&'a str>,
    /// How often it changes, where every one of them says so.
    pub(crate) changes_per_day: Option<f64>,
    /// How many rows copy one value.
    pub(crate) rows: Distribution<u64>,
}

/// The copies of a layout whose number of rows is known.
pub(crate) fn copies<'a>(context: &'a LayoutContext<'_>) -> Vec<Copied<'a>> {
    let mut all = Vec::new();
    for (table, entity) in context.row_tables() {
        for copied in &table.copies {
            let Root::Reference { field, entity: to } = &copied.path.root else { continue };
            let Some(to) = context.base.entity(to) else { continue };
            let group = entity.groups.iter().find(|group| group.by == [field.clone()] && group.filter.is_none());
            let Some(group) = group.filter(|group| group.rows.per.is_none()) else { continue };
            let writers: Vec<_> = context
                .base
                .writers(&to.name)
                .iter()
                .filter(|pattern| {
                    pattern.writes().iter().any(|(_, write)| {
                        write.entity == to.name && write.changed_fields(to).contains(&copied.path.field.as_str())
                    })
                })
                .collect();
            all.push(Copied {
                table,
                path: &copied.path,
                rule: copied.rule,
                writers: writers.iter().map(|pattern| pattern.name.as_str()).collect(),
                changes_per_day: writers.iter().map(|pattern| pattern.rate.mean_per_day()).sum(),
                rows: group.rows,
            });
        }
    }
    all
}
