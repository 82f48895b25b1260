//! Files that belong together because they are numbered: which they are, and in which order they come.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::path::{folder, last};
use crate::version::{Version, natural};

/// The place of a file in a chain: the part of its path that is numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    /// The folder of the chain.
    pub root: String,
    steps: Vec<Step>,
}

/// One folder or file on the way from the chain's root.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    version: Option<Version>,
    /// Where a manifest names it.
    listed: Option<usize>,
    name: String,
}

impl Position {
    /// Where a file stands in a chain; `None` for a file that is not numbered.
    pub(crate) fn of(name: &str, manifests: &Manifests) -> Option<Self> {
        let mut root = folder(name);
        while Version::leading(last(root)).is_some() {
            root = folder(root);
        }
        let way = name[root.len()..].trim_start_matches('/');
        let listed = manifests.position(name);
        let file = last(name);
        if listed.is_none() && way == file && Version::of(file).is_none() {
            return None;
        }
        let mut steps: Vec<Step> = way.split('/').map(Step::new).collect();
        if let Some(step) = steps.last_mut() {
            step.listed = listed;
        }
        Some(Self { root: root.to_owned(), steps })
    }

    /// Whether the file's own number is one with leading zeros: 001, 002.
    pub(crate) fn is_padded(&self) -> Option<bool> {
        self.steps.last().and_then(|step| step.version.as_ref()).map(|version| version.padded)
    }
}

impl Step {
    fn new(name: &str) -> Self {
        Self { version: Version::of(name), listed: None, name: name.to_owned() }
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        let listed = self.listed.unwrap_or(usize::MAX).cmp(&other.listed.unwrap_or(usize::MAX));
        listed.then_with(|| self.version.cmp(&other.version)).then_with(|| natural(&self.name, &other.name))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Position {
    fn cmp(&self, other: &Self) -> Ordering {
        natural(&self.root, &other.root).then_with(|| self.steps.cmp(&other.steps))
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Files that say in which order others come: a `manifest` beside them, or our own `keyloom.order`.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    /// The position of each file that a manifest names.
    positions: BTreeMap<String, usize>,
    /// The files that `keyloom.order` names, in its order.
    pub order: Vec<String>,
    /// The folders in which one stands.
    pub order_folders: Vec<String>,
    /// Names in it that no file has.
    pub missing: Vec<String>,
}

/// The file in which a repository may write down the order of its schema files, one name on each line.
pub(crate) const ORDER_FILE: &str = "keyloom.order";

/// Whether a file may name others in their order.
pub(crate) fn is_manifest(name: &str) -> bool {
    let file = last(name);
    file == ORDER_FILE || file.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case("manifest"))
}

impl Manifests {
    /// Reads a manifest: the names of files in its folder, in the order in which they stand in its text.
    pub(crate) fn read(&mut self, name: &str, text: &str, files: &[String]) {
        let here = folder(name);
        if last(name) == ORDER_FILE {
            self.order_folders.push(here.to_owned());
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let named = if here.is_empty() { line.to_owned() } else { format!("{here}/{line}") };
                match files.binary_search(&named) {
                    Ok(_) => self.order.push(named),
                    Err(_) => self.missing.push(line.to_owned()),
                }
            }
            return;
        }
        // Names stand in quotes or between blanks, in JSON and YAML alike.
        let words = text.split(|char: char| char.is_whitespace() || "\"',[]{}:".contains(char));
        for (at, word) in words.enumerate().filter(|(_, word)| word.contains('.')) {
            let word = word.trim_start_matches("./");
            let named = if here.is_empty() { word.to_owned() } else { format!("{here}/{word}") };
            if files.binary_search(&named).is_ok() {
                self.positions.entry(named).or_insert(at);
            }
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Whether any manifest was read.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(names: &[&str], manifests: &Manifests) -> Vec<String> {
        let mut positions: Vec<(Position, &str)> =
            names.iter().map(|name| (Position::of(name, manifests).unwrap(), *name)).collect();
        positions.sort();
        positions.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn folders_of_versions_are_one_chain() {
        let names = ["s/v1.10/base.cql", "s/v1.2/base.cql", "s/v1.2/b.cql", "s/v0.9/base.cql"];
        let ordered = sorted(&names, &Manifests::default());
        assert_eq!(ordered, ["s/v0.9/base.cql", "s/v1.2/b.cql", "s/v1.2/base.cql", "s/v1.10/base.cql"]);
        for name in names {
            assert_eq!(Position::of(name, &Manifests::default()).unwrap().root, "s");
        }
    }

    #[test]
    fn a_manifest_orders_its_folder() {
        let files = ["s/v1/a.cql", "s/v1/b.cql", "s/v1/manifest.json"].map(str::to_owned);
        let mut manifests = Manifests::default();
        manifests.read("s/v1/manifest.json", r#"{"files": ["b.cql", "a.cql", "c.cql"]}"#, &files);
        assert_eq!(sorted(&["s/v1/a.cql", "s/v1/b.cql"], &manifests), ["s/v1/b.cql", "s/v1/a.cql"]);
    }

    #[test]
    fn an_order_file_names_files_of_its_folder() {
        let files = ["s/a.cql", "s/b.cql", "s/keyloom.order"].map(str::to_owned);
        let mut manifests = Manifests::default();
        manifests.read("s/keyloom.order", "# first\nb.cql\n\na.cql\nc.cql\n", &files);
        assert_eq!(
            (manifests.order, manifests.missing),
            (vec!["s/b.cql".into(), "s/a.cql".into()], vec!["c.cql".into()])
        );
    }

    #[test]
    fn a_file_without_a_number_is_in_no_chain() {
        for name in ["schema.cql", "a/users.cql", "a/oauth2.cql", "project-1.0x/schema.cql"] {
            assert_eq!(Position::of(name, &Manifests::default()), None, "{name}");
        }
    }
}
