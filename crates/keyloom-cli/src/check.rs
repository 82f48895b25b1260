use keyloom::check::{fails, review};
use keyloom::finding::Sources;
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{CheckArguments, FindingFormat};
use crate::files::{Disk, catalog_path, catalogs_below, shown_name};
use crate::output::{complain, print, print_findings};
use crate::settings::settings;
use crate::today::today;

/// Reviews catalogs.
pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let mut sources = Sources::default();
    let today = arguments.today.unwrap_or_else(today);
    let (config, mut findings) = settings(arguments, &mut sources);
    let bad_settings = !findings.is_empty();
    let mut names: Vec<String> = Vec::new();
    for name in arguments.catalogs.iter().map(|catalog| shown_name(catalog)) {
        if !config.excludes(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    let readings: Vec<_> = names.iter().map(|name| read(name, &Disk, &mut sources)).collect();
    findings.extend(review(&readings, &sources, &config, today));
    keyloom::finding::sort(&mut findings, &sources);
    print_findings(&findings, &sources, arguments.format, today);
    if matches!(arguments.format, FindingFormat::Text)
        && let Some(finding) = findings.first()
    {
        print(&format!("`keyloom explain {}` says more about a rule\n", finding.rule.name));
    }
    for catalog in arguments.catalogs.iter().filter(|catalog| catalog.is_dir() && !catalog_path(catalog).exists()) {
        let below = catalogs_below(catalog);
        if !below.is_empty() {
            complain(&format!("there are catalogs below {}: {}", catalog.display(), below.join(", ")));
        }
    }
    if bad_settings || readings.iter().any(|reading| reading.unreadable) {
        Exit::BadInput
    } else if fails(&findings, config.deny) {
        Exit::Findings
    } else {
        Exit::Fine
    }
}
