use std::collections::BTreeSet;

use keyloom_cql::ast::QualifiedName;
use keyloom_finding::{FileId, Finding, Level, Rule};
use keyloom_survey::Role;

use super::gathered;
use crate::SurveyContext;
use crate::rejections::Rejection;
use crate::survey_context::table_name;

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
    let at_home = files_at_home(context);
    let mut elsewhere = Vec::new();
    let mut told = BTreeSet::new();
    for rejection in context.rejections(&RULE) {
        let Some(name) = table_name(rejection.kind) else { continue };
        // Tests make tables of their own, and a migration met those of its time.
        let passed_by = matches!(rejection.of.role, Role::Test | Role::Migration) || is_of_the_server(name);
        if passed_by || !told.insert((name.keyspace.as_ref().map(|keyspace| &keyspace.text), &name.name.text)) {
            continue;
        }
        let place = rejection.of.place(name.span());
        if at_home.contains(&place.file) && has_keyspace(context, name) {
            findings.push(unknown(context, &rejection, name));
        } else {
            elsewhere.push((name.name.text.clone(), Some(place)));
        }
    }
    let message = |names: &str| format!("nothing here creates {names}; the schema may lie elsewhere");
    findings.extend(gathered(&RULE, elsewhere, message).map(|finding| {
        finding.level(Level::Note).help("name the files of that schema too, so that these statements can be judged")
    }));
}

fn unknown(context: &SurveyContext<'_>, rejection: &Rejection<'_>, name: &QualifiedName) -> Finding {
    let tables: Vec<&str> = context
        .survey
        .schema
        .keyspaces
        .values()
        .flat_map(|keyspace| keyspace.tables.keys().chain(keyspace.views.keys()))
        .map(String::as_str)
        .collect();
    let finding = rejection.finding(&RULE, context);
    match keyloom_text::nearest(&name.name.text, tables.iter().copied()) {
        Some(nearest) if nearest != name.name.text => finding.help(format!("did you mean `{nearest}`?")),
        _ => finding.help("create it in the schema, or take the statement out"),
    }
}

/// Files of which other statements use tables that are known: they belong to this schema.
fn files_at_home(context: &SurveyContext<'_>) -> BTreeSet<FileId> {
    let used = context.survey.uses.iter().filter(|of| of.resolution.access.is_some());
    used.map(|of| of.whole().file).collect()
}

fn has_keyspace(context: &SurveyContext<'_>, name: &QualifiedName) -> bool {
    name.keyspace.as_ref().is_none_or(|keyspace| context.survey.schema.keyspaces.contains_key(&keyspace.text))
}

fn is_of_the_server(name: &QualifiedName) -> bool {
    name.keyspace
        .as_ref()
        .is_some_and(|keyspace| keyspace.text.starts_with("system") || keyspace.text.starts_with("dse_"))
}
