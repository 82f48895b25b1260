//! Findings that a comment beside the statement accepts: `-- keyloom: allow full-scan because 'nightly' until 2027-03-01`.

use std::collections::BTreeMap;

use keyloom_finding::{FileId, Finding, Place};
use keyloom_model::Date;
use keyloom_survey::{Survey, SurveyFaultKind};
use keyloom_text::rules::allow_without_reason;

use crate::rules::unused_allow;
use crate::suppression::{can_be_allowed, expired, judge};

/// Takes out what comments accept, and adds a finding for each one that is unused, expired or not understood.
pub(crate) fn apply(findings: Vec<Finding>, surveys: &[Survey], today: Date) -> Vec<Finding> {
    let (mut comments, mut kept) = (BTreeMap::new(), Vec::new());
    for allowance in surveys.iter().flat_map(|survey| &survey.allows) {
        comments
            .entry(allowance.place)
            .or_insert_with(|| Comment::read(&allowance.text, allowance.place, allowance.about));
    }
    let mut by_file: BTreeMap<FileId, Vec<Comment>> = BTreeMap::new();
    for comment in comments.into_values() {
        match comment {
            Ok((comment, reason_missing)) => {
                kept.extend(reason_missing);
                by_file.entry(comment.place.file).or_default().push(comment);
            }
            Err(fault) => kept.push(fault),
        }
    }
    for finding in findings {
        let here = finding.place.and_then(|place| by_file.get_mut(&place.file));
        let mut allowed = false;
        for comment in here.into_iter().flatten().filter(|comment| comment.is_about(&finding)) {
            // An expired allowance still says which finding it was about, so it is not unused.
            comment.used = true;
            allowed |= !expired(comment.until, today);
        }
        if !allowed || !can_be_allowed(finding.rule.name) {
            kept.push(finding);
        }
    }
    for comment in by_file.into_values().flatten() {
        let used = comment.used || is_misread(comment.place.file, surveys);
        kept.extend(judge(&comment.rule, comment.until, Some(comment.place), used, today));
    }
    kept
}

/// After a fault, findings are missing that an allowance may be about.
fn is_misread(file: FileId, surveys: &[Survey]) -> bool {
    let faults = surveys.iter().flat_map(|survey| &survey.faults);
    faults.filter(|fault| fault.kind != SurveyFaultKind::Differs).any(|fault| fault.place.file == file)
}

/// An allowance in a comment.
struct Comment {
    rule: String,
    until: Option<Date>,
    place: Place,
    about: Place,
    used: bool,
}

impl Comment {
    /// Reads `keyloom: allow RULE because 'REASON' until DAY`; a missing reason is a finding, and it allows all the same.
    fn read(text: &str, place: Place, about: Place) -> Result<(Self, Option<Finding>), Finding> {
        let misread = |what: &str| unused_allow::misread(place, what);
        let words = text.strip_prefix("keyloom:").unwrap_or("").trim();
        let Some(rest) = words.strip_prefix("allow").filter(|rest| rest.starts_with(char::is_whitespace)) else {
            return Err(misread("an allowance begins with `keyloom: allow`"));
        };
        let rest = rest.trim_start();
        let (rule, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if rule.is_empty() || rule == "because" || rule == "until" {
            return Err(misread("this allowance names no rule"));
        }
        let (because, rest) = match rest.trim_start().strip_prefix("because") {
            Some(reason) => reason_of(reason.trim_start()).ok_or_else(|| misread("the reason has no closing quote"))?,
            None => ("", rest),
        };
        let until = match rest.trim() {
            "" => None,
            rest => {
                let day = rest.strip_prefix("until").map(str::trim);
                let day = day.ok_or_else(|| misread(&format!("`{rest}` is not `until` and a day")))?;
                let date = Date::parse(day.trim_matches(['\'', '"']));
                Some(date.ok_or_else(|| misread(&format!("`{day}` is no day; write it as 2027-03-01")))?)
            }
        };
        let reason_missing = because.trim().is_empty().then(|| allow_without_reason::in_comment(place, rule));
        Ok((Self { rule: rule.to_owned(), until, place, about, used: false }, reason_missing))
    }

    fn is_about(&self, finding: &Finding) -> bool {
        let begins_here = |place: Place| self.about.start <= place.start && place.start <= self.about.end;
        self.rule == finding.rule.name && finding.place.is_some_and(begins_here)
    }
}

/// The reason and what follows it: between quotes of either kind, or all words up to `until`.
fn reason_of(text: &str) -> Option<(&str, &str)> {
    match text.chars().next() {
        Some(quote @ ('\'' | '"')) => text[1..].split_once(quote),
        _ => Some(text.find(" until ").map_or((text, ""), |at| text.split_at(at))),
    }
}

#[cfg(test)]
mod tests {
    use keyloom_finding::Sources;

    use super::*;

    fn read(text: &str) -> Result<(String, Option<String>, bool), String> {
        let place = Place::new(Sources::default().add("a.cql", text), 0..text.len());
        let read = Comment::read(text, place, place).map_err(|fault| fault.message)?;
        Ok((read.0.rule, read.0.until.map(|date| date.to_string()), read.1.is_some()))
    }

    #[test]
    fn an_allowance_names_a_rule_a_reason_and_perhaps_a_day() {
        let full_scan = |until: Option<&str>, no_reason| Ok(("full-scan".into(), until.map(str::to_owned), no_reason));
        assert_eq!(
            read("keyloom: allow full-scan because 'nightly, 200 rows' until 2027-03-01"),
            full_scan(Some("2027-03-01"), false)
        );
        assert_eq!(read("keyloom: allow full-scan because \"nightly\""), full_scan(None, false));
        assert_eq!(
            read("keyloom: allow full-scan because nightly until 2027-03-01"),
            full_scan(Some("2027-03-01"), false)
        );
        assert_eq!(read("keyloom:allow  full-scan because it is small"), full_scan(None, false));
        assert_eq!(read("keyloom: allow full-scan"), full_scan(None, true));
        assert_eq!(read("keyloom: allow full-scan because ''"), full_scan(None, true));
        assert_eq!(read("keyloom: allow full-scan until 2027-03-01"), full_scan(Some("2027-03-01"), true));
    }

    #[test]
    fn what_is_wrong_with_it_is_said() {
        for (text, said) in [
            ("keyloom: ignore", "begins with `keyloom: allow`"),
            ("keyloom: allow", "begins with `keyloom: allow`"),
            ("keyloom allow full-scan because 'x'", "begins with `keyloom: allow`"),
            ("Keyloom: Allow full-scan because 'x'", "begins with `keyloom: allow`"),
            ("KEYLOOM: allow full-scan because 'x'", "begins with `keyloom: allow`"),
            ("keyloom: allow because 'x'", "names no rule"),
            ("keyloom: allow full-scan because 'x", "no closing quote"),
            ("keyloom: allow full-scan because 'x' till 2027-03-01", "`till 2027-03-01` is not `until` and a day"),
            ("keyloom: allow full-scan because 'x' until tomorrow", "`tomorrow` is no day"),
        ] {
            let fault = read(text).expect_err(text);
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }
}
