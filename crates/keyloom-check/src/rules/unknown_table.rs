use std::collections::BTreeMap;

use keyloom_cql::ast::QualifiedName;
use keyloom_finding::{FileId, Finding, Level, Rule};
use keyloom_survey::Role;

use super::gathered;
use crate::SurveyContext;
use crate::rejections::Rejection;

pub(crate) static RULE: Rule = Rule {
    name: "unknown-table",
    level: Level::Error,
    summary: "a statement names a table that nothing creates",
    page: include_str!("unknown_table.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    // Without any table there is nothing to compare with.
    if context.tables().next().is_none() {
        return;
    }
    let at_home = context.files_at_home();
    let rejections = context.rejections(&RULE);
    let mut by_name: BTreeMap<String, Vec<(&Rejection<'_>, &QualifiedName)>> = BTreeMap::new();
    for rejection in &rejections {
        let Some(name) = rejection.kind.table() else { continue };
        // Tests make tables of their own, and a migration met those of its time.
        if !matches!(rejection.of.role, Role::Test | Role::Migration) && !is_of_the_server(name) {
            by_name.entry(full_name(name)).or_default().push((rejection, name));
        }
    }
    let mut elsewhere = Vec::new();
    for (full_name, statements) in by_name {
        let is_at_home = |name: &QualifiedName, file: FileId| at_home.contains(&file) && has_keyspace(context, name);
        let home = statements.iter().find(|(rejection, name)| is_at_home(name, rejection.of.whole().file));
        match home.or(statements.first()) {
            Some((rejection, name)) if home.is_some() => {
                findings.push(unknown(context, rejection, name, statements.len()));
            }
            Some((rejection, name)) => elsewhere.push((full_name, Some(rejection.of.place(name.span())))),
            None => {}
        }
    }
    let message = |names: &str| format!("nothing here creates {names}; the schema may lie elsewhere");
    findings.extend(gathered(&RULE, elsewhere, message).map(|finding| {
        finding.level(Level::Note).help("name the files of that schema too, so that these statements can be judged")
    }));
}

fn unknown(context: &SurveyContext<'_>, rejection: &Rejection<'_>, name: &QualifiedName, times: usize) -> Finding {
    let tables: Vec<&str> = context
        .survey
        .schema
        .keyspaces
        .values()
        .flat_map(|keyspace| keyspace.tables.keys().chain(keyspace.views.keys()))
        .map(String::as_str)
        .collect();
    let mut finding = rejection.finding(&RULE, context);
    finding.message = format!("nothing creates the table `{}`", full_name(name));
    if times > 1 {
        finding.message.push_str(&format!("; {times} statements use it"));
    }
    match keyloom_text::nearest(&name.name.text, tables.iter().copied()) {
        Some(nearest) if nearest != name.name.text => finding.help(format!("did you mean `{nearest}`?")),
        _ => finding.help("create it in the schema, or take the statement out"),
    }
}

fn has_keyspace(context: &SurveyContext<'_>, name: &QualifiedName) -> bool {
    name.keyspace.as_ref().is_none_or(|keyspace| context.survey.schema.keyspaces.contains_key(&keyspace.text))
}

fn full_name(name: &QualifiedName) -> String {
    name.keyspace.iter().map(|keyspace| format!("{}.", keyspace.text)).chain([name.name.text.clone()]).collect()
}

fn is_of_the_server(name: &QualifiedName) -> bool {
    name.keyspace
        .as_ref()
        .is_some_and(|keyspace| keyspace.text.starts_with("system") || keyspace.text.starts_with("dse_"))
}
