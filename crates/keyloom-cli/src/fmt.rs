use std::path::Path;

use keyloom::finding::Sources;
use keyloom::serve::today;
use keyloom::text::{Unreadable, format};

use crate::Exit;
use crate::arguments::{FindingFormat, FmtArguments};
use crate::files::{STANDARD_INPUT, catalog_path, read, shown_name, standard_input};
use crate::output::{complain, print, print_findings};

/// Prints files canonically, in place.
pub(crate) fn run(arguments: &FmtArguments) -> Exit {
    let mut exit = Exit::Fine;
    for path in &arguments.files {
        let one = if path.as_os_str() == STANDARD_INPUT {
            from_standard_input(arguments.check)
        } else {
            file(path, arguments.check)
        };
        exit = exit.worse(one);
    }
    exit
}

fn from_standard_input(check: bool) -> Exit {
    let name = "standard input";
    match standard_input() {
        Ok(text) => match canonical(name, &text) {
            Ok(formatted) if check && formatted != text => Exit::Findings,
            Ok(_) if check => Exit::Fine,
            Ok(formatted) => {
                print(&formatted);
                Exit::Fine
            }
            Err(exit) => exit,
        },
        Err(unreadable) => unreadable_exit(&unreadable, name),
    }
}

fn file(path: &Path, check: bool) -> Exit {
    let name = shown_name(path);
    let path = catalog_path(path);
    let text = match read(&path) {
        Ok(text) => text,
        Err(unreadable) => return unreadable_exit(&unreadable, &name),
    };
    match canonical(&name, &text) {
        Ok(formatted) if formatted == text => Exit::Fine,
        Ok(_) if check => {
            print(&format!("{name} is not canonical; `keyloom fmt {name}` rewrites it\n"));
            Exit::Findings
        }
        Ok(formatted) => match replace(&path, &formatted) {
            Ok(()) => {
                print(&format!("formatted {name}\n"));
                Exit::Fine
            }
            Err(error) => {
                complain(&format!("can't write {name}: {error}; the file is as it was"));
                Exit::WorldFailed
            }
        },
        Err(exit) => exit,
    }
}

/// Writes beside the file and renames, so that a crash leaves the old text or the new, never half of one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let target = std::fs::canonicalize(path)?;
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = target.with_file_name(format!(".{name}.keyloom-{}", std::process::id()));
    let permissions = std::fs::metadata(&target)?.permissions();
    let written = std::fs::write(&beside, text)
        .and_then(|()| std::fs::set_permissions(&beside, permissions))
        .and_then(|()| std::fs::rename(&beside, &target));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn canonical(name: &str, text: &str) -> Result<String, Exit> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    format(&sources, file).map_err(|findings| {
        print_findings(&findings, &sources, FindingFormat::Text, today());
        Exit::BadInput
    })
}

fn unreadable_exit(unreadable: &Unreadable, name: &str) -> Exit {
    print_findings(&[unreadable.finding(None, name)], &Sources::default(), FindingFormat::Text, today());
    Exit::BadInput
}
