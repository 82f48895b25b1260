//! Parts of a schema: files that were meant to be run one after the other, each part by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use keyloom_cql::ast::StatementKind;
use keyloom_cql::schema::Schema;
use keyloom_finding::FileId;

use crate::chain::{Manifests, Position};
use crate::names::{self, Sort, Thing};
use crate::path;
use crate::replay::replay_alone;
use crate::script::Gap;
use crate::version::natural;
use crate::written::Written;

/// A file with statements that change the schema.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: String,
    pub file: FileId,
    /// The statements that change the schema, and each `USE`.
    pub statements: Vec<Written>,
    /// Nothing in it depends on what is filled in, so that a step that does not fit is a fault and not the trace of one.
    pub certain: bool,
    /// What could not be read.
    pub gaps: Arc<[Gap]>,
    /// It is a program.
    pub code: bool,
}

impl Source {
    /// Whether it makes a table.
    pub(crate) fn makes_tables(&self) -> bool {
        self.makes().any(|thing| thing.sort == Sort::Table)
    }

    /// Whether a step that does not fit is a fault.
    pub(crate) fn is_certain_of(&self, step: &Written) -> bool {
        self.certain && !self.code && !self.gaps.iter().any(|gap| gap.may_explain(step))
    }

    pub(crate) fn makes(&self) -> impl Iterator<Item = Thing> {
        let made = |written: &Written| names::makes(&written.statement.kind, written.keyspace.as_deref());
        self.statements.iter().filter_map(made)
    }
}

/// How the files of a part follow each other. The first is trusted most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// As `keyloom.order` says.
    Ordered,
    /// By their numbers, or by a manifest.
    Chain,
    /// The newest of numbered files each of which holds the whole schema.
    Snapshot,
    /// A file of its own.
    Single,
    /// A program.
    Code,
}

/// A part of a schema.
#[derive(Debug)]
pub(crate) struct Part {
    pub kind: Kind,
    pub sources: Vec<Source>,
    /// What it makes when it is run by itself.
    pub alone: Schema,
    pub makes: BTreeSet<Thing>,
    pub needs: BTreeSet<Thing>,
    /// A manifest gave the order.
    pub by_manifest: bool,
}

impl Part {
    fn new(kind: Kind, sources: Vec<Source>, manifests: &Manifests) -> Self {
        let by_manifest = sources.iter().any(|source| manifests.is_used(&source.name));
        let makes: BTreeSet<Thing> = sources.iter().flat_map(Source::makes).collect();
        let statements = sources.iter().flat_map(|source| &source.statements);
        let needs = statements.flat_map(|written| names::needs(&written.statement.kind, written.keyspace.as_deref()));
        let own: BTreeSet<&str> = makes.iter().map(|made| made.name.as_str()).collect();
        let needs = needs.filter(|needed| !own.contains(needed.name.as_str())).collect();
        Self { kind, alone: replay_alone(&sources), sources, makes, needs, by_manifest }
    }

    /// The name of its first file, by which parts are ordered where nothing else decides.
    pub(crate) fn name(&self) -> &str {
        self.sources.first().map_or("", |source| &source.name)
    }

    /// The folder that holds all its files.
    pub(crate) fn folder(&self) -> &str {
        let mut names = self.sources.iter().map(|source| source.name.as_str());
        let mut common = names.next().map_or("", path::folder);
        for name in names {
            while !path::is_below(name, common) {
                common = path::folder(common);
            }
        }
        common
    }

    /// Whether it is one file that makes or chooses a keyspace of its own, and leaves its name open.
    pub(crate) fn is_template(&self) -> bool {
        let opens = |written: &Written| match &written.statement.kind {
            StatementKind::CreateKeyspace(create) => create.name.unknown,
            StatementKind::Use(name) => name.unknown,
            _ => false,
        };
        self.kind == Kind::Single && self.sources.iter().flat_map(|source| &source.statements).any(opens)
    }

    pub(crate) fn is_code(&self) -> bool {
        self.sources.iter().all(|source| source.code)
    }
}

/// Puts files together that belong together.
pub(crate) fn parts(sources: Vec<Source>, manifests: &Manifests) -> Vec<Part> {
    let (ordered, rest) = take_ordered(sources, manifests);
    let mut chains: BTreeMap<String, Vec<(Position, Source)>> = BTreeMap::new();
    let mut parts = Vec::new();
    if !ordered.is_empty() {
        parts.push(Part::new(Kind::Ordered, ordered, manifests));
    }
    for source in rest {
        match position(&source, manifests) {
            Some(position) => chains.entry(position.root.clone()).or_default().push((position, source)),
            None if source.code => parts.push(Part::new(Kind::Code, vec![source], manifests)),
            None => parts.extend(by_keyspace(source).map(|source| Part::new(Kind::Single, vec![source], manifests))),
        }
    }
    for mut chain in chains.into_values() {
        chain.sort_by(|(a, _), (b, _)| a.cmp(b));
        let chain = if is_mixed(&chain) { probe(chain) } else { without_positions(chain) };
        let (kind, sources) = newest_snapshot(chain);
        parts.push(Part::new(kind, sources, manifests));
    }
    parts.sort_by(|a, b| natural(a.name(), b.name()));
    parts
}

