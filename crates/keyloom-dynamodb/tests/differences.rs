//! Where the two servers differ from each other or from DynamoDB's documentation, with the sentence that decides it. Each
//! is a thing that the store must not rely on; a server that changes its mind is noticed here.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    Client,
    error::ProvideErrorMetadata,
    operation::update_table::builders::UpdateTableFluentBuilder,
    types::{
        AttributeDefinition, AttributeValue, BillingMode, ConsumedCapacity, CreateGlobalSecondaryIndexAction,
        GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType, KeysAndAttributes, Projection, ProjectionType,
        ProvisionedThroughput, ReturnConsumedCapacity, ScalarAttributeType, TableStatus,
    },
};
use keyloom_engines::{ExtendDb, announce, available, dynamodb::Options};

const SUITE: &str = "differences";

#[test]
fn dynoxide_differs_as_noted() {
    common::on_dynoxide(SUITE, |engine, endpoint| {
        common::runtime().block_on(async {
            let client = table(endpoint, BillingMode::PayPerRequest).await;
            assert!(a_full_page_has_a_last_key(&client).await);
            assert!(a_larger_bound_before_a_smaller_is_refused(&client).await);
            assert_eq!(units_of_a_missing_item_in_a_batch(&client).await, 1.0);
            assert!(two_indexes_at_once_are_made(&client).await);
        });
        announce(SUITE, engine, 4, 0);
    });
}

#[test]
fn extenddb_differs_as_noted() {
    let options = Options { throttling: true, ..Options::default() };
    let Some(server) = available(SUITE, "extenddb", ExtendDb::start(&options)) else { return };
    common::runtime().block_on(async {
        let client = table(&server.endpoint(), BillingMode::PayPerRequest).await;
        assert!(!a_full_page_has_a_last_key(&client).await);
        assert!(!a_larger_bound_before_a_smaller_is_refused(&client).await);
        assert_eq!(units_of_a_missing_item_in_a_batch(&client).await, 0.0);
        assert!(two_indexes_at_once_are_made(&client).await);
        client.delete_table().table_name("differences").send().await.unwrap();
        let client = table(&server.endpoint(), BillingMode::Provisioned).await;
        assert!(!batches_are_throttled(&client).await);
    });
    announce(SUITE, "extenddb", 5, 0);
}

/// `API_Query`: "If LastEvaluatedKey is not empty, it does not necessarily mean that there is more data in the result
/// set." So both are right; a page that is full may be followed by an empty one.
async fn a_full_page_has_a_last_key(client: &Client) -> bool {
    put(client, 1).await.unwrap();
    let call = client.query().table_name("differences").key_condition_expression("p = :p");
    let answer = call.expression_attribute_values(":p", text()).limit(1).send().await.unwrap();
    assert_eq!(answer.count(), 1);
    answer.last_evaluated_key().is_some()
}

/// `API_Query`, of BETWEEN: "true if the sort key value is greater than or equal to :sortkeyval1, and less than or equal
/// to :sortkeyval2". Nothing there makes it an error; the store does not ask such a question.
async fn a_larger_bound_before_a_smaller_is_refused(client: &Client) -> bool {
    let call = client.query().table_name("differences").key_condition_expression("p = :p AND s BETWEEN :a AND :z");
    let call = call.expression_attribute_values(":p", text());
    let call = call.expression_attribute_values(":a", number(2)).expression_attribute_values(":z", number(1));
    match call.send().await {
        Ok(answer) => {
            assert_eq!(answer.count(), 0);
            false
        }
        Err(error) => {
            assert_eq!(error.code(), Some("ValidationException"));
            true
        }
    }
}

/// `API_BatchGetItem`: "Requests for nonexistent items consume the minimum read capacity units according to the type of
/// read." So Dynoxide is right, and costs that ExtendDB states for batches are too low.
async fn units_of_a_missing_item_in_a_batch(client: &Client) -> f64 {
    let keys = KeysAndAttributes::builder().keys([("p".to_owned(), text()), ("s".to_owned(), number(77))].into());
    let call = client.batch_get_item().request_items("differences", keys.consistent_read(true).build().unwrap());
    let answer = call.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.unwrap();
    answer.consumed_capacity().iter().filter_map(ConsumedCapacity::capacity_units).sum()
}

/// `API_UpdateTable`: "You can create or delete only one global secondary index per UpdateTable operation." So both are
/// wrong; the store sends one at a time.
async fn two_indexes_at_once_are_made(client: &Client) -> bool {
    let create = |call: UpdateTableFluentBuilder, name: &str| {
        let create = CreateGlobalSecondaryIndexAction::builder()
            .index_name(name)
            .key_schema(element("s", KeyType::Hash))
            .projection(Projection::builder().projection_type(ProjectionType::All).build());
        let update = GlobalSecondaryIndexUpdate::builder().create(create.build().unwrap());
        call.global_secondary_index_updates(update.build())
    };
    let call = client.update_table().table_name("differences").attribute_definitions(definition("s"));
    create(create(call, "one"), "two").send().await.is_ok()
}

/// `API_BatchGetItem`: "BatchGetItem returns a partial result if the response size limit is exceeded, the table's
/// provisioned throughput is exceeded, more than 1MB per partition is requested, or an internal processing failure
/// occurs." So ExtendDB is wrong: single requests alone are held to the throughput.
async fn batches_are_throttled(client: &Client) -> bool {
    let mut single = 0;
    while put(client, single).await.is_ok() {
        single += 1;
        assert!(single < 1_000, "one unit a second is little");
    }
    for _ in 0..200 {
        let key = |at: i64| [("p".to_owned(), text()), ("s".to_owned(), number(at))].into();
        let keys = KeysAndAttributes::builder().set_keys(Some((0..100).map(key).collect())).consistent_read(true);
        match client.batch_get_item().request_items("differences", keys.build().unwrap()).send().await {
            Ok(answer) if answer.unprocessed_keys().is_none_or(HashMap::is_empty) => {}
            _ => return true,
        }
    }
    false
}

async fn table(endpoint: &str, mode: BillingMode) -> Client {
    let client = common::client(endpoint);
    let one = ProvisionedThroughput::builder().read_capacity_units(1).write_capacity_units(1).build().unwrap();
    let call = client.create_table().table_name("differences").billing_mode(mode.clone());
    let call = call.set_provisioned_throughput((mode == BillingMode::Provisioned).then_some(one));
    let call = call.key_schema(element("p", KeyType::Hash)).key_schema(element("s", KeyType::Range));
    call.attribute_definitions(definition("p")).attribute_definitions(definition("s")).send().await.unwrap();
    loop {
        let found = client.describe_table().table_name("differences").send().await.unwrap().table.unwrap();
        if found.table_status() == Some(&TableStatus::Active) {
            return client;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

async fn put(client: &Client, at: i64) -> Result<(), ()> {
    let call = client.put_item().table_name("differences").item("p", text()).item("s", number(at));
    call.send().await.map(drop).map_err(drop)
}

fn text() -> AttributeValue {
    AttributeValue::S("p".to_owned())
}

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn element(name: &str, role: KeyType) -> KeySchemaElement {
    KeySchemaElement::builder().attribute_name(name).key_type(role).build().unwrap()
}

fn definition(name: &str) -> AttributeDefinition {
    let scalar = if name == "p" { ScalarAttributeType::S } else { ScalarAttributeType::N };
    AttributeDefinition::builder().attribute_name(name).attribute_type(scalar).build().unwrap()
}
