use keyloom_cql::resolve::{Part, Partitions};
use keyloom_finding::{Finding, Level, Rule};
use keyloom_survey::Consumed;

use crate::SurveyContext;

pub(crate) static RULE: Rule = Rule {
    name: "first-page-only",
    level: Level::Warning,
    summary: "only the first page of a result is looked at",
    page: include_str!("first_page_only.md"),
};

/// What drivers take as a page when nobody says otherwise.
const PAGE_OF_DRIVERS: u64 = 5_000;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for read in context.reads() {
        let Some(site) = read.of.site.as_ref().filter(|site| site.consumed == Some(Consumed::FirstPage)) else {
            continue;
        };
        let one_partition = read.access.partitions == Partitions::One;
        let no_clustering = read.table.clustering().next().is_none();
        let few_rows = one_partition && (no_clustering || matches!(read.access.part, Part::Rows(_) | Part::Statics));
        let page = site.page_size.as_deref().map_or(Some(PAGE_OF_DRIVERS), |size| size.replace('_', "").parse().ok());
        let within = read.limit().zip(page).is_some_and(|(limit, page)| limit <= page);
        // A limit that is bound is mostly smaller than a page: nobody knows.
        let bound_limit = read.select.limit.is_some() && read.limit().is_none();
        if few_rows || within || bound_limit {
            continue;
        }
        let table = &read.table.name;
        let size =
            site.page_size.as_deref().map_or_else(|| "5,000 rows by default".to_owned(), |size| format!("{size} rows"));
        findings.push(
            Finding::new(
                &RULE,
                read.place(),
                format!("only the first page of `{table}` is looked at ({size}); rows behind it are lost"),
            )
            .level(read.level())
            .related(context.survey.made(read.table.key_made), "nothing bounds how many rows this finds")
            .help("go through all pages, or hand the paging state on; if one page is meant, say so with LIMIT"),
        );
    }
}
