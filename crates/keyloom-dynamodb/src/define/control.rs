//! Requests about tables: each asks first whether it was done, and waits until it is.

use std::time::Duration;

use aws_sdk_dynamodb::{
    error::{BuildError, ProvideErrorMetadata, SdkError},
    operation::{create_table::builders::CreateTableInputBuilder, update_table::builders::UpdateTableInputBuilder},
    types::{
        AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction,
        GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, IndexStatus, KeySchemaElement, KeyType, Projection,
        ProjectionType, ScalarAttributeType, TableDescription, TableStatus, TimeToLiveSpecification, TimeToLiveStatus,
    },
};
use keyloom_store::Fault;

use crate::{
    fault::{self, Call, CallError, Throttled},
    key::KeyAttribute,
    layout::{END, FORGET, Layout, RANK, VERSION},
    schema::NAME,
    store::DynamoDb,
};

/// How long a table or an index may take. An index of a large table takes longer; the step can be taken again, and goes on
/// waiting.
const READY_WITHIN: Duration = Duration::from_secs(600);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// So many attributes an index may name; one that shows more shows all.
pub(crate) const PROJECTED_MAX: usize = 20;

macro_rules! control_errors {
    ($($error:path),+ $(,)?) => {$(impl Throttled for $error {})+};
}

control_errors!(
    aws_sdk_dynamodb::operation::create_table::CreateTableError,
    aws_sdk_dynamodb::operation::delete_table::DeleteTableError,
    aws_sdk_dynamodb::operation::describe_table::DescribeTableError,
    aws_sdk_dynamodb::operation::describe_time_to_live::DescribeTimeToLiveError,
    aws_sdk_dynamodb::operation::update_table::UpdateTableError,
    aws_sdk_dynamodb::operation::update_time_to_live::UpdateTimeToLiveError,
);

/// The request that makes the table of the tables.
pub(super) fn schema_table(name: &str) -> CreateTableInputBuilder {
    let key = KeyAttribute {
        name: NAME.to_owned(),
        parts: vec![keyloom_value::key::Part::ascending(keyloom_value::Kind::Text)],
        native: true,
    };
    create(name, &[(&key, KeyType::Hash)])
}

/// The request that makes a table.
pub(super) fn table(layout: &Layout) -> CreateTableInputBuilder {
    create(&layout.table, &keys(layout))
}

fn create(name: &str, keys: &[(&KeyAttribute, KeyType)]) -> CreateTableInputBuilder {
    CreateTableInputBuilder::default()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(keys.iter().filter_map(|(key, _)| definition(key)).collect()))
        .set_key_schema(Some(elements(keys)))
}

/// The request that makes a table together with its indexes, if it has any.
pub(super) fn whole(base: &Layout, indexes: &[Layout]) -> Result<CreateTableInputBuilder, Fault> {
    let mut request = table(base);
    if !indexes.is_empty() {
        request = request.set_attribute_definitions(Some(definitions(base, indexes)));
    }
    for index in indexes {
        let index = GlobalSecondaryIndex::builder()
            .set_index_name(index.index.clone())
            .set_key_schema(Some(elements(&keys(index))))
            .projection(projection(index))
            .build()
            .map_err(unbuilt)?;
        request = request.global_secondary_indexes(index);
    }
    Ok(request)
}

/// The request that makes an index.
pub(super) fn index(base: &Layout, index: &Layout) -> Result<UpdateTableInputBuilder, Fault> {
    let action = CreateGlobalSecondaryIndexAction::builder()
        .set_index_name(index.index.clone())
        .set_key_schema(Some(elements(&keys(index))))
        .projection(projection(index))
        .build()
        .map_err(unbuilt)?;
    Ok(UpdateTableInputBuilder::default()
        .table_name(&base.table)
        .set_attribute_definitions(Some(definitions(base, std::slice::from_ref(index))))
        .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(action).build()))
}

/// The request that takes an index away.
pub(super) fn no_index(table: &str, index: &str) -> Result<UpdateTableInputBuilder, Fault> {
    let action = DeleteGlobalSecondaryIndexAction::builder().index_name(index).build().map_err(unbuilt)?;
    let update = GlobalSecondaryIndexUpdate::builder().delete(action).build();
    Ok(UpdateTableInputBuilder::default().table_name(table).global_secondary_index_updates(update))
}

/// How DynamoDB is told from when on an item may be forgotten.
pub(super) fn forgetting() -> Result<TimeToLiveSpecification, Fault> {
    TimeToLiveSpecification::builder().attribute_name(FORGET).enabled(true).build().map_err(unbuilt)
}

fn keys(layout: &Layout) -> Vec<(&KeyAttribute, KeyType)> {
    layout.key_attributes().zip([KeyType::Hash, KeyType::Range]).collect()
}

/// The attributes of the keys of a table and of indexes of it, each once.
fn definitions(base: &Layout, indexes: &[Layout]) -> Vec<AttributeDefinition> {
    let indexed = indexes.iter().flat_map(Layout::key_attributes);
    let mut all: Vec<&KeyAttribute> = base.key_attributes().chain(indexed).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all.dedup_by(|one, other| one.name == other.name);
    all.into_iter().filter_map(definition).collect()
}

