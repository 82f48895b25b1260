//! What names and types suggest about tables and columns. Nothing of it proves anything: rules that ask here warn or note.

use keyloom_cql::ast::Native;
use keyloom_cql::schema::{Column, Table, Type};

use crate::guess::{native, words};

/// A word without the ending of a plural: `entries` gives `entry`, `boxes` gives `box`, `status` stays.
pub(crate) fn singular(word: &str) -> String {
    let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    match word {
        _ if !is_plural => word.to_owned(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("xes") || word.ends_with("ches") || word.ends_with("sses") => {
            word[..word.len() - 2].to_owned()
        }
        _ => word[..word.len() - 1].to_owned(),
    }
}

/// Whether one of the words of a name, in the singular, is among these.
pub(crate) fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).iter().any(|word| wanted.contains(&word.as_str()) || wanted.contains(&singular(word).as_str()))
}

/// The thing that a table lists, in the singular: `case_events_by_agency` lists events.
pub(crate) fn thing(table: &Table) -> Option<String> {
    let words = words(&table.name);
    let end = words.iter().position(|word| word == "by" || word == "for").unwrap_or(words.len());
    words[..end].last().map(|word| singular(word))
}

/// Things that happen: two of them at one time are two.
const EVENTS: &[&str] = &[
    "activity",
    "alert",
    "audit",
    "change",
    "click",
    "comment",
    "entry",
    "event",
    "history",
    "log",
    "login",
    "message",
    "notification",
    "order",
    "payment",
    "post",
    "purchase",
    "record",
    "transaction",
    "transition",
    "visit",
];

/// Whether a thing, in the singular, is one that happens.
pub(crate) fn is_event(thing: &str) -> bool {
    EVENTS.contains(&thing)
}

/// Whether the name of a file or keyspace says that it serves tests.
pub(crate) fn is_of_tests(name: &str) -> bool {
    has_word(name, &["e2e", "fixture", "integration", "it", "mock", "test", "testing", "unit"])
}

/// Whether the name of a file or keyspace says that it serves tests, trials or one developer's machine.
pub(crate) fn is_for_trial(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "ci",
        "demo",
        "dev",
        "development",
        "docker",
        "example",
        "local",
        "localhost",
        "quickstart",
        "sample",
        "sandbox",
        "tutorial",
    ];
    is_of_tests(name) || has_word(name, WORDS)
}

/// A whole number of any width.
pub(crate) fn is_integer(of: &Type) -> bool {
    use Native::{Bigint, Int, Smallint, Tinyint, Varint};
    matches!(of, Type::Native(Bigint | Int | Smallint | Tinyint | Varint))
}

/// A point in time that two rows may share: a timestamp, or a number that is named as one. A timeuuid is none.
pub(crate) fn is_clock(column: &Column) -> bool {
    const WORDS: &[&str] = &["at", "date", "datetime", "millis", "nanos", "time", "timestamp", "ts", "when"];
    let named = || has_word(&column.name, WORDS) || column.name.ends_with("time") || column.name.ends_with("timestamp");
    match native(column) {
        Some(Native::Timestamp) => true,
        Some(Native::Bigint | Native::Varint) => named(),
        _ => false,
    }
}

/// A number that counts up with each row.
pub(crate) fn is_sequence(column: &Column) -> bool {
    const WORDS: &[&str] = &["nr", "number", "offset", "position", "revision", "seq", "seqno", "sequence", "version"];
    is_integer(&column.of) && (has_word(&column.name, WORDS) || column.name.ends_with("seq"))
}

/// A value that grows with time, so that a partition that is ordered by it grows at one end.
pub(crate) fn grows_with_time(column: &Column) -> bool {
    is_clock(column) || is_sequence(column) || native(column) == Some(Native::Timeuuid)
}

/// A part of a partition key that cuts it into pieces: a period of time, or a number of a bucket.
pub(crate) fn is_bucket(column: &Column) -> bool {
    const WORDS: &[&str] = &[
        "block",
        "bucket",
        "chunk",
        "date",
        "day",
        "dt",
        "epoch",
        "hour",
        "interval",
        "minute",
        "month",
        "page",
        "part",
        "partition",
        "period",
        "quarter",
        "range",
        "segment",
        "shard",
        "slice",
        "slot",
        "week",
        "window",
        "year",
        "yyyymmdd",
        "yyyymm",
    ];
    let period = matches!(native(column), Some(Native::Date | Native::Timestamp | Native::Time));
    period || is_clock(column) || has_word(&column.name, WORDS) || WORDS.iter().any(|word| column.name.ends_with(word))
}

/// An id that is drawn at random, so that no two rows ever share it.
pub(crate) fn is_random_id(column: &Column) -> bool {
    matches!(native(column), Some(Native::Uuid | Native::Timeuuid))
}

/// A column that is the identity of something, by its name or because it is drawn at random.
pub(crate) fn is_identity(column: &Column) -> bool {
    is_random_id(column) || is_identity_by_name(column)
}

/// A column that is named as the identity of something.
pub(crate) fn is_identity_by_name(column: &Column) -> bool {
    words(&column.name).last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid"))
}

/// Whether a collection or user-defined type is stored cell by cell.
pub(crate) fn is_nonfrozen(of: &Type) -> bool {
    matches!(of, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::User(_))
}

/// Whether a table holds counters.
pub(crate) fn is_counter_table(table: &Table) -> bool {
    table.columns.iter().any(|column| native(column) == Some(Native::Counter))
}

/// A table of a migration tool or of the server: who uses it is not seen in a repository.
pub(crate) fn is_bookkeeping(table: &Table) -> bool {
    let system = table.keyspace.starts_with("system") || table.keyspace.starts_with("dse_");
    system
        || has_word(&table.name, &["migration", "changelog", "databasechangelog", "flyway"])
        || table.name.starts_with("schema_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_lose_their_ending() {
        for (plural, one) in [("entries", "entry"), ("boxes", "box"), ("status", "status"), ("orders", "order")] {
            assert_eq!(singular(plural), one);
        }
    }
}
