use keyloom::emit;
use keyloom::finding::{Level, Sources};
use keyloom::model::Engine;
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{EmitArguments, EmitKind, FindingFormat};
use crate::files::{Disk, shown_name};
use crate::layouts::program;
use crate::output::{complain, print, print_findings};
use crate::today::today;

/// Prints the tables of a catalog in the words of others.
pub(crate) fn run(arguments: &EmitArguments) -> Exit {
    let wanted = match arguments.kind {
        EmitKind::Cql => Some(Engine::Cassandra),
        EmitKind::Cloudformation | EmitKind::Terraform => Some(Engine::DynamoDb),
        EmitKind::Diagram => None,
    };
    if let (Some(wanted), Some(asked)) = (wanted, arguments.engine)
        && wanted != asked
    {
        complain(&format!("this is for {}, not for {}; leave --engine out", wanted.title(), asked.title()));
        return Exit::BadInput;
    }
    if arguments.keyspace.is_some() && arguments.kind != EmitKind::Cql {
        complain("--keyspace is for cql; DynamoDB has no keyspaces");
        return Exit::BadInput;
    }
    let mut sources = Sources::default();
    let reading = read(&shown_name(&arguments.catalog), &Disk, &mut sources);
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if !errors.is_empty() {
        keyloom::finding::sort(&mut errors, &sources);
        print_findings(&errors, &sources, FindingFormat::Text, today());
        return if reading.unreadable { Exit::BadInput } else { Exit::Findings };
    }
    let engine = wanted.or(arguments.engine).unwrap_or(Engine::Embedded);
    let program = match program(&reading, arguments.layout.as_deref(), engine, &mut sources) {
        Ok(program) => program,
        Err(exit) => return exit,
    };
    if let Some(wanted) = wanted.filter(|wanted| *wanted != program.layout.engine) {
        let (this, there) = (wanted.title(), program.layout.engine.title());
        complain(&format!(
            "this is for {this}, and the layout is for {there}: `keyloom design --engine {}` writes one",
            wanted.name()
        ));
        return Exit::BadInput;
    }
    // Tables that lack what is asked for are no start.
    if !program.refusals.is_empty() {
        for refusal in &program.refusals {
            complain(&format!("{refusal}\n  {}", refusal.way_out()));
        }
        return Exit::Findings;
    }
    let keyspace = arguments.keyspace.clone().unwrap_or_else(|| emit::keyspace(&program.catalog));
    let text = match arguments.kind {
        EmitKind::Cql => emit::cql(&program, &keyspace),
        EmitKind::Cloudformation => emit::cloudformation(&program),
        EmitKind::Terraform => emit::terraform(&program),
        EmitKind::Diagram => Ok(emit::diagram(&program)),
    };
    match text {
        Ok(text) => {
            print(&text);
            Exit::Fine
        }
        Err(fault) => {
            complain(fault.cause());
            Exit::BadInput
        }
    }
}
