use std::collections::BTreeSet;

use keyloom_cql::ast::{Batch, BatchKind, StatementKind};
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::{BatchSite, Bound, Use};

use crate::reads::{argument, given};
use crate::writing::Reach;
use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "batch-as-bulk-load",
    level: Level::Warning,
    summary: "a batch over many partitions, where single statements are faster",
    page: include_str!("batch_as_bulk_load.md"),
};

/// A batch of a file is told from so many partitions of one table on.
const MANY: usize = 10;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let mut told = BTreeSet::new();
    for table in context.own_tables() {
        // The statements of a batch that is spelled out follow each other.
        for inner in context.uses(table).chunk_by(|one, other| std::ptr::eq(one.of, other.of)) {
            let Some(one) = inner.first().filter(|one| !one.is_test() && one.is_write()) else { continue };
            if let StatementKind::Batch(batch) = &one.of.written.statement.kind {
                findings.extend(written_batch(inner, one.of, batch, table));
            } else if let Some(batch) = one.of.site.as_ref().and_then(|site| site.batch.as_ref())
                && !may_be_decided(context.uses(table), batch)
                && let Some(finding) = filled_batch(one, table, batch)
                && told.insert((one.of.written.whole.file, batch.id))
            {
                findings.push(finding);
            }
        }
    }
}

/// A batch that a file spells out: its keys are to be seen.
fn written_batch(inner: &[TableUse<'_>], of: &Use, batch: &Batch, table: &Table) -> Option<Finding> {
    // Rows of several tables that belong together are what batches are for.
    if inner.len() < batch.statements.len() || inner.iter().any(TableUse::is_conditional) {
        return None;
    }
    let mut keys = BTreeSet::new();
    for one in inner {
        let text = &of.written.text;
        let parts = table.partition_key().map(|column| text.get(given(one.kind, &column.name)?.span.bytes()));
        let key = parts.collect::<Option<Vec<&str>>>()?;
        // Two markers may be bound to one value.
        if key.iter().any(|part| part.starts_with(['?', ':'])) {
            return None;
        }
        keys.insert(key);
    }
    if keys.len() < MANY {
        return None;
    }
    let kind = if batch.kind == BatchKind::Logged { "logged batch" } else { "batch" };
    let message = format!("this {kind} writes {} partitions of `{}` through one coordinator", keys.len(), table.name);
    let level = inner.first()?.level(Level::Warning);
    Some(Finding::new(&RULE, of.whole(), message).level(level).help(HELP))
}

/// Whether a batch that is begun out of sight may carry a condition, which holds all of it together.
fn may_be_decided(uses: &[TableUse<'_>], batch: &BatchSite) -> bool {
    let decides = |one: &TableUse<'_>| one.is_conditional() && one.is_in_batch();
    batch.kind == keyloom_survey::BatchKind::Unknown && uses.iter().any(decides)
}

/// A batch that a program fills in a loop.
fn filled_batch(one: &TableUse<'_>, table: &Table, batch: &BatchSite) -> Option<Finding> {
    if !batch.in_loop || one.is_conditional() {
        return None;
    }
    let rows_are_partitions = table.clustering().next().is_none();
    let bound = |name: &str| given(one.kind, name).and_then(|marker| argument(one.of, marker));
    let roots: Vec<&str> =
        table.clustering().filter_map(|column| bound(&column.name)).map(|it| root(&it.text)).collect();
    let varies = |name: &str| {
        bound(name).is_some_and(|it| {
            it.value == Bound::Unknown && it.text != root(&it.text) && roots.contains(&root(&it.text))
        })
    };
    let kind = match batch.kind {
        keyloom_survey::BatchKind::Logged => "a logged batch",
        keyloom_survey::BatchKind::Unlogged => "an unlogged batch",
        keyloom_survey::BatchKind::Counter | keyloom_survey::BatchKind::Unknown => "a batch",
    };
    let name = &table.name;
    if rows_are_partitions && one.reach(table) == Reach::Rows {
        let message =
            format!("{kind} is filled in a loop with rows of `{name}`, each of which is a partition of its own");
        return Some(Finding::new(&RULE, one.place(), message).level(one.level(Level::Warning)).help(HELP));
    }
    // To delete runs of rows is no load.
    let column = table.partition_key().find(|column| one.sets() && varies(&column.name))?;
    let message = format!(
        "{kind} is filled in a loop with rows of `{name}`; if `{}` is not the same in all of them, they lie in many partitions",
        column.name
    );
    Some(Finding::new(&RULE, one.place(), message).level(Level::Note).help(HELP))
}

const HELP: &str = "send the statements one by one, some dozens at a time and each straight to its replicas: faster, and one slow partition fails alone; keep batches for rows that must change together";

/// The variable that an expression begins with: `item` of `item.getId()`.
fn root(expression: &str) -> &str {
    let end = expression.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(expression.len());
    &expression[..end]
}
