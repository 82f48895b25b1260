use std::path::Path;

use keyloom::finding::{Level, Sources};
use keyloom::plan::Program;
use keyloom::serve::today;
use keyloom::text::{print_layout, read};

use crate::Exit;
use crate::arguments::{DesignArguments, FindingFormat, ShowFormat};
use crate::files::{Disk, relative_name, shown_name};
use crate::layouts::program;
use crate::output::{complain, print, print_findings, write};

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
    let program = match program(&reading, None, arguments.engine, &mut sources) {
        Ok(program) => program,
        Err(exit) => return exit,
    };
    let text = print_layout(&program.layout);
    match (&arguments.output, arguments.format) {
        (None, ShowFormat::Text) => print(&text),
        (None, ShowFormat::Json) => print(&keyloom::show::design_json(&program)),
        (Some(path), format) => {
            if let Err(exit) = write(path, &text, arguments.force) {
                return exit;
            }
            match format {
                ShowFormat::Text => print(&said(&program, path)),
                ShowFormat::Json => print(&keyloom::show::design_json(&program)),
            }
        }
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
