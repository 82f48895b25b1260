//! Reads all files that matter, each into what it says.

use std::collections::BTreeSet;

use keyloom_code::Language;
use keyloom_cql::ast::StatementKind;
use keyloom_finding::{FileId, Place, Sources};

use crate::chain::{Manifests, Position, is_manifest};
use crate::code::{Found, Program, code};
use crate::dialect::{self, Dialect};
use crate::names::{self, Sort};
use crate::part::Source;
use crate::script::{Script, script};
use crate::settle::{Pending, is_unreadable};
use crate::symbol::Symbols;
use crate::tree::{Request, Tree};
use crate::written::Written;
use crate::{Allowance, Coverage, Open, Role, SurveyFault, SurveyFaultKind, Taken, parallel, path};

/// What files say, before it is known which schema it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Files that change the schema.
    pub schema: Vec<Source>,
    /// Who says in which order they come.
    pub manifests: Manifests,
    /// Names of tables that only tests and examples make.
    pub outside: BTreeSet<String>,
    /// What programs call the tables whose names only they know.
    pub symbols: Symbols,
    /// Statements that read or write rows.
    pub pending: Vec<Pending>,
    pub shared: Shared,
}

/// What belongs to no schema in particular.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub files: Vec<FileId>,
    pub faults: Vec<SurveyFault>,
    pub open: Vec<Open>,
    pub allows: Vec<Allowance>,
    pub coverage: Coverage,
}

impl Shared {
    /// Whether there is nothing to say.
    pub(crate) fn is_silent(&self) -> bool {
        self.faults.is_empty() && self.coverage.unread.is_empty() && self.coverage.other_dialects == 0
    }

    /// A file of a schema that was not looked at.
    pub(crate) fn left_out(&mut self, place: &Place) {
        let reason = "there are too many schemas that have nothing to do with each other".to_owned();
        self.coverage.unread.push((*place, reason));
    }
}

/// Reads the files of a tree.
pub(crate) fn gather(tree: &dyn Tree, request: &Request, sources: &mut Sources) -> Gathered {
    let names = tree.names();
    let mut gathered = Gathered::default();
    gathered.read_manifests(tree, request, &names, sources);
    gathered.read_cql(tree, request, &names, sources);
    gathered.read_code(tree, request, &names, sources);
    gathered.notice_others(tree, request, &names, sources);
    gathered.leave_out_tests(request);
    gathered.name_migrations();
    gathered.symbols = Symbols::of(&mut gathered.schema);
    let changes = gathered.schema.iter().flat_map(|source| &source.statements);
    gathered.shared.open.extend(changes.filter_map(nameless));
    gathered
}

/// Stretches of a file that could not be read beyond which nothing in it is sure.
const GAPS_MAX: usize = 16;

/// Whether a file is among those that hold the schema.
fn in_schema(request: &Request, name: &str) -> bool {
    request.schema.is_empty() || request.schema.iter().any(|folder| path::is_below(name, folder))
}

/// Whether a file is among those whose statements are read.
fn in_queries(request: &Request, name: &str) -> bool {
    if request.queries.is_empty() {
        return in_schema(request, name);
    }
    request.queries.iter().any(|folder| path::is_below(name, folder))
}

/// The files of SQL that are CQL, as their texts tell: by words that no other SQL has, or because they stand beside such a
/// file and can be read as CQL.
fn by_words<'n>(tree: &dyn Tree, names: impl Iterator<Item = &'n String>) -> BTreeSet<&'n str> {
    let files: Vec<&str> = names.map(String::as_str).filter(|name| path::may_hold_any_sql(name)).collect();
    let holds = |name: &str, test: fn(&str) -> bool| tree.open(name).is_ok_and(|text| test(&text));
    let mut found: BTreeSet<&str> = files.iter().copied().filter(|name| holds(name, dialect::is_cql_script)).collect();
    let folders: BTreeSet<&str> = found.iter().map(|name| path::folder(name)).collect();
    let beside = files.into_iter().filter(|name| folders.contains(path::folder(name)));
    let beside: Vec<&str> = beside.filter(|name| holds(name, dialect::reads_as_cql)).collect();
    found.extend(beside);
    found
}

impl Gathered {
    fn read_manifests(&mut self, tree: &dyn Tree, request: &Request, names: &[String], sources: &mut Sources) {
        for name in names.iter().filter(|name| is_manifest(name) && in_schema(request, name)) {
            let Ok(text) = tree.open(name) else { continue };
            let known = self.manifests.missing.len();
            self.manifests.read(name, &text, names);
            let missing = self.manifests.missing.split_off(known);
            if !missing.is_empty() {
                let file = sources.reserve(name.clone());
                self.shared.faults.extend(missing.iter().map(|missing| SurveyFault {
                    kind: SurveyFaultKind::Syntax,
                    place: Place::new(file, text.find(missing.as_str()).map_or(0..0, |at| at..at + missing.len())),
                    message: format!("there is no file `{missing}` to take the schema from"),
                }));
            }
        }
    }

