use keyloom::facts::Prices;
use keyloom::finding::{Level, Sources};
use keyloom::model::{Catalog, Engine};
use keyloom::plan::Program;
use keyloom::serve::{REGION, REPLICAS, today};
use keyloom::size::{Replicas, Terms, WhatIf, json, plot, size, text, text_beside};
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{FindingFormat, ShowFormat, SizeArguments};
use crate::files::{self, Disk, relative_name, shown_name};
use crate::layouts::program;
use crate::output::{complain, print, print_findings};

/// Says what a catalog comes to.
pub(crate) fn run(arguments: &SizeArguments) -> Exit {
    sized(arguments).unwrap_or_else(|exit| exit)
}

fn sized(arguments: &SizeArguments) -> Result<Exit, Exit> {
    let mut sources = Sources::default();
    let reading = read(&shown_name(&arguments.catalog), &Disk, &mut sources);
    let mut errors: Vec<_> = reading.findings.iter().filter(|finding| finding.level == Level::Error).cloned().collect();
    if !errors.is_empty() {
        keyloom::finding::sort(&mut errors, &sources);
        print_findings(&errors, &sources, FindingFormat::Text, today());
        return Err(if reading.unreadable { Exit::BadInput } else { Exit::Findings });
    }
    let program = program(&reading, arguments.layout.as_deref(), arguments.engine, &mut sources)?;
    let engine = program.layout.engine;
    fits(arguments, engine)?;
    let terms = terms(arguments, engine)?;
    let replicas = terms.replicas.map_or(1, |replicas| replicas.count);
    // Whatever has a program has a dialect.
    let Some(dialect) = keyloom::serve::dialect(engine, replicas) else { return Err(Exit::BadInput) };
    let before = size(&program, &*dialect, &terms);
    let after = changed(arguments, &reading.catalog)?.map(|catalog| {
        // Other numbers, the same tables.
        let mut sizes = size(&Program::compile(&catalog, &program.layout, &program.abilities), &*dialect, &terms);
        sizes.assumed.extend(arguments.what_if.iter().filter_map(WhatIf::assumes).map(str::to_owned));
        sizes
    });
    let sizes = after.as_ref().unwrap_or(&before);
    if let Some(path) = &arguments.plot {
        std::fs::write(path, plot(sizes)).map_err(|error| {
            complain(&format!("can't write {}: {error}", relative_name(path)));
            Exit::WorldFailed
        })?;
    }
    match (arguments.format, &after) {
        (ShowFormat::Text, None) => print(&text(sizes)),
        (ShowFormat::Text, Some(after)) => print(&text_beside(&before, after, &changes(arguments))),
        (ShowFormat::Json, None) => print(&json(sizes, None)),
        (ShowFormat::Json, Some(after)) => print(&json(after, Some(&before))),
    }
    Ok(Exit::Fine)
}

/// An option that another engine understands was meant for it.
fn fits(arguments: &SizeArguments, engine: Engine) -> Result<(), Exit> {
    let options = [
        ("--region", arguments.region.is_some(), Engine::DynamoDb),
        ("--prices", arguments.prices.is_some(), Engine::DynamoDb),
        ("--replicas", arguments.replicas.is_some(), Engine::Cassandra),
        ("--node-size", arguments.node_size.is_some(), Engine::Cassandra),
    ];
    match options.iter().find(|(_, given, of)| *given && *of != engine) {
        Some((option, _, of)) => {
            complain(&format!("{option} is for --engine {}; this is {}", of.name(), engine.name()));
            Err(Exit::BadInput)
        }
        None => Ok(()),
    }
}

fn terms(arguments: &SizeArguments, engine: Engine) -> Result<Terms, Exit> {
    let (prices, region_assumed) = match engine {
        Engine::DynamoDb => prices(arguments).map(|(prices, assumed)| (Some(prices), assumed)).map_err(|what| {
            complain(&what);
            Exit::BadInput
        })?,
        _ => (None, false),
    };
    let replicas = Replicas { count: arguments.replicas.unwrap_or(REPLICAS), assumed: arguments.replicas.is_none() };
    let replicas = Some(replicas).filter(|_| engine == Engine::Cassandra);
    Ok(Terms { prices, region_assumed, replicas, node: arguments.node_size, node_price: arguments.node_price })
}

/// The prices of the region, and whether that was assumed. A file with one region needs no name for it.
fn prices(arguments: &SizeArguments) -> Result<(Prices, bool), String> {
    let own = match &arguments.prices {
        Some(path) => {
            let name = relative_name(path);
            let text = files::read(path).map_err(|error| error.finding(None, &name).message)?;
            Some(Prices::read(&text).map_err(|what| format!("{name}: {what}"))?)
        }
        None => None,
    };
    let known = own.as_deref().unwrap_or_else(|| Prices::known());
    let region = match (&arguments.region, known) {
        (Some(region), _) => region.as_str(),
        (None, [only]) => only.region.as_str(),
        (None, _) => REGION,
    };
    let found = known.iter().find(|prices| prices.region == region).cloned();
    let regions: Vec<&str> = known.iter().map(|prices| prices.region.as_str()).collect();
    let assumed = arguments.region.is_none() && known.len() > 1;
    let missing = || format!("there are no prices of {region}; there are: {}", regions.join(", "));
    found.map(|prices| (prices, assumed)).ok_or_else(missing)
}

/// The catalog with all changes; `None` where there are none.
fn changed(arguments: &SizeArguments, catalog: &Catalog) -> Result<Option<Catalog>, Exit> {
    let mut changed = None;
    for change in &arguments.what_if {
        let next = change.apply(changed.as_ref().unwrap_or(catalog)).map_err(|what| {
            complain(&what);
            Exit::BadInput
        })?;
        changed = Some(next);
    }
    Ok(changed)
}

fn changes(arguments: &SizeArguments) -> Vec<String> {
    arguments.what_if.iter().map(ToString::to_string).collect()
}
