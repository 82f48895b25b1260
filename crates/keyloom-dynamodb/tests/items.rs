//! What stands in DynamoDB, as somebody sees it who reads it without us.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails")]

mod common;

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    primitives::Blob,
    types::AttributeValue::{self, B, Bool, L, M, N, S},
};
use keyloom_engines::announce;
use keyloom_store::{
    Change, Column, Decision, Discipline, Expect, Group, GroupImage, Image, Millis, Placement, Placing, SortColumn,
    Store, Table, Verdict,
};
use keyloom_value::{Kind, Member, Value, Variant};

const SUITE: &str = "items";
const NOW: Millis = Millis(4_000_000_000_000);
const DAY: i64 = 86_400;

#[test]
fn dynoxide_holds_readable_items() {
    common::on_dynoxide(SUITE, readable);
}

#[test]
fn extenddb_holds_readable_items() {
    common::on_extenddb(SUITE, readable);
}

fn readable(engine: &str, endpoint: &str) {
    common::runtime().block_on(async {
        a_decided_row(endpoint).await;
        a_placed_row(endpoint).await;
        a_placed_row_of_two_groups(endpoint).await;
    });
    announce(SUITE, engine, 3, 0);
}

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn table(name: &str, discipline: Discipline, partition: Column, groups: Vec<Vec<Column>>) -> Table {
    let groups = groups.into_iter().map(|columns| Group { columns }).collect();
    Table {
        name: name.to_owned(),
        discipline,
        partition: vec![partition],
        sort: vec![],
        groups,
        grace_ms: 7_000,
        lifetime_ms: None,
    }
}

fn number(number: i64) -> AttributeValue {
    N(number.to_string())
}

fn bytes(bytes: &[u8]) -> AttributeValue {
    B(Blob::new(bytes))
}

/// The only item of a table.
async fn item(endpoint: &str, table: &str) -> Vec<(String, AttributeValue)> {
    let answer = common::client(endpoint).scan().table_name(table).send().await.unwrap();
    let items = answer.items();
    assert_eq!(items.len(), 1, "{items:?}");
    let mut item: Vec<_> = items[0].clone().into_iter().collect();
    item.sort_by(|one, other| one.0.cmp(&other.0));
    item
}

