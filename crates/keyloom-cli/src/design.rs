use std::cell::Cell;
use std::path::Path;

use keyloom::design::search;
use keyloom::facts::Prices;
use keyloom::finding::{Level, Sources};
use keyloom::plan::Program;
use keyloom::serve::today;
use keyloom::size::{Replicas, Tariff, Terms};
use keyloom::text::{print_layout, read};

use crate::Exit;
use crate::arguments::{DesignArguments, FindingFormat, ShowFormat};
use crate::files::{Disk, relative_name, shown_name};
use crate::layouts::nothing_for;
use crate::output::{complain, print, print_findings, write};
use crate::size::{REGION, REPLICAS};

/// How often the search looks whether it has gone on for long enough, which is a matter of steps and not of seconds: the same catalog
/// gives the same layout on any machine.
const LOOKS_MAX: u32 = 2_000;

/// Designs the tables of a catalog, and says in a sentence how each pattern is answered.
pub(crate) fn run(arguments: &DesignArguments) -> Exit {
    let mut sources = Sources::default();
    let reading = read(&shown_name(&arguments.catalog), &Disk, &mut sources);
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if !errors.is_empty() {
        keyloom::finding::sort(&mut errors, &sources);
        print_findings(&errors, &sources, FindingFormat::Text, today());
        return if reading.unreadable { Exit::BadInput } else { Exit::Findings };
    }
    if let Some(name) = arguments.explain.as_deref().filter(|name| !name.is_empty())
        && reading.catalog.pattern(name).is_none()
    {
        complain(&format!("there is no pattern `{name}` in this catalog"));
        return Exit::BadInput;
    }
    let Some((abilities, dialect)) =
        keyloom::serve::abilities(arguments.engine).zip(keyloom::serve::dialect(arguments.engine, REPLICAS))
    else {
        complain(&nothing_for(arguments.engine));
        return Exit::BadInput;
    };
    let replicas = Some(Replicas { count: REPLICAS, assumed: true });
    let prices = Prices::of(REGION).cloned();
    let tariff = Tariff::of(arguments.engine, &Terms { prices, replicas, ..Terms::default() });
    let asked = Cell::new(0_u32);
    let is_over = || {
        asked.set(asked.get() + 1);
        asked.get() > LOOKS_MAX
    };
    let terms = search::Terms {
        engine: arguments.engine,
        abilities: &abilities,
        dialect: &*dialect,
        tariff: &tariff,
        is_over: &is_over,
    };
    let found = search::search(&reading.catalog, &terms);
    let program = Program::compile(&reading.catalog, &found.layout, &abilities);
    let text = print_layout(&program.layout);
    if let Some(path) = &arguments.output
        && let Err(exit) = write(path, &text, arguments.force)
    {
        return exit;
    }
    match (&arguments.explain, &arguments.output, arguments.format) {
        (Some(only), _, _) => {
            asked.set(0);
            let reasons = search::explain(&reading.catalog, &found, &terms);
            let only = Some(only.as_str()).filter(|name| !name.is_empty());
            print(&keyloom::show::explain(&program, &found, &reasons, &tariff, only));
        }
        (None, _, ShowFormat::Json) => print(&keyloom::show::design_json(&program)),
        (None, None, ShowFormat::Text) => print(&text),
        (None, Some(path), ShowFormat::Text) => print(&said(&program, path)),
    }
    for refusal in &program.refusals {
        complain(&format!("{refusal}\n  {}", refusal.way_out()));
    }
    if program.refusals.is_empty() { Exit::Fine } else { Exit::Findings }
}

fn said(program: &Program, path: &Path) -> String {
    let tables = program.layout.tables.len();
    let sentences = keyloom::show::plan(program, None);
    format!("wrote {} with {tables} tables\n\n{sentences}", relative_name(path))
}
