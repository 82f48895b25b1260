use std::collections::BTreeSet;

use keyloom_finding::{FileId, Place, Sources};

/// The files of a repository.
pub trait Tree: Sync {
    /// The names of all files, relative, with `/`, sorted; what version control ignores is left out.
    fn names(&self) -> Vec<String>;

    /// The text of a file, or why there is none.
    fn open(&self, name: &str) -> Result<String, String>;
}

/// What is to be surveyed. Without any names, schema and programs are looked for.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// Files and folders with the schema.
    pub schema: Vec<String>,
    /// Files and folders with programs, or with statements.
    pub queries: Vec<String>,
}

/// Reads the files again that a report points into. A file that is gone by now stays empty.
pub fn recall(tree: &dyn Tree, places: impl IntoIterator<Item = Place>, sources: &mut Sources) {
    let wanted: BTreeSet<FileId> = places.into_iter().map(|place| place.file).collect();
    for file in wanted {
        if !sources.file(file).is_filled()
            && let Ok(text) = tree.open(sources.file(file).name())
        {
            sources.fill(file, text);
        }
    }
}
