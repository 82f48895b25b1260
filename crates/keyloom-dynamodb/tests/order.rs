//! Ten thousand random keys come back from both servers in the order of their values.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that can't go on fails")]

mod common;

use std::{cmp::Ordering, net::IpAddr, ops::Bound};

use keyloom_contract::NOW;
use keyloom_dynamodb::DynamoDb;
use keyloom_engines::announce;
use keyloom_store::{
    Column, Define, Discipline, End, Freshness, Group, GroupImage, Placement, Placing, Range, Slice, SortColumn, Step,
    Store, Table, TableId,
};
use keyloom_value::{Kind, Value, Variant, compare, key};

const SUITE: &str = "order";

/// Keys of each table: 26 tables of one component, 54 of several, are 10,000 keys.
const KEYS: usize = 125;
const MIXED_TABLES: usize = 54;
/// Cursors from which each table is read on.
const CURSORS: usize = 3;

type Owned = Value<'static>;

#[test]
fn dynoxide_sorts_as_values_do() {
    common::on_dynoxide(SUITE, sorts_as_values_do);
}

#[test]
fn extenddb_sorts_as_values_do() {
    common::on_extenddb(SUITE, sorts_as_values_do);
}

fn sorts_as_values_do(engine: &str, endpoint: &str) {
    let runtime = common::runtime();
    let mut random = Random(20);
    let kinds = kinds();
    let mut sorts: Vec<Vec<SortColumn>> = Vec::new();
    for kind in &kinds {
        sorts.extend([false, true].map(|descending| vec![column(0, kind, descending)]));
    }
    for _ in 0..MIXED_TABLES {
        let columns = 2 + random.below(3);
        let mut mixed = |at| column(at, &kinds[random.below(kinds.len())], random.below(2) == 0);
        sorts.push((0..columns).map(&mut mixed).collect());
    }
    let tables = sorts.len();
    let keys = runtime.block_on(async {
        let store = common::fresh(endpoint).await;
        let mut keys = 0;
        for (at, sort) in sorts.into_iter().enumerate() {
            keys += check(&store, &mut random, &format!("t{at}"), sort).await;
        }
        keys
    });
    assert_eq!((tables, keys), (80, 10_000));
    announce(SUITE, engine, tables, 0);
}

fn column(at: usize, kind: &Kind, descending: bool) -> SortColumn {
    SortColumn { name: format!("s{at}"), kind: kind.clone(), descending }
}