    fn read_cql(&mut self, tree: &dyn Tree, request: &Request, names: &[String], sources: &mut Sources) {
        let looked_at = |name: &&String| in_schema(request, name) || in_queries(request, name);
        let sql = by_words(tree, names.iter().filter(looked_at));
        // A file that is named by itself is taken as CQL, whatever its name.
        let wanted = |name: &&String| {
            let named = request.schema.contains(name) && Language::of(name).is_none();
            let may_be = || path::may_be_cql(name) || sql.contains(name.as_str());
            !is_manifest(name) && (named || (looked_at(name) && may_be()))
        };
        let files: Vec<(String, FileId)> = names
            .iter()
            .filter(wanted)
            .filter(|name| !path::undoes(name))
            .map(|name| (name.clone(), sources.reserve(name.clone())))
            .collect();
        let scripts = parallel::map(&files, |(name, file)| tree.open(name).map(|text| script(*file, &text)));
        for ((name, file), read) in files.into_iter().zip(scripts) {
            match read {
                Ok(read) => self.take_script(request, &name, file, read, names),
                Err(reason) => self.shared.coverage.unread.push((Place::new(file, 0..0), reason)),
            }
            self.shared.files.push(file);
        }
    }

    fn take_script(&mut self, request: &Request, name: &str, file: FileId, read: Script, names: &[String]) {
        let is_schema = in_schema(request, name);
        // In a file that only its words make CQL, or of which much could not be read, nothing is sure.
        let is_legible = read.gaps.is_empty() || read.gaps.len() <= GAPS_MAX && !path::may_hold_any_sql(name);
        let mut certain = is_legible && read.open.is_empty();
        if let Some(manifest) = &read.manifest {
            self.manifests.read(name, manifest, names);
        }
        let role = path::role(name, None, None);
        let mut statements = Vec::new();
        for line in read.statements {
            let kind = &line.written.statement.kind;
            if names::is_dml(kind) {
                let (written, dynamic) = (line.written, line.dynamic);
                self.pending.push(Pending {
                    written,
                    name: name.to_owned(),
                    role,
                    site: None,
                    sites: Vec::new(),
                    dynamic,
                    combined: false,
                    taken: Taken::default(),
                    dialect: Dialect::Cql,
                });
            } else if is_unreadable(kind) {
                certain = false;
                self.take_dynamic(&line.written);
            } else if is_schema && (names::is_ddl(kind) || matches!(kind, StatementKind::Use(_))) {
                statements.push(line.written);
            }
        }
        if statements.iter().any(|written| names::is_ddl(&written.statement.kind)) {
            let (name, gaps) = (name.to_owned(), read.gaps.into());
            self.schema.push(Source { name, file, statements, certain, gaps, code: false });
            self.shared.open.extend(read.open);
        }
        // In a file that only its words make CQL, what is not understood may be a mark that a program replaces.
        if path::may_hold_any_sql(name) {
            self.shared.coverage.unread.extend(read.faults.into_iter().map(|fault| (fault.place, fault.message)));
        } else {
            self.shared.faults.extend(read.faults);
        }
        self.shared.allows.extend(read.allows);
    }

    fn read_code(&mut self, tree: &dyn Tree, request: &Request, names: &[String], sources: &mut Sources) {
        let wanted = names.iter().filter(|name| in_queries(request, name) || in_schema(request, name));
        let languages = wanted.filter_map(|name| Language::of(name).map(|language| (name, language)));
        let programs: Vec<Program> = languages
            .map(|(name, language)| Program { name: name.clone(), file: sources.reserve(name.clone()), language })
            .collect();
        let read = code(tree, &programs);
        for found in read.found {
            self.take_found(found);
        }
        self.shared.files.extend(programs.iter().map(|program| program.file));
        self.shared.allows.extend(read.allows);
        self.shared.faults.extend(read.faults);
        let coverage = &mut self.shared.coverage;
        coverage.code_files = programs.len();
        coverage.code_files_with_statements = read.files_with_statements;
        coverage.other_dialects += read.other_dialects;
        coverage.unread.extend(read.unread);
    }

    /// Migrations in languages that are not read: that they are there is worth knowing.
    fn notice_others(&mut self, tree: &dyn Tree, request: &Request, names: &[String], sources: &mut Sources) {
        const ENDINGS: [&str; 8] = [".groovy", ".xml", ".yaml", ".yml", ".sh", ".exs", ".clj", ".json"];
        let may_migrate = |name: &&String| {
            let ends = ENDINGS.iter().any(|ending| name.ends_with(ending));
            ends && path::is_migration(name) && !is_manifest(name) && !path::is_test(name) && in_schema(request, name)
        };
        for name in names.iter().filter(may_migrate) {
            let Ok(text) = tree.open(name) else { continue };
            let lower = text.to_ascii_lowercase();
            let place_of = |words: &&str| lower.find(words).map(|at| at..at + words.len());
            let changes = ["create table", "alter table", "drop table"].iter().find_map(place_of);
            let ours = ["cassandra", "scylla", "keyspace", "cql"].iter().any(|word| lower.contains(word));
            if let Some(at) = changes.filter(|_| ours || name.to_ascii_lowercase().contains("cassandra")) {
                let place = Place::new(sources.reserve(name.clone()), at);
                let reason = "a migration in a language that is not read changes tables".to_owned();
                self.shared.open.push(Open { place, reason, names_only: false });
            }
        }
    }

