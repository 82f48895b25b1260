//! Where two writings of one schema differ: a chain of migrations and a dump beside it.

use keyloom_cql::schema::{Column, Schema, Table, Type};

use crate::choose::tables;
use crate::part::{Kind, Part};
use crate::{SurveyFault, SurveyFaultKind};

/// What differs between the chain of a schema and each file that holds the same tables.
pub(crate) fn differences(parts: &[Part]) -> Vec<SurveyFault> {
    let Some(chain) = parts.iter().find(|part| part.kind < Kind::Single && !part.is_code()) else { return Vec::new() };
    let dumps = parts.iter().filter(|part| part.kind == Kind::Single);
    dumps.filter(|dump| is_dump_of(dump, chain)).flat_map(|dump| compare(dump, chain)).collect()
}

/// Whether a file and a chain make the same schema: at least half of each is in both. A file that repeats a table or two is
/// no dump, and a chain that only changes some tables starts from the file.
fn is_dump_of(dump: &Part, chain: &Part) -> bool {
    let shared = tables(&dump.alone).filter(|table| find(&chain.alone, table).is_some()).count();
    shared > 0 && shared * 2 >= tables(&chain.alone).count().max(tables(&dump.alone).count())
}

fn find<'a>(schema: &'a Schema, like: &Table) -> Option<&'a Table> {
    tables(schema).find(|table| {
        let any = table.keyspace.is_empty() || like.keyspace.is_empty();
        table.name == like.name && (any || table.keyspace == like.keyspace)
    })
}

/// One fault for each table that differs; the first difference speaks for the rest.
fn compare(dump: &Part, chain: &Part) -> Vec<SurveyFault> {
    let place = |table: &Table| {
        let statements = dump.sources.iter().flat_map(|source| &source.statements);
        let mut made = statements.filter(|written| {
            matches!(&written.statement.kind, keyloom_cql::ast::StatementKind::CreateTable(create)
                if create.name.name.text == table.name)
        });
        made.next().map(|written| written.place(table.made.at))
    };
    let mut faults = Vec::new();
    let mut say = |place: Option<keyloom_finding::Place>, message: String| {
        if let Some(place) = place {
            faults.push(SurveyFault { kind: SurveyFaultKind::Differs, place, message });
        }
    };
    for table in tables(&dump.alone) {
        let name = &table.name;
        match find(&chain.alone, table) {
            Some(other) if other.unknown || table.unknown => {}
            Some(other) => {
                if let Some(words) = first_difference(table, other) {
                    say(place(table), format!("`{name}` {words}"));
                }
            }
            None => say(place(table), format!("`{name}` is made here, and not by the migrations in {}", chain.name())),
        }
    }
    for table in tables(&chain.alone).filter(|table| find(&dump.alone, table).is_none()) {
        let first = tables(&dump.alone).next().and_then(place);
        say(first, format!("`{}` is made by the migrations, and not in this file", table.name));
    }
    faults
}

fn first_difference(dump: &Table, chain: &Table) -> Option<String> {
    let key = |table: &Table| {
        let names = |columns: Vec<&Column>| columns.into_iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        (names(table.partition_key().collect()), names(table.clustering().collect()))
    };
    if key(dump) != key(chain) {
        return Some("has another key here than after the migrations".to_owned());
    }
    for column in &dump.columns {
        match chain.column(&column.name) {
            None => return Some(format!("has a column `{}` here, and not after the migrations", column.name)),
            Some(other) if !same_type(&column.of, &other.of) => {
                return Some(format!("has another type of `{}` here than after the migrations", column.name));
            }
            Some(_) => {}
        }
    }
    let missing = chain.columns.iter().find(|column| dump.column(&column.name).is_none())?;
    Some(format!("has no column `{}` here, and has it after the migrations", missing.name))
}

/// Whether two types are the same, or may be.
fn same_type(a: &Type, b: &Type) -> bool {
    matches!(a, Type::Unknown(_)) || matches!(b, Type::Unknown(_)) || a == b
}
