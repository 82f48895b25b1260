use keyloom_cql::resolve::Partitions;
use keyloom_cql::schema::Table;
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::{Role, is_program};

use super::gathered;
use crate::SurveyContext;
use crate::guess::holds_little;
use crate::meaning::thing;
use crate::reads::{Read, names};

pub(crate) static RULE: Rule = Rule {
    name: "full-scan",
    level: Level::Error,
    summary: "a read asks every partition of a table",
    page: include_str!("full_scan.md"),
};

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for rejection in context.rejections(&RULE) {
        let help = "give the whole partition key, or keep a table whose partition key is what is asked: one read of one \
                    partition, for one more write per row";
        let mut finding = rejection.finding(&RULE, context);
        if let Some(table) = rejection.table {
            let key = names(table.partition_key().map(|column| column.name.as_str()));
            finding.message = format!("rows of `{}` lie by {key}, of which this read gives nothing", table.name);
        }
        findings.push(finding.help(help));
    }
    let mut aside: Vec<(String, Option<Place>)> = Vec::new();
    for read in context.reads() {
        // A peek at one row ends at the first; an aggregate and a filter have findings of their own.
        let elsewhere = read.access.filters || read.aggregate().is_some() || !read.select.group_by.is_empty();
        if read.access.partitions != Partitions::All || elsewhere || read.limit() == Some(1) {
            continue;
        }
        let (table, key) = (&read.table.name, read.partition_key());
        let softer = holds_little(read.table)
            || lists_reference_data(read.table)
            || read.limit().is_some()
            || read.select.distinct.is_some()
            || is_sent_out_of_sight(context, &read);
        let level = if softer { Level::Note } else { read.level() };
        let message = match read.select.distinct {
            Some(_) => format!("every partition of `{table}` is asked for its key"),
            None => format!("`{table}` is read whole: nothing is said of its partition key"),
        };
        // A test reads its own few rows, or only compares texts; nobody waits for it.
        if read.of.role == Role::Test {
            continue;
        }
        if read.of.role != Role::Service {
            aside.push((table.clone(), Some(read.place())));
            continue;
        }
        findings.push(
            Finding::new(&RULE, read.place(), message)
                .level(level)
                .related(context.survey.made(read.table.key_made), format!("rows lie by {key}"))
                .help(format!(
                    "read by {key}, or keep a table whose partition key is what is asked; a job pages by `token(..)`, one \
                     range after the other"
                )),
        );
    }
    aside.sort();
    aside.dedup_by(|a, b| a.0 == b.0);
    findings.extend(gathered(&RULE, aside, |tables| format!("{tables}: read whole by a job or migration")).map(
        |finding| {
            let help = "fine where it runs rarely; page by `token(..)` ranges, so that it can stop and go on";
            finding.level(Level::Note).help(help)
        },
    ));
}

/// Whether a table holds what changes seldom and is short by its nature, one row for each: countries, plugins, clusters.
fn lists_reference_data(table: &Table) -> bool {
    const REFERENCE: &[&str] = &[
        "category",
        "cluster",
        "country",
        "currency",
        "jurisdiction",
        "language",
        "locale",
        "permission",
        "plugin",
        "region",
        "role",
        "tariff",
        "template",
        "timezone",
    ];
    let one_row = table.clustering().next().is_none();
    one_row && thing(table).is_some_and(|thing| REFERENCE.contains(&thing.as_str()))
}

/// Whether a text of a program is sent by a call that was not seen: it may be that of a job.
fn is_sent_out_of_sight(context: &SurveyContext<'_>, read: &Read<'_>) -> bool {
    read.of.sites.is_empty() && is_program(context.name_of(read.of.whole().file))
}
