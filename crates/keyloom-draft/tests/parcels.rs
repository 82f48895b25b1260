//! The example repository, from its files to its catalog.
//!
//! `KEYLOOM_UPDATE=1 cargo test -p keyloom-draft` writes the catalog anew; read the diff like code.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    dead_code,
    reason = "the example lies in files, and the support is shared with suites that use more of it"
)]

mod support;

use std::path::{Path, PathBuf};

use keyloom_draft::draft;
use keyloom_finding::{Place, Sources};
use keyloom_survey::{Request, Tree, survey};

struct Folder(PathBuf);

impl Tree for Folder {
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(path.strip_prefix(&self.0).unwrap().to_str().unwrap().replace('\\', "/"));
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

#[test]
fn parcels_become_a_catalog() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = Folder(home.join("../../examples/parcels"));
    let mut sources = Sources::default();
    let surveys = survey(&tree, &Request::default(), &mut sources);
    let [survey] = surveys.as_slice() else { panic!("{} surveys", surveys.len()) };
    for file in survey.files.iter().copied() {
        let text = tree.open(sources.file(file).name()).unwrap();
        sources.fill(file, text);
    }
    let at = |place: Place| {
        let file = sources.file(place.file);
        format!("{}:{}", file.name(), file.line_column(place.start).line)
    };
    let draft = draft(survey, "parcels", &at);
    assert_eq!(support::errors(&draft.text), Vec::<String>::new());
    let golden = home.join("tests/parcels.yaml");
    if std::env::var_os("KEYLOOM_UPDATE").is_some() {
        std::fs::write(&golden, &draft.text).unwrap();
    }
    assert_eq!(draft.text, std::fs::read_to_string(&golden).unwrap_or_default());
}
