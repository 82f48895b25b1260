//! Our own verdict.

use keyloom_cql::{
    ast::Statement,
    parse::parse,
    resolve::{self, resolve},
    schema::Schema,
};

/// What we say to a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Legal,
    NeedsFiltering(String),
    Illegal(String),
    Malformed(String),
    /// We can't say, which is no answer to a statement without holes.
    Maybe,
}

/// A schema that follows the server's, and judges by it.
pub struct Judge {
    schema: Schema,
    keyspace: Option<String>,
}

impl Judge {
    /// In a keyspace of that name, which is in use.
    pub fn new(keyspace: &str) -> Self {
        let mut judge = Self { schema: Schema::default(), keyspace: None };
        let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
        judge.follow(&format!("CREATE KEYSPACE {keyspace} WITH replication = {replication}"));
        judge.follow(&format!("USE {keyspace}"));
        judge
    }

    /// What we say to DDL, which is not applied.
    pub fn foresee(&self, ddl: &str) -> Verdict {
        let statement = match single(ddl) {
            Ok(statement) => statement,
            Err(message) => return Verdict::Malformed(message),
        };
        match self.schema.clone().apply(&statement, 0, &mut self.keyspace.clone()) {
            Ok(()) => Verdict::Legal,
            Err(fault) => Verdict::Illegal(fault.message),
        }
    }

    /// Applies DDL that the server took.
    pub fn follow(&mut self, ddl: &str) {
        if let Ok(statement) = single(ddl) {
            // Whether we would have taken it was asked before.
            let _ = self.schema.apply(&statement, 0, &mut self.keyspace);
        }
    }

    pub fn judge(&self, statement: &str) -> Verdict {
        let statement = match single(statement) {
            Ok(statement) => statement,
            Err(message) => return Verdict::Malformed(message),
        };
        match resolve(&self.schema, &statement, self.keyspace.as_deref()).verdict {
            resolve::Verdict::Legal => Verdict::Legal,
            resolve::Verdict::NeedsFiltering(fault) => Verdict::NeedsFiltering(fault.message),
            resolve::Verdict::Illegal(fault) => Verdict::Illegal(fault.message),
            resolve::Verdict::Maybe { .. } => Verdict::Maybe,
        }
    }
}

/// The one statement of a text, or why it can't be read.
fn single(text: &str) -> Result<Statement, String> {
    let script = parse(text);
    match (script.faults.first(), &script.statements[..]) {
        (Some(fault), _) => Err(fault.message.clone()),
        (None, [statement]) => Ok(statement.clone()),
        (None, several) => Err(format!("{} statements were read", several.len())),
    }
}
