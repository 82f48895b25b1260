use keyloom_cql::resolve::{Part, Partitions};
use keyloom_finding::{Finding, Level, Place, Rule};
use keyloom_survey::{Consumed, Site};

use crate::SurveyContext;
use crate::reads::Read;

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
        if few_rows || within || bound_limit || !is_certain(context, &read, page) {
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

/// Whether the first page is certainly all that is looked at. A result of the Python driver hands on its paging state, asks
/// for its next page, or has none at all (`fetch_size=None`) where this does not show: only a page of a fixed size tells.
/// With a size that only the program knows, the caller mostly pages by itself.
fn is_certain(context: &SurveyContext<'_>, read: &Read<'_>, page: Option<u64>) -> bool {
    let in_python = |(place, _): &(Place, Site)| context.name_of(place.file).ends_with(".py");
    let sized = read.of.site.as_ref().is_some_and(|site| site.page_size.is_some());
    page.is_some() && (sized || !read.of.sites.iter().any(in_python))
}
