use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Path, Root, count_text};
use keyloom_plan::Wants;

use super::peak_words;

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "join-in-code",
    level: Level::Warning,
    summary: "a page needs further reads for each of its rows",
    page: include_str!("join_in_code.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    const READS: f64 = 1_000.0;
    let mut seen: Vec<String> = Vec::new();
    for plan in &context.program.reads {
        let (Wants::Rows { page, .. }, Some(pattern)) = (plan.asked.wants, context.pattern_of(&plan.asked.question))
        else {
            continue;
        };
        let mut looked_up: Vec<String> = plan.access.looks_up.iter().map(row_of).collect();
        looked_up.sort();
        looked_up.dedup();
        let each = looked_up.len() as u64;
        let Some(peak) = pattern.rate.peak_per_second() else { continue };
        let reads = peak * page as f64 * each as f64;
        if reads < READS || seen.contains(&pattern.name) {
            continue;
        }
        seen.push(pattern.name.clone());
        let message = format!(
            "each page of `{}` needs up to {} further reads: {} of each of its rows",
            pattern.name,
            count_text(page.saturating_mul(each)),
            looked_up.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and ")
        );
        findings.push(
            Finding::new(&RULE, context.path_place(&plan.asked.question, "looks_up").or_else(|| context.question_place(&plan.asked.question)), message)
                .derivation(format!(
                    "{} x {page} rows x {each} = {} reads/s",
                    peak_words(pattern.rate),
                    count_text(reads.round() as u64)
                ))
                .help("hold a copy in the row: `copies: { case.title: touch }`; or leave it out of the answer, or make pages smaller"),
        );
    }
}

/// The row that is read: that of a reference, or that of a kept value.
fn row_of(path: &Path) -> String {
    match &path.root {
        Root::Reference { entity, .. } => entity.clone(),
        _ => path.to_string(),
    }
}
