//! What an engineer would write on the same client, with the requests that the store sends.

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    Client,
    primitives::Blob,
    types::{AttributeValue, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, TransactWriteItem},
};
use keyloom_bench::verbs::{BY_HAND, NOW, TOGETHER, Verbs, payload, sort, user};

use crate::{PREFIX, client};

/// The client, and the names of the tables.
pub(crate) struct ByHand {
    client: Client,
    timeline: String,
    accounts: String,
}

const NEWER: &str = "(attribute_not_exists(kl_r) OR kl_r < :r0)";

impl ByHand {
    pub(crate) fn open(endpoint: &str) -> Self {
        let client = client::connect(endpoint);
        Self { client, timeline: format!("{PREFIX}.timeline"), accounts: format!("{PREFIX}.accounts") }
    }

    fn item(user: String, number: u64, rank: u64) -> HashMap<String, AttributeValue> {
        HashMap::from([
            ("user".to_owned(), AttributeValue::S(user)),
            ("number".to_owned(), AttributeValue::N(sort(number).to_string())),
            ("payload".to_owned(), AttributeValue::B(Blob::new(payload(number)))),
            ("kl_r".to_owned(), AttributeValue::N(rank.to_string())),
        ])
    }
}

/// The payload of an item that has not ended.
fn read(item: &HashMap<String, AttributeValue>) -> Option<Vec<u8>> {
    let ended = item.get("kl_x").and_then(|end| end.as_n().ok()?.parse::<i64>().ok()).is_some_and(|end| end <= NOW.0);
    let rank: u64 = item.get("kl_r")?.as_n().ok()?.parse().ok()?;
    let there = !ended && !rank.is_multiple_of(2);
    item.get("payload").filter(|_| there)?.as_b().ok().map(|payload| payload.as_ref().to_vec())
}

impl Verbs for ByHand {
    async fn get(&self, number: u64) {
        let answer = self
            .client
            .get_item()
            .table_name(&self.timeline)
            .key("user", AttributeValue::S(user(BY_HAND, number)))
            .key("number", AttributeValue::N(sort(number).to_string()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .unwrap();
        assert!(answer.item().and_then(read).is_some());
    }

    async fn slice(&self, number: u64) {
        let answer = self
            .client
            .query()
            .table_name(&self.timeline)
            .key_condition_expression("#p = :p")
            .expression_attribute_names("#p", "user")
            .expression_attribute_values(":p", AttributeValue::S(user(BY_HAND, number)))
            .scan_index_forward(true)
            .consistent_read(true)
            .limit(100)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .unwrap();
        let number = |item: &HashMap<String, AttributeValue>| item["number"].as_n().unwrap().parse::<i64>().unwrap();
        let rows: Vec<(i64, Vec<u8>)> =
            answer.items().iter().filter_map(|item| Some((number(item), read(item)?))).collect();
        assert_eq!(rows.len(), 100);
    }

    async fn place(&self, number: u64, version: u64) {
        let rank = 2 * version + 1;
        let put = self
            .client
            .put_item()
            .table_name(&self.timeline)
            .set_item(Some(Self::item(user(BY_HAND, number), number, rank)))
            .condition_expression(NEWER)
            .expression_attribute_values(":r0", AttributeValue::N(rank.to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        put.send().await.unwrap();
    }

    async fn place_together(&self, number: u64, version: u64) {
        let rank = 2 * version + 1;
        let puts = (number..number + TOGETHER).map(|at| {
            let put = Put::builder()
                .table_name(&self.timeline)
                .set_item(Some(Self::item(user(BY_HAND, at), number, rank)))
                .condition_expression(NEWER)
                .expression_attribute_values(":r0", AttributeValue::N(rank.to_string()))
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            TransactWriteItem::builder().put(put.build().unwrap()).build()
        });
        let transaction = self
            .client
            .transact_write_items()
            .set_transact_items(Some(puts.collect()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        transaction.send().await.unwrap();
    }

    async fn decide(&self, before: u64, version: u64) {
        let item = HashMap::from([
            ("user".to_owned(), AttributeValue::S(BY_HAND.to_owned())),
            ("payload".to_owned(), AttributeValue::B(Blob::new(payload(version)))),
            ("kl_v".to_owned(), AttributeValue::N(version.to_string())),
        ]);
        let put = self
            .client
            .put_item()
            .table_name(&self.accounts)
            .set_item(Some(item))
            .expression_attribute_values(":now", AttributeValue::N(NOW.0.to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let put = if before == 0 {
            put.condition_expression("attribute_not_exists(kl_v) OR kl_x <= :now")
        } else {
            put.condition_expression("kl_v = :v AND (attribute_not_exists(kl_x) OR kl_x > :now)")
                .expression_attribute_values(":v", AttributeValue::N(before.to_string()))
        };
        put.send().await.unwrap();
    }
}
