//! The table in which tables are described, `keyloom_schema`: a row for each, changed by compare-and-set.
//!
//! A step is written down as pending, told to Cassandra, and written down as done. Whoever finds a pending one finishes it
//! first: every statement can be repeated.

use keyloom_store::{Fault, Step, Table};
use scylla::{
    client::session::Session,
    deserialize::row::ColumnIterator,
    serialize::row::SerializeRow,
    statement::{Consistency, unprepared::Statement},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{fault::Asked, names, rows::rows_of, script};

/// The partition of all records: they are read at one moment.
const STORE: &str = "keyloom";

/// What is known of a table.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) name: String,
    /// How often a table of this name was made.
    pub(crate) incarnation: i64,
    /// Raised by every change of the record; 0 when it is not written down yet.
    pub(crate) version: i64,
    /// The table, if it is there.
    pub(crate) table: Option<Table>,
    /// A step that was begun.
    pub(crate) pending: Option<Step>,
}

/// The records of a keyspace.
pub(crate) struct Records<'a> {
    pub(crate) session: &'a Session,
    pub(crate) keyspace: &'a str,
}

impl Record {
    /// What is known of a table that nobody has heard of.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), incarnation: 0, version: 0, table: None, pending: None }
    }
}

impl Records<'_> {
    /// All records, in the order of their names.
    pub(crate) async fn all(&self) -> Result<Vec<Record>, Fault> {
        if self.columns_of(names::SCHEMA).await?.is_empty() {
            return Ok(Vec::new());
        }
        let table = script::qualified(self.keyspace, names::SCHEMA);
        let text =
            format!("SELECT name, incarnation, version, definition, pending FROM {table} WHERE store = '{STORE}'");
        let mut statement = Statement::new(text);
        // A change that nobody has heard of must be finished or gone before anything is planned.
        statement.set_consistency(Consistency::LocalSerial);
        let answer = self.session.query_unpaged(statement, ()).await.map_err(|error| Asked::Read.failed(&error))?;
        let answer = rows_of(answer)?;
        type Columns<'a> = (&'a str, i64, i64, Option<&'a str>, Option<&'a str>);
        let rows = answer.rows::<Columns<'_>>().map_err(|error| broken(&error))?;
        rows.map(|row| {
            let (name, incarnation, version, definition, pending) = row.map_err(|error| broken(&error))?;
            Ok(Record {
                name: name.to_owned(),
                incarnation,
                version,
                table: read(definition)?,
                pending: read(pending)?,
            })
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
        let rows = answer.rows::<(String,)>().map_err(|error| broken(&error))?;
        rows.map(|row| row.map(|(name,)| name).map_err(|error| broken(&error))).collect()
    }

    /// Writes a record down in place of the one with the version below; whether that one was still there.
    pub(crate) async fn write(&self, record: &Record) -> Result<bool, Fault> {
        let table = script::qualified(self.keyspace, names::SCHEMA);
        let (definition, pending) = (written(record.table.as_ref())?, written(record.pending.as_ref())?);
        let Record { name, incarnation, version, .. } = record;
        if *version == 1 {
            let text = format!(
                "INSERT INTO {table} (store, name, incarnation, version, definition, pending) \
                 VALUES ('{STORE}', ?, ?, ?, ?, ?) IF NOT EXISTS"
            );
            return self.compare_and_set(text, (name, incarnation, version, definition, pending)).await;
        }
        let text = format!(
            "UPDATE {table} SET incarnation = ?, version = ?, definition = ?, pending = ? \
             WHERE store = '{STORE}' AND name = ? IF version = ?"
        );
        self.compare_and_set(text, (incarnation, version, definition, pending, name, version - 1)).await
    }

    /// Sends a conditional statement; whether it was applied.
    async fn compare_and_set(&self, text: String, values: impl SerializeRow) -> Result<bool, Fault> {
        let answer = self.session.query_unpaged(text, values).await;
        let answer = answer.map_err(|error| Asked::Decision.failed(&error))?;
        let unread = |words: String| Fault::Unknown(format!("an answer that can't be read: {words}").into());
        let answer = rows_of(answer).map_err(|fault| unread(fault.to_string()))?;
        let row = answer.maybe_first_row::<ColumnIterator<'_, '_>>().map_err(|error| unread(error.to_string()))?;
        let first = row.and_then(|mut row| row.next()).and_then(Result::ok).and_then(|column| column.slice);
        Ok(first.ok_or_else(|| unread("it is empty".to_owned()))?.as_slice() == [1])
    }

    /// Sends a statement that changes the schema, and waits until all nodes agree.
    pub(crate) async fn change(&self, statement: &str) -> Result<(), Fault> {
        let answer = self.session.query_unpaged(statement, ()).await;
        answer.map(drop).map_err(|error| Asked::Change.failed(&error))
    }
}

/// The statement that writes down a record which nobody has written down yet, with its values in it.
pub(crate) fn inserted(keyspace: &str, record: &Record) -> Result<String, Fault> {
    let table = script::qualified(keyspace, names::SCHEMA);
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let (name, definition) = (literal(&record.name), literal(&written(record.table.as_ref())?.unwrap_or_default()));
    let Record { incarnation, version, .. } = record;
    Ok(format!(
        "INSERT INTO {table} (store, name, incarnation, version, definition) \
         VALUES ('{STORE}', {name}, {incarnation}, {version}, {definition}) IF NOT EXISTS"
    ))
}

fn written(what: Option<&impl Serialize>) -> Result<Option<String>, Fault> {
    what.map(serde_json::to_string).transpose().map_err(|error| Fault::refused(error.to_string()))
}

fn read<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>, Fault> {
    text.map(serde_json::from_str).transpose().map_err(|error| broken(&error))
}

fn broken(error: &dyn std::error::Error) -> Fault {
    Fault::Broken(format!("{}: {error}", names::SCHEMA).into())
}
