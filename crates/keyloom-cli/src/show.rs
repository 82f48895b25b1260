use keyloom::finding::{Level, Sources};
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{FindingFormat, ShowArguments, ShowFormat};
use crate::files::{Disk, shown_name};
use crate::output::{complain, print, print_findings};
use crate::today::today;

/// Shows what was understood. Faults of the language come first: what follows from them is not shown.
pub(crate) fn run(arguments: &ShowArguments) -> Exit {
    let mut sources = Sources::default();
    let reading = read(&shown_name(&arguments.catalog), &Disk, &mut sources);
    let mut errors: Vec<_> = reading.findings.into_iter().filter(|finding| finding.level == Level::Error).collect();
    if !errors.is_empty() {
        keyloom::finding::sort(&mut errors, &sources);
        print_findings(&errors, &sources, FindingFormat::Text, today());
        return if reading.unreadable { Exit::BadInput } else { Exit::Findings };
    }
    let pattern = match &arguments.pattern {
        Some(name) => match reading.catalog.pattern(name) {
            Some(pattern) => Some(pattern),
            None => {
                let names: Vec<&str> = reading.catalog.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
                complain(&format!("there is no pattern `{name}`; there are: {}", names.join(", ")));
                return Exit::BadInput;
            }
        },
        None => None,
    };
    match arguments.format {
        ShowFormat::Text => print(&keyloom::show::text(&reading.catalog, pattern)),
        ShowFormat::Json => print(&keyloom::show::json(&reading.catalog, pattern)),
    }
    Exit::Fine
}
