mod engines;
mod fixes;
mod watch;

use std::path::Path;

use keyloom::design::search::{self, Found, Standing, ToChange};
use keyloom::finding::{Level, Sources};
use keyloom::model::Engine;
use keyloom::model::layout::Layout;
use keyloom::plan::Program;
use keyloom::serve::{REPLICAS, today};
use keyloom::show::Explained;
use keyloom::size::{Tariff, Terms, size};
use keyloom::store::{Abilities, Dialect};
use keyloom::text::{Reading, print_layout, read};

use crate::Exit;
use crate::arguments::{DesignArguments, FindingFormat, ShowFormat};
use crate::files::{Disk, relative_name, shown_name};
use crate::layouts::{layout, nothing_for};
use crate::output::{complain, print, print_findings, write};
use watch::Watch;

/// Designs the tables of a catalog, and says in a sentence how each pattern is answered.
pub(crate) fn run(arguments: &DesignArguments) -> Exit {
    designed(arguments).unwrap_or_else(|exit| exit)
}

fn designed(arguments: &DesignArguments) -> Result<Exit, Exit> {
    let mut sources = Sources::default();
    let reading = understood(&arguments.catalog, &mut sources)?;
    if let Some(name) = arguments.explain.as_deref().filter(|name| !name.is_empty())
        && reading.catalog.pattern(name).is_none()
    {
        complain(&format!("there is no pattern `{name}` in this catalog"));
        return Err(Exit::BadInput);
    }
    if arguments.engines.is_some() {
        return engines::run(&reading, arguments.budget);
    }
    let in_use = arguments.from.as_deref().map(|path| layout(path, &reading, &mut sources)).transpose()?;
    let known = Known::of(engine(arguments, in_use.as_ref())?)?;
    let watch = Watch::new(arguments.budget);
    let is_over = |progress: &search::Progress| watch.is_over(progress);
    let reason = if arguments.fix_only { ToChange::Limits } else { ToChange::Costs };
    let standing = in_use.as_ref().map(|layout| Standing { layout, reason });
    let terms = search::Terms { standing, ..known.terms(&is_over) };
    let found = search::search(&reading.catalog, &terms);
    let program = Program::compile(&reading.catalog, &found.layout, &known.abilities);
    let text = print_layout(&program.layout);
    if let Some(path) = &arguments.output {
        write(path, &text, arguments.force)?;
    }
    match (&arguments.explain, &arguments.output, arguments.format) {
        (Some(only), _, _) => {
            watch.begin_anew();
            print(&explained(&reading, &found, &program, &known, &terms, only));
        }
        (None, _, ShowFormat::Json) => print(&keyloom::show::design_json(&program)),
        (None, None, ShowFormat::Text) => print(&text),
        (None, Some(path), ShowFormat::Text) => print(&said(&program, path)),
    }
    if let Some(changes) = found.changes.as_ref().filter(|_| arguments.explain.is_none()) {
        complain_lines(&keyloom::show::changed(changes, &found, &known.tariff));
    }
    if let Some(in_use) = in_use.as_ref().filter(|_| arguments.fix_only) {
        complain_lines(&fixes::said(&reading, in_use, &program, &mut sources));
    }
    for refusal in &program.refusals {
        complain(&format!("{refusal}\n  {}", refusal.way_out()));
    }
    Ok(if program.refusals.is_empty() { Exit::Fine } else { Exit::Findings })
}

/// A catalog without errors.
fn understood(path: &Path, sources: &mut Sources) -> Result<Reading, Exit> {
    let reading = read(&shown_name(path), &Disk, sources);
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if errors.is_empty() {
        return Ok(reading);
    }
    keyloom::finding::sort(&mut errors, sources);
    print_findings(&errors, sources, FindingFormat::Text, today());
    Err(if reading.unreadable { Exit::BadInput } else { Exit::Findings })
}

/// The engine that is designed for: that of the layout in use, the one that is named, or the embedded store.
fn engine(arguments: &DesignArguments, in_use: Option<&Layout>) -> Result<Engine, Exit> {
    match (in_use.map(|layout| layout.engine), arguments.engine) {
        (Some(of), Some(named)) if of != named => {
            complain(&format!(
                "the layout is one of {}, not of {}: without --from, one for {} is designed from nothing",
                of.title(),
                named.title(),
                named.title()
            ));
            Err(Exit::BadInput)
        }
        (Some(engine), _) | (None, Some(engine)) => Ok(engine),
        (None, None) => Ok(Engine::Embedded),
    }
}

/// What is known of an engine without asking it.
struct Known {
    engine: Engine,
    abilities: Abilities,
    dialect: Box<dyn Dialect>,
    priced: Terms,
    tariff: Tariff,
}

impl Known {
    fn of(engine: Engine) -> Result<Self, Exit> {
        let known = keyloom::serve::abilities(engine).zip(keyloom::serve::dialect(engine, REPLICAS));
        let Some((abilities, dialect)) = known else {
            complain(&nothing_for(engine));
            return Err(Exit::BadInput);
        };
        let priced = keyloom::serve::priced();
        let tariff = Tariff::of(engine, &priced);
        Ok(Self { engine, abilities, dialect, priced, tariff })
    }

    fn terms<'a>(&'a self, is_over: &'a dyn Fn(&search::Progress) -> bool) -> search::Terms<'a> {
        search::Terms {
            engine: self.engine,
            abilities: &self.abilities,
            dialect: &*self.dialect,
            tariff: &self.tariff,
            not_run: &keyloom::serve::not_run,
            standing: None,
            is_over,
        }
    }
}

/// Why the layout is as it is; of one pattern, if it is named.
fn explained(
    reading: &Reading,
    found: &Found,
    program: &Program,
    known: &Known,
    terms: &search::Terms<'_>,
    only: &str,
) -> String {
    let only = Some(only).filter(|name| !name.is_empty());
    let reasons = search::explain(&reading.catalog, found, terms, only);
    let copies = if only.is_none() { search::explain_copies(&reading.catalog, found, terms) } else { Vec::new() };
    let queries = if only.is_none() { search::ask(&reading.catalog, found, terms) } else { Vec::new() };
    let sizes = size(program, &*known.dialect, &known.priced);
    let explained = Explained {
        program,
        found,
        reasons: &reasons,
        copies: &copies,
        queries: &queries,
        sizes: &sizes,
        tariff: &known.tariff,
    };
    keyloom::show::explain(&explained, only)
}

fn said(program: &Program, path: &Path) -> String {
    let tables = program.layout.tables.len();
    let sentences = keyloom::show::plan(program, None);
    format!("wrote {} with {tables} tables\n\n{sentences}", relative_name(path))
}

/// What is said beside what is printed, which may be read by a program.
fn complain_lines(text: &str) {
    text.lines().for_each(complain);
}
