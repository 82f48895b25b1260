//! JSON, schema 1: a flat list that a program can read without knowing Keyloom.

use serde_json::{Value, json};

use super::{Region, Report};
use crate::{Finding, Level, Limit};

pub(super) fn render(report: &Report) -> String {
    let mut document = json!({
        "schema": 1,
        "findings": report.findings.iter().map(|finding| describe(finding, report)).collect::<Vec<_>>(),
        "summary": {
            "error": report.count(Level::Error),
            "warning": report.count(Level::Warning),
            "note": report.count(Level::Note),
        },
    });
    if let Some(day) = report.deciding_day() {
        document["today"] = day.into();
    }
    if let Some(survey) = report.survey {
        document["survey"] = survey.value.clone();
    }
    format!("{document:#}\n")
}

fn describe(finding: &Finding, report: &Report) -> Value {
    let region = finding.place.map(|place| Region::new(place, report.sources));
    let region = region.as_ref();
    json!({
        "rule": finding.rule.name,
        "level": finding.level.name(),
        "message": finding.message,
        "file": region.map(|region| region.file),
        "line": region.map(|region| region.start.line),
        "column": region.map(|region| region.start.column),
        "end_line": region.map(|region| region.end.line),
        "end_column": region.map(|region| region.end.column),
        "help": finding.help,
        "derivation": finding.derivation,
        "limit": finding.limit.as_ref().map(|Limit { value, source, date }| {
            json!({ "value": value, "source": source, "date": date })
        }),
    })
}
