//! Which schema a statement belongs to, and what the server would say to it.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_cql::ast::{QualifiedName, StatementKind};
use keyloom_cql::resolve::{FaultKind, Resolution, Verdict, resolve};
use keyloom_finding::{FileId, Place};

use crate::dialect::Dialect;
use crate::ground::Ground;
use crate::mention::made_somewhere;
use crate::names;
use crate::path;
use crate::symbol::Symbols;
use crate::tree::Tree;
use crate::written::Written;
use crate::{Coverage, Role, Site, Taken, Use};

/// A statement that reads or writes rows, before it is known which schema it belongs to.
#[derive(Debug)]
pub(crate) struct Pending {
    pub written: Written,
    /// The name of its file.
    pub name: String,
    pub role: Role,
    pub site: Option<Site>,
    pub sites: Vec<(Place, Site)>,
    pub dynamic: bool,
    /// It is one of several combinations of optional parts, which perhaps nobody asks for.
    pub combined: bool,
    pub taken: Taken,
    /// How sure it is that this is CQL.
    pub dialect: Dialect,
}

/// What is known of tables beside the schemas.
pub(crate) struct Elsewhere<'t> {
    /// Tables that only tests and examples make.
    pub outside: BTreeSet<String>,
    /// What programs call the tables whose names only they know.
    pub symbols: Symbols,
    /// All files, those that are not read as well.
    pub tree: &'t dyn Tree,
}

/// Gives each statement to its schema.
pub(crate) fn settle(
    grounds: &mut [Ground],
    mut pending: Vec<Pending>,
    elsewhere: &Elsewhere<'_>,
    coverage: &mut Coverage,
) {
    let Elsewhere { outside, symbols, tree } = elsewhere;
    for pending in &mut pending {
        name_table(grounds, pending, symbols);
    }
    let speaking = files_that_speak_cql(grounds, &pending);
    let missing = missing(grounds, pending.iter().filter(|pending| speaking.contains(&pending.name)));
    // What some text makes that was not read, or not understood, is not missing.
    let somewhere = if missing.is_empty() { missing } else { made_somewhere(*tree, &missing) };
    // The schema that the statements of a file were given to last.
    let mut homes: BTreeMap<FileId, usize> = BTreeMap::new();
    for pending in pending {
        let tables = names::tables(&pending.written.statement.kind);
        let keyspace = pending.written.keyspace.as_deref();
        let knows = |ground: &Ground| tables.iter().all(|table| table.name.unknown || ground.knows(table, keyspace));
        let is_known = grounds.iter().any(knows);
        let is_made = |name: &String| outside.contains(name) || somewhere.contains(name);
        let is_outside = tables.iter().any(|table| is_made(&table.name.text) || is_system(table, keyspace));
        let is_test = pending.role == Role::Test;
        // A test that makes its tables itself asks those, whatever others of these names look like.
        if is_outside && (!is_known || is_test) {
            coverage.read += 1;
            continue;
        }
        // A test may compare texts that no database ever sees, and of another database's just as well.
        if is_test && pending.dialect != Dialect::Cql && pending.sites.is_empty() {
            coverage.other_dialects += 1;
            continue;
        }
        if !is_known && !speaking.contains(&pending.name) {
            coverage.other_dialects += 1;
            continue;
        }
        // Of two schemas with such a table, the one is meant that accepts the statement.
        let accepts =
            |ground: &Ground| knows(ground) && !matches!(judge(ground, &pending.written).verdict, Verdict::Illegal(_));
        let several = grounds.iter().filter(|ground| knows(ground)).count() > 1;
        let accepted = several.then(|| best(grounds, &pending, accepts)).flatten();
        let file = pending.written.whole.file;
        // A table that nothing makes is missed where the statements beside it are at home.
        let home = homes.get(&file).copied().filter(|_| !is_known);
        let Some(ground) = accepted.or(home).or_else(|| best(grounds, &pending, knows)) else {
            if !is_test {
                coverage.contested.extend(tables.iter().map(|table| table.name.text.clone()));
                let reason = "several schemas of this repository have this table".to_owned();
                coverage.unread.push((pending.written.whole, reason));
            }
            continue;
        };
        let resolution = judge(&grounds[ground], &pending.written);
        // Where it is not sure that this is CQL, what Cassandra would refuse is a sign that it is not.
        let is_unsure = match pending.dialect {
            Dialect::Unclear => true,
            Dialect::Likely => is_test,
            Dialect::Cql | Dialect::Other => false,
        };
        if is_unsure && !matches!(resolution.verdict, Verdict::Legal) {
            coverage.other_dialects += 1;
            continue;
        }
        let is_dynamic = pending.dynamic
            || !pending.written.statement.unknown.is_empty()
            || tables.iter().any(|table| table.name.unknown);
        match is_dynamic {
            true => coverage.dynamic.push((pending.written.whole, pending.written.holes())),
            false => coverage.read += 1,
        }
        if is_known {
            homes.insert(file, ground);
        }
        let role = role_on(&pending);
        let dynamic = pending.dynamic || pending.combined;
        let Pending { written, site, sites, taken, .. } = pending;
        grounds[ground].uses.push(Use { written, resolution, role, site, sites, dynamic, taken });
    }
}