/// Places random keys in a table of this sort key, and reads them in all ways; returns how many there are.
async fn check(store: &DynamoDb, random: &mut Random, name: &str, sort: Vec<SortColumn>) -> usize {
    let table = Table {
        name: name.to_owned(),
        discipline: Discipline::Placed,
        partition: vec![Column { name: "p".to_owned(), kind: Kind::Text }],
        sort: sort.clone(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    };
    store.apply(&Step::Create(table)).await.unwrap();
    let there = store.describe().await.unwrap();
    let id = there.into_iter().find(|(_, shape)| shape.table().name == name).unwrap().0;

    let mut keys: Vec<Vec<Owned>> = Vec::new();
    // A bool has two values: what comes again is one key, and stands for another row of the ten thousand.
    for _ in 0..KEYS {
        keys.push(sort.iter().map(|column| random.value(&column.kind)).collect());
    }
    let drawn = keys.len();
    let order = |one: &Vec<Owned>, other: &Vec<Owned>| in_order(&sort, one, other);
    keys.sort_by(order);
    keys.dedup_by(|one, other| in_order(&sort, one, other).is_eq());

    let whole: Vec<Vec<Owned>> = keys.iter().map(|key| [&[text("p")], &key[..]].concat()).collect();
    let groups = [GroupImage { group: 0, version: 1, values: &[] }];
    let placing = Placing::Put { groups: &groups, expires_at: None };
    let mut rows: Vec<Placement<'_>> = whole.iter().map(|key| Placement { table: id, key, placing }).collect();
    // Not in their order.
    for at in (1..rows.len()).rev() {
        rows.swap(at, random.below(at + 1));
    }
    store.place(&rows, false, NOW).await.unwrap();

    let mut backwards = keys.clone();
    backwards.reverse();
    assert_eq!(read(store, id, None, false, 1_000).await, keys, "`{name}` {sort:?}");
    assert_eq!(read(store, id, None, true, 40).await, backwards, "`{name}` {sort:?}, backwards");
    for _ in 0..CURSORS {
        // On a key, or somewhere between two.
        let after: Vec<Owned> = match random.below(2) {
            0 => keys[random.below(keys.len())].clone(),
            _ => sort.iter().map(|column| random.value(&column.kind)).collect(),
        };
        let behind: Vec<_> = keys.iter().filter(|key| in_order(&sort, key, &after).is_gt()).cloned().collect();
        let mut before: Vec<_> = keys.iter().filter(|key| in_order(&sort, key, &after).is_lt()).cloned().collect();
        before.reverse();
        assert_eq!(read(store, id, Some(after.clone()), false, 50).await, behind, "`{name}` {sort:?} after {after:?}");
        assert_eq!(read(store, id, Some(after.clone()), true, 50).await, before, "`{name}` {sort:?} before {after:?}");
    }
    drawn
}

fn in_order(sort: &[SortColumn], one: &[Owned], other: &[Owned]) -> Ordering {
    let pairs = one.iter().zip(other).zip(sort);
    let orders = pairs.map(|((one, other), column)| {
        let order = compare(one, other).expect("one kind");
        if column.descending { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// The sort keys of the partition in the order in which the engine returns them, a page at a time.
async fn read(
    store: &DynamoDb,
    table: TableId,
    after: Option<Vec<Owned>>,
    reverse: bool,
    rows_max: u32,
) -> Vec<Vec<Owned>> {
    let (mut after, mut found) = (after, Vec::new());
    let partition = [text("p")];
    let there = store.describe().await.unwrap();
    let shape = there.into_iter().find(|(id, _)| *id == table).unwrap().1;
    loop {
        let of = Slice {
            table,
            partition: &partition,
            within: Range { equal: &[], low: Bound::Unbounded, high: Bound::Unbounded },
            after: after.as_deref(),
            reverse,
            rows_max,
            bytes_max: 1 << 20,
            freshness: Freshness::Settled,
            now: NOW,
        };
        let page = store.slice(of).await.unwrap();
        for row in &page.rows {
            let key = row.key(&shape).unwrap();
            found.push(key.into_iter().skip(1).map(Value::into_owned).collect());
        }
        match page.end {
            End::Range => return found,
            End::Limit { reached } => after = Some(reached),
        }
    }
}

fn text(value: &str) -> Owned {
    Value::Text(value.to_owned().into())
}

/// Every kind that may stand in a key.
fn kinds() -> Vec<Kind> {
    let variant = |name: &str, rank| Variant { name: name.to_owned(), rank };
    vec![
        Kind::Bool,
        Kind::Int,
        Kind::Float,
        Kind::Decimal { scale: 3 },
        Kind::Text,
        Kind::Bytes,
        Kind::Uuid,
        Kind::Uuid7,
        Kind::Date,
        Kind::Timestamp { micros: false },
        Kind::Timestamp { micros: true },
        Kind::Ip,
        Kind::Enum(vec![variant("z", 1), variant("a", 255), variant("m", 256), variant("b", 30_000)]),
    ]
}

/// Numbers that look random: the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        common::mixed(self.0)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number of any length in bits, of either sign.
    fn int(&mut self) -> i64 {
        let bits = self.next() >> self.below(64);
        if self.below(2) == 0 { bits as i64 } else { (bits as i64).wrapping_neg() }
    }

    /// A value of this kind: often near others, sometimes at the end of the kind.
    fn value(&mut self, kind: &Kind) -> Owned {
        match kind {
            Kind::Bool => Value::Bool(self.below(2) == 0),
            Kind::Int => Value::Int([self.int(), i64::MIN, i64::MAX, 0][self.below(24).saturating_sub(20)]),
            Kind::Timestamp { .. } => Value::Timestamp(self.int()),
            Kind::Date => Value::Date(self.int() as i32),
            Kind::Float => {
                let any = f64::from_bits(self.next());
                let finite = if any.is_nan() { 0.0 } else { any };
                Value::Float([finite, self.int() as f64 / 8.0, f64::INFINITY][self.below(20) / 9])
            }
            Kind::Decimal { .. } => {
                let large = i128::from(self.next()) * i128::from(self.next() >> 4);
                let units = [i128::from(self.int()), large, -large][self.below(3)];
                Value::Decimal(units % 10i128.pow(38))
            }
            Kind::Text => {
                let few = ['\0', '\u{1}', ' ', '#', 'a', 'b', 'ä', '\u{D7FF}', '\u{E000}', '\u{FFFF}', '\u{10FFFF}'];
                Value::Text((0..self.below(6)).map(|_| few[self.below(few.len())]).collect::<String>().into())
            }
            Kind::Bytes => {
                let few = [0, 1, 2, 127, 128, 254, 255];
                Value::Bytes((0..self.below(5)).map(|_| few[self.below(few.len())]).collect::<Vec<u8>>().into())
            }
            Kind::Uuid | Kind::Uuid7 => {
                let mut bytes = [self.next().to_be_bytes(), self.next().to_be_bytes()].concat();
                if *kind == Kind::Uuid7 {
                    bytes[6] = 0x70 | bytes[6] & 0x0F;
                }
                Value::Uuid(bytes.try_into().unwrap())
            }
            Kind::Ip => {
                let (high, low) = (self.next(), self.next());
                let four = IpAddr::from((low as u32).to_be_bytes());
                let six = IpAddr::from((u128::from(high) << 64 | u128::from(low)).to_be_bytes());
                Value::Ip([four, six][self.below(2)])
            }
            Kind::Enum(variants) => Value::Enum(variants[self.below(variants.len())].rank),
            other => panic!("{other:?} has no order: {:?}", key::Part::ascending(other.clone())),
        }
    }
}
