use std::collections::BTreeMap;
use std::path::Path;

use keyloom::check::{Baseline, Config, Laid, fails, review_all};
use keyloom::finding::{Finding, Sources};
use keyloom::model::Date;
use keyloom::serve::today;
use keyloom::survey::{recall, survey};
use keyloom::text::{Reading, read, read_layout};

use crate::Exit;
use crate::arguments::{CheckArguments, FindingFormat};
use crate::asked::Asked;
use crate::files::{Disk, catalog_path, catalogs_below};
use crate::output::{complain, print, print_report};
use crate::progress::with_progress;
use crate::repository::Repository;
use crate::settings::settings;
use crate::since::Changed;
use crate::taken;

/// Reviews catalogs, and schemas with the statements that use them.
pub(crate) fn run(arguments: &CheckArguments) -> Exit {
    let mut sources = Sources::default();
    let today = arguments.today.unwrap_or_else(today);
    let (config, mut findings) = settings(arguments, &mut sources);
    let mut is_bad = !findings.is_empty();
    let changed = match arguments.since.as_deref().map(Changed::since).transpose() {
        Ok(changed) => changed,
        Err(reason) => {
            complain(&reason);
            return Exit::BadInput;
        }
    };
    let mut asked = Asked::of(arguments);
    let repository = Repository::new(&asked.roots, &config);
    let surveys = with_progress(&repository.opened, || survey(&repository, &asked.request, &mut sources));
    if surveys.is_empty() {
        asked.take_for_catalogs();
    }
    let readings = readings(&asked, &config, &mut sources);
    is_bad |= readings.iter().any(|reading| reading.unreadable);
    let layouts = layouts(&asked, &readings, &mut sources);
    is_bad |= layouts.iter().any(|laid| laid.reading.unreadable);
    let unreadable: BTreeMap<_, _> =
        repository.unreadable_files().into_iter().chain(asked.unreadable_files()).collect();
    is_bad |= !unreadable.is_empty();
    findings.extend(unreadable.into_iter().map(|(name, why)| asked.explain(why.finding(None, &name), &name)));
    findings.extend(review_all(&readings, &layouts, &surveys, &sources, &config, today));
    let is_json = matches!(arguments.format, FindingFormat::Json);
    let places: Vec<_> = findings.iter().flat_map(Finding::places).chain(taken::places(&surveys, is_json)).collect();
    recall(&repository, places, &mut sources);
    keyloom::finding::sort(&mut findings, &sources);
    if let Some(path) = &arguments.write_baseline {
        return write_baseline(path, &findings, &sources, today);
    }
    let findings = match remaining(findings, arguments.baseline.as_deref(), changed.as_ref(), &sources) {
        Ok(findings) => findings,
        Err(reason) => {
            complain(&reason);
            return Exit::BadInput;
        }
    };
    if surveys.is_empty() {
        hints(&asked);
    }
    let mut summary = taken::summary(&surveys, &sources);
    if let Some(summary) = &mut summary {
        summary.lines.extend(taken::blind_line(&surveys));
    }
    print_report(&findings, &sources, arguments.format, today, summary.as_ref());
    if matches!(arguments.format, FindingFormat::Text)
        && let Some(finding) = findings.first()
    {
        print(&format!("`keyloom explain {}` says more about a rule\n", finding.rule.name));
    }
    if is_bad {
        Exit::BadInput
    } else if fails(&findings, config.deny) {
        Exit::Findings
    } else {
        Exit::Fine
    }
}

fn readings(asked: &Asked, config: &Config, sources: &mut Sources) -> Vec<Reading> {
    let mut names: Vec<&String> = Vec::new();
    for name in &asked.catalogs {
        if !config.excludes(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| read(name, &Disk, sources)).collect()
}

/// The layouts, each beside its catalog: the one of that name, else the first, against which it is then wrong.
fn layouts(asked: &Asked, readings: &[Reading], sources: &mut Sources) -> Vec<Laid> {
    let mut laid = Vec::new();
    for name in asked.layouts.iter().filter(|_| !readings.is_empty()) {
        let of = |reading: &Reading| read_layout(name, &Disk, &mut Sources::default(), reading).layout.catalog;
        let catalog = readings.iter().position(|reading| of(reading) == reading.catalog.name).unwrap_or(0);
        let reading = read_layout(name, &Disk, sources, &readings[catalog]);
        let engine = reading.layout.engine;
        let abilities = keyloom::serve::abilities(engine);
        if abilities.is_none() {
            complain(&format!("{name} is read, but not compiled: Keyloom does not store on {} yet", engine.title()));
        }
        laid.push(Laid { catalog, reading, abilities });
    }
    laid
}

/// Writes down all findings, so that they are left out from now on.
fn write_baseline(path: &Path, findings: &[Finding], sources: &Sources, today: Date) -> Exit {
    match std::fs::write(path, Baseline::write(findings, sources, today)) {
        Ok(()) => {
            let shown = path.display();
            let written = plural(findings.len(), "finding");
            print(&format!("wrote {written}; `keyloom check --baseline {shown}` leaves them out\n"));
            Exit::Fine
        }
        Err(error) => {
            complain(&format!("can't write {}: {error}", path.display()));
            Exit::WorldFailed
        }
    }
}

/// What is left of the findings without those that are known and those in lines that did not change.
fn remaining(
    mut findings: Vec<Finding>,
    baseline: Option<&Path>,
    changed: Option<&Changed>,
    sources: &Sources,
) -> Result<Vec<Finding>, String> {
    if let Some(path) = baseline {
        let shown = path.display();
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("can't read {shown}: {error}; --write-baseline {shown} writes it"))?;
        let left = Baseline::read(&text).map_err(|fault| format!("{shown} is no baseline: {fault}"))?;
        let left = left.apply(findings, sources);
        complain(&format!("{} known to {shown} left out", plural(left.known, "finding")));
        if !left.gone.is_empty() {
            let gone = left.gone.len();
            complain(&format!(
                "{gone} of {shown} gone, so it can shrink: --write-baseline {shown} ({})",
                first(&left.gone)
            ));
        }
        findings = left.new;
    }
    if let Some(changed) = changed {
        let before = findings.len();
        findings.retain(|finding| changed.touches(finding, sources));
        complain(&format!("{} in unchanged lines left out", plural(before - findings.len(), "finding")));
    }
    Ok(findings)
}

fn plural(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The first few of them.
fn first(all: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown}, ..") } else { shown }
}

/// What to do when nothing was found.
fn hints(asked: &Asked) {
    for folder in asked.roots.iter().filter(|root| root.is_dir() && !catalog_path(root).exists()) {
        let shown = folder.display();
        let below = catalogs_below(folder);
        if below.is_empty() {
            complain(&format!(
                "nothing to review below {shown}: Keyloom looks for CQL (*.cql, and *.sql whose path or words \
                 are Cassandra's), for statements in programs, and for a catalog.yaml; `keyloom check schema/ --queries src/` \
                 says where they are, `keyloom init` writes an example"
            ));
        } else {
            complain(&format!("there are catalogs below {shown}: {}", below.join(", ")));
        }
    }
}
