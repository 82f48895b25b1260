//! Every rule has a page, fixtures that fire, fixtures that do not, and snapshots of the rendered findings.
//!
//! A rule's fixtures stand in `tests/rules/<rule>/`: files or folders named `fires-*` and `quiet-*`. A folder holds a
//! `catalog.yaml`, what it includes, perhaps its `layout.yaml`, and perhaps a `keyloom.toml`; a folder without a catalog, or a file that is neither
//! YAML nor TOML, is a repository with a schema and perhaps programs, and is surveyed. A first line `# today: 2030-01-01`
//! sets the date. Beside each firing fixture stands its rendered report, `<fixture>.txt`. `KEYLOOM_UPDATE=1 cargo test`
//! rewrites the reports and `docs/rules/`; the diff is then to be read like code.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "fixtures are files, and a broken one must stop the test"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use keyloom_check::{Config, Laid, all_rules, review_all};
use keyloom_finding::render::{Format, Report, Style, render};
use keyloom_finding::{Finding, Level, Sources};
use keyloom_model::Date;
use keyloom_survey::{Request, Tree, recall, survey};
use keyloom_text::{Files, Unreadable, read, read_layout};

mod support;

/// The files of one fixture, under their own short names.
struct Fixture {
    folder: PathBuf,
}

impl Files for Fixture {
    fn open(&self, name: &str) -> Result<String, Unreadable> {
        match std::fs::read(self.folder.join(name)) {
            Ok(bytes) => Unreadable::text(bytes),
            Err(_) => Err(Unreadable::Missing),
        }
    }
}

struct Outcome {
    findings: Vec<Finding>,
    report: String,
}

impl Tree for Fixture {
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(path.strip_prefix(&self.folder).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        names.sort();
        names
    }

    fn open(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.folder.join(name)).map_err(|error| error.to_string())
    }
}

/// A fixture of one file is a repository that holds nothing else.
struct Alone {
    fixture: Fixture,
    name: String,
}

impl Tree for Alone {
    fn names(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    fn open(&self, name: &str) -> Result<String, String> {
        Tree::open(&self.fixture, name)
    }
}

fn run_survey(fixture: &Path) -> Outcome {
    let mut sources = Sources::default();
    let (mut config, mut findings) = (Config::default(), Vec::new());
    if let Ok(text) = std::fs::read_to_string(fixture.join("keyloom.toml")) {
        let file = sources.add("keyloom.toml", text);
        (config, findings) = Config::read(&sources, file);
    }
    let tree: Box<dyn Tree> = if fixture.is_dir() {
        Box::new(Fixture { folder: fixture.to_owned() })
    } else {
        let folder = fixture.parent().unwrap().to_owned();
        let name = fixture.file_name().unwrap().to_string_lossy().into_owned();
        Box::new(Alone { fixture: Fixture { folder }, name })
    };
    let surveys = survey(tree.as_ref(), &Request::default(), &mut sources);
    let today = Date { year: 2026, month: 11, day: 15 };
    findings.extend(review_all(&[], &[], &surveys, &sources, &config, today));
    recall(tree.as_ref(), findings.iter().flat_map(Finding::places), &mut sources);
    outcome(findings, &sources, today)
}

fn outcome(mut findings: Vec<Finding>, sources: &Sources, today: Date) -> Outcome {
    keyloom_finding::sort(&mut findings, sources);
    let today = today.to_string();
    let report =
        Report { findings: &findings, sources, rules: &all_rules(), version: "0", today: Some(&today), survey: None };
    let report = render(&report, Format::Text, Style { color: false, width: 100 });
    Outcome { findings, report }
}

fn run(fixture: &Path) -> Outcome {
    let is_catalog = if fixture.is_dir() {
        fixture.join("catalog.yaml").exists()
    } else {
        fixture.extension().is_some_and(|extension| extension == "yaml" || extension == "toml")
    };
    if is_catalog { run_catalog(fixture) } else { run_survey(fixture) }
}

fn run_catalog(fixture: &Path) -> Outcome {
    let (folder, name) = if fixture.is_dir() {
        (fixture.to_owned(), "catalog.yaml".to_owned())
    } else {
        let name = fixture.file_name().unwrap().to_string_lossy().into_owned();
        (fixture.parent().unwrap().to_owned(), name)
    };
    let files = Fixture { folder: folder.clone() };
    let mut sources = Sources::default();
    let (mut config, mut findings) = (Config::default(), Vec::new());
    if fixture.is_dir()
        && let Ok(text) = std::fs::read_to_string(folder.join("keyloom.toml"))
    {
        let file = sources.add("keyloom.toml", text);
        (config, findings) = Config::read(&sources, file);
    }
    let first_line = Files::open(&files, &name).unwrap_or_default().lines().next().unwrap_or("").to_owned();
    let today =
        first_line.strip_prefix("# today: ").and_then(Date::parse).unwrap_or(Date { year: 2026, month: 11, day: 15 });
    let reading = read(&name, &files, &mut sources);
    let mut layouts = Vec::new();
    if fixture.is_dir() && folder.join("layout.yaml").exists() {
        let layout = read_layout("layout.yaml", &files, &mut sources, &reading);
        let abilities = support::abilities(layout.layout.engine);
        layouts.push(Laid { catalog: 0, reading: layout, abilities });
    }
    findings.extend(review_all(&[reading], &layouts, &[], &sources, &config, today));
    outcome(findings, &sources, today)
}

fn fixtures(rule: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules").join(rule);
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|ext| ext != "txt"))
        .collect();
    found.sort();
    found
}

