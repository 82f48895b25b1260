//! What the tables are called in the store below.

use keyloom_store::{Discipline, Table};

const AS: &str = "kl_as:";
const INDEX: &str = "kl_index:";

/// The table by which a store remembers whose limits it has.
pub(crate) fn marker(engine: &str) -> String {
    format!("{AS}{engine}")
}

/// The engine that a table remembers.
pub(crate) fn marked(name: &str) -> Option<&str> {
    name.strip_prefix(AS)
}

/// The name of the table that holds an index: a name may have any letters, so the first one has its length in front.
pub(crate) fn index(of: &str, name: &str) -> String {
    format!("{INDEX}{}:{of}:{name}", of.len())
}

/// A table as callers see it.
pub(crate) fn seen(below: &Table) -> Table {
    let parts = below.name.strip_prefix(INDEX).and_then(|rest| {
        let (length, rest) = rest.split_once(':')?;
        let (of, name) = rest.split_at_checked(length.parse().ok()?)?;
        Some((of.to_owned(), name.strip_prefix(':')?.to_owned()))
    });
    match parts {
        Some((of, name)) => Table { name, discipline: Discipline::Indexed { of }, ..below.clone() },
        None => below.clone(),
    }
}

/// A table as the store below has it: an index rides along with the writes of its table.
pub(crate) fn below(seen: &Table) -> Table {
    match &seen.discipline {
        Discipline::Indexed { of } => {
            Table { name: index(of, &seen.name), discipline: Discipline::Carried, ..seen.clone() }
        }
        _ => seen.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_found_again_whatever_the_names() {
        for (of, name) in [("orders", "by_customer"), ("a:b", "7:c"), ("é", ":"), ("x", "kl_index:1:a:b")] {
            let index = Table {
                name: name.to_owned(),
                discipline: Discipline::Indexed { of: of.to_owned() },
                partition: Vec::new(),
                sort: Vec::new(),
                groups: Vec::new(),
                grace_ms: 0,
                lifetime_ms: None,
            };
            assert_eq!(seen(&below(&index)), index);
        }
        assert_eq!(marked(&marker("dynamodb")), Some("dynamodb"));
    }
}
