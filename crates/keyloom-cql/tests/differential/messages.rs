//! What the server says when it rejects a well-formed statement, read off the sources of Cassandra 5.0.

/// The shapes of its messages; `*` stands for names and values. The first shape that fits a message is the message's.
pub const SHAPES: &[&str] = &[
    // Names.
    "keyspace * does not exist",
    "table * does not exist",
    "Undefined column name * in table *",
    "Unknown function '*'",
    "Unknown function * called",
    // Filtering.
    "Cannot execute this query as it might involve data filtering *",
    "PRIMARY KEY column \"*\" cannot be restricted as preceding column \"*\" is not restricted",
    "Clustering columns can only be restricted with CONTAINS with a secondary index or filtering",
    // The key.
    "PRIMARY KEY column \"*\" cannot be restricted (preceding column \"*\" is restricted by a non-EQ relation)",
    "Clustering column \"*\" cannot be restricted (preceding column \"*\" is restricted by a non-EQ relation)",
    "Cannot restrict clustering columns when selecting only static columns",
    "Invalid restrictions on clustering columns since the * statement modifies only static columns",
    "Some partition key parts are missing: *",
    "Some clustering keys are missing: *",
    "Non PRIMARY KEY columns found in where clause: *",
    "Only EQ and IN relation are supported on the partition key (unless you use the token() function) for *",
    "Slice restrictions are not supported on the clustering columns in * statements",
    // Several relations on one column.
    "* cannot be restricted by more than one relation if it includes an Equal",
    "* cannot be restricted by more than one relation if it includes a IN",
    "* cannot be restricted by more than one relation if it includes a LIKE*",
    "Columns \"*\" cannot be restricted by both an equality and an inequality relation",
    "Column \"*\" cannot be restricted by both an equality and an inequality relation",
    "Column \"*\" cannot be restricted by two inequalities not starting with the same column",
    "More than one restriction was found for the start bound on *",
    "More than one restriction was found for the end bound on *",
    "Collection column * can only be restricted by CONTAINS, CONTAINS KEY, or map-entry equality",
    // Relations that a column can't have.
    "Collection column '*' (*) cannot be restricted by a '*' relation",
    "Non-frozen UDT column '*' (*) cannot be restricted by any relation",
    "Cannot use CONTAINS KEY on non-map column *",
    "Cannot use CONTAINS on non-collection column *",
    "Cannot use * with CONTAINS*",
    "Column * cannot be used as a map",
    "Indexes on list entries (*[index] = value) are not currently supported.",
    "Map-entry equality predicates on frozen map column * are not supported",
    "Only EQ relations are supported on map entries",
    "Slice restrictions are not supported on duration columns",
    "Slice restrictions are not supported on collections containing durations",
    "Slice restrictions are not supported on tuples containing durations",
    "Slice restrictions are not supported on UDTs containing durations",
    "Unsupported \"!=\" relation: *",
    "Unsupported restriction: * IS NOT NULL",
    "LIKE restriction is only supported on properly indexed columns. * is not valid.",
    // Tuples of columns.
    "Multi-column relations can only be applied to clustering columns but was applied to: *",
    "Clustering columns must appear in the PRIMARY KEY order in multi-column relations: *",
    "Column \"*\" appeared twice in a relation: *",
    "Expected * elements in value tuple, but got *: *",
    // Tokens.
    "The token function cannot be used in WHERE clauses for * statements",
    "The token() function must be applied to all partition key components or none of them",
    "The token() function contains duplicate partition key components",
    "The token() function must contains only partition key components",
    "The token function arguments must be in the partition key order: *",
    // Indexes.
    "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported",
    "Vector indexes only support ANN queries",
    "Invalid index expression, index * not found for *",
    "Only CUSTOM indexes may be used in custom index expressions, * is not valid",
    "Index * does not support custom expressions",
    "Multiple custom index expressions in a single query are not supported",
    "Custom index expressions cannot be used in WHERE clauses for UPDATE or DELETE statements",
    // ORDER BY.
    "ORDER BY with 2ndary indexes is not supported, except for ANN queries.",
    "ORDER BY is only supported when the partition key is restricted by an EQ or an IN.",
    "Order by is currently only supported on the clustered columns of the PRIMARY KEY, got *",
    "Order by currently only supports the ordering of columns following their declared order in the PRIMARY KEY",
    "Unsupported order by relation",
    "ANN ordering is only supported on float vector indexes",
    "ANN ordering by vector requires the column to be indexed",
    "ANN ordering by vector requires all restricted column(s) to be indexed",
    "ANN ordering does not support any other ordering",
    "Cannot specify more than one ANN ordering",
    "Descending ANN ordering is not supported",
    // DISTINCT, GROUP BY, limits.
    "SELECT DISTINCT with WHERE clause only supports restriction by partition key and/or static columns.",
    "SELECT DISTINCT queries must only request partition key columns and/or static columns (not *)",
    "SELECT DISTINCT queries must request all the partition key columns (missing *)",
    "PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries",
    "PER PARTITION LIMIT is not allowed with aggregate queries.",
    "Group by is currently only supported on the columns of the PRIMARY KEY, got *",
    "Group by currently only support groups of columns following their declared order in the PRIMARY KEY",
    "Group by is not supported on only a part of the partition key",
    "Grouping on clustering columns is not allowed for SELECT DISTINCT queries",
    "Aggregate functions are not supported within the GROUP BY clause, got: *",
    "Group by functions are only supported on clustering columns, got *",
    "GROUP BY functions must have one clustering column name as parameter",
    "Functions are only supported on the last element of the GROUP BY clause",
    // Selectors.
    "Cannot infer type for term * in selection clause (try using a cast to force a type)",
    "Cannot use selection function * on PRIMARY KEY part *",
    "Element selection is only allowed on sets and maps, but * is a list",
    "Slice selection is only allowed on sets and maps, but * is a list",
    "Invalid element selection: * is of type * is not a collection",
    "Invalid slice selection: * of type * is not a collection",
    "Invalid field selection: * of type * is not a user type",
    "* of type * has no field *",
    "* cannot be cast to *",
    // Functions.
    "Aggregation function are not supported in the where clause",
    "aggregate functions cannot be used as arguments of aggregate functions",
    "Invalid number of arguments in call to function *: * required but * provided",
    "Invalid number of arguments for function *",
    "Invalid call to function *, none of its type signatures match (known type signatures: *)",
    "Ambiguous call to function * (can be matched by following signatures: *): use type casts to disambiguate",
    "Ambiguous '*' operation with args * and *: use type hint to disambiguate, example '(int) ?'",
    "Ambiguous negation: use type casts to disambiguate",
    "the '*' operation is not supported between * and *",
    "Type error: * cannot be passed as argument * of function * of type *",
    "Type error: cannot assign result of function * (type *) to * (type *)",
    "Function * requires a* argument*, but found *",
    // Values.
    "Invalid * constant (*) for \"*\" of type *",
    "Cannot assign value * to * of type *",
    "Cannot cast value * to type *",
    "Unexpected receiver type '*'; only list and vector are expected",
    "Invalid * literal for *: bind variables are not supported inside collection literals",
    "Invalid list literal for *: value * is not of type *",
    "Invalid set literal for *: value * is not of type *",
    "Invalid set literal for * of type *",
    "Invalid map literal for *: key * is not of type *",
    "Invalid map literal for *: value * is not of type *",
    "Invalid map literal for * of type *",
    "Invalid vector literal for * of type *; expected * elements, but given *",
    "Invalid vector literal for *: value * is not of type *",
    "Invalid tuple type literal for * of type *",
    "Invalid tuple literal*: too many elements. Type * expects * but got *",
    "Invalid tuple literal for *: component * is not of type *",
    "Invalid user type literal for *: field * is not of type *",
    "Invalid user type literal for * of type *",
    "Unknown field '*' in value of user defined type *",
    "null is not supported inside collections",
    "null is not supported inside vectors",
    "*nable to make * from*",
    "Unable to convert '*' to a duration",
    "*nable to coerce '*' to a formatted *",
    "Unable to parse a date/time from '*'",
    "cannot parse '*' as hex bytes",
    "TimeUUID supports only version 1 UUIDs",
    "Invalid ASCII character in string literal: *",
    // JSON.
    "Could not decode JSON string as a map: *",
    "Error decoding JSON value for *: *",
    "JSON values map contains unrecognized column: *",
    "Got null for INSERT JSON values",
    // INSERT, UPDATE, DELETE.
    "INSERT statements are not allowed on counter tables, use UPDATE instead",
    "Unmatched column names/values",
    "The column names contains duplicates",
    "Cannot directly modify a materialized view",
    "PRIMARY KEY part * found in SET part",
    "Cannot set the value of counter column * (counters can only be incremented/decremented, not set)",
    "Invalid operation (*) for non collection column *",
    "Invalid operation (*) for frozen collection column *",
    "Invalid operation (*) for set column *",
    "Invalid operation (*) for non-UDT column *",
    "Invalid operation (*) for frozen UDT column *",
    "Invalid operation (*) for tuple column *",
    "Invalid operation (*) for non counter column *",
    "Invalid operation (*) for non list column *",
    "Invalid operation (*) for frozen list column *",
    "Invalid operation (*) for non-numeric and non-text type *",
    "Value for a map addition has to be a map, but was: '*'",
    "Value for a map substraction has to be a set, but was: '*'",
    "UDT column * does not have a field named *",
    "Invalid null value for counter increment/decrement",
    "Invalid identifier * for deletion (should not be a PRIMARY KEY part)",
    "Invalid deletion operation for non collection column *",
    "Invalid deletion operation for frozen collection column *",
    "Invalid field deletion operation for non-UDT column *",
    "Frozen UDT column * does not support field deletions",
    "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to delete non static columns",
    "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to use IF condition on *",
    // Conditions and attributes.
    "Conditions on counters are not supported",
    "Conditional updates are not supported on counter tables",
    "PRIMARY KEY column '*' cannot have IF conditions",
    "Invalid element access syntax for non-collection column *",
    "Invalid element access syntax for set column *",
    "Unknown field * for column *",
    "Slice conditions ( * ) are not supported on durations",
    "Slice conditions are not supported on collections containing durations",
    "Slice conditions are not supported on tuples containing durations",
    "Slice conditions are not supported on UDTs containing durations",
    "Cannot provide custom timestamp for conditional updates",
    "Cannot provide custom timestamp for counter updates",
    "Cannot provide custom TTL for counter updates",
    // Batches.
    "Global TTL on the BATCH statement is not supported.",
    "Cannot provide custom timestamp for conditional BATCH",
    "Cannot provide custom timestamp for counter BATCH",
    "Cannot provide custom timestamp for a BATCH containing counters",
    "Timestamp must be set either on BATCH or individual statements",
    "Cannot include non-counter statement in a counter batch",
    "Counter and non-counter mutations cannot exist in the same batch",
    "Cannot include a counter statement in a logged batch",
    "Batch with conditions cannot span multiple tables",
    "Durations are not allowed inside *: *",
    "Durations are not allowed as map keys: *",
    "from_json() cannot be used in the selection clause of a SELECT statement",
    // Bugs of the server: a cast that fails, a null where none is expected.
    "server error: *",
];

/// A shape that it takes a coincidence of the generator to meet: it is known, but no number of it is asked for.
pub const RARE: &[&str] = &["Unknown timeuuid representation: *"];

/// Whether a message has a shape.
pub fn fits(message: &str, shape: &str) -> bool {
    let mut parts = shape.split('*');
    let first = parts.next().expect("a text has at least one part");
    let Some(mut rest) = message.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The shape of a message, if it is listed.
pub fn shape_of(message: &str) -> Option<&'static str> {
    SHAPES.iter().chain(RARE).copied().find(|shape| fits(message, shape))
}

#[test]
fn shapes_fit_whole_messages() {
    assert!(fits("table t0 does not exist", "table * does not exist"));
    assert!(fits("Invalid INTEGER constant (1) for \"a\" of type text", "Invalid * constant (*) for \"*\" of type *"));
    assert!(!fits("table t0 does not exist at all", "table * does not exist"));
    assert!(!fits("no table t0 does not exist", "table * does not exist"));
    assert_eq!(shape_of("Unmatched column names/values"), Some("Unmatched column names/values"));
    assert_eq!(shape_of("something new"), None);
}