/// Gives a table whose name only the program knows the name under which the program makes it, where the statement fits that
/// table: what only looks like the same name proves nothing.
fn name_table(grounds: &[Ground], pending: &mut Pending, symbols: &Symbols) {
    let Some(table) = names::table_mut(&mut pending.written.statement.kind) else { return };
    let Some(symbol) = symbols.find(table, &pending.name).map(str::to_owned) else { return };
    let hole = std::mem::replace(&mut table.name.text, symbol);
    table.name.unknown = false;
    let is_right = |ground: &Ground| {
        let tables = names::tables(&pending.written.statement.kind);
        let is_known = tables.iter().all(|table| ground.knows(table, pending.written.keyspace.as_deref()));
        is_known && !matches!(judge(ground, &pending.written).verdict, Verdict::Illegal(_))
    };
    let fits = grounds.iter().any(is_right);
    if let Some(table) = names::table_mut(&mut pending.written.statement.kind).filter(|_| !fits) {
        table.name.text = hole;
        table.name.unknown = true;
    }
}

/// The tables that statements outside of tests ask and no schema has. One that the schema dropped is gone for good.
fn missing<'p>(grounds: &[Ground], pending: impl Iterator<Item = &'p Pending>) -> BTreeSet<String> {
    if grounds.iter().all(Ground::is_empty) {
        return BTreeSet::new();
    }
    let steps = grounds.iter().flat_map(|ground| &ground.replayed.steps);
    let dropped: BTreeSet<String> =
        steps.filter_map(|step| names::drops(&step.statement.kind, None)).map(|thing| thing.name).collect();
    let mut missing = BTreeSet::new();
    for pending in pending.filter(|pending| pending.role != Role::Test) {
        let keyspace = pending.written.keyspace.as_deref();
        let is_missing = |table: &&QualifiedName| {
            !table.name.unknown
                && !dropped.contains(&table.name.text)
                && !is_system(table, keyspace)
                && !grounds.iter().any(|ground| ground.has_name(&table.name.text))
        };
        let tables = names::tables(&pending.written.statement.kind);
        missing.extend(tables.into_iter().filter(is_missing).map(|table| table.name.text.clone()));
    }
    missing
}

/// Files in which a table that nothing makes is a mistake and not another database.
fn files_that_speak_cql(grounds: &[Ground], pending: &[Pending]) -> BTreeSet<String> {
    let speaks = |pending: &&Pending| {
        let keyspace = pending.written.keyspace.as_deref();
        let known = |table: &&QualifiedName| grounds.iter().any(|ground| ground.knows(table, keyspace));
        pending.dialect == Dialect::Cql || names::tables(&pending.written.statement.kind).iter().any(known)
    };
    pending.iter().filter(speaks).map(|pending| pending.name.clone()).collect()
}

