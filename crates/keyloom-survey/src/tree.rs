use keyloom_finding::Sources;

use crate::Survey;

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

/// Reads what a repository holds.
pub fn survey(tree: &dyn Tree, request: &Request, sources: &mut Sources) -> Survey {
    let _ = (tree, request, sources);
    Survey::default()
}
