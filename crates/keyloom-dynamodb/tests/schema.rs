//! Steps: what they say, what they leave behind when they are cut off, and what others see of them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use aws_sdk_dynamodb::types::AttributeValue;
use keyloom_engines::announce;
use keyloom_store::{Column, Define, Discipline, Fault, Freshness, Get, Group, Millis, SortColumn, Step, Store, Table};
use keyloom_value::{Kind, Value};
use serde_json::{Value as Json, json};

const SUITE: &str = "schema";

#[test]
fn dynoxide_is_given_steps() {
    common::on_dynoxide(SUITE, steps);
}

#[test]
fn extenddb_is_given_steps() {
    common::on_extenddb(SUITE, steps);
}

fn steps(engine: &str, endpoint: &str) {
    common::runtime().block_on(async {
        a_script_says_what_is_sent(endpoint).await;
        a_step_that_was_cut_off_is_taken_again(endpoint).await;
        a_handle_never_means_another_table(endpoint).await;
        names_that_are_ours_are_refused(endpoint).await;
        an_index_is_given_no_column(endpoint).await;
    });
    announce(SUITE, engine, 5, 0);
}

fn orders() -> Table {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    Table {
        name: "orders".to_owned(),
        discipline: Discipline::Decided,
        partition: vec![column("customer", Kind::Text)],
        sort: vec![SortColumn { name: "at".to_owned(), kind: Kind::Int, descending: true }],
        groups: vec![Group { columns: vec![column("total", Kind::Int), column("note", Kind::Text)] }],
        grace_ms: 1_000,
        lifetime_ms: None,
    }
}

fn by_total() -> Table {
    let sorted = |name: &str, kind| SortColumn { name: name.to_owned(), kind, descending: false };
    Table {
        name: "by_total".to_owned(),
        discipline: Discipline::Indexed { of: "orders".to_owned() },
        partition: vec![Column { name: "total".to_owned(), kind: Kind::Int }],
        sort: vec![sorted("customer", Kind::Text), sorted("at", Kind::Int)],
        groups: vec![Group { columns: vec![] }],
        grace_ms: 1_000,
        lifetime_ms: None,
    }
}

fn added() -> Step {
    let column = Column { name: "it's".to_owned(), kind: Kind::Text };
    Step::AddColumn { table: "orders".to_owned(), group: 0, column }
}

/// A command and its request.
fn said(script: &str) -> Vec<(String, Json)> {
    let line = |line: &str| {
        let (command, request) = line.strip_prefix("aws dynamodb ").unwrap().split_once(" --cli-input-json ").unwrap();
        let request = request.strip_prefix('\'').unwrap().strip_suffix('\'').unwrap().replace(r"'\''", "'");
        (command.to_owned(), serde_json::from_str(&request).unwrap())
    };
    script.lines().map(line).collect()
}

async fn described(endpoint: &str, table: &str) -> aws_sdk_dynamodb::types::TableDescription {
    common::client(endpoint).describe_table().table_name(table).send().await.unwrap().table.unwrap()
}

async fn a_script_says_what_is_sent(endpoint: &str) {
    let prefix = common::new_prefix();
    let store = common::open(endpoint, &prefix).await;
    let plan = [
        Step::Create(orders()),
        Step::Create(by_total()),
        added(),
        Step::Drop { table: "by_total".to_owned() },
        Step::Drop { table: "orders".to_owned() },
    ];
    let script = store.script(&plan).await.unwrap();
    assert_eq!(store.describe().await.unwrap(), [], "nothing is applied");
    let script: Vec<Vec<(String, Json)>> = script.iter().map(|step| said(step)).collect();
    let verbs: Vec<Vec<&str>> =
        script.iter().map(|step| step.iter().map(|(verb, _)| verb.as_str()).collect()).collect();
    assert_eq!(
        verbs,
        [
            vec!["create-table", "put-item", "create-table", "update-time-to-live", "put-item"],
            vec!["put-item", "update-table", "put-item"],
            vec!["put-item"],
            vec!["put-item", "update-table", "put-item"],
            vec!["put-item", "delete-table", "put-item"],
        ]
    );
    assert_eq!(
        script[1][1].1,
        json!({
            "TableName": format!("{prefix}.orders"),
            "AttributeDefinitions": [
                { "AttributeName": "customer", "AttributeType": "S" },
                { "AttributeName": "kl_s", "AttributeType": "B" },
                { "AttributeName": "kl_s.by_total", "AttributeType": "B" },
                { "AttributeName": "total", "AttributeType": "N" },
            ],
            "GlobalSecondaryIndexUpdates": [{ "Create": {
                "IndexName": "by_total",
                "KeySchema": [
                    { "AttributeName": "total", "KeyType": "HASH" },
                    { "AttributeName": "kl_s.by_total", "KeyType": "RANGE" },
                ],
                "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["kl_v", "kl_r", "kl_x"] },
            }}],
        })
    );

    // Applied, the engine has just that.
    for (step, words) in plan.iter().zip(&script).take(3) {
        store.apply(step).await.unwrap();
        let (_, last) = words.last().unwrap();
        assert_eq!(json!(row(endpoint, &prefix, step.table()).await), last["Item"], "{step}");
    }
    let found = described(endpoint, &format!("{prefix}.orders")).await;
    let keys: Vec<Json> = (found.key_schema().iter())
        .map(|key| json!({ "AttributeName": key.attribute_name(), "KeyType": key.key_type().as_str() }))
        .collect();
    assert_eq!(json!(keys), script[0][2].1["KeySchema"]);
    assert_eq!(found.billing_mode_summary().unwrap().billing_mode().unwrap().as_str(), "PAY_PER_REQUEST");
    assert_eq!(found.global_secondary_indexes()[0].index_name(), Some("by_total"));
    for step in &plan[3..] {
        store.apply(step).await.unwrap();
    }
    assert_eq!(store.describe().await.unwrap(), []);
}

