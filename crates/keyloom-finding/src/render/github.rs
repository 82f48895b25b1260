//! Workflow commands of GitHub Actions, which show a finding beside the line that caused it.

use super::visible::visible;
use super::{Region, Report, message_with_notes};
use crate::Level;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        out += &format!("::{command} ");
        if let Some(place) = finding.place {
            let Region { file, start, end } = Region::new(place, report.sources);
            out += &format!(
                "file={},line={},col={},endLine={},endColumn={},",
                property(file),
                start.line,
                start.column,
                end.line,
                end.column
            );
        }
        out += &format!("title={}::{}\n", property(finding.rule.name), data(&message_with_notes(finding)));
    }
    // A line that is no command is printed in the log as it is.
    out += &report.survey_lines();
    if let Some(sentence) = report.today_sentence() {
        out += &sentence;
        out.push('\n');
    }
    out
}

/// Escapes what follows the `::` of a command.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes the value of a command's property, which also must not end the property or the list.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
