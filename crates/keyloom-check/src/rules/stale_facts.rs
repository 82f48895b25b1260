use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::Date;

pub(crate) static RULE: Rule = Rule {
    name: "stale-facts",
    level: Level::Warning,
    summary: "the engine limits in this Keyloom were checked long ago",
    page: include_str!("stale_facts.md"),
};

/// How long a limit is trusted without another look at its source.
const MONTHS_MAX: u32 = 12;

/// One finding for the oldest of all facts; `today` decides.
pub(crate) fn check(today: Date, findings: &mut Vec<Finding>) {
    let Some(oldest) = keyloom_facts::all().max_by_key(|fact| fact.age_months(today)) else { return };
    let months = oldest.age_months(today);
    if months >= MONTHS_MAX {
        let message = format!(
            "the limits in this Keyloom are up to {months} months old: {} of {}",
            oldest.name,
            oldest.engine.title()
        );
        findings.push(
            Finding::new(&RULE, None, message)
                .help("use a newer Keyloom; its limits were checked again")
                .depends_on_today(),
        );
    }
}
