use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};

use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "gc-grace-zero-with-deletes",
    level: Level::Warning,
    summary: "tombstones are dropped at once on a table that is deleted from: deleted rows come back",
    page: include_str!("gc_grace_zero_with_deletes.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some((Some(0), made)) = table.gc_grace else { continue };
        let deletes = |one: &TableUse<'_>| matches!(one.kind, StatementKind::Delete(_));
        let Some(delete) = foremost(context.uses(table), deletes) else { continue };
        if has_one_replica(context, table) {
            continue;
        }
        let message = format!(
            "`{}` forgets its tombstones at once, and is deleted from: a replica that missed the delete brings the row back",
            table.name
        );
        let finding = Finding::new(&RULE, context.survey.made(made), message)
            .level(delete.level(Level::Warning))
            .help("keep tombstones for longer than a repair takes and a node may be away: `gc_grace_seconds = 864000`, ten days, is the default");
        findings.push(finding.related(delete.place(), "deleted here"));
    }
}

/// With one replica there is nobody who could have missed a delete.
fn has_one_replica(context: &SurveyContext<'_>, table: &Table) -> bool {
    let keyspace = context.survey.schema.keyspaces.get(&table.keyspace);
    let replication = keyspace.and_then(|keyspace| keyspace.replication.as_ref());
    replication.is_some_and(|replication| {
        replication.factors.len() == 1 && replication.factors.iter().all(|(_, factor)| *factor == Some(1))
    })
}