fn update() -> bool {
    std::env::var_os("KEYLOOM_UPDATE").is_some()
}

/// Compares a text with its file, or rewrites the file.
fn expect(path: &Path, text: &str, faults: &mut Vec<String>) {
    let found = std::fs::read_to_string(path).unwrap_or_default();
    if found == text {
        return;
    }
    if update() {
        std::fs::write(path, text).unwrap();
    } else {
        faults.push(format!("{} differs; KEYLOOM_UPDATE=1 rewrites it. It should be:\n{text}", path.display()));
    }
}

fn starts(fixture: &Path, prefix: &str) -> bool {
    fixture.file_name().unwrap().to_string_lossy().starts_with(prefix)
}

#[test]
fn every_rule_fires_where_it_should_and_nowhere_else() {
    let mut faults = Vec::new();
    for rule in all_rules() {
        let all = fixtures(rule.name);
        for prefix in ["fires-", "quiet-"] {
            if !all.iter().any(|fixture| starts(fixture, prefix)) {
                faults.push(format!("{} has no fixture `{prefix}*`", rule.name));
            }
        }
        for fixture in &all {
            let outcome = run(fixture);
            let shown = format!("{}/{}", rule.name, fixture.file_name().unwrap().to_string_lossy());
            let fired = outcome.findings.iter().any(|finding| finding.rule.name == rule.name);
            if starts(fixture, "fires-") {
                if !fired {
                    faults.push(format!("{shown} does not fire:\n{}", outcome.report));
                }
                expect(&fixture.with_extension("txt"), &outcome.report, &mut faults);
            } else if fired {
                faults.push(format!("{shown} fires:\n{}", outcome.report));
            }
            faults.extend(two_at_one_place(&shown, &outcome));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// One cause at one place never gives two findings.
fn two_at_one_place(shown: &str, outcome: &Outcome) -> Option<String> {
    let mut seen = HashMap::new();
    for finding in outcome.findings.iter().filter(|finding| finding.level > Level::Note) {
        if let Some(place) = finding.place
            && let Some(first) = seen.insert(place, finding.rule.name)
        {
            return Some(format!("{shown}: {first} and {} at one place:\n{}", finding.rule.name, outcome.report));
        }
    }
    None
}

#[test]
fn every_rule_has_a_whole_page() {
    for rule in all_rules() {
        assert!(
            rule.page.starts_with(&format!("# {}\n", rule.name)),
            "the page of {} does not begin with its name",
            rule.name
        );
        for section in ["## What it finds", "## Why it matters", "## Example", "## Use instead", "## When to allow"] {
            assert!(rule.page.contains(section), "the page of {} has no section `{section}`", rule.name);
        }
        assert!(rule.page.contains(rule.level.name()), "the page of {} does not name its level", rule.name);
    }
}

#[test]
fn the_docs_hold_the_same_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    let mut faults = Vec::new();
    let mut index = "# Rules\n\nWhat `keyloom check` looks for. `keyloom explain RULE` shows the same page in the terminal.\n\n| rule | level | finds |\n|---|---|---|\n".to_owned();
    let mut wanted = vec!["README.md".to_owned()];
    for rule in all_rules() {
        index.push_str(&format!("| [{0}]({0}.md) | {1} | {2} |\n", rule.name, rule.level.name(), rule.summary));
        expect(&folder.join(format!("{}.md", rule.name)), rule.page, &mut faults);
        wanted.push(format!("{}.md", rule.name));
    }
    expect(&folder.join("README.md"), &index, &mut faults);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !wanted.contains(&name) {
            faults.push(format!("docs/rules/{name} belongs to no rule"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