fn named(attributes: &[(&str, AttributeValue)]) -> Vec<(String, AttributeValue)> {
    attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

async fn a_decided_row(endpoint: &str) {
    let prefix = common::new_prefix();
    let store = common::open(endpoint, &prefix).await;
    let status = Kind::Enum(vec![Variant { name: "open".to_owned(), rank: 10 }]);
    let street = Member { name: "street".to_owned(), kind: Kind::Text, optional: false };
    let columns = vec![
        column("status", status),
        column("total", Kind::Decimal { scale: 2 }),
        column("weight", Kind::Float),
        column("paid", Kind::Bool),
        column("tags", Kind::Set(Box::new(Kind::Text))),
        column("address", Kind::Struct(vec![street])),
        column("prices", Kind::Map(Box::new(Kind::Text), Box::new(Kind::Int))),
        column("nothing", Kind::Text),
    ];
    let sort = SortColumn { name: "at".to_owned(), kind: Kind::Timestamp { micros: false }, descending: true };
    let customer = column("customer", Kind::Text);
    let orders = Table { sort: vec![sort], ..table("orders", Discipline::Decided, customer, vec![columns]) };
    let by_status = Table {
        name: "orders_by_status".to_owned(),
        discipline: Discipline::Indexed { of: "orders".to_owned() },
        partition: vec![orders.groups[0].columns[0].clone()],
        sort: vec![
            SortColumn { name: "at".to_owned(), kind: Kind::Timestamp { micros: false }, descending: false },
            SortColumn { name: "customer".to_owned(), kind: Kind::Text, descending: false },
        ],
        groups: vec![Group { columns: vec![column("total", Kind::Decimal { scale: 2 })] }],
        grace_ms: 7_000,
        lifetime_ms: None,
    };
    let ids = common::define(&store, &[orders, by_status]).await;
    let key = [Value::from("c1"), Value::Timestamp(5)];
    let values = [
        Value::Enum(10),
        Value::Decimal(1_250),
        Value::Float(0.5),
        Value::Bool(true),
        Value::Set(vec!["b".into(), "a".into()]),
        Value::Struct(vec!["Long Row".into()]),
        Value::Map(vec![("x".into(), Value::Int(1))]),
        Value::Null,
    ];
    let becomes = Image { version: 9, expires_at: Some(NOW.plus(500)), values: &values };
    let change = Change { table: ids[0], key: &key, expect: Expect::Absent, becomes };
    let verdict = store.decide(Decision { change, along: &[], now: NOW }).await;
    assert_eq!(verdict, Ok(Verdict::Done));

    // 5 in key form is a number with its sign bit turned; descending, all its bits are.
    let at = [&[1][..], &(!(5i64 ^ i64::MIN)).to_be_bytes()].concat();
    let in_index = [&[1][..], &(5i64 ^ i64::MIN).to_be_bytes(), b"c1\0\x01"].concat();
    let expected = named(&[
        ("address", M(HashMap::from([("street".to_owned(), S("Long Row".to_owned()))]))),
        ("at", number(5)),
        ("customer", S("c1".to_owned())),
        ("kl_p.orders_by_status", bytes(&[1, 0, 10])),
        ("kl_s", bytes(&at)),
        ("kl_s.orders_by_status", bytes(&in_index)),
        ("kl_ttl", number(4_000_000_007 + 1 + DAY)),
        ("kl_v", number(9)),
        ("kl_x", number(4_000_000_000_500)),
        ("paid", Bool(true)),
        ("prices", M(HashMap::from([("x".to_owned(), number(1))]))),
        ("status", S("open".to_owned())),
        ("tags", L(vec![S("a".to_owned()), S("b".to_owned())])),
        ("total", N("12.5".to_owned())),
        ("weight", N("0.5".to_owned())),
    ]);
    assert_eq!(item(endpoint, &format!("{prefix}.orders")).await, expected);
}

async fn a_placed_row(endpoint: &str) {
    let prefix = common::new_prefix();
    let store = common::open(endpoint, &prefix).await;
    let listed = table("listed", Discipline::Placed, column("id", Kind::Int), vec![vec![column("title", Kind::Text)]]);
    let ids = common::define(&store, &[listed]).await;
    let (key, values) = ([Value::Int(1)], [Value::from("first")]);
    let groups = [GroupImage { group: 0, version: 5, values: &values }];
    let put = Placing::Put { groups: &groups, expires_at: None };
    store.place(&[Placement { table: ids[0], key: &key, placing: put }], false, NOW).await.unwrap();
    let table = format!("{prefix}.listed");
    let expected = named(&[("id", number(1)), ("kl_r", number(11)), ("title", S("first".to_owned()))]);
    assert_eq!(item(endpoint, &table).await, expected);
    let removal = Placing::Remove { groups: &[(0, 6)] };
    store.place(&[Placement { table: ids[0], key: &key, placing: removal }], false, NOW).await.unwrap();
    let forget = number(4_000_000_007 + 1 + DAY);
    let expected = named(&[("id", number(1)), ("kl_r", number(12)), ("kl_ttl", forget)]);
    assert_eq!(item(endpoint, &table).await, expected, "the fence stays, until nothing older can come any more");
}

async fn a_placed_row_of_two_groups(endpoint: &str) {
    let prefix = common::new_prefix();
    let store = common::open(endpoint, &prefix).await;
    let columns = vec![vec![column("title", Kind::Text)], vec![column("copied", Kind::Text)]];
    let ids = common::define(&store, &[table("joined", Discipline::Placed, column("id", Kind::Int), columns)]).await;
    let (key, table) = ([Value::Int(1)], format!("{prefix}.joined"));
    let place = async |placing: Placing<'_>| {
        store.place(&[Placement { table: ids[0], key: &key, placing }], false, NOW).await.unwrap();
    };
    let (title, copied) = ([Value::from("title")], [Value::from("copied")]);
    let root = GroupImage { group: 0, version: 5, values: &title };
    let copy = GroupImage { group: 1, version: 2, values: &copied };
    place(Placing::Put { groups: &[root], expires_at: Some(NOW.plus(500)) }).await;
    place(Placing::Put { groups: &[copy], expires_at: None }).await;
    let expected = named(&[
        ("copied", S("copied".to_owned())),
        ("id", number(1)),
        ("kl_r", number(11)),
        ("kl_r1", number(5)),
        ("kl_x", number(4_000_000_000_500)),
        ("title", S("title".to_owned())),
    ]);
    assert_eq!(item(endpoint, &table).await, expected, "an item with a group that stays is never forgotten");

    // The root comes too late; the other group does not, and what is known of the root stays.
    let late = GroupImage { group: 0, version: 4, values: &title };
    let newer = GroupImage { group: 1, version: 3, values: &copied };
    place(Placing::Put { groups: &[late, newer], expires_at: Some(NOW.plus(9_000)) }).await;
    let expected = named(&[
        ("copied", S("copied".to_owned())),
        ("id", number(1)),
        ("kl_r", number(11)),
        ("kl_r1", number(7)),
        ("kl_ttl", number(4_000_000_016 + 1 + DAY)),
        ("kl_x", number(4_000_000_000_500)),
        ("kl_x1", number(4_000_000_009_000)),
        ("title", S("title".to_owned())),
    ]);
    assert_eq!(item(endpoint, &table).await, expected, "now both groups end, and the later end counts");

    place(Placing::Remove { groups: &[(0, 6), (1, 6)] }).await;
    let forget = number(4_000_000_007 + 1 + DAY);
    let expected = named(&[("id", number(1)), ("kl_r", number(12)), ("kl_r1", number(12)), ("kl_ttl", forget)]);
    assert_eq!(item(endpoint, &table).await, expected);
}
