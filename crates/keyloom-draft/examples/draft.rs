//! Prints the catalog that is drafted from a folder: `cargo run -p keyloom-draft --example draft -- examples/parcels`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example reads files and prints"
)]

use std::path::{Path, PathBuf};

use keyloom_finding::{Place, Sources};
use keyloom_survey::{Request, Tree, survey};

struct Folder(PathBuf);

impl Tree for Folder {
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !hidden => folders.push(entry.path()),
                    Ok(kind) if kind.is_file() => names.extend(name(&self.0, &entry.path())),
                    _ => {}
                }
            }
        }
        names.sort();
        names
    }

    fn open(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(name)).map_err(|error| error.to_string())
    }
}

fn name(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_string_lossy().into_owned())
}

fn main() {
    for root in std::env::args().skip(1) {
        let tree = Folder(PathBuf::from(&root));
        let mut sources = Sources::default();
        for survey in survey(&tree, &Request::default(), &mut sources) {
            for file in survey.files.iter().copied() {
                if let Ok(text) = tree.open(sources.file(file).name()) {
                    sources.fill(file, text);
                }
            }
            let at = |place: Place| {
                let file = sources.file(place.file);
                format!("{}:{}", file.name(), file.line_column(place.start).line)
            };
            let draft = keyloom_draft::draft(&survey, "catalog", &at);
            println!("{}", draft.text);
            for question in draft.questions.iter().take(3) {
                eprintln!("{}: {}", question.path, question.text);
            }
        }
    }
}
