use std::path::{Path, PathBuf};

use keyloom::check::review;
use keyloom::finding::{Finding, Level, Sources};
use keyloom::model::{Catalog, bytes_text};
use keyloom::serve::{Ready, Up, UpError, up};
use keyloom::text::read;

use crate::Exit;
use crate::arguments::{CheckArguments, FindingFormat, UpArguments};
use crate::files::{Disk, shown_name};
use crate::output::{complain, print, print_findings};
use crate::settings::settings;
use crate::today::today;

/// Serves a catalog until it is told to stop.
pub(crate) fn run(arguments: &UpArguments) -> Exit {
    let catalog = match checked(&arguments.catalog) {
        Ok(catalog) => catalog,
        Err(exit) => return exit,
    };
    let data = arguments.data.clone().unwrap_or_else(|| data_folder(&catalog));
    let wanted = Up {
        catalog: &catalog,
        data: &data,
        listen: arguments.listen,
        anyone: arguments.anyone,
        durability: arguments.sync.durability(),
        log: complain,
    };
    match up(&wanted, |ready| say(&catalog, &data, ready)) {
        Ok(()) => {
            print("stopped\n");
            Exit::Fine
        }
        Err(error) => {
            complain(&error.to_string());
            match error {
                UpError::NoLayout(_) | UpError::NotYet(_) | UpError::NotLoopback(_) => Exit::BadInput,
                _ => Exit::WorldFailed,
            }
        }
    }
}

/// The catalog, if `check` finds no error in it.
pub(crate) fn checked(path: &Path) -> Result<Catalog, Exit> {
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
    findings.extend(review(&[reading], &sources, &config, today()));
    let mut errors: Vec<Finding> = findings.into_iter().filter(|finding| finding.level == Level::Error).collect();
    if errors.is_empty() {
        return Ok(catalog);
    }
    keyloom::finding::sort(&mut errors, &sources);
    print_findings(&errors, &sources, FindingFormat::Text, today());
    Err(if bad_settings || unreadable { Exit::BadInput } else { Exit::Findings })
}

/// Where a catalog's data is, unless the caller says otherwise.
pub(crate) fn data_folder(catalog: &Catalog) -> PathBuf {
    let plain = |char: char| if char.is_alphanumeric() || "-_".contains(char) { char } else { '_' };
    Path::new("keyloom-data").join(catalog.name.chars().map(plain).collect::<String>())
}

fn say(catalog: &Catalog, data: &Path, ready: &Ready) {
    let found = if ready.opened.created { "new" } else { "opened" };
    let mut text = format!(
        "{} is up: {} endpoints at {}/\ndata: {} ({found})\n",
        catalog.name,
        catalog.patterns.len(),
        ready.address,
        data.display()
    );
    if let Some(crashed) = &ready.opened.crashed {
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
    if !ready.curls.is_empty() {
        text.push_str("\ntry:\n");
        for line in &ready.curls {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text.push_str("\nCtrl-C stops it; the data stays.\n");
    print(&text);
}