/// A file with the tables of several keyspaces, as a dump of a whole cluster is: each keyspace may be a schema of its own.
fn by_keyspace(source: Source) -> impl Iterator<Item = Source> {
    let Source { name, file, statements, certain, gaps, code } = source;
    let mut by_keyspace: BTreeMap<String, Vec<Written>> = BTreeMap::new();
    for written in statements {
        let of = names::keyspace(&written.statement.kind, written.keyspace.as_deref()).unwrap_or_default();
        by_keyspace.entry(of).or_default().push(written);
    }
    by_keyspace.into_values().map(move |statements| Source {
        name: name.clone(),
        file,
        statements,
        certain,
        gaps: Arc::clone(&gaps),
        code,
    })
}

/// The files that `keyloom.order` names, in its order, and those that lie elsewhere. What lies beside them and is not named
/// there is not part of the schema.
fn take_ordered(sources: Vec<Source>, manifests: &Manifests) -> (Vec<Source>, Vec<Source>) {
    let positions: BTreeMap<&str, usize> = manifests.order.iter().map(String::as_str).zip(0..).collect();
    let mut named: Vec<Option<Source>> = manifests.order.iter().map(|_| None).collect();
    let mut rest = Vec::new();
    for source in sources {
        match positions.get(source.name.as_str()) {
            Some(at) => named[*at] = Some(source),
            None if manifests.order_folders.iter().any(|folder| path::is_below(&source.name, folder)) => {}
            None => rest.push(source),
        }
    }
    (named.into_iter().flatten().collect(), rest)
}

/// Where a file stands in a chain. A number in the path of a program is its own business, unless it is a migration.
fn position(source: &Source, manifests: &Manifests) -> Option<Position> {
    let speaks_of_schemas = || {
        path::is_migration(&source.name)
            || path::words(&source.name).any(|word| word == "schema" || word == "versioned")
    };
    let numbered = || crate::version::Version::of(path::last(&source.name)).is_some();
    if source.code && !(speaks_of_schemas() && numbered()) {
        return None;
    }
    Position::of(&source.name, manifests)
}

/// Whether files with leading zeros and files with versions stand in one folder.
fn is_mixed(chain: &[(Position, Source)]) -> bool {
    let has = |padded| chain.iter().any(|(position, _)| position.is_padded() == Some(padded));
    has(true) && has(false)
}

/// Where two orders are possible, the one with which fewer steps go wrong.
fn probe(chain: Vec<(Position, Source)>) -> Vec<Source> {
    let faults = |sources: &[&Source]| crate::replay::count_faults(sources);
    let by_number: Vec<&Source> = chain.iter().map(|(_, source)| source).collect();
    let padded = |(position, _): &&(Position, Source)| position.is_padded() == Some(true);
    let (first, second): (Vec<_>, Vec<_>) = chain.iter().partition(padded);
    let padded_first: Vec<&Source> = first.into_iter().chain(second).map(|(_, source)| source).collect();
    if faults(&by_number) <= faults(&padded_first) {
        return without_positions(chain);
    }
    let (first, second): (Vec<_>, Vec<_>) =
        chain.into_iter().partition(|(position, _)| position.is_padded() == Some(true));
    without_positions(first.into_iter().chain(second).collect())
}

fn without_positions(chain: Vec<(Position, Source)>) -> Vec<Source> {
    chain.into_iter().map(|(_, source)| source).collect()
}

/// Numbered files may each hold the whole schema; then only the newest counts, and what follows it.
fn newest_snapshot(chain: Vec<Source>) -> (Kind, Vec<Source>) {
    let mut made: BTreeSet<Thing> = BTreeSet::new();
    let mut begin = 0;
    for (at, source) in chain.iter().enumerate() {
        let tables: BTreeSet<Thing> = source.makes().filter(|thing| thing.sort == Sort::Table).collect();
        if repeats(source, &tables, &made) {
            begin = at;
            made = tables;
            continue;
        }
        for written in &source.statements {
            if let Some(dropped) = names::drops(&written.statement.kind, written.keyspace.as_deref()) {
                made.remove(&dropped);
            }
        }
        made.extend(tables);
    }
    let kind = if begin > 0 { Kind::Snapshot } else { Kind::Chain };
    (kind, chain.into_iter().skip(begin).collect())
}

/// Whether a file makes most of what is there already once more. One table made `IF NOT EXISTS` again is no sign of it.
fn repeats(source: &Source, tables: &BTreeSet<Thing>, made: &BTreeSet<Thing>) -> bool {
    let again = made.intersection(tables).count();
    let guarded = source
        .statements
        .iter()
        .all(|written| !matches!(&written.statement.kind, StatementKind::CreateTable(create) if !create.if_not_exists));
    let drops_first = source.statements.iter().any(|written| matches!(written.statement.kind, StatementKind::Drop(_)));
    again * 3 >= made.len() * 2 && again > usize::from(guarded) && !drops_first
}
