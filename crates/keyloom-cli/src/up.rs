use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use keyloom::check::review;
use keyloom::embedded::Durability;
use keyloom::finding::{Finding, Level, Sources};
use keyloom::model::{Catalog, Endpoint, Engine as EngineKind, bytes_text, layout::Layout};
use keyloom::serve::today;
use keyloom::serve::{
    Data, Engine, Halt, Logging, Making, Password, Ready, Shows, StoreAddress, Up, UpError, making, simulated, up,
};
use keyloom::store::Fault;
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{AsEngine, CheckArguments, FindingFormat, LogWhat, StoreArguments, UpArguments};
use crate::files::{Disk, shown_name};
use crate::layouts;
use crate::output::{complain, print, print_findings};
use crate::settings::settings;

/// Serves a catalog until it is told to stop.
pub(crate) fn run(arguments: &UpArguments) -> Exit {
    let (catalog, layout) = match checked(&arguments.catalog, arguments.layout.as_deref()) {
        Ok(checked) => checked,
        Err(exit) => return exit,
    };
    let engine = match engine(&arguments.store, arguments.create_keyspace) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let as_engine = arguments.as_engine.map(AsEngine::kind);
    let folder = arguments.data.clone().unwrap_or_else(|| data_folder(&catalog, as_engine));
    let keys = key_file(&folder, engine.is_some());
    let data = match &engine {
        Some(engine) => Data::Engine(engine),
        None => in_folder(&folder, arguments.sync.durability(), as_engine),
    };
    if arguments.dry_run {
        return dry_run(&catalog, layout.as_ref(), &data);
    }
    let remote = engine.is_some();
    let wanted = Up {
        catalog: &catalog,
        layout: layout.as_ref(),
        data,
        listen: arguments.listen,
        keys: &keys,
        halt: Halt::default(),
        log: logging(arguments.log),
        make: &|making| {
            print(&making_text(making));
            !remote || !making.changes || arguments.yes || agrees()
        },
    };
    let place = engine.as_ref().map_or_else(|| folder.display().to_string(), ToString::to_string);
    match up(&wanted, &mut |ready| say(&catalog, &place, as_engine, &keys, ready)) {
        Ok(()) => {
            print("stopped\n");
            Exit::Fine
        }
        Err(error) => failed(&error),
    }
}

/// Sentences for who sits at a terminal, objects for the program that collects lines.
pub(crate) fn logging(what: LogWhat) -> Logging {
    let for_people = std::io::stderr().is_terminal();
    Logging { write: if for_people { complain } else { write_line }, for_people, calls: what == LogWhat::Calls }
}

