mod engines;
mod fixes;
mod review;
mod watch;

use std::path::Path;

use keyloom::design::search::{self, Found, Lack, Standing, ToChange};
use keyloom::finding::{Level, Sources};
use keyloom::model::layout::Layout;
use keyloom::model::{Catalog, Engine};
use keyloom::plan::Program;
use keyloom::report::Report;
use keyloom::serve::{REPLICAS, not_run, today};
use keyloom::show::Explained;
use keyloom::size::{Sizes, Tariff, Terms, size};
use keyloom::store::{Abilities, Dialect};
use keyloom::text::{Reading, print_layout, read};

use crate::Exit;
use crate::arguments::{DesignArguments, FindingFormat, ShowFormat};
use crate::files::{Disk, relative_name, shown_name};
use crate::layouts::{layout, nothing_for};
use crate::output::{complain, make_folder, print, print_findings, write};
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
    let why = |only: Option<&str>| {
        watch.begin_anew();
        Why::of(&reading.catalog, &found, &program, &known, &terms, only)
    };
    if let Some(folder) = &arguments.report {
        let findings = review::findings(&reading, &found.layout, &program, &mut sources);
        let why = why(None);
        let explained = why.explained(&program, &found, &known);
        let report = Report { explained, findings: &findings, sources: &sources, layout: &text };
        let page = folder.join("index.html");
        make_folder(folder)?;
        write(&page, &keyloom::report::report(&report), arguments.force)?;
        print(&format!("wrote {}\n", relative_name(&page)));
    }
    match (&arguments.explain, &arguments.output, arguments.format) {
        (Some(only), _, _) => {
            let only = Some(only.as_str()).filter(|name| !name.is_empty());
            let why = why(only);
            print(&keyloom::show::explain(&why.explained(&program, &found, &known), only));
        }
        (None, _, ShowFormat::Json) => print(&keyloom::show::design_json(&program)),
        (None, Some(path), ShowFormat::Text) => print(&said(&program, path)),
        (None, None, ShowFormat::Text) if arguments.report.is_none() => print(&text),
        (None, None, ShowFormat::Text) => {}
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
            not_run: &not_run,
            standing: None,
            is_over,
        }
    }
}

/// All that is said of why a layout is as it is.
struct Why {
    reasons: Vec<search::Reason>,
    copies: Vec<search::CopyReason>,
    needs: Vec<search::Need>,
    not_run: Vec<Lack>,
    queries: Vec<search::Query>,
    sizes: Sizes,
}

impl Why {
    /// Of one pattern, if it is named.
    fn of(
        catalog: &Catalog,
        found: &Found,
        program: &Program,
        known: &Known,
        terms: &search::Terms<'_>,
        only: Option<&str>,
    ) -> Self {
        let all = only.is_none();
        Self {
            reasons: search::explain(catalog, found, terms, only),
            copies: if all { search::explain_copies(catalog, found, terms) } else { Vec::new() },
            needs: search::needs(catalog, found, terms),
            not_run: not_run(program),
            queries: if all { search::ask(catalog, found, terms) } else { Vec::new() },
            sizes: size(program, &*known.dialect, &known.priced),
        }
    }

    fn explained<'a>(&'a self, program: &'a Program, found: &'a Found, known: &'a Known) -> Explained<'a> {
        Explained {
            program,
            found,
            reasons: &self.reasons,
            copies: &self.copies,
            needs: &self.needs,
            not_run: &self.not_run,
            queries: &self.queries,
            sizes: &self.sizes,
            tariff: &known.tariff,
        }
    }
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