/// A row of the schema, as the CLI shows it.
async fn row(endpoint: &str, prefix: &str, table: &str) -> Json {
    let name = AttributeValue::S(table.to_owned());
    let call = common::client(endpoint).get_item().table_name(format!("{prefix}.keyloom_schema")).key("name", name);
    let mut attributes: Vec<(String, AttributeValue)> =
        call.send().await.unwrap().item.unwrap_or_default().into_iter().collect();
    attributes.sort_by(|one, other| one.0.cmp(&other.0));
    let shown = attributes.into_iter().map(|(name, value)| match value {
        AttributeValue::S(text) => (name, json!({ "S": text })),
        AttributeValue::N(number) => (name, json!({ "N": number })),
        other => panic!("{other:?}"),
    });
    Json::Object(shown.collect())
}

/// A process may die between any two requests of a step. What it left is not there to anybody, and is no obstacle to the
/// step when it is taken again, nor to another one.
async fn a_step_that_was_cut_off_is_taken_again(endpoint: &str) {
    let wider = Table { partition: vec![Column { name: "shop".to_owned(), kind: Kind::Int }], ..orders() };
    for (state, made) in [("making", false), ("making", true), ("dropping", false), ("dropping", true)] {
        for next in [Step::Create(orders()), Step::Create(wider.clone()), Step::Drop { table: "orders".to_owned() }] {
            let prefix = common::new_prefix();
            let store = common::open(endpoint, &prefix).await;
            store.apply(&Step::Create(orders())).await.unwrap();
            leave_half_way(endpoint, &prefix, state, made).await;
            assert_eq!(store.describe().await.unwrap(), [], "{state}: what is half done is not there");
            store.apply(&next).await.unwrap();
            let there: Vec<Table> =
                store.describe().await.unwrap().into_iter().map(|(_, shape)| shape.table().clone()).collect();
            let Step::Create(wanted) = &next else {
                assert_eq!(there, [], "{state}");
                continue;
            };
            assert_eq!(there, std::slice::from_ref(wanted), "{state}");
            let found = described(endpoint, &format!("{prefix}.orders")).await;
            let key = &wanted.partition[0].name;
            assert_eq!(found.key_schema()[0].attribute_name(), key, "{state}: the engine's table is the wanted one");
        }
    }
}

async fn leave_half_way(endpoint: &str, prefix: &str, state: &str, made: bool) {
    let client = common::client(endpoint);
    let call = client.update_item().table_name(format!("{prefix}.keyloom_schema"));
    let call = call.key("name", AttributeValue::S("orders".to_owned())).update_expression("SET #s = :s");
    let call = call.expression_attribute_names("#s", "state");
    call.expression_attribute_values(":s", AttributeValue::S(state.to_owned())).send().await.unwrap();
    if !made {
        client.delete_table().table_name(format!("{prefix}.orders")).send().await.unwrap();
    }
}

async fn a_handle_never_means_another_table(endpoint: &str) {
    let prefix = common::new_prefix();
    let (one, other) = (common::open(endpoint, &prefix).await, common::open(endpoint, &prefix).await);
    let first = common::define(&one, &[orders()]).await[0];
    other.apply(&Step::Drop { table: "orders".to_owned() }).await.unwrap();
    other.apply(&Step::Create(orders())).await.unwrap();
    let second = one.describe().await.unwrap()[0].0;
    assert_ne!(first, second);
    let key = [Value::from("c"), Value::Int(1)];
    let get = |table| Get { table, key: &key, freshness: Freshness::Settled, now: Millis(0) };
    assert!(matches!(one.get(get(first)).await, Err(Fault::Refused(_))), "the table of that handle is gone");
    assert!(one.get(get(second)).await.is_ok());
}

async fn names_that_are_ours_are_refused(endpoint: &str) {
    let store = common::fresh(endpoint).await;
    let named = |name: &str| Table { name: name.to_owned(), ..orders() };
    let with = |column: &str| {
        let mut table = orders();
        table.groups[0].columns[0].name = column.to_owned();
        table
    };
    let columns = ["kl_v", "kl_x", "kl_x1", "kl_r", "kl_r12", "kl_ttl", "kl_p", "kl_s", "kl_s.by_total", ""].map(with);
    let names = ["keyloom_schema", "two words", "a/b", "é"].map(named);
    for table in columns.into_iter().chain(names) {
        let answer = store.apply(&Step::Create(table.clone())).await;
        assert!(matches!(answer, Err(Fault::Refused(_))), "{table:?}: {answer:?}");
    }
    assert_eq!(store.describe().await.unwrap(), []);
    store.apply(&Step::Create(with("kl_owner_p"))).await.expect("the run time's columns are ordinary ones here");
}

async fn an_index_is_given_no_column(endpoint: &str) {
    let store = common::fresh(endpoint).await;
    common::define(&store, &[orders(), by_total()]).await;
    let column = Column { name: "note".to_owned(), kind: Kind::Text };
    let answer = store.apply(&Step::AddColumn { table: "by_total".to_owned(), group: 0, column }).await;
    let Err(Fault::Refused(cause)) = answer else { panic!("{answer:?}") };
    assert!(cause.contains("another name"), "the way out is said: {cause}");
}
