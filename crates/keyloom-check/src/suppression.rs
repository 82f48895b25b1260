//! Findings that the authors know and accept, and what is wrong with their accepting them.

use keyloom_finding::{FileId, Finding, Level, Place, Sources};
use keyloom_model::{Allow, Date};
use keyloom_text::Reading;

use crate::config::Config;
use crate::layout_context::Laid;
use crate::registry;
use crate::rules::{bad_config, unused_allow};

/// Takes out what the catalog's own `allow:` accepts, and adds a finding for each one that is unused, expired or names
/// no rule.
pub(crate) fn apply(
    findings: Vec<Finding>,
    reading: &Reading,
    layouts: &[&Laid],
    sources: &Sources,
    today: Date,
) -> Vec<Finding> {
    let allows = &reading.catalog.allows;
    let scopes: Vec<Option<Place>> = allows.iter().map(|allow| scope(allow, reading, sources)).collect();
    let mut used = vec![false; allows.len()];
    let mut kept = Vec::new();
    for finding in findings {
        let mut allowed = false;
        for (at, allow) in allows.iter().enumerate().filter(|(_, allow)| allow.rule == finding.rule.name) {
            // What is allowed in a whole catalog is allowed in its layouts.
            let in_layout =
                |place: Place| allow.on.is_empty() && layouts.iter().any(|laid| laid.reading.file == Some(place.file));
            let within = |place: Place| scopes[at].is_some_and(|scope| scope.contains(place)) || in_layout(place);
            if finding.place.is_some_and(within) {
                // An expired allowance still says which finding it was about, so it is not unused.
                used[at] = true;
                allowed |= !expired(allow.until, today);
            }
        }
        if !allowed || !can_be_allowed(finding.rule.name) {
            kept.push(finding);
        }
    }
    // After a fault, findings are missing that an allowance may be about.
    let judge_unused = !reading.unreadable && kept.iter().all(|finding| finding.level < Level::Error);
    for (allow, used) in allows.iter().zip(used) {
        let place = reading.places.whole(&allow.path);
        // Without a layout, nobody looked for what only a layout has.
        let looked = judge_unused && registry::looks_everywhere(&allow.rule, !layouts.is_empty());
        kept.extend(judge(&allow.rule, allow.until, place, used || !looked, today));
    }
    kept
}

/// Where an allowance holds: the thing it stands on, or the whole file.
fn scope(allow: &Allow, reading: &Reading, sources: &Sources) -> Option<Place> {
    if !allow.on.is_empty() {
        return reading.places.whole(&allow.on);
    }
    let own = reading.places.whole(&allow.path)?;
    Some(Place::new(own.file, 0..sources.file(own.file).text().len()))
}

/// What was not understood is not a matter of taste: nobody knows what stands behind it.
pub(crate) fn can_be_allowed(rule: &str) -> bool {
    rule != bad_config::RULE.name && keyloom_text::rules::ALL.iter().all(|of_language| of_language.name != rule)
}

pub(crate) fn expired(until: Option<Date>, today: Date) -> bool {
    until.is_some_and(|until| until < today)
}

/// What is wrong with an allowance: it names no rule, or none that can be allowed, is over, or allows nothing.
pub(crate) fn judge(rule: &str, until: Option<Date>, place: Option<Place>, used: bool, today: Date) -> Option<Finding> {
    if registry::rule(rule).is_none() {
        return Some(unused_allow::no_such_rule(place, rule));
    }
    if !can_be_allowed(rule) {
        return Some(unused_allow::not_to_be_allowed(place, rule));
    }
    match until {
        Some(until) if expired(Some(until), today) => Some(unused_allow::expired(place, rule, until)),
        _ if !used => Some(unused_allow::unused(place, rule)),
        _ => None,
    }
}

/// The allowances of `keyloom.toml` and of the flags, over all catalogs of one run.
pub(crate) struct ConfigAllowances<'a> {
    config: &'a Config,
    sources: &'a Sources,
    today: Date,
    used: Vec<bool>,
    /// A file of this run lies under the allowance's paths, so it had its chance.
    covered: Vec<bool>,
}

impl<'a> ConfigAllowances<'a> {
    pub(crate) fn new(config: &'a Config, sources: &'a Sources, today: Date) -> Self {
        let none = vec![false; config.allow.len()];
        Self { config, sources, today, used: none.clone(), covered: none }
    }

    pub(crate) fn apply(&mut self, findings: Vec<Finding>) -> Vec<Finding> {
        let mut kept = Vec::new();
        for finding in findings {
            let file = finding.place.map(|place| self.sources.file(place.file).name());
            let mut allowed = false;
            for (at, allow) in self.config.allow.iter().enumerate() {
                if allow.rule == finding.rule.name && allow.covers(file) {
                    self.used[at] = true;
                    allowed |= !expired(allow.until, self.today);
                }
            }
            if !allowed || !can_be_allowed(finding.rule.name) {
                kept.push(finding);
            }
        }
        kept
    }

    pub(crate) fn cover(&mut self, files: &[FileId]) {
        for (at, allow) in self.config.allow.iter().enumerate() {
            // Without paths it may be about a catalog that is not part of this run.
            self.covered[at] |=
                !allow.paths.is_empty() && files.iter().any(|file| allow.covers(Some(self.sources.file(*file).name())));
        }
    }

    pub(crate) fn finish(self) -> Vec<Finding> {
        let allows = self.config.allow.iter().enumerate();
        allows
            .filter_map(|(at, allow)| {
                judge(&allow.rule, allow.until, allow.place, self.used[at] || !self.covered[at], self.today)
            })
            .collect()
    }
}
