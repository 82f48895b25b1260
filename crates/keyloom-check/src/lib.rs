//! The review: which rules there are, what they find in a catalog, in its layout, or in a schema and the statements that use
//! it, and which findings the authors have accepted.
//!
//! Pure: catalogs, layouts, surveys, today's date and the settings go in; findings come out, in their one order. A rule is
//! one file in [`rules`], with its record, its check and its words, and its page beside it.

mod baseline;
mod comments;
mod config;
mod context;
mod growth;
mod guess;
mod layout_context;
mod load;
mod meaning;
mod partition;
mod reading;
mod reads;
mod refusals;
mod registry;
mod rejections;
pub mod rules;
mod suppression;
mod survey_context;
mod writing;

pub use baseline::{Baseline, Remaining};
pub use config::{Config, ConfigAllow, nearest_rule};
pub use context::Context;
pub use layout_context::{Laid, LayoutContext};
pub use registry::{CATALOG_RULES, CatalogRule, LAYOUT_RULES, LayoutRule, SURVEY_RULES, SurveyRule, all_rules, rule};
pub use survey_context::{Mentions, SurveyContext, TableUse};

use keyloom_finding::{Finding, Level, Sources};
use keyloom_model::Date;
use keyloom_survey::Survey;
use keyloom_text::Reading;

/// Reviews catalogs: the findings of the language, of every rule, and of the allowances, sorted.
///
/// `config` is what `keyloom.toml` and the flags say; `today` decides which allowances have expired and which facts
/// have grown old.
pub fn review(readings: &[Reading], sources: &Sources, config: &Config, today: Date) -> Vec<Finding> {
    review_all(readings, &[], &[], sources, config, today)
}

/// Reviews catalogs, their layouts, and schemas with the statements that use them, in one go: an allowance of the repository
/// may be about any of them.
pub fn review_all(
    readings: &[Reading],
    layouts: &[Laid],
    surveys: &[Survey],
    sources: &Sources,
    config: &Config,
    today: Date,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    rules::stale_facts::check(today, &mut findings);
    let mut allowances = suppression::ConfigAllowances::new(config, sources, today);
    findings = allowances.apply(findings);
    for (at, reading) in readings.iter().enumerate() {
        let laid: Vec<&Laid> = layouts.iter().filter(|laid| laid.catalog == at).collect();
        let context = Context::new(reading, &laid);
        let mut found = reading.findings.clone();
        for rule in CATALOG_RULES {
            (rule.check)(&context, &mut found);
        }
        for laid in &laid {
            found.extend(laid.reading.findings.iter().cloned());
            let Some(context) = LayoutContext::new(&context, laid) else { continue };
            for rule in LAYOUT_RULES {
                (rule.check)(&context, &mut found);
            }
        }
        let found = suppression::apply(found, reading, &laid, sources, today);
        findings.extend(allowances.apply(found));
        allowances.cover(&reading.files);
        laid.iter().for_each(|laid| allowances.cover(laid.reading.file.as_slice()));
    }
    let mut found = Vec::new();
    let mentions = Mentions::of(surveys);
    for survey in surveys {
        let context = SurveyContext::new(survey, &mentions, sources);
        for rule in SURVEY_RULES {
            (rule.check)(&context, &mut found);
        }
        allowances.cover(&survey.files);
    }
    // A file may be part of several surveys; what it allows is allowed in all of them.
    findings.extend(allowances.apply(comments::apply(found, surveys, today)));
    findings.extend(allowances.finish());
    keyloom_finding::sort(&mut findings, sources);
    // A text that a program puts together in several ways is several statements at one place.
    findings
        .dedup_by(|a, b| a.place.is_some() && (a.place, a.rule.name, &a.message) == (b.place, b.rule.name, &b.message));
    findings
}

/// Whether findings stand at or above the level that fails a build.
pub fn fails(findings: &[Finding], deny: Level) -> bool {
    findings.iter().any(|finding| finding.level >= deny)
}
