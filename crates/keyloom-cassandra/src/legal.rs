//! What Cassandra's language has against a read: the statements that this store would send, judged by the resolver that
//! reviews other people's.

use keyloom_cql::{
    parse::parse,
    resolve::{Verdict, resolve},
    schema::Schema,
};
use keyloom_store::{Fault, ReadForm, Table};

use crate::emit::{cql, get_cql, slice_cql};

/// Statements need one to name their tables in.
const KEYSPACE: &str = "keyloom";

/// What stands against a read of a table: it is illegal, or legal with ALLOW FILTERING only, or the table can't be made.
pub(crate) fn objection(table: &Table, form: ReadForm) -> Option<String> {
    match judged(table, form) {
        Ok(Verdict::Legal) => None,
        Ok(Verdict::NeedsFiltering(fault) | Verdict::Illegal(fault)) => Some(fault.message),
        Ok(Verdict::Maybe { holes }) => Some(format!("it depends on {}", holes.join(", "))),
        Err(fault) => Some(fault.to_string()),
    }
}

/// The first verdict that is not "legal", if there is one.
fn judged(table: &Table, form: ReadForm) -> Result<Verdict, Fault> {
    let mut schema = Schema::default();
    for statement in parse(&cql(KEYSPACE, std::slice::from_ref(table))?).statements {
        // What is written down about tables is no part of a schema.
        let _ = schema.apply(&statement, 0, &mut None);
    }
    let texts = match form {
        ReadForm::Get => vec![get_cql(KEYSPACE, table)?],
        ReadForm::Slice { equal, bounded, backward } => slice_cql(KEYSPACE, table, equal, bounded, backward)?,
    };
    let verdicts = texts.iter().flat_map(|text| parse(text).statements);
    let mut verdicts = verdicts.map(|statement| resolve(&schema, &statement, Some(KEYSPACE)).verdict);
    Ok(verdicts.find(|verdict| *verdict != Verdict::Legal).unwrap_or(Verdict::Legal))
}

#[cfg(test)]
mod tests {
    use keyloom_store::{Column, Discipline, Group, SortColumn};
    use keyloom_value::Kind;

    use super::*;

    fn table() -> Table {
        let sort = |name: &str, descending| SortColumn { name: name.to_owned(), kind: Kind::Int, descending };
        Table {
            name: "place".to_owned(),
            discipline: Discipline::Placed,
            partition: vec![Column { name: "town".to_owned(), kind: Kind::Text }],
            sort: vec![sort("rank", true), sort("number", false)],
            groups: vec![Group { columns: vec![Column { name: "name".to_owned(), kind: Kind::Text }] }],
            grace_ms: 3_600_000,
            lifetime_ms: None,
        }
    }

    #[test]
    fn every_form_that_a_table_has_is_legal() {
        let forms = [(0, false), (0, true), (1, false), (1, true), (2, false)];
        for (equal, bounded) in forms {
            for backward in [false, true] {
                assert_eq!(objection(&table(), ReadForm::Slice { equal, bounded, backward }), None);
            }
        }
        assert_eq!(objection(&table(), ReadForm::Get), None);
    }

    #[test]
    fn a_form_that_a_table_does_not_have_is_objected_to() {
        let form = ReadForm::Slice { equal: 2, bounded: true, backward: false };
        assert!(objection(&table(), form).is_some_and(|what| what.contains("2 sort components")));
    }

    #[test]
    fn a_table_that_cassandra_can_not_make_is_objected_to() {
        let mut table = table();
        table.sort[0].name = "town".to_owned();
        assert!(objection(&table, ReadForm::Get).is_some());
    }
}
