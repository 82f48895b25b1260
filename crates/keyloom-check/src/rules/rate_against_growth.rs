use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Action, Each, Frequency, Pattern, Step, Write, WriteVerb, count_text};

use crate::Context;
use crate::growth::deleting_pattern;

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
        for pattern in context.writers(&entity.name) {
            for (write, each) in writes(pattern).filter(|(write, _)| write.entity == entity.name) {
                if !matches!(write.verb, WriteVerb::Create | WriteVerb::Put) && !write.or_create {
                    continue;
                }
                // Only a stated mean is a number of the author's.
                let Frequency::Stated { mean: Some(mean), .. } = pattern.rate else {
                    known = false;
                    continue;
                };
                let most = write.batch.unwrap_or(1).saturating_mul(each.map_or(1, |each| each.max));
                // A put may meet a row that is there already, and a list may be empty.
                let adds_one = write.verb == WriteVerb::Create && each.is_none();
                low += if adds_one { mean.per_day() } else { 0.0 };
                high += mean.per_day() * most as f64;
                let up_to = if most > 1 { format!(" x up to {most}") } else { String::new() };
                names.push(format!("`{}` {mean}{up_to}", pattern.name));
            }
        }
        if !known || names.is_empty() {
            continue;
        }
        let stated = growth.per_day();
        let removes = deleting_pattern(context, entity).is_some();
        let too_little = stated * FACTOR < low && !removes;
        // Other programs may add what this catalog does not.
        let too_much = stated > high * FACTOR && context.whole;
        if too_little || too_much {
            let (bound, adds) = if too_much { ("at most", high) } else { ("at least", low) };
            let message = format!(
                "{} is said to grow by {growth}, and its creates add up to {bound} {} a day",
                entity.name,
                count_text(adds.round() as u64)
            );
            findings.push(
                Finding::new(&RULE, context.value(&format!("entities.{}.volume.growth", entity.name)), message)
                    .derivation(format!("{} against {} a day", names.join(" + "), count_text(stated.round() as u64)))
                    .help("correct one of the two; storage is reckoned from growth, traffic from rates"),
            );
        }
    }
}

/// The single writes of a pattern, with the list that each is repeated for.
fn writes(pattern: &Pattern) -> impl Iterator<Item = (&Write, Option<&Each>)> {
    let (write, steps) = match &pattern.action {
        Action::Write(write) => (Some(write), &[][..]),
        Action::Atomic(steps) => (None, steps.as_slice()),
        _ => (None, &[][..]),
    };
    let steps = steps.iter().filter_map(|step| match step {
        Step::Write { each, write } => Some((write, each.as_ref())),
        Step::Check { .. } => None,
    });
    write.map(|write| (write, None)).into_iter().chain(steps)
}
