use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Frequency, TimeUnit};

use super::gathered;

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "missing-rate",
    level: Level::Note,
    summary: "a pattern does not say how often it is called",
    page: include_str!("missing_rate.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    unstated(context, findings);
    daily_peaks(context, findings);
}

/// A bare rate is the peak, and nobody means a peak over a day.
fn daily_peaks(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for pattern in &context.catalog.patterns {
        let Frequency::Stated { mean: None, peak: Some(peak) } = pattern.rate else { continue };
        let path = format!("patterns.{}.rate", pattern.name);
        if peak.per.unit >= TimeUnit::Hour && !context.is_stated(&format!("{path}.peak")) {
            let message = format!(
                "`{}` states a peak of {peak}: a bare rate is the peak, and one over so long a time is usually a mean",
                pattern.name
            );
            let help = format!("write `rate: {{ mean: {peak} }}`, and the peak beside it if you know it: `peak: 5/s`");
            findings.push(Finding::new(&RULE, context.value(&path), message).help(help));
        }
    }
}

fn unstated(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let missing = context.catalog.patterns.iter().filter(|pattern| {
        let served_here = !matches!(pattern.action, Action::Outside(_));
        served_here && !context.is_stated(&format!("patterns.{}.rate", pattern.name))
    });
    let places =
        missing.map(|pattern| (pattern.name.clone(), context.key(&format!("patterns.{}", pattern.name)))).collect();
    findings.extend(gathered(&RULE, places, |names| {
        format!("{names} without a rate: designed and bounded, but not priced")
    }).map(|finding| finding.help("state `rate: 20/s` (the peak), `{ mean: 100k/day, peak: 20/s }`, `rare`, or `unknown` if nobody knows")));
}
