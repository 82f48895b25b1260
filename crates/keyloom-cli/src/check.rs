use keyloom::check::{fails, review};
use keyloom::finding::Sources;
use keyloom::text::read;

use crate::Exit;
use crate::arguments::CheckArguments;
use crate::files::{Disk, shown_name};
use crate::output::print_findings;
use crate::settings::settings;
use crate::today::today;

/// Reviews catalogs.
pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let mut sources = Sources::default();
    let today = arguments.today.unwrap_or_else(today);
    let (config, mut findings) = settings(arguments, &mut sources);
    let bad_settings = !findings.is_empty();
    let mut readings = Vec::new();
    for catalog in &arguments.catalogs {
        let name = shown_name(catalog);
        if !config.excludes(&name) {
            readings.push(read(&name, &Disk, &mut sources));
        }
    }
    findings.extend(review(&readings, &sources, &config, today));
    keyloom::finding::sort(&mut findings, &sources);
    print_findings(&findings, &sources, arguments.format, today);
    if bad_settings || readings.iter().any(|reading| reading.unreadable) {
        Exit::BadInput
    } else if fails(&findings, config.deny) {
        Exit::Findings
    } else {
        Exit::Fine
    }
}
