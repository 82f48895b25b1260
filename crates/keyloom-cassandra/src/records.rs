//! The table in which tables are described, `keyloom_schema`: a row for each, changed by compare-and-set.

use keyloom_store::{Fault, Table};
use scylla::{
    client::session::Session,
    deserialize::row::ColumnIterator,
    response::query_result::QueryResult,
    statement::{Consistency, unprepared::Statement},
    value::CqlTimeuuid,
};

use crate::{fault::Asked, names, rows::rows_of, script};

/// The partition of all records.
const STORE: &str = "keyloom";

/// A table as it is described.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// When it was made, which no other table of the same name shares.
    pub(crate) made: [u8; 16],
    /// Raised by every change.
    pub(crate) version: i64,
    pub(crate) table: Table,
}

/// The descriptions in a keyspace.
pub(crate) struct Records<'a> {
    pub(crate) session: &'a Session,
    pub(crate) keyspace: &'a str,
}

impl Records<'_> {
    /// All tables that are described, in the order of their names.
    pub(crate) async fn all(&self) -> Result<Vec<Record>, Fault> {
        if self.columns_of(names::SCHEMA).await?.is_empty() {
            return Ok(Vec::new());
        }
        let table = script::qualified(self.keyspace, names::SCHEMA);
        let text = format!("SELECT name, made, version, definition FROM {table} WHERE store = '{STORE}'");
        let mut statement = Statement::new(text);
        // A change that nobody has heard of must be finished or gone before anything is planned.
        statement.set_consistency(Consistency::LocalSerial);
        let answer = self.session.query_unpaged(statement, ()).await.map_err(|error| Asked::Read.failed(&error))?;
        let answer = rows_of(answer)?;
        let broken = |what: String| Fault::Broken(format!("{}: {what}", names::SCHEMA).into());
        let rows = answer.rows::<(&str, CqlTimeuuid, i64, &str)>().map_err(|error| broken(error.to_string()))?;
        rows.map(|row| {
            let (name, made, version, definition) = row.map_err(|error| broken(error.to_string()))?;
            let table: Table =
                serde_json::from_str(definition).map_err(|error| broken(format!("table `{name}`: {error}")))?;
            Ok(Record { made: *made.as_bytes(), version, table })
        })
        .collect()
    }

    /// The columns of a table of the keyspace, whoever made it; none when it is not there.
    pub(crate) async fn columns_of(&self, table: &str) -> Result<Vec<String>, Fault> {
        let text = "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?";
        let mut statement = Statement::new(text);
        statement.set_consistency(Consistency::One);
        let answer = self.session.query_unpaged(statement, (self.keyspace, table)).await;
        let answer = rows_of(answer.map_err(|error| Asked::Read.failed(&error))?)?;
        let rows = answer.rows::<(String,)>().map_err(|error| Fault::Broken(error.to_string().into()))?;
        rows.map(|row| row.map(|(name,)| name).map_err(|error| Fault::Broken(error.to_string().into()))).collect()
    }

    /// Describes a table that is not described yet; whether nobody else has.
    pub(crate) async fn create(&self, table: &Table) -> Result<bool, Fault> {
        self.change(&script::create_schema(self.keyspace)).await?;
        let records = script::qualified(self.keyspace, names::SCHEMA);
        let text = format!(
            "INSERT INTO {records} (store, name, made, version, definition) VALUES ('{STORE}', ?, now(), 1, ?) \
             IF NOT EXISTS"
        );
        let answer = self.session.query_unpaged(text, (&table.name, definition(table)?)).await;
        applied(answer.map_err(|error| Asked::Decision.failed(&error))?)
    }

    /// Describes a table anew; whether its description was still the one with this version.
    pub(crate) async fn replace(&self, table: &Table, version: i64) -> Result<bool, Fault> {
        let records = script::qualified(self.keyspace, names::SCHEMA);
        let text = format!(
            "UPDATE {records} SET version = ?, definition = ? WHERE store = '{STORE}' AND name = ? IF version = ?"
        );
        let values = (version + 1, definition(table)?, &table.name, version);
        let answer = self.session.query_unpaged(text, values).await;
        applied(answer.map_err(|error| Asked::Decision.failed(&error))?)
    }

    /// Forgets a table.
    pub(crate) async fn forget(&self, name: &str, version: i64) -> Result<bool, Fault> {
        let records = script::qualified(self.keyspace, names::SCHEMA);
        let text = format!("DELETE FROM {records} WHERE store = '{STORE}' AND name = ? IF version = ?");
        let answer = self.session.query_unpaged(text, (name, version)).await;
        applied(answer.map_err(|error| Asked::Decision.failed(&error))?)
    }

    /// Sends a statement that changes the schema, and waits until all nodes agree.
    pub(crate) async fn change(&self, statement: &str) -> Result<(), Fault> {
        let answer = self.session.query_unpaged(statement, ()).await;
        answer.map(drop).map_err(|error| Asked::Change.failed(&error))
    }
}

fn definition(table: &Table) -> Result<String, Fault> {
    serde_json::to_string(table).map_err(|error| Fault::refused(format!("table `{}`: {error}", table.name)))
}

/// Whether a conditional statement was applied.
fn applied(answer: QueryResult) -> Result<bool, Fault> {
    let unread = |words: String| Fault::Unknown(format!("an answer that can't be read: {words}").into());
    let answer = rows_of(answer).map_err(|fault| unread(fault.to_string()))?;
    let row = answer.maybe_first_row::<ColumnIterator<'_, '_>>().map_err(|error| unread(error.to_string()))?;
    let first = row.and_then(|mut row| row.next()).and_then(Result::ok).and_then(|column| column.slice);
    Ok(first.ok_or_else(|| unread("it is empty".to_owned()))?.as_slice() == [1])
}
