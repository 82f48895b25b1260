//! The table that closes a test run.

use crate::suite::{Suite, Totals, Verdict};

const HEADER: [&str; 5] = ["suite", "engine", "tests run", "skipped", "result"];

/// The table of all suites and, alone on the last line, the totals.
pub fn render(suites: &[Suite], ci: bool) -> String {
    let rows: Vec<[String; 5]> = suites.iter().map(|suite| row(suite, ci)).collect();
    let mut widths = HEADER.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }

    let rule = widths.map(|width| "-".repeat(width));
    let mut text = String::new();
    for row in [HEADER.map(str::to_owned), rule].iter().chain(&rows) {
        text.push_str(&line(row, widths));
        text.push('\n');
    }
    let totals = Totals::of(suites, ci);
    text + &format!("\n{} passed, {} failed, {} skipped", totals.passed, totals.failed, totals.skipped)
}

fn row(suite: &Suite, ci: bool) -> [String; 5] {
    let result = match suite.verdict(ci) {
        Verdict::Passed => "ok".to_owned(),
        Verdict::Skipped => "skipped".to_owned(),
        Verdict::Empty => "no tests".to_owned(),
        Verdict::Failed(_) if suite.failed > 0 => format!("FAILED ({})", suite.failed),
        Verdict::Failed(reason) => format!("FAILED: {reason}"),
    };
    [
        suite.name.clone(),
        suite.engine.clone().unwrap_or_else(|| "-".to_owned()),
        suite.run.to_string(),
        suite.skipped.to_string(),
        result,
    ]
}

fn line(cells: &[String; 5], widths: [usize; 5]) -> String {
    let [suite, engine, run, skipped, result] = cells;
    let [suite_width, engine_width, run_width, skipped_width, _] = widths;
    format!(
        "{suite:<suite_width$} | {engine:<engine_width$} | {run:>run_width$} | {skipped:>skipped_width$} | {result}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_the_totals_stand_alone() {
        let suites = [
            Suite::check("rustfmt", true),
            Suite { run: 120, failed: 1, skipped: 2, ..Suite::new("keyloom-text") },
            Suite { engine: Some("cassandra".to_owned()), skipped: 7, ..Suite::new("store") },
        ];
        let expected = "\
suite        | engine    | tests run | skipped | result
------------ | --------- | --------- | ------- | ----------
rustfmt      | -         |         1 |       0 | ok
keyloom-text | -         |       120 |       2 | FAILED (1)
store        | cassandra |         0 |       7 | skipped

120 passed, 1 failed, 9 skipped";
        assert_eq!(render(&suites, false), expected);
    }

    #[test]
    fn ci_says_why_an_empty_suite_fails() {
        let rendered = render(&[Suite::new("keyloom")], true);
        assert!(rendered.contains("| FAILED: no tests ran\n"), "{rendered}");
        assert_eq!(rendered.lines().last(), Some("0 passed, 1 failed, 0 skipped"));
    }
}
