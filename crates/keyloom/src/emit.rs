//! A program in the words of others: CQL, templates of CloudFormation and Terraform, a diagram.

mod diagram;

use keyloom_model::Catalog;
use keyloom_plan::Program;
use keyloom_store::{Fault, Table};

pub use diagram::diagram;

/// The keyspace of a catalog, where nobody names one: its name, as Cassandra takes it.
pub fn keyspace(catalog: &Catalog) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    catalog.name.chars().map(plain).take(48).collect()
}

/// The CQL that makes the tables of a program, as `up` would.
///
/// # Errors
/// When Cassandra can't hold a table.
pub fn cql(program: &Program, keyspace: &str) -> Result<String, Fault> {
    keyloom_serve::emit::cql(keyspace, &tables(program))
}

/// A template of CloudFormation with the tables of a program, as `up` would make them.
///
/// # Errors
/// When DynamoDB can't hold a table.
pub fn cloudformation(program: &Program) -> Result<String, Fault> {
    keyloom_serve::emit::cloudformation(&tables(program), keyloom_serve::emit::prefix(&program.catalog))
}

/// The tables of a program as resources of Terraform, as `up` would make them.
///
/// # Errors
/// When DynamoDB can't hold a table.
pub fn terraform(program: &Program) -> Result<String, Fault> {
    keyloom_serve::emit::terraform(&tables(program), keyloom_serve::emit::prefix(&program.catalog))
}

fn tables(program: &Program) -> Vec<Table> {
    program.all_tables().cloned().collect()
}
