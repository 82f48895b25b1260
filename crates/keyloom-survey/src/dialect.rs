//! Whether the statements of a program are CQL, or the SQL of another database in the same repository.

use keyloom_code::{Drivers, Origin, Snippet};
use keyloom_cql::parse::parse;

use crate::names::{self, Sort, Thing};
use crate::path;
use crate::template::template;

/// How sure it is that a program speaks CQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// It imports a driver of Cassandra, a builder of one made the statement, or its path says so.
    Cql,
    /// Nothing says otherwise, in the whole repository.
    Likely,
    /// Nothing says so, and the repository speaks with another database too, which may have tables of the same names.
    Unclear,
    /// It speaks with another database.
    Other,
}

/// Whether a script is CQL by words that no other SQL has.
pub(crate) fn is_cql_script(text: &str) -> bool {
    let words = text.split(|letter: char| letter.is_whitespace()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_uppercase).collect();
    words.windows(2).any(|pair| matches!([pair[0].as_str(), pair[1].as_str()], ["CREATE", "KEYSPACE"]))
        || words.windows(3).any(|three| matches!(three, [a, b, c] if a == "CLUSTERING" && b == "ORDER" && c == "BY"))
}

/// Whether a script can be read as CQL from its first to its last statement, and changes a schema with types that CQL has.
pub(crate) fn reads_as_cql(text: &str) -> bool {
    const FOREIGN: [&str; 14] = [
        "bigserial",
        "bytea",
        "char",
        "datetime",
        "integer",
        "json",
        "jsonb",
        "long",
        "number",
        "numeric",
        "real",
        "serial",
        "string",
        "timestamptz",
    ];
    let parsed = parse(&template(text).text);
    let kinds = || parsed.statements.iter().map(|statement| &statement.kind);
    let needed = kinds().flat_map(|kind| names::needs(kind, None)).filter(|thing| thing.sort == Sort::Type);
    let is_foreign = |thing: Thing| FOREIGN.contains(&thing.name.as_str());
    parsed.faults.is_empty() && kinds().any(names::is_ddl) && !needed.into_iter().any(is_foreign)
}

/// What a file says about itself.
pub(crate) fn of_file(name: &str, drivers: &Drivers, snippets: &[&Snippet]) -> Option<Dialect> {
    let is_ours = path::words(name).any(|word| ["cassandra", "scylla", "cql"].contains(&word.as_str()));
    let names_another = path::names_another_database(name);
    // A file that imports drivers of two databases is about the one that it is called after.
    let is_named_other = names_another && !drivers.other.is_empty();
    if !drivers.cassandra.is_empty() && !is_named_other || is_ours && !names_another {
        return Some(Dialect::Cql);
    }
    let is_other = names_another
        || !drivers.other.is_empty()
        || snippets.iter().any(|snippet| !snippet.foreign.is_empty() || is_asked_of_jdbc(snippet));
    is_other.then_some(Dialect::Other)
}

/// What a statement is, given what its file says and whether any file speaks with another database.
pub(crate) fn of_snippet(snippet: &Snippet, file: Option<Dialect>, drivers: &Drivers, has_other: bool) -> Dialect {
    let only_cassandra = !drivers.cassandra.is_empty() && drivers.other.is_empty();
    if is_asked_of_jdbc(snippet) || !only_cassandra && !snippet.foreign.is_empty() {
        return Dialect::Other;
    }
    if snippet.from != Origin::Literal {
        return Dialect::Cql;
    }
    file.unwrap_or(if has_other { Dialect::Unclear } else { Dialect::Likely })
}

/// Whether a statement goes through calls that only JDBC has.
fn is_asked_of_jdbc(snippet: &Snippet) -> bool {
    let of_jdbc = ["prepareStatement", "prepareCall", "executeQuery", "executeUpdate"];
    snippet.sites.iter().any(|site| site.calls.iter().any(|call| of_jdbc.contains(&call.as_str())))
}