/// The schema of a statement: the only one that knows its tables, else the one that makes the keyspace it names, else the
/// nearest; `None` where two are as near.
fn best(grounds: &[Ground], pending: &Pending, knows: impl Fn(&Ground) -> bool) -> Option<usize> {
    let all: Vec<usize> = (0..grounds.len()).collect();
    let knowing: Vec<usize> = all.iter().copied().filter(|at| knows(&grounds[*at])).collect();
    let candidates = if knowing.is_empty() { all } else { knowing };
    if let [only] = candidates.as_slice() {
        return Some(*only);
    }
    let keyspaces = keyspaces(&pending.written);
    let nearness = |at: &usize| {
        let ground = &grounds[*at];
        (keyspaces.iter().any(|keyspace| ground.makes_keyspace(keyspace)), ground.nearness(&pending.name))
    };
    let nearest = candidates.iter().map(nearness).max()?;
    let mut near = candidates.iter().filter(|at| nearness(at) == nearest);
    match (near.next(), near.next()) {
        (Some(one), None) => Some(*one),
        _ => None,
    }
}

/// What the server would say, less what it would say only because the schema is not known here.
fn judge(ground: &Ground, written: &Written) -> Resolution {
    let keyspace = written.keyspace.as_deref();
    let unknown = |what: String| Resolution { verdict: Verdict::Maybe { holes: vec![what] }, access: None };
    if ground.is_empty() {
        return unknown("the schema".to_owned());
    }
    let resolution = resolve(&ground.replayed.schema, &written.statement, keyspace);
    if let Verdict::Illegal(fault) = &resolution.verdict
        && matches!(fault.kind, FaultKind::UnknownTable | FaultKind::UnknownName)
        && let Some(foreign) = keyspaces(written).into_iter().find(|keyspace| !ground.has_keyspace(keyspace))
    {
        return unknown(format!("the keyspace {foreign}"));
    }
    resolution
}

/// The role of a statement. A file that is named after the table it asks says nothing of what it does: the table `tools` is
/// kept by `tools.rs`.
fn role_on(pending: &Pending) -> Role {
    let stem = path::last(&pending.name).split('.').next().unwrap_or_default();
    let of_table = |table: &&QualifiedName| table.name.text.split('_').next() == Some(stem) || table.name.text == stem;
    if pending.role != Role::Job || !names::tables(&pending.written.statement.kind).iter().any(of_table) {
        return pending.role;
    }
    let around = pending.site.as_ref();
    let function = around.and_then(|site| site.function.as_deref());
    path::role(
        &format!("{}/", path::folder(&pending.name)),
        function,
        around.and_then(|site| site.container.as_deref()),
    )
}

/// The keyspaces that a statement names, and the one that was chosen before it.
fn keyspaces(written: &Written) -> Vec<&str> {
    let tables = names::tables(&written.statement.kind);
    let named = tables.into_iter().filter_map(|table| table.keyspace.as_ref()).filter(|keyspace| !keyspace.unknown);
    named.map(|keyspace| keyspace.text.as_str()).chain(written.keyspace.as_deref()).collect()
}

/// Tables of the server's own.
fn is_system(table: &QualifiedName, keyspace: Option<&str>) -> bool {
    let keyspace = table.keyspace.as_ref().map(|keyspace| keyspace.text.as_str()).or(keyspace);
    keyspace.is_some_and(|keyspace| keyspace == "system" || keyspace.starts_with("system_") || keyspace == "dse_system")
}

/// Whether a statement is one that nobody can read before the program runs.
pub(crate) fn is_unreadable(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Dynamic(_))
}
