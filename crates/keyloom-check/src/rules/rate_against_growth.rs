use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Frequency, WriteVerb, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "rate-against-growth",
    level: Level::Warning,
    summary: "stated growth and the rate of creates contradict each other",
    page: include_str!("rate_against_growth.md"),
};

/// Estimates differ; three times is a contradiction.
const FACTOR: f64 = 3.0;

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in &context.catalog.entities {
        let Some(growth) = entity.volume.and_then(|volume| volume.growth) else { continue };
        let (mut low, mut high) = (0.0, 0.0);
        let mut known = true;
        let mut names = Vec::new();
        let mut removes = false;
        for pattern in &context.catalog.patterns {
            for (_, write) in pattern.writes().into_iter().filter(|(_, write)| write.entity == entity.name) {
                let makes = matches!(write.verb, WriteVerb::Create | WriteVerb::Put) || write.or_create;
                removes |= write.verb == WriteVerb::Delete;
                if !makes {
                    continue;
                }
                // Only a stated mean is a number of the author's; a put may hit a row that is there already.
                let Frequency::Stated { mean: Some(mean), .. } = pattern.rate else {
                    known = false;
                    continue;
                };
                names.push(format!("`{}` {mean}", pattern.name));
                low += if write.verb == WriteVerb::Create { mean.per_day() } else { 0.0 };
                high += mean.per_day() * write.batch.unwrap_or(1) as f64;
            }
        }
        if !known || names.is_empty() {
            continue;
        }
        let stated = growth.per_day();
        let too_little = stated * FACTOR < low && !removes;
        let too_much = stated > high * FACTOR;
        if too_little || too_much {
            let message = format!(
                "{} is said to grow by {growth}, and its creates add up to {} a day",
                entity.name,
                count_text(low.max(if too_much { high } else { low }).round() as u64)
            );
            findings.push(
                Finding::new(&RULE, context.value(&format!("entities.{}.volume.growth", entity.name)), message)
                    .derivation(format!("{} against {} a day", names.join(" + "), count_text(stated.round() as u64)))
                    .help("correct one of the two; `size` counts growth, `load` counts rates"),
            );
        }
    }
}
