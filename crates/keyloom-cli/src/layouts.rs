//! Layouts on the command line: read from a file, or designed.

use std::path::Path;

use keyloom::finding::{Level, Sources};
use keyloom::model::{Engine, layout::Layout};
use keyloom::plan::Program;
use keyloom::serve::today;
use keyloom::text::{Reading, read_layout};

use crate::Exit;
use crate::arguments::FindingFormat;
use crate::files::{Disk, relative_name};
use crate::output::{complain, print_findings};

/// The layout in a file, if it is one of this catalog and understood.
pub(crate) fn layout(path: &Path, catalog: &Reading, sources: &mut Sources) -> Result<Layout, Exit> {
    let read = read_layout(&relative_name(path), &Disk, sources, catalog);
    let mut errors: Vec<_> = read.findings.into_iter().filter(|finding| finding.level == Level::Error).collect();
    if errors.is_empty() {
        return Ok(read.layout);
    }
    keyloom::finding::sort(&mut errors, sources);
    print_findings(&errors, sources, FindingFormat::Text, today());
    Err(if read.unreadable { Exit::BadInput } else { Exit::Findings })
}

/// The program of a catalog: by the layout in a file, or by one that is designed for an engine.
pub(crate) fn program(
    catalog: &Reading,
    file: Option<&Path>,
    engine: Engine,
    sources: &mut Sources,
) -> Result<Program, Exit> {
    let given = file.map(|path| layout(path, catalog, sources)).transpose()?;
    let engine = given.as_ref().map_or(engine, |layout| layout.engine);
    let Some(abilities) = keyloom::serve::abilities(engine) else {
        complain(&nothing_for(engine));
        return Err(Exit::BadInput);
    };
    let designed = || keyloom::serve::designed(&catalog.catalog, engine);
    let layout = given.or_else(designed).ok_or(Exit::BadInput)?;
    Ok(Program::compile(&catalog.catalog, &layout, &abilities))
}

/// That nothing can be designed for an engine.
pub(crate) fn nothing_for(engine: Engine) -> String {
    format!("nothing is designed for {} yet; there are: embedded, cassandra, dynamodb", engine.title())
}
