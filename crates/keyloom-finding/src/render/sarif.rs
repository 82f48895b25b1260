//! SARIF 2.1.0, which code scanning services read.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Region, Report, message_with_notes};
use crate::{Finding, Place, Rule, Sources, fingerprints};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(super) fn render(report: &Report) -> String {
    let rules = RuleList::new(report);
    let fingerprints = fingerprints(report.findings, report.sources);
    let results = report.findings.iter().zip(&fingerprints).map(|(finding, fingerprint)| {
        let mut result = describe(finding, &rules, report.sources);
        result["partialFingerprints"] = json!({ "keyloom/v1": fingerprint });
        result
    });
    let results: Vec<Value> = results.collect();
    let mut run = json!({
        "tool": {
            "driver": {
                "name": "Keyloom",
                "version": report.version,
                "rules": rules.rules.iter().map(|rule| describe_rule(rule)).collect::<Vec<_>>(),
            },
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if let Some(day) = report.deciding_day() {
        run["properties"]["today"] = day.into();
    }
    if let Some(survey) = report.survey {
        run["properties"]["survey"] = survey.value.clone();
    }
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    format!("{document:#}\n")
}

/// All known rules, then those that only a finding knows; a result names its rule by the index in this list.
struct RuleList {
    rules: Vec<&'static Rule>,
    index_by_name: HashMap<&'static str, usize>,
}

impl RuleList {
    fn new(report: &Report) -> Self {
        let mut list = Self { rules: Vec::new(), index_by_name: HashMap::new() };
        for rule in report.rules.iter().copied().chain(report.findings.iter().map(|finding| finding.rule)) {
            list.index_by_name.entry(rule.name).or_insert_with(|| {
                list.rules.push(rule);
                list.rules.len() - 1
            });
        }
        list
    }
}

fn describe_rule(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.summary },
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": rule.level.name() },
    })
}

fn describe(finding: &Finding, rules: &RuleList, sources: &Sources) -> Value {
    let mut result = json!({
        "ruleId": finding.rule.name,
        "ruleIndex": rules.index_by_name.get(finding.rule.name),
        "level": finding.level.name(),
        "message": { "text": message_with_notes(finding) },
    });
    if let Some(place) = finding.place {
        result["locations"] = json!([{ "physicalLocation": physical_location(place, sources) }]);
    }
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(id, (place, words))| {
            json!({ "id": id, "physicalLocation": physical_location(*place, sources), "message": { "text": words } })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn physical_location(place: Place, sources: &Sources) -> Value {
    let Region { file, start, end } = Region::new(place, sources);
    json!({
        "artifactLocation": { "uri": uri(file) },
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    })
}

/// The relative URI of a file. A colon is encoded too: in the first segment it would end a scheme.
fn uri(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
