//! Tables whose names only the running program knows. A program that makes a table under a name of its own, such as
//! `CREATE TABLE $table`, and asks `$table` beside it, means one table: it is known by what the program calls it.

use std::collections::BTreeMap;

use keyloom_cql::HOLE;
use keyloom_cql::ast::{QualifiedName, StatementKind};

use crate::part::Source;
use crate::path;

/// Names of that many letters mean the same thing in all files of a repository; shorter ones are everywhere.
const TELLING: usize = 8;

/// What programs call the tables that they make.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// By the text of the name with its holes, and by the file; `None` where a file makes several tables of that name.
    by_name: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

impl Symbols {
    /// Gives each table that is made under a hole the name by which its file calls it, wherever the schema's own statements
    /// name it.
    pub(crate) fn of(sources: &mut [Source]) -> Self {
        let mut symbols = Self::default();
        for source in sources.iter().filter(|source| source.code) {
            let mut shapes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for written in &source.statements {
                let StatementKind::CreateTable(create) = &written.statement.kind else { continue };
                // A table of which nothing is known is the work of a tool that makes any.
                let is_known = !create.columns.is_empty() && create.columns.iter().all(|column| !column.name.unknown);
                if !create.name.name.unknown || !is_known || !written.statement.unknown.is_empty() {
                    continue;
                }
                let name = create.name.name.text.as_str();
                let columns: Vec<&str> = create.columns.iter().map(|column| column.name.text.as_str()).collect();
                let is_other = shapes.insert(name, columns.clone()).is_some_and(|before| before != columns);
                let by_file = symbols.by_name.entry(name.to_owned()).or_default();
                let symbol = by_file.entry(source.name.clone()).or_insert_with(|| Some(shown(name, None)));
                if is_other {
                    *symbol = None;
                }
            }
        }
        symbols.tell_apart();
        for source in sources {
            for written in &mut source.statements {
                for name in named_by(&mut written.statement.kind) {
                    symbols.put(name, &source.name);
                }
            }
        }
        symbols
    }

    /// Where several files call a table alike, each is called after its file too.
    fn tell_apart(&mut self) {
        for (name, by_file) in &mut self.by_name {
            if by_file.len() > 1 {
                for (file, symbol) in by_file.iter_mut().filter(|(_, symbol)| symbol.is_some()) {
                    let stem = path::last(file).split('.').next().unwrap_or_default();
                    *symbol = Some(shown(name, Some(stem)));
                }
            }
        }
    }

    fn put(&self, name: &mut QualifiedName, file: &str) {
        if let Some(symbol) = self.find(name, file) {
            name.name.text = symbol.to_owned();
            name.name.unknown = false;
        }
    }

    /// The table that a name with a hole means in a file: one that the file makes, else the only one of a telling name.
    pub(crate) fn find(&self, name: &QualifiedName, file: &str) -> Option<&str> {
        let by_file = self.by_name.get(&name.name.text).filter(|_| name.name.unknown)?;
        if let Some(own) = by_file.get(file) {
            return own.as_deref();
        }
        let mut all = by_file.values();
        match (all.next(), all.next()) {
            (Some(only), None) if name.name.text.len() >= TELLING + 2 * HOLE.len_utf8() => only.as_deref(),
            _ => None,
        }
    }
}

/// A name as people read it: `{table}`, and behind the name of its file where several have such a table.
fn shown(name: &str, file: Option<&str>) -> String {
    let mut shown = String::new();
    for (index, part) in name.split(HOLE).enumerate() {
        match (index % 2, file) {
            (1, Some(file)) if index == 1 => shown.push_str(&format!("{{{file}.{part}}}")),
            (1, _) => shown.push_str(&format!("{{{part}}}")),
            _ => shown.push_str(part),
        }
    }
    shown
}

/// The tables that a statement of a schema names.
fn named_by(kind: &mut StatementKind) -> Vec<&mut QualifiedName> {
    match kind {
        StatementKind::CreateTable(create) => vec![&mut create.name],
        StatementKind::AlterTable(alter) => vec![&mut alter.name],
        StatementKind::CreateIndex(create) => vec![&mut create.table],
        StatementKind::CreateView(create) => vec![&mut create.base],
        StatementKind::Drop(drop) => vec![&mut drop.name],
        _ => Vec::new(),
    }
}
