//! Who uses a statement that is a constant with a name, where no call is seen that sends it.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_code::Snippet;

use crate::code::Program;
use crate::tree::Tree;
use crate::{Role, parallel, path};

/// Shorter names are everywhere.
const NAME_BYTES_MIN: usize = 8;

/// How often a file names what it only declares: in its list of exports, with its type, with its value.
const DECLARED_MAX: usize = 3;

/// The files that name constants, by the name.
#[derive(Debug, Default)]
pub(crate) struct Users {
    /// The programs that name it, and how often.
    by_name: BTreeMap<String, Vec<(usize, usize)>>,
}

impl Users {
    /// Looks for the names of statements that nobody is seen to send.
    pub(crate) fn of(tree: &dyn Tree, programs: &[Program], snippets: &[Snippet]) -> Self {
        let mut declared: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for snippet in snippets {
            for name in snippet.names.iter().filter(|name| name.len() >= NAME_BYTES_MIN) {
                declared.entry(name).or_default().insert(snippet.unit);
            }
        }
        // A name that two files declare does not tell which of them is meant.
        let of_one = |name: &&String| declared.get(name.as_str()).is_some_and(|units| units.len() == 1);
        let unsent = snippets.iter().filter(|snippet| is_unsent(snippet));
        let wanted: BTreeSet<&str> =
            unsent.flat_map(|snippet| &snippet.names).filter(of_one).map(String::as_str).collect();
        let mut users = Self::default();
        if wanted.is_empty() {
            return users;
        }
        let all: Vec<usize> = (0..programs.len()).collect();
        let counted = parallel::map(&all, |at| tree.open(&programs[*at].name).map(|text| count(&text, &wanted)));
        for (program, counts) in counted.into_iter().enumerate() {
            for (name, count) in counts.unwrap_or_default() {
                users.by_name.entry(name).or_default().push((program, count));
            }
        }
        users
    }

    /// The role of a statement that others use by its name: a migration or a job where all of them are.
    pub(crate) fn role(&self, snippet: &Snippet, own: usize, programs: &[Program]) -> Option<Role> {
        let named = snippet.names.iter().filter_map(|name| self.by_name.get(name)).filter(|_| is_unsent(snippet));
        let mut found = None;
        for (program, count) in named.flatten() {
            match path::role(&programs[*program].name, None, None) {
                _ if *program == own && *count <= DECLARED_MAX => {}
                Role::Test => {}
                Role::Service => return None,
                Role::Job => found = Some(Role::Job),
                Role::Migration => found = found.or(Some(Role::Migration)),
            }
        }
        found
    }
}

fn is_unsent(snippet: &Snippet) -> bool {
    snippet.sites.is_empty() && snippet.function.as_ref().is_none_or(|function| snippet.names.contains(function))
}

fn count(text: &str, wanted: &BTreeSet<&str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    for word in words.filter(|word| word.len() >= NAME_BYTES_MIN && wanted.contains(word)) {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}