fn write_line(line: &str) {
    // Whoever closed standard error does not want to hear it.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Says what would be made.
fn dry_run(catalog: &Catalog, layout: Option<&Layout>, data: &Data<'_>) -> Exit {
    match making(catalog, layout, data) {
        Ok(making) if making.script.is_empty() && making.filled.is_empty() => {
            print("nothing to do: the tables are as the catalog wants them\n");
            Exit::Fine
        }
        Ok(making) => {
            print(&(script_text(&making.script) + &filled_text(&making)));
            Exit::Fine
        }
        Err(error) => failed(&error),
    }
}

/// Whether somebody at a terminal agrees to what was shown.
fn agrees() -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    let _ = write!(std::io::stderr(), "Others may use what runs there. Change it? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

fn failed(error: &UpError) -> Exit {
    complain(&error.to_string());
    exit(error)
}

/// Whose fault it is that nothing is served.
pub(crate) fn exit(error: &UpError) -> Exit {
    match error {
        UpError::Refused(_) | UpError::OtherEngine { .. } | UpError::NoStore(_) => Exit::BadInput,
        UpError::NotYet(_) | UpError::NoKeys(_) => Exit::BadInput,
        UpError::Engine(_, Fault::Refused(_)) | UpError::Store(_, Fault::Refused(_)) => Exit::BadInput,
        UpError::OtherLimits { .. } => Exit::BadInput,
        UpError::OtherLayout(_) | UpError::LeftBehind(_) | UpError::Unfilled(_) | UpError::NotAgreed => Exit::BadInput,
        _ => Exit::WorldFailed,
    }
}

/// The engine that the command line names, if what it says fits together.
pub(crate) fn engine(store: &StoreArguments, create_keyspace: Option<u32>) -> Result<Option<Engine>, Exit> {
    let Some(mut address) = store.address.clone() else { return Ok(None) };
    let stray = match &mut address {
        StoreAddress::Cassandra(at) => {
            // A password on the command line is seen by everybody on the machine, so it may come by another way.
            if at.user.is_some() && at.password.is_none() {
                at.password = std::env::var("KEYLOOM_STORE_PASSWORD").ok().map(Password);
            }
            store
                .endpoint
                .as_ref()
                .map(|_| "--endpoint is for dynamodb://; the hosts of Cassandra stand in its address")
        }
        StoreAddress::DynamoDb(_) => {
            create_keyspace.map(|_| "--create-keyspace is for cassandra://; DynamoDB has no keyspaces")
        }
    };
    if let Some(stray) = stray {
        complain(stray);
        return Err(Exit::BadInput);
    }
    Ok(Some(Engine { address, create_keyspace, endpoint: store.endpoint.clone() }))
}

fn script_text(script: &[String]) -> String {
    script.iter().map(|said| format!("{said}\n\n")).collect()
}

fn filled_text(making: &Making) -> String {
    if making.filled.is_empty() {
        return String::new();
    }
    format!("filled from the rows that are there: {}\n\n", making.filled.join(", "))
}

fn making_text(making: &Making) -> String {
    let what = if making.changes { "changing the layout that runs" } else { "making tables" };
    format!("{what}:\n{}{}\n", script_text(&making.script), filled_text(making))
}

/// The catalog, if `check` finds no error in it, and the layout in a file, if one is given.
pub(crate) fn checked(path: &Path, file: Option<&Path>) -> Result<(Catalog, Option<Layout>), Exit> {
    let mut sources = Sources::default();
    let asked = CheckArguments {
        paths: vec![path.to_owned()],
        queries: Vec::new(),
        format: FindingFormat::Text,
        deny: None,
        allow: Vec::new(),
        baseline: None,
        write_baseline: None,
        since: None,
        today: None,
    };
    let (config, mut findings) = settings(&asked, &mut sources);
    let bad_settings = !findings.is_empty();
    let reading = read(&shown_name(path), &Disk, &mut sources);
    let (catalog, unreadable) = (reading.catalog.clone(), reading.unreadable);
    let layout = file.map(|file| layouts::layout(file, &reading, &mut sources));
    findings.extend(review(&[reading], &sources, &config, today()));
    let mut errors: Vec<Finding> = findings.into_iter().filter(|finding| finding.level == Level::Error).collect();
    if errors.is_empty() {
        return Ok((catalog, layout.transpose()?));
    }
    keyloom::finding::sort(&mut errors, &sources);
    print_findings(&errors, &sources, FindingFormat::Text, today());
    Err(if bad_settings || unreadable { Exit::BadInput } else { Exit::Findings })
}

/// Where a catalog's data is, unless the caller says otherwise. With the limits of an engine it has other tables, so it lies
/// beside.
pub(crate) fn data_folder(catalog: &Catalog, as_engine: Option<EngineKind>) -> PathBuf {
    let plain = |char: char| if char.is_alphanumeric() || "-_".contains(char) { char } else { '_' };
    let name: String = catalog.name.chars().map(plain).collect();
    let limits = as_engine.map_or_else(String::new, |engine| format!("-as-{}", engine.name()));
    Path::new(".keyloom").join(name + &limits)
}

/// Data in a folder, with the limits of an engine if one is named.
pub(crate) fn in_folder(path: &Path, durability: Durability, as_engine: Option<EngineKind>) -> Data<'_> {
    match as_engine {
        Some(engine) => Data::As { path, durability, engine },
        None => Data::Folder { path, durability },
    }
}

/// Where keys of development are: with the data, or beside where it would be if an engine has it.
pub(crate) fn key_file(folder: &Path, in_engine: bool) -> PathBuf {
    if in_engine { folder.with_extension("keys") } else { folder.join("keys") }
}

fn say(catalog: &Catalog, place: &str, as_engine: Option<EngineKind>, keys: &Path, ready: &Ready) {
    let found = match &ready.opened {
        Some(opened) if opened.created => " (new)",
        Some(_) => " (opened)",
        None => "",
    };
    let mut text = format!(
        "{} is up: {} endpoints at {}/\ndata: {place}{found}\n",
        catalog.name,
        catalog.patterns.iter().filter(|pattern| Endpoint::method_of(pattern).is_some()).count(),
        ready.address
    );
    for line in as_engine.map(simulated).into_iter().flatten() {
        text.push_str(&format!("{line}\n"));
    }
    if let Some(crashed) = ready.opened.as_ref().and_then(|opened| opened.crashed.as_ref()) {
        let journal = bytes_text(crashed.journal_bytes);
        text.push_str(&format!("the last stop was sudden: {journal} of the journal were replayed"));
        if crashed.dropped_bytes > 0 {
            let dropped = bytes_text(crashed.dropped_bytes);
            text.push_str(&format!(", {dropped} of a write that was cut off were dropped"));
        }
        text.push('\n');
        if crashed.machine_restarted {
            text.push_str("the machine was started since: without --sync always, its last writes may be lost\n");
        }
    }
    match ready.shows {
        Shows::Nothing => {}
        Shows::Development => text.push_str(&format!(
            "development: three keys in {}, for you alone, until `keyloom key add` adds one\n",
            keys.display()
        )),
        Shows::Key => {
            text.push_str("requests show a key: -H 'Authorization: Bearer kl_..'; `keyloom key list` knows them\n");
        }
    }
    if !ready.curls.is_empty() {
        text.push_str("\ntry:\n");
        for line in &ready.curls {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text.push_str("\nCtrl-C stops it; the data stays.\n");
    print(&text);
}
