//! Words that Cassandra 5.0 does not take for names without quotes. All other words are names wherever a name is asked.

/// By length, then by the alphabet, so that few are compared.
const RESERVED: [&[&str]; 14] = [
    &[],
    &[],
    &["by", "if", "in", "is", "of", "on", "or", "to"],
    &["add", "and", "asc", "nan", "not", "set", "use"],
    &["desc", "drop", "from", "full", "into", "null", "true", "view", "with"],
    &[
        "allow", "alter", "apply", "batch", "begin", "false", "grant", "index", "limit", "order", "table", "token",
        "using", "where",
    ],
    &["create", "delete", "insert", "modify", "rename", "revoke", "schema", "select", "update"],
    &["entries", "execute", "primary"],
    &["describe", "infinity", "keyspace", "truncate", "unlogged"],
    &["authorize"],
    &[],
    &["norecursive"],
    &["columnfamily", "materialized"],
    &[],
];

/// Whether the word must be quoted to be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.get(word.len()).is_some_and(|words| words.iter().any(|reserved| word.eq_ignore_ascii_case(reserved)))
}

/// Words that the server keeps for types it does not have yet.
pub(crate) fn is_reserved_type(word: &str) -> bool {
    ["bitstring", "byte", "complex", "enum", "interval", "macaddr"].iter().any(|kept| word.eq_ignore_ascii_case(kept))
}