    fn take_found(&mut self, found: Found) {
        let Found { name, file, statements, role, site, sites, dynamic, combined, taken, dialect } = found;
        let around = [site.function.as_deref(), site.container.as_deref()];
        let undoes = path::undoes(&name) || around.into_iter().flatten().any(path::undoes);
        let mut changes = Vec::new();
        for written in statements {
            let kind = &written.statement.kind;
            if names::is_dml(kind) {
                let (name, site, sites, taken) = (name.clone(), Some(site.clone()), sites.clone(), taken.clone());
                self.pending.push(Pending { written, name, role, site, sites, dynamic, combined, taken, dialect });
            } else if dialect == Dialect::Unclear && role != Role::Test {
                self.shared.coverage.other_dialects += 1;
            } else if is_unreadable(kind) && role != Role::Test {
                self.take_dynamic(&written);
            } else if names::is_ddl(kind) || matches!(kind, StatementKind::Use(_)) {
                changes.push(written);
            }
        }
        if undoes || !changes.iter().any(|written| names::is_ddl(&written.statement.kind)) {
            return;
        }
        if role == Role::Test {
            let made = changes.iter().filter_map(|written| names::makes(&written.statement.kind, None));
            self.outside.extend(made.map(|thing| thing.name));
            return;
        }
        match self.schema.last_mut().filter(|source| source.code && source.name == name) {
            Some(source) => source.statements.extend(changes),
            None => self.schema.push(Source {
                name,
                file,
                statements: changes,
                certain: !dynamic,
                gaps: std::sync::Arc::default(),
                code: true,
            }),
        }
    }

    /// A statement that can't be read before the program runs: of the schema or of rows.
    fn take_dynamic(&mut self, written: &Written) {
        let StatementKind::Dynamic(words) = &written.statement.kind else { return };
        let changes = ["create", "alter", "drop"].iter().any(|word| words.to_ascii_lowercase().starts_with(word));
        if changes {
            let reason = "what this changes is known only when it is filled in".to_owned();
            self.shared.open.push(Open { place: written.whole, reason, names_only: false });
        } else {
            self.shared.coverage.dynamic.push((written.whole, written.holes()));
        }
    }

    /// The schema of a test or example is not the schema where there is another one.
    fn leave_out_tests(&mut self, request: &Request) {
        if !request.schema.is_empty() {
            return;
        }
        let keeps: [fn(&str) -> bool; 2] =
            [|name| !path::is_test(name) && !path::is_example(name), |name| !path::is_test(name)];
        for keep in keeps {
            if self.schema.iter().any(|source| keep(&source.name) && source.makes_tables()) {
                let (kept, left_out): (Vec<Source>, Vec<Source>) =
                    std::mem::take(&mut self.schema).into_iter().partition(|source| keep(&source.name));
                self.schema = kept;
                let made = left_out.iter().flat_map(Source::makes).filter(|thing| thing.sort == Sort::Table);
                self.outside.extend(made.map(|thing| thing.name));
                return;
            }
        }
    }

    /// Statements on rows in a file of a chain are migrations.
    fn name_migrations(&mut self) {
        let positions = self.schema.iter().filter(|source| !source.code);
        let roots: BTreeSet<String> = positions
            .filter_map(|source| Position::of(&source.name, &self.manifests))
            .map(|position| position.root)
            .collect();
        // The statements of one file stand together.
        for of_file in self.pending.chunk_by_mut(|one, next| one.name == next.name) {
            let position = of_file.first().and_then(|first| Position::of(&first.name, &self.manifests));
            if position.is_some_and(|position| roots.contains(&position.root)) {
                let own = of_file.iter_mut().filter(|pending| pending.site.is_none() && pending.role != Role::Test);
                own.for_each(|pending| pending.role = Role::Migration);
            }
        }
    }
}

/// What is made under a name that nobody knows.
fn nameless(written: &Written) -> Option<Open> {
    let unknown = match &written.statement.kind {
        StatementKind::CreateTable(create) => create.name.name.unknown,
        StatementKind::CreateView(create) => create.name.name.unknown,
        StatementKind::AlterTable(alter) => alter.name.name.unknown,
        StatementKind::Drop(drop) => drop.name.name.unknown,
        _ => false,
    };
    let reason = "the name of what this changes is known only when it is filled in".to_owned();
    unknown.then_some(Open { place: written.whole, reason, names_only: false })
}
