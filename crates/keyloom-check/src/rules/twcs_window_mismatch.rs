use keyloom_cql::ast::{LiteralKind, TermKind};
use keyloom_cql::schema::{Compaction, Table};
use keyloom_finding::{Finding, Level, Rule};

use crate::{SurveyContext, TableUse};

pub(crate) static RULE: Rule = Rule {
    name: "twcs-window-mismatch",
    level: Level::Warning,
    summary: "the life of rows holds far fewer or far more time windows than 20 to 50",
    page: include_str!("twcs_window_mismatch.md"),
};

/// Rows of that many windows are alive at once; the advice is 20 to 50, and this is far from it.
const FEW: u64 = 5;
const MANY: u64 = 100;
const SHORT: u64 = 3_600;
const MINUTE: u64 = 60;

pub(crate) fn check_survey(context: &SurveyContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.own_tables() {
        let Some(compaction) = table.compaction.as_ref().filter(|it| it.class.contains("TimeWindow")) else { continue };
        let Some(window) = window_seconds(compaction).filter(|seconds| *seconds > 0) else { continue };
        let Some(ttl) = ttl_seconds(table, context.uses(table)) else { continue };
        let windows = ttl.div_ceil(window);
        let name = &table.name;
        let counted = if windows == 1 { "one window".to_owned() } else { format!("{windows} windows") };
        let message = if windows < FEW {
            format!(
                "rows of `{name}` live for {counted}: an expired row is kept until the rest of its long window has expired"
            )
        } else if windows > MANY {
            format!("rows of `{name}` live for {counted}: a read may look into a file of each")
        } else {
            continue;
        };
        let help = if ttl / 30 < MINUTE {
            "a window is a minute at least: make it one, which is as close as rows of so short a life can come to 20 to 50 windows".to_owned()
        } else {
            let better = in_words(ttl / 30);
            format!("make the window about a thirtieth of the life, {better}: 20 to 50 windows are then alive")
        };
        // What lives for minutes never fills a file that matters.
        let level = if ttl < SHORT { Level::Note } else { Level::Warning };
        let finding = Finding::new(&RULE, context.survey.made(compaction.made), message)
            .level(level)
            .derivation(format!("{ttl} s of life / {window} s a window = {counted}"))
            .help(help);
        findings.push(finding);
    }
}

/// One window in seconds; a day where nothing is said. `None` where a part of it is not known.
fn window_seconds(compaction: &Compaction) -> Option<u64> {
    let setting = |name: &str| compaction.settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let unit = match setting("compaction_window_unit").unwrap_or("DAYS").to_uppercase().as_str() {
        "MINUTES" => 60,
        "HOURS" => 3_600,
        "DAYS" => 86_400,
        _ => return None,
    };
    setting("compaction_window_size").unwrap_or("1").parse::<u64>().ok()?.checked_mul(unit)
}

/// How long rows live, where it is one known number.
fn ttl_seconds(table: &Table, uses: &[TableUse<'_>]) -> Option<u64> {
    match &table.default_ttl {
        Some((Some(0), _)) | None => {}
        Some((seconds, _)) => return *seconds,
    }
    let mut written = uses.iter().filter(|one| one.sets()).map(constant_ttl);
    let first = written.next()??;
    written.all(|other| other == Some(first)).then_some(first)
}

fn constant_ttl(one: &TableUse<'_>) -> Option<u64> {
    match &one.using("ttl")?.kind {
        TermKind::Literal(literal) if literal.kind == LiteralKind::Integer => literal.text.parse().ok(),
        _ => None,
    }
}

fn in_words(seconds: u64) -> String {
    match seconds {
        _ if seconds >= 2 * 86_400 => format!("{} days", seconds / 86_400),
        _ if seconds >= 2 * 3_600 => format!("{} hours", seconds / 3_600),
        _ if seconds >= 2 * 60 => format!("{} minutes", seconds / 60),
        _ => "a minute".to_owned(),
    }
}
