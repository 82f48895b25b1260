//! One line per finding: `file:line:column: level[rule] message`.

use super::visible::one_line;
use super::{Region, Report};

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings {
        if let Some(place) = finding.place {
            let Region { file, start, .. } = Region::new(place, report.sources);
            out += &format!("{}:{}:{}: ", one_line(file), start.line, start.column);
        }
        // The words under the caret are part of what is said: "did you mean `status`?".
        let label = if finding.label.is_empty() { String::new() } else { format!(" ({})", one_line(&finding.label)) };
        out += &format!("{}[{}] {}{label}\n", finding.level.name(), finding.rule.name, one_line(&finding.message));
    }
    out + &report.footer()
}
