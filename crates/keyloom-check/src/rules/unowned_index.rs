use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Holds, Keeper, Table};

use super::gathered;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "unowned-index",
    level: Level::Note,
    summary: "nothing says for which question an index is there",
    page: include_str!("unowned_index.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    // Where there can be no index, that is said.
    if context.program.abilities.indexes.is_none() {
        return;
    }
    let is_index = |table: &Table| matches!(table.holds, Holds::Projection { keeper: Keeper::Index, .. });
    let is_named = |table: &Table| context.stated.paths.iter().any(|path| path.form.table() == table.name);
    // One that answers nothing is no index without an owner, but one that is not needed.
    let asked = |table: &Table| context.served_by(&table.name).next().map(|plan| plan.asked.question.to_string());
    let unowned: Vec<(&Table, String)> = context
        .tables()
        .filter(|table| is_index(table) && !is_named(table))
        .filter_map(|table| Some((table, asked(table)?)))
        .collect();
    let Some((first, question)) = unowned.first() else { return };
    let help = format!("write it down under `paths`: `{question}: {{ slice: {} }}`", first.name);
    let places = unowned.iter().map(|(table, _)| (table.name.clone(), context.table_place(&table.name))).collect();
    let message = |names: &str| format!("{names}: an index, and no path says for which question it is there");
    findings.extend(gathered(&RULE, places, message).map(|finding| finding.help(help.clone())));
}
