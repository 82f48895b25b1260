use std::cmp::Reverse;

use keyloom_cql::ast::{Operator, Relation, RelationKind, StatementKind, TermKind};
use keyloom_cql::schema::{Column, Table};
use keyloom_finding::{Finding, Level, Place, Rule};

use super::gathered;
use crate::guess::{few_values, time_part};
use crate::meaning::is_bucket;
use crate::reads::{names, relations};
use crate::{LayoutContext, SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "unbounded-fan-out",
    level: Level::Note,
    summary: "a statement asks as many partitions as the caller's list is long",
    page: include_str!("unbounded_fan_out.md"),
};

/// How many of the other statements on a table are shown.
const SHOWN: usize = 5;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    let views = context.survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.views.values());
    let tables = context.own_tables().chain(views.map(|view| &view.table));
    let mut aside: Vec<(String, Option<Place>)> = Vec::new();
    for table in tables.filter(|table| !table.unknown) {
        let asking = asking(context, table);
        let Some(((first, _), others)) = asking.split_first() else { continue };
        if first.is_service() {
            findings.push(of_service(table, first, &asking, others));
        } else {
            aside.push((table.name.clone(), Some(first.place())));
        }
    }
    let message =
        |tables: &str| format!("{tables}: a job or migration asks as many partitions at once as its list is long");
    findings.extend(gathered(&RULE, aside, message).map(|finding| finding.help(HELP)));
}

const HELP: &str = "one node asks all of them, waits for the slowest and starts anew if one fails; cut the list to some tens, or \
                    send one statement for each partition, so many at a time";

/// A statement, and the columns that it gives as lists.
type Asking<'a> = (&'a TableUse<'a>, Vec<&'a Column>);

/// The statements that give lists of unknown length, the one that says most first; none where nothing is read so. A delete
/// of many partitions answers nothing that a node would have to gather.
fn asking<'a>(context: &'a SurveyContext<'a>, table: &'a Table) -> Vec<Asking<'a>> {
    let mut asking: Vec<Asking<'a>> = context
        .uses(table)
        .iter()
        .filter(|one| !one.is_test())
        .map(|one| (one, listed(one, table)))
        .filter(|(_, listed)| listed.iter().any(|column| is_endless(column)))
        .collect();
    let reads = |one: &TableUse<'_>| matches!(one.kind, StatementKind::Select(_));
    if !asking.iter().any(|(one, _)| reads(one)) {
        return Vec::new();
    }
    asking.sort_by_key(|(one, listed)| (!one.is_service(), !reads(one), Reverse(listed.len())));
    asking.dedup_by_key(|(one, _)| one.place());
    asking
}

/// One finding for all statements on a table: it is one decision.
fn of_service(table: &Table, first: &TableUse<'_>, asking: &[Asking<'_>], others: &[Asking<'_>]) -> Finding {
    let lists = |columns: &[&Column]| names(columns.iter().map(|column| column.name.as_str()));
    let most =
        asking.iter().map(|(_, columns)| columns.as_slice()).max_by_key(|columns| columns.len()).unwrap_or_default();
    let mut message = format!("as many partitions of `{}` are asked at once", table.name);
    if !others.is_empty() {
        message.push_str(&format!(" by {} statements", asking.len()));
    }
    message.push_str(&match most {
        [only] => format!(" as the list `{}` is long", only.name),
        several => format!(" as the lists {} are long, multiplied", lists(several)),
    });
    let mut finding = Finding::new(&RULE, first.place(), message).help(HELP);
    for (one, columns) in others.iter().take(SHOWN) {
        finding = finding.related(one.place(), format!("a list of {} too", lists(columns)));
    }
    finding
}

/// The columns of the partition key that a statement gives as lists of unknown length.
fn listed<'a>(one: &TableUse<'_>, table: &'a Table) -> Vec<&'a Column> {
    let is_listed = |column: &&Column| relations(one.kind).iter().any(|relation| lists(relation, &column.name));
    table.partition_key().filter(is_listed).collect()
}

/// Whether a term gives a column as a list that only the caller knows: `IN ?`, or one that is pasted in.
fn lists(relation: &Relation, name: &str) -> bool {
    let RelationKind::Column { column, operator: Operator::In, values, list } = &relation.kind else { return false };
    let pasted = |kind: &TermKind| matches!(kind, TermKind::Hole(_));
    let open = match values.as_slice() {
        [only] => pasted(&only.kind) || (!list && matches!(only.kind, TermKind::Marker(_))),
        _ => false,
    };
    column.text == name && open
}

/// Whether a list of its values can be of any length. Periods, buckets and kinds are few.
fn is_endless(column: &Column) -> bool {
    !is_bucket(column) && !time_part(column) && few_values(column).is_none()
}

/// Over a layout: what the program refuses.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE).into_iter().map(|finding| finding.level(Level::Error)));
}
