//! Tables in the words of their engine, as a start would make them; nobody is asked for that.

use keyloom_model::Catalog;

pub use keyloom_cassandra::cql;
pub use keyloom_dynamodb::{cloudformation, terraform};

/// What stands before the names of a catalog's tables in DynamoDB, whose tables lie in no keyspace.
pub fn prefix(catalog: &Catalog) -> &str {
    &catalog.name
}