fn projection(index: &Layout) -> Projection {
    let (shown, projection) = (shown(index), Projection::builder());
    if shown.len() > PROJECTED_MAX {
        projection.projection_type(ProjectionType::All).build()
    } else {
        projection.projection_type(ProjectionType::Include).set_non_key_attributes(Some(shown)).build()
    }
}

/// What an index shows besides keys: its columns, and what tells which row it is and whether it is there.
pub(crate) fn shown(index: &Layout) -> Vec<String> {
    let columns = index.shape.table().groups.iter().flat_map(|group| &group.columns);
    let columns = columns.map(|column| column.name.clone());
    let ours = [VERSION, RANK, END].map(str::to_owned);
    let is_key = |name: &String| index.key_attributes().any(|key| key.name == *name);
    columns.chain(ours).filter(|name| !is_key(name)).collect()
}

fn definition(key: &KeyAttribute) -> Option<AttributeDefinition> {
    let scalar: ScalarAttributeType = key.scalar();
    AttributeDefinition::builder().attribute_name(&key.name).attribute_type(scalar).build().ok()
}

fn elements(keys: &[(&KeyAttribute, KeyType)]) -> Vec<KeySchemaElement> {
    let element = |(key, role): &(&KeyAttribute, KeyType)| {
        KeySchemaElement::builder().attribute_name(&key.name).key_type(role.clone()).build().ok()
    };
    keys.iter().filter_map(element).collect()
}

fn unbuilt(error: BuildError) -> Fault {
    Fault::refused(error.to_string())
}

fn failed<E: Throttled>(error: &CallError<E>) -> Fault {
    fault::fault(error, Call::Write)
}

fn is_code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>, code: &str) -> bool {
    error.code() == Some(code)
}

impl DynamoDb {
    pub(super) async fn create_table(&self, request: &CreateTableInputBuilder) -> Result<(), Fault> {
        let table = request.get_table_name().clone().unwrap_or_default();
        match request.clone().send_with(&self.client).await {
            Ok(_) => {}
            Err(error) if is_code(&error, "ResourceInUseException") => {}
            Err(error) => return Err(failed(&error)),
        }
        self.wait(&table, |found| found.is_some_and(is_active)).await
    }

    pub(super) async fn forget_items(&self, table: &str) -> Result<(), Fault> {
        let asked = self.client.describe_time_to_live().table_name(table).send().await;
        let asked = asked.map_err(|error| failed(&error))?;
        let status = asked.time_to_live_description().and_then(|description| description.time_to_live_status());
        if matches!(status, Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)) {
            return Ok(());
        }
        let call = self.client.update_time_to_live().table_name(table).time_to_live_specification(forgetting()?);
        call.send().await.map(drop).map_err(|error| failed(&error))
    }

    pub(super) async fn delete_table(&self, table: &str) -> Result<(), Fault> {
        match self.client.delete_table().table_name(table).send().await {
            Ok(_) => {}
            Err(error) if is_code(&error, "ResourceNotFoundException") => return Ok(()),
            // It is going already.
            Err(error) if is_code(&error, "ResourceInUseException") => {}
            Err(error) => return Err(failed(&error)),
        }
        self.wait(table, |found| found.is_none()).await
    }

    pub(super) async fn create_index(&self, base: &Layout, layout: &Layout) -> Result<(), Fault> {
        let name = layout.index.as_deref().unwrap_or_default();
        if index_of(self.description(&base.table).await?.as_ref(), name).is_none() {
            index(base, layout)?.send_with(&self.client).await.map_err(|error| failed(&error))?;
        }
        let ready = |found: Option<&TableDescription>| {
            found.is_some_and(is_active) && index_of(found, name) == Some(&IndexStatus::Active)
        };
        self.wait(&base.table, ready).await
    }

    pub(super) async fn delete_index(&self, table: &str, index: &str) -> Result<(), Fault> {
        let found = self.description(table).await?;
        match index_of(found.as_ref(), index) {
            None => return Ok(()),
            Some(IndexStatus::Deleting) => {}
            Some(_) => {
                no_index(table, index)?.send_with(&self.client).await.map_err(|error| failed(&error))?;
            }
        }
        self.wait(table, |found| index_of(found, index).is_none() && found.is_none_or(is_active)).await
    }

    async fn description(&self, table: &str) -> Result<Option<TableDescription>, Fault> {
        match self.client.describe_table().table_name(table).send().await {
            Ok(answer) => Ok(answer.table),
            Err(error) if is_code(&error, "ResourceNotFoundException") => Ok(None),
            Err(error) => Err(fault::fault(&error, Call::Read)),
        }
    }

    async fn wait(&self, table: &str, ready: impl Fn(Option<&TableDescription>) -> bool) -> Result<(), Fault> {
        let (mut waited, mut pause) = (Duration::ZERO, FIRST_PAUSE);
        while !ready(self.description(table).await?.as_ref()) {
            if waited > READY_WITHIN {
                let words = format!("table `{table}` is not ready after {READY_WITHIN:?}; take the step again");
                return Err(Fault::NotDone(words.into()));
            }
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

fn is_active(found: &TableDescription) -> bool {
    found.table_status() == Some(&TableStatus::Active)
}

fn index_of<'a>(found: Option<&'a TableDescription>, name: &str) -> Option<&'a IndexStatus> {
    let indexes = found?.global_secondary_indexes();
    indexes.iter().find(|index| index.index_name() == Some(name))?.index_status()
}
