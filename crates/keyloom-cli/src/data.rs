//! `backup`, `restore` and `export`.

use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};

use keyloom::model::bytes_text;
use keyloom::run::Problem;
use keyloom::serve::{self, DataError};

use crate::Exit;
use crate::arguments::{BackupArguments, DataArguments, RestoreArguments};
use crate::files::{catalog_path, shown_name};
use crate::output::{complain, print};
use crate::up::exit;
use crate::whose::Whose;

/// Writes a backup.
pub(crate) fn backup(arguments: &BackupArguments) -> Exit {
    let mut progress = Progress::new();
    let written = serve::backup(&arguments.data, &arguments.file, |bytes| progress.say(bytes));
    progress.end();
    ended(written.map(|bytes| format!("wrote {}: {}\n", arguments.file.display(), bytes_text(bytes))))
}

/// Makes a data folder from a backup.
pub(crate) fn restore(arguments: &RestoreArguments) -> Exit {
    let mut progress = Progress::new();
    let restored = serve::restore(&arguments.file, &arguments.data, |bytes| progress.say(bytes));
    progress.end();
    let said = |records| {
        let folder = arguments.data.display();
        format!("restored {folder} with {records} records (rows, list entries and reservations)\n")
    };
    ended(restored.map(said))
}

/// Prints every row.
pub(crate) fn export(arguments: &DataArguments) -> Exit {
    if arguments.data.is_some() && !catalog_path(&arguments.catalog).exists() {
        complain(&format!(
            "there is no catalog {}, and the names of fields stand in it: keyloom export CATALOG --data DIR",
            shown_name(&arguments.catalog)
        ));
        return Exit::BadInput;
    }
    let Whose { catalog, layout, engine, folder } = match Whose::read(arguments) {
        Ok(whose) => whose,
        Err(exit) => return exit,
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut progress = Progress::new();
    let exported = match engine {
        Some(engine) => {
            serve::export_engine(&catalog, layout.as_ref(), &engine, &mut out, &mut |bytes| progress.say(bytes))
        }
        None => serve::export(&catalog, layout.as_ref(), &folder, &mut out, &mut |bytes| progress.say(bytes)),
    };
    progress.end();
    match exported {
        // A reader that went away (`| head`) has seen enough.
        Err(DataError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Exit::Fine,
        other => ended(other.map(|_| String::new())),
    }
}

fn ended(result: Result<String, DataError>) -> Exit {
    match result {
        Ok(text) => {
            print(&text);
            Exit::Fine
        }
        Err(error) => failed(&error),
    }
}

/// Says what went wrong, and whose fault that is.
pub(crate) fn failed(error: &DataError) -> Exit {
    complain(&error.to_string());
    match error {
        DataError::Missing(_) | DataError::NotAFolder(_) | DataError::Exists(_) | DataError::NoTables(_) => {
            Exit::BadInput
        }
        DataError::Keys(Problem::Input(_)) => Exit::BadInput,
        DataError::Catalog(error) => exit(error),
        _ => Exit::WorldFailed,
    }
}

/// How far it is, on a terminal alone and not too often.
struct Progress {
    shown: Option<Instant>,
    started: Instant,
}

impl Progress {
    const EVERY: Duration = Duration::from_millis(300);

    fn new() -> Self {
        Self { shown: None, started: Instant::now() }
    }

    fn say(&mut self, bytes: u64) {
        if self.shown.unwrap_or(self.started).elapsed() < Self::EVERY || !std::io::stderr().is_terminal() {
            return;
        }
        self.shown = Some(Instant::now());
        eprint!("\r{:<20}", bytes_text(bytes));
        let _ = std::io::stderr().flush();
    }

    fn end(&self) {
        if self.shown.is_some() {
            eprint!("\r{:<20}\r", "");
        }
    }
}
