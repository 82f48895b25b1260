//! The table that describes the tables: one row for each, changed by compare-and-set.
//!
//! A row outlives its table, so that a table that is made again under the same name is told apart from the first.

use std::{collections::BTreeMap, sync::Arc};

use aws_sdk_dynamodb::{error::ProvideErrorMetadata, types::AttributeValue};
use keyloom_store::{Fault, Shape, Table, TableId};

use crate::{
    fault::{self, Call},
    item::Item,
    layout::full_name,
    number,
    store::DynamoDb,
    tables::There,
};

/// What it is called, behind the prefix.
pub(crate) const TABLE: &str = "keyloom_schema";
/// Its key: the name of a table.
pub(crate) const NAME: &str = "name";
const VERSION: &str = "version";
const BORN: &str = "born";
const STATE: &str = "state";
const DEFINITION: &str = "definition";

/// How far a table has come. Only a table that is ready is described: one that was left half-way is not there, and the
/// step that left it is taken again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Making,
    Ready,
    Dropping,
    Dropped,
}

const STATES: [(State, &str); 4] =
    [(State::Making, "making"), (State::Ready, "ready"), (State::Dropping, "dropping"), (State::Dropped, "dropped")];

/// What is known of one table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Rises with every change of the row.
    pub version: u64,
    /// The version at which the table was made.
    pub born: u64,
    pub state: State,
    pub table: Table,
}

/// What is known of all tables, by name; `None` where nothing was ever defined.
pub(crate) type Known = Option<BTreeMap<String, Entry>>;

impl Entry {
    /// The row.
    pub(crate) fn item(&self) -> Result<Item, Fault> {
        let definition = serde_json::to_string(&self.table).map_err(|error| Fault::refused(error.to_string()))?;
        let state = STATES.iter().find(|(state, _)| *state == self.state).map_or("", |(_, word)| word);
        let named = |name: &str, value| (name.to_owned(), value);
        Ok(Item::from([
            named(NAME, AttributeValue::S(self.table.name.clone())),
            named(VERSION, AttributeValue::N(self.version.to_string())),
            named(BORN, AttributeValue::N(self.born.to_string())),
            named(STATE, AttributeValue::S(state.to_owned())),
            named(DEFINITION, AttributeValue::S(definition)),
        ]))
    }

    fn read(item: &Item) -> Result<Self, Fault> {
        let broken = |what: &str| Fault::Broken(format!("a row of `{TABLE}` has no {what} that can be read").into());
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).ok_or_else(|| broken(name));
        let count = |name: &str| {
            let value = item.get(name).and_then(|value| value.as_n().ok());
            value.and_then(|value| number::whole(value).ok()).ok_or_else(|| broken(name))
        };
        let state = text(STATE)?;
        let (state, _) = STATES.into_iter().find(|(_, word)| word == state).ok_or_else(|| broken(STATE))?;
        let table: Table = serde_json::from_str(text(DEFINITION)?).map_err(|_| broken(DEFINITION))?;
        Ok(Self { version: count(VERSION)?, born: count(BORN)?, state, table })
    }
}

/// The tables that are ready.
pub(crate) fn there(known: &Known) -> Result<Vec<There>, Fault> {
    let ready = known.iter().flat_map(BTreeMap::values).filter(|entry| entry.state == State::Ready);
    ready.map(|entry| Ok(There { born: entry.born, shape: Arc::new(Shape::of(entry.table.clone())?) })).collect()
}

impl DynamoDb {
    /// Reads which tables are there, and takes note of them.
    pub(crate) async fn reread(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        Ok(self.tables.refresh(&self.prefix, &there(&self.known().await?)?))
    }

    /// What is known of all tables.
    pub(crate) async fn known(&self) -> Result<Known, Fault> {
        let (mut known, mut from) = (BTreeMap::new(), None);
        loop {
            let call = self.client.scan().table_name(full_name(&self.prefix, TABLE)).consistent_read(true);
            let answer = match call.set_exclusive_start_key(from).send().await {
                Ok(answer) => answer,
                Err(error) if error.code() == Some("ResourceNotFoundException") => return Ok(None),
                Err(error) => return Err(fault::fault(&error, Call::Read)),
            };
            for item in answer.items() {
                let entry = Entry::read(item)?;
                known.insert(entry.table.name.clone(), entry);
            }
            from = answer.last_evaluated_key;
            if from.is_none() {
                return Ok(Some(known));
            }
        }
    }

    /// Writes a row, if it is still the one that was read.
    pub(crate) async fn write_entry(&self, entry: &Entry, before: u64) -> Result<(), Fault> {
        let call = self.client.put_item().table_name(full_name(&self.prefix, TABLE)).set_item(Some(entry.item()?));
        let (condition, values) = condition(before);
        let call = call.condition_expression(condition).set_expression_attribute_names(names(before));
        match call.set_expression_attribute_values(values).send().await {
            Ok(_) => Ok(()),
            Err(error) if error.code() == Some("ConditionalCheckFailedException") => {
                let name = &entry.table.name;
                Err(Fault::NotDone(format!("table `{name}` was changed by somebody else meanwhile").into()))
            }
            // Written or not, the step can be taken again.
            Err(error) => Err(fault::fault(&error, Call::Write)),
        }
    }
}

/// What a row must be before it is written: of this version, or not there.
pub(crate) fn condition(before: u64) -> (&'static str, Option<Item>) {
    match before {
        0 => ("attribute_not_exists(#n)", None),
        before => ("#v = :v", Some(Item::from([(":v".to_owned(), AttributeValue::N(before.to_string()))]))),
    }
}

/// The names in the condition, which are words of DynamoDB's own.
pub(crate) fn names(before: u64) -> Option<std::collections::HashMap<String, String>> {
    let (placeholder, name) = if before == 0 { ("#n", NAME) } else { ("#v", VERSION) };
    Some([(placeholder.to_owned(), name.to_owned())].into())
}
