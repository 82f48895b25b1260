use std::path::Path;

use keyloom::finding::{Level, Sources};
use keyloom::model::{Catalog, Engine};
use keyloom::serve::today;
use keyloom::show::Shown;
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{FindingFormat, ShowArguments, ShowFormat};
use crate::files::{Disk, shown_name};
use crate::layouts::program;
use crate::output::{complain, print, print_findings};

/// Shows what was understood. Faults come first; one thing that was understood is shown in spite of others.
pub(crate) fn run(arguments: &ShowArguments) -> Exit {
    let mut sources = Sources::default();
    let reading = read(&shown_name(&arguments.catalog), &Disk, &mut sources);
    let catalog = &reading.catalog;
    let only = arguments.name.as_deref().map(|name| (name, Shown::find(catalog, name)));
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if !errors.is_empty() && !matches!(only, Some((_, Some(_)))) {
        keyloom::finding::sort(&mut errors, &sources);
        print_findings(&errors, &sources, FindingFormat::Text, today());
        if reading.unreadable {
            forgotten_catalog(arguments);
            return Exit::BadInput;
        }
        return Exit::Findings;
    }
    let only = match only {
        Some((name, None)) => {
            complain(&format!("there is no pattern or entity `{name}`{}", suggestion(catalog, name)));
            return Exit::BadInput;
        }
        Some((_, found)) => found,
        None => None,
    };
    let planned = match (&arguments.layout, arguments.engine) {
        (None, None) => None,
        (file, engine) => match program(&reading, file.as_deref(), engine.unwrap_or(Engine::Embedded), &mut sources) {
            Ok(program) => Some(program),
            Err(exit) => return exit,
        },
    };
    match arguments.format {
        ShowFormat::Text => {
            print(&keyloom::show::text(catalog, only));
            if let Some(program) = &planned {
                print(&keyloom::show::plan(program, only));
            }
        }
        ShowFormat::Json => print(&keyloom::show::json(catalog, only, planned.as_ref())),
    }
    if errors.is_empty() {
        Exit::Fine
    } else {
        complain("other parts of this catalog have errors; `keyloom check` shows them");
        Exit::Findings
    }
}

/// `keyloom show close_task` forgets the catalog; the one in this folder may have that pattern.
fn forgotten_catalog(arguments: &ShowArguments) {
    let name = arguments.catalog.to_string_lossy();
    let here = read(&shown_name(Path::new(".")), &Disk, &mut Sources::default());
    if arguments.name.is_none() && Shown::find(&here.catalog, &name).is_some() {
        complain(&format!("the catalog comes first: keyloom show . {name}"));
    }
}

/// The nearest name, or all of them.
fn suggestion(catalog: &Catalog, name: &str) -> String {
    let patterns = catalog.patterns.iter().map(|pattern| pattern.name.as_str());
    let names: Vec<&str> = patterns.chain(catalog.entities.iter().map(|entity| entity.name.as_str())).collect();
    match keyloom::text::nearest(name, names.iter().copied()) {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None => format!("; there are: {}", names.join(", ")),
    }
}
