//! What an engineer would write for this one catalog on the client: a task, its memory of requests and its lists are one
//! transaction, under the condition that the task is as it was read.

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    Client,
    primitives::Blob,
    types::{
        AttributeValue, Delete, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
    },
};
use serde_json::Value as Json;

use crate::{
    client,
    desk::Desk,
    hand::{self, Note, PAGE, TOKENS_MAX, Task, birth_ms, digests, now_ms, now_us, ordered, turned},
};

pub(crate) const PREFIX: &str = "hand";

const NEWER: &str = "(attribute_not_exists(kl_r) OR kl_r < :r0)";
const ABSENT: &str = "attribute_not_exists(kl_v) OR kl_x <= :now";
const AS_READ: &str = "kl_v = :v AND (attribute_not_exists(kl_x) OR kl_x > :now)";

type Item = HashMap<String, AttributeValue>;

/// The client, and the names of the tables.
pub(crate) struct ByHand {
    client: Client,
    tasks: String,
    by_team: String,
    by_owner: String,
    notes: String,
    secret: [u8; 32],
}

impl ByHand {
    pub(crate) fn open(endpoint: &str) -> Self {
        let [tasks, by_team, by_owner, notes] =
            ["task", "task_by_team", "task_by_owner", "note"].map(|table| format!("{PREFIX}.{table}"));
        Self { client: client::connect(endpoint), tasks, by_team, by_owner, notes, secret: [7; 32] }
    }

    async fn read(&self, task_id: [u8; 16]) -> Item {
        let answer = self
            .client
            .get_item()
            .table_name(&self.tasks)
            .key("task_id", bytes(task_id))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let item = answer.send().await.unwrap().item.unwrap();
        assert!(!item["kl_gone"].as_bool().unwrap() && is_there(&item));
        item
    }

