use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Engine;

use crate::context::limit;
use crate::writing::foremost;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "gc-grace-zero-with-deletes",
    level: Level::Warning,
    summary: "tombstones are dropped too soon on a table that is deleted from: deleted rows come back",
    page: include_str!("gc_grace_zero_with_deletes.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some((Some(seconds), made)) = table.gc_grace else { continue };
        let uses = context.uses(table);
        let deletes = |one: &TableUse<'_>| matches!(one.kind, StatementKind::Delete(_));
        let Some(delete) = foremost(uses, deletes) else { continue };
        if has_one_replica(context, table) {
            continue;
        }
        let place = context.survey.made(made);
        let (window, limit) = limit(Engine::Cassandra, "hint_window_seconds");
        let finding = match seconds {
            0 => at_once(table),
            // What expires soon does little harm when it comes back for that long.
            _ if seconds < window.value && !all_expire(table, uses) => soon(table, seconds).limit(limit),
            _ => continue,
        };
        let finding = Finding { place, ..finding }.level(delete.level(Level::Warning));
        findings.push(finding.related(delete.place(), "deleted here"));
    }
}

fn at_once(table: &Table) -> Finding {
    let message = format!(
        "`{}` forgets its tombstones at once, and is deleted from: a replica that missed the delete brings the row back",
        table.name
    );
    Finding::new(&RULE, None, message)
        .help("keep tombstones for longer than a repair takes and a node may be away: `gc_grace_seconds = 864000`, ten days, is the default")
}

fn soon(table: &Table, seconds: u64) -> Finding {
    let message = format!(
        "`{}` forgets its tombstones after {seconds} s, and is deleted from: a replica that is away for longer brings rows back",
        table.name
    );
    Finding::new(&RULE, None, message)
        .help("what decides is for how long a node may be away: keep tombstones longer than that, and repair within it; `gc_grace_seconds = 864000`, ten days, is the default")
}

/// Whether no row stays that nobody deletes: each is written with a time to live.
fn all_expire(table: &Table, uses: &[TableUse<'_>]) -> bool {
    let by_table = table.default_ttl.as_ref().is_some_and(|(seconds, _)| *seconds != Some(0));
    by_table || uses.iter().filter(|one| one.sets() && !one.is_test()).all(|one| one.using("ttl").is_some())
}

/// With one replica there is nobody who could have missed a delete.
fn has_one_replica(context: &SurveyContext<'_>, table: &Table) -> bool {
    let keyspace = context.survey.schema.keyspaces.get(&table.keyspace);
    let replication = keyspace.and_then(|keyspace| keyspace.replication.as_ref());
    replication.is_some_and(|replication| {
        replication.factors.len() == 1 && replication.factors.iter().all(|(_, factor)| *factor == Some(1))
    })
}
