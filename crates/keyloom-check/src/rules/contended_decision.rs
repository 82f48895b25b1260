use keyloom_facts::Engine;
use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Fill, Share, Skew, WriteVerb, count_text};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "contended-decision",
    level: Level::Warning,
    summary: "one row takes more decisions a second than an engine makes",
    page: include_str!("contended_decision.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let (fact, limit) = context.limit(Engine::Cassandra, "row_decisions_per_second");
    let mut report = |place, what: String, peak: f64, busiest: Share, derivation: String| {
        let rate = peak * busiest.factor();
        if rate > fact.value as f64 {
            let message = format!("{what} takes {} decisions a second on one row", count_text(rate.round() as u64));
            findings.push(
                Finding::new(&RULE, place, message)
                    .derivation(format!("{derivation} = {}/s", count_text(rate.round() as u64)))
                    .limit(limit.clone())
                    .help("let it lag: keep the value in a rollup with a `freshness`; or split what one row holds"),
            );
        }
    };
    for pattern in &context.catalog.patterns {
        let (Some(peak), Some(Skew::Busiest(busiest))) = (pattern.rate.peak_per_second(), pattern.skew) else {
            continue;
        };
        let derivation = format!("{}/s x {busiest}", count_text(peak.round() as u64));
        for (path, write) in pattern.writes() {
            if write.verb == WriteVerb::Update {
                report(
                    context.key(&path),
                    format!("the busiest {} of `{}`", write.entity, pattern.name),
                    peak,
                    busiest,
                    derivation.clone(),
                );
            }
            if write.verb != WriteVerb::Create {
                continue;
            }
            for entity in &context.catalog.entities {
                for field in &entity.fields {
                    let place = context.key(&format!("entities.{}.fields.{}", entity.name, field.name));
                    match &field.fill {
                        Fill::Kept(kept) if kept.entity == write.entity => {
                            report(
                                place,
                                format!("{}.{}, kept from `{}`,", entity.name, field.name, pattern.name),
                                peak,
                                busiest,
                                derivation.clone(),
                            );
                        }
                        Fill::Next { .. } if entity.name == write.entity => {
                            report(
                                place,
                                format!("the sequence {}.{} of `{}`", entity.name, field.name, pattern.name),
                                peak,
                                busiest,
                                derivation.clone(),
                            );
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