    /// Decides a task; its lists ride along, and where it stood before it is removed.
    async fn decide(
        &self,
        task: &Task<'_>,
        version: u64,
        created: u64,
        tokens: Vec<AttributeValue>,
        before: Option<(u64, i64)>,
    ) {
        let mut item = fields(task, version);
        item.extend(named([
            ("kl_created", number(created)),
            ("kl_updated", number(version)),
            ("kl_floor", number(0)),
            ("kl_tokens", AttributeValue::L(tokens)),
            ("kl_gone", AttributeValue::Bool(false)),
        ]));
        let put = Put::builder()
            .table_name(&self.tasks)
            .set_item(Some(item))
            .expression_attribute_values(":now", number(now_ms()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let put = match before {
            None => put.condition_expression(ABSENT),
            Some((before, _)) => put.condition_expression(AS_READ).expression_attribute_values(":v", number(before)),
        };
        let mut parts = vec![TransactWriteItem::builder().put(put.build().unwrap()).build()];
        for (table, group) in [(&self.by_team, "team_id"), (&self.by_owner, "owner_id")] {
            let mut item = fields(task, version);
            item.insert("kl_s".to_owned(), place(task, task.due_at));
            let of_group = item[group].clone();
            let put = Put::builder().table_name(table).set_item(Some(item)).build().unwrap();
            parts.push(TransactWriteItem::builder().put(put).build());
            if let Some((_, left)) = before.filter(|(_, left)| *left != task.due_at) {
                let delete = Delete::builder().table_name(table).key(group, of_group).key("kl_s", place(task, left));
                parts.push(TransactWriteItem::builder().delete(delete.build().unwrap()).build());
            }
        }
        let transaction = self.client.transact_write_items().set_transact_items(Some(parts));
        transaction.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.unwrap();
    }
}

impl Desk for ByHand {
    type Row = String;

    fn text(row: &String) -> &str {
        row
    }

    async fn get(&self, inputs: &Json) -> String {
        task(&self.read(hand::uuid(inputs["task_id"].as_str().unwrap())).await).shown()
    }

    async fn list(&self, inputs: &Json) -> (Vec<String>, Option<String>) {
        let answer = self
            .client
            .query()
            .table_name(&self.by_team)
            .key_condition_expression("team_id = :p")
            .expression_attribute_values(":p", number(inputs["team_id"].as_i64().unwrap()))
            .scan_index_forward(true)
            .consistent_read(true)
            .limit(i32::try_from(PAGE + 1).unwrap())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = answer.send().await.unwrap();
        let tasks: Vec<Task<'_>> = answer.items().iter().filter(|item| is_there(item)).map(task).collect();
        let next = (tasks.len() > PAGE).then(|| tasks[PAGE - 1].cursor(&self.secret));
        (tasks.iter().take(PAGE).map(Task::shown).collect(), next)
    }

    async fn add_task(&self, key: &str, inputs: &Json) {
        let version = now_us();
        self.decide(&Task::new(inputs), version, version, vec![token(key, inputs, version)], None).await;
    }

    async fn add_note(&self, key: &str, inputs: &Json) -> Json {
        let note = Note::new(key, inputs);
        let rank = 2 * note.version + 1;
        let item = named([
            ("task_id", bytes(note.task_id)),
            ("note_id", bytes(note.note_id)),
            ("author_id", number(note.author_id)),
            ("words", AttributeValue::S(note.words.to_owned())),
            ("kl_created", number(note.created_us)),
            ("kl_r", number(rank)),
        ]);
        let put = self
            .client
            .put_item()
            .table_name(&self.notes)
            .set_item(Some(item.into_iter().collect()))
            .condition_expression(NEWER)
            .expression_attribute_values(":r0", number(rank))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        put.send().await.unwrap();
        note.key()
    }

    async fn change_due(&self, key: &str, inputs: &Json) -> u64 {
        let item = self.read(hand::uuid(inputs["task_id"].as_str().unwrap())).await;
        let before = task(&item);
        let (seen, created) = (whole(&item, "kl_v").cast_unsigned(), whole(&item, "kl_created").cast_unsigned());
        let version = now_us().max(seen + 2);
        let new = token(key, inputs, version);
        let mut tokens = item["kl_tokens"].as_l().unwrap().clone();
        let of = |token: &AttributeValue| token.as_m().unwrap()["token"].clone();
        assert!(!tokens.iter().any(|known| of(known) == of(&new)), "every request is new");
        tokens.push(new);
        // The receipts of what is forgotten are left out: no row here is changed so often.
        assert!(tokens.len() <= TOKENS_MAX);
        let after = Task { due_at: hand::moment(&inputs["due_at"]), ..before };
        self.decide(&after, version, created, tokens, Some((seen, before.due_at))).await;
        version
    }
}

/// What all tables hold of a task.
fn fields(task: &Task<'_>, version: u64) -> Item {
    let fields = named([
        ("task_id", bytes(task.task_id)),
        ("team_id", number(task.team_id)),
        ("owner_id", number(task.owner_id)),
        ("title", AttributeValue::S(task.title.to_owned())),
        ("due_at", number(task.due_at)),
        ("status", AttributeValue::S(task.status.to_owned())),
        ("hours", number(task.hours)),
        ("kl_v", number(version)),
    ]);
    fields.into_iter().collect()
}

fn task(item: &Item) -> Task<'_> {
    Task {
        task_id: item["task_id"].as_b().unwrap().as_ref().try_into().unwrap(),
        team_id: whole(item, "team_id"),
        owner_id: whole(item, "owner_id"),
        title: item["title"].as_s().unwrap(),
        due_at: whole(item, "due_at"),
        status: item["status"].as_s().unwrap(),
        hours: whole(item, "hours"),
    }
}

/// Where a task stands in a list.
fn place(task: &Task<'_>, due_at: i64) -> AttributeValue {
    bytes([&[1][..], &turned(due_at), &ordered(&task.task_id)].concat())
}

/// What a row remembers of a request.
fn token(key: &str, inputs: &Json, version: u64) -> AttributeValue {
    let [token, inputs] = digests(key, inputs);
    let members = named([
        ("token", bytes(token)),
        ("birth", number(birth_ms(key))),
        ("inputs", bytes(inputs)),
        ("version", number(version)),
    ]);
    AttributeValue::M(members.into_iter().collect())
}

fn is_there(item: &Item) -> bool {
    !item.contains_key("kl_x") || whole(item, "kl_x") > now_ms()
}

fn whole(item: &Item, name: &str) -> i64 {
    item[name].as_n().unwrap().parse().unwrap()
}

fn named<const N: usize>(attributes: [(&str, AttributeValue); N]) -> [(String, AttributeValue); N] {
    attributes.map(|(name, value)| (name.to_owned(), value))
}

fn number(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn bytes(bytes: impl Into<Vec<u8>>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}
