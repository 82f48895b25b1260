//! What the terminal can show, and writing to it.

use std::io::{IsTerminal, Write};
use std::path::Path;

use keyloom::finding::render::{Report, Style, Summary, render};
use keyloom::finding::{Finding, Sources};
use keyloom::model::Date;

use crate::Exit;
use crate::arguments::FindingFormat;
use crate::files::relative_name;

/// Colours only on a terminal, and never against `NO_COLOR`; the width of the terminal, or 100.
fn style() -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns.or_else(|| if is_terminal { terminal_width() } else { None }).unwrap_or(100);
    Style { color: is_terminal && !refused && !dumb, width: width.clamp(40, 160) }
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// Prints findings in the wanted form.
pub(crate) fn print_findings(findings: &[Finding], sources: &Sources, format: FindingFormat, today: Date) {
    print_report(findings, sources, format, today, None);
}

/// Prints findings in the wanted form, and what was looked at to find them.
pub(crate) fn print_report(
    findings: &[Finding],
    sources: &Sources,
    format: FindingFormat,
    today: Date,
    survey: Option<&Summary>,
) {
    let rules = keyloom::check::all_rules();
    let today = today.to_string();
    let report = Report { findings, sources, rules: &rules, version: keyloom::VERSION, today: Some(&today), survey };
    print(&render(&report, format.format(), style()));
}

/// Writes to standard output; a reader that went away (`| head`) is not an error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Says what went wrong with the call or the world.
pub(crate) fn complain(message: &str) {
    eprintln!("keyloom: {message}");
}

/// Writes a file, and never over one that somebody may have changed.
pub(crate) fn write(path: &Path, text: &str, force: bool) -> Result<(), Exit> {
    let name = relative_name(path);
    match std::fs::read_to_string(path) {
        Ok(there) if there == text => return Ok(()),
        Ok(_) if !force => {
            complain(&format!("{name} is there and says something else; --force writes over it"));
            return Err(Exit::BadInput);
        }
        _ => {}
    }
    std::fs::write(path, text).map_err(|error| {
        complain(&format!("can't write {name}: {error}"));
        Exit::WorldFailed
    })
}

/// Makes a folder, and those above it, where they are not there.
pub(crate) fn make_folder(path: &Path) -> Result<(), Exit> {
    std::fs::create_dir_all(path).map_err(|error| {
        complain(&format!("can't make {}: {error}", relative_name(path)));
        Exit::WorldFailed
    })
}
