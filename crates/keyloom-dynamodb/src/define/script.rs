//! What a step says to DynamoDB, as the AWS CLI takes it.

use aws_sdk_dynamodb::{
    operation::{create_table::builders::CreateTableInputBuilder, update_table::builders::UpdateTableInputBuilder},
    types::{
        AttributeDefinition, AttributeValue, DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndex, KeySchemaElement,
        Projection, TimeToLiveSpecification,
    },
};
use keyloom_store::Fault;
use serde_json::{Map, Value as Json, json};

use super::{Request, control};
use crate::{
    item::Item,
    layout::full_name,
    schema::{self, TABLE},
};

/// The words of a request.
pub(super) fn words(prefix: &str, request: &Request) -> Result<String, Fault> {
    Ok(match request {
        Request::CreateSchema => command("create-table", &create(&control::schema_table(&full_name(prefix, TABLE)))),
        Request::Write { entry, before } => {
            let (condition, values) = schema::condition(*before);
            let mut request = json!({
                "TableName": full_name(prefix, TABLE),
                "Item": item(&entry.item()?),
                "ConditionExpression": condition,
                "ExpressionAttributeNames": schema::names(*before),
            });
            if let Some(values) = values {
                request["ExpressionAttributeValues"] = item(&values);
            }
            command("put-item", &request)
        }
        Request::CreateTable(layout) => {
            let forgetting = forgetting(&control::forgetting()?);
            let request = json!({ "TableName": layout.table, "TimeToLiveSpecification": forgetting });
            let create = command("create-table", &create(&control::table(layout)));
            format!("{create}\n{}", command("update-time-to-live", &request))
        }
        Request::DeleteTable(table) => command("delete-table", &json!({ "TableName": table })),
        Request::CreateIndex { base, index } => command("update-table", &update(&control::index(base, index)?)),
        Request::DeleteIndex { table, index } => command("update-table", &update(&control::no_index(table, index)?)),
    })
}

/// A command line; an apostrophe inside is written as the shell wants it.
fn command(verb: &str, request: &Json) -> String {
    format!("aws dynamodb {verb} --cli-input-json '{}'", request.to_string().replace('\'', r"'\''"))
}

/// A request that makes a table, in DynamoDB's own words.
pub(crate) fn create(request: &CreateTableInputBuilder) -> Json {
    let mut words = json!({
        "TableName": request.get_table_name(),
        "AttributeDefinitions": definitions(request.get_attribute_definitions().as_deref()),
        "KeySchema": keys(request.get_key_schema().as_deref().unwrap_or_default()),
        "BillingMode": request.get_billing_mode().as_ref().map(aws_sdk_dynamodb::types::BillingMode::as_str),
    });
    if let Some(indexes) = request.get_global_secondary_indexes() {
        let index = |it: &GlobalSecondaryIndex| index(it.index_name(), it.key_schema(), it.projection());
        words["GlobalSecondaryIndexes"] = indexes.iter().map(index).collect();
    }
    words
}

/// From when on items may be forgotten, in DynamoDB's own words.
pub(crate) fn forgetting(it: &TimeToLiveSpecification) -> Json {
    json!({ "AttributeName": it.attribute_name(), "Enabled": it.enabled() })
}

fn update(request: &UpdateTableInputBuilder) -> Json {
    let updates = request.get_global_secondary_index_updates().as_deref().unwrap_or_default().iter().map(|update| {
        if let Some(create) = update.create() {
            return json!({ "Create": index(create.index_name(), create.key_schema(), create.projection()) });
        }
        json!({ "Delete": { "IndexName": update.delete().map(DeleteGlobalSecondaryIndexAction::index_name) } })
    });
    let mut words = Map::from_iter([("TableName".to_owned(), json!(request.get_table_name()))]);
    if request.get_attribute_definitions().is_some() {
        let definitions = definitions(request.get_attribute_definitions().as_deref());
        words.insert("AttributeDefinitions".to_owned(), definitions);
    }
    words.insert("GlobalSecondaryIndexUpdates".to_owned(), updates.collect());
    Json::Object(words)
}

fn definitions(all: Option<&[AttributeDefinition]>) -> Json {
    let one = |it: &AttributeDefinition| json!({ "AttributeName": it.attribute_name(), "AttributeType": it.attribute_type().as_str() });
    all.unwrap_or_default().iter().map(one).collect()
}

fn keys(all: &[KeySchemaElement]) -> Json {
    let one =
        |it: &KeySchemaElement| json!({ "AttributeName": it.attribute_name(), "KeyType": it.key_type().as_str() });
    all.iter().map(one).collect()
}

fn index(name: &str, key: &[KeySchemaElement], shown: Option<&Projection>) -> Json {
    json!({ "IndexName": name, "KeySchema": keys(key), "Projection": shown.map(projection) })
}

fn projection(it: &Projection) -> Json {
    let mut words = Map::new();
    let kind = it.projection_type().map(aws_sdk_dynamodb::types::ProjectionType::as_str);
    words.insert("ProjectionType".to_owned(), json!(kind));
    if !it.non_key_attributes().is_empty() {
        words.insert("NonKeyAttributes".to_owned(), json!(it.non_key_attributes()));
    }
    Json::Object(words)
}

/// An item of texts and numbers, its attributes in the order of their names.
fn item(item: &Item) -> Json {
    let mut names: Vec<&String> = item.keys().collect();
    names.sort_unstable();
    let attribute = |name: &String| match &item[name] {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        _ => Json::Null,
    };
    Json::Object(names.into_iter().map(|name| (name.clone(), attribute(name))).collect())
}
