use keyloom::emit;
use keyloom::finding::{Level, Sources};
use keyloom::model::Engine;
use keyloom::plan::Program;
use keyloom::serve::today;
use keyloom::store::Fault;
use keyloom::text::{Reading, read};

use crate::Exit;
use crate::arguments::{EmitArguments, EmitKind, FindingFormat};
use crate::files::{Disk, relative_name, shown_name};
use crate::layouts::program;
use crate::output::{complain, print, print_findings, write};

/// Writes the tables of a program, in a keyspace if it has one.
type Tables = fn(&Program, &str) -> Result<String, Fault>;

/// Prints a catalog's tables, or its endpoints, in the words of others.
pub(crate) fn run(arguments: &EmitArguments) -> Exit {
    if arguments.keyspace.is_some() && arguments.kind != EmitKind::Cql {
        complain("--keyspace is for cql; nothing else has keyspaces");
        return Exit::BadInput;
    }
    let given = match arguments.kind {
        EmitKind::Cql => tables(arguments, Some(Engine::Cassandra), emit::cql),
        EmitKind::Cloudformation => {
            tables(arguments, Some(Engine::DynamoDb), |program, _| emit::cloudformation(program))
        }
        EmitKind::Terraform => tables(arguments, Some(Engine::DynamoDb), |program, _| emit::terraform(program)),
        EmitKind::Diagram => tables(arguments, None, |program, _| Ok(emit::diagram(program))),
        EmitKind::Openapi => endpoints(arguments),
    };
    match given.and_then(|text| give(&text, arguments)) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}

fn endpoints(arguments: &EmitArguments) -> Result<String, Exit> {
    if arguments.engine.is_some() || arguments.layout.is_some() {
        complain("endpoints are the same on every engine and with every layout; leave --engine and --layout out");
        return Err(Exit::BadInput);
    }
    let reading = understood(arguments, &mut Sources::default())?;
    Ok(keyloom::serve::openapi::text(&reading.catalog))
}

fn tables(arguments: &EmitArguments, wanted: Option<Engine>, tables: Tables) -> Result<String, Exit> {
    if let (Some(wanted), Some(asked)) = (wanted, arguments.engine)
        && wanted != asked
    {
        complain(&format!("this is for {}, not for {}; leave --engine out", wanted.title(), asked.title()));
        return Err(Exit::BadInput);
    }
    let mut sources = Sources::default();
    let reading = understood(arguments, &mut sources)?;
    let engine = wanted.or(arguments.engine).unwrap_or(Engine::Embedded);
    let program = program(&reading, arguments.layout.as_deref(), engine, &mut sources)?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != program.layout.engine) {
        let (this, there) = (wanted.title(), program.layout.engine.title());
        complain(&format!(
            "this is for {this}, and the layout is for {there}: `keyloom design --engine {}` writes one",
            wanted.name()
        ));
        return Err(Exit::BadInput);
    }
    // Tables that lack what is asked for are no start.
    if !program.refusals.is_empty() {
        for refusal in &program.refusals {
            complain(&format!("{refusal}\n  {}", refusal.way_out()));
        }
        return Err(Exit::Findings);
    }
    let keyspace = arguments.keyspace.clone().unwrap_or_else(|| emit::keyspace(&program.catalog));
    tables(&program, &keyspace).map_err(|fault| {
        complain(fault.cause());
        Exit::BadInput
    })
}

/// The catalog, if there is nothing wrong with it.
fn understood(arguments: &EmitArguments, sources: &mut Sources) -> Result<Reading, Exit> {
    let reading = read(&shown_name(&arguments.catalog), &Disk, sources);
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if errors.is_empty() {
        return Ok(reading);
    }
    keyloom::finding::sort(&mut errors, sources);
    print_findings(&errors, sources, FindingFormat::Text, today());
    Err(if reading.unreadable { Exit::BadInput } else { Exit::Findings })
}

/// Writes the text into the file that was asked for, or prints it.
fn give(text: &str, arguments: &EmitArguments) -> Result<(), Exit> {
    let Some(path) = &arguments.output else {
        print(text);
        return Ok(());
    };
    write(path, text, arguments.force)?;
    print(&format!("wrote {}\n", relative_name(path)));
    Ok(())
}
