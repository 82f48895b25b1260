//! Keys of all ordered kinds, in both directions, come back in the order of their values.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod common;

use std::{cmp::Ordering, net::IpAddr, sync::Arc};

use common::{Dice, Node};
use keyloom_cassandra::Cassandra;
use keyloom_engines::announce;
use keyloom_store::{
    Column, Define, Discipline, End, Freshness, Group, GroupImage, Millis, Placement, Placing, Range, Shape, Slice,
    SortColumn, Step, Store, Table, TableId,
};
use keyloom_value::{Kind, Value, Variant, compare};

type Owned = Value<'static>;

const NOW: Millis = Millis(1_800_000_000_000);

/// How many keys all tables have together.
const KEYS: usize = 10_000;

/// How many components a sort key has.
const COMPONENTS: usize = 4;

fn kinds() -> Vec<Kind> {
    let variant = |rank: u16| Variant { name: format!("rank {}", Kind::RANK_MAX - rank), rank };
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
        Kind::Enum([1, 2, 127, 128, 255, 256, Kind::RANK_MAX].map(variant).to_vec()),
    ]
}

/// A value of a kind: often one of few, so that the next component decides, and often at an edge.
fn value(kind: &Kind, dice: &mut Dice) -> Owned {
    let narrow = dice.below(3) > 0;
    let number = |dice: &mut Dice| match narrow {
        true => [i64::MIN, -256, -1, 0, 1, 255, i64::MAX][dice.below(7) as usize],
        false => dice.bits().cast_signed(),
    };
    let mut bytes = |lengths: u64, letters: &[u8]| -> Vec<u8> {
        (0..dice.below(lengths)).map(|_| letters[dice.below(letters.len() as u64) as usize]).collect()
    };
    match kind {
        Kind::Bytes => Value::Bytes(bytes(4, &[0, 1, 127, 128, 255]).into()),
        Kind::Text => {
            let letters = ['\0', '\u{1}', '#', 'a', 'é', '\u{FFFF}', '\u{10000}', '\u{10FFFF}'];
            Value::Text(
                bytes(4, &[0, 1, 2, 3, 4, 5, 6, 7])
                    .iter()
                    .map(|at| letters[usize::from(*at)])
                    .collect::<String>()
                    .into(),
            )
        }
        Kind::Bool => Value::Bool(dice.below(2) == 1),
        Kind::Int => Value::Int(number(dice)),
        Kind::Timestamp { .. } => Value::Timestamp(number(dice)),
        Kind::Date => Value::Date((number(dice) >> 32) as i32 ^ (dice.below(2) as i32)),
        Kind::Float => {
            let edges = [f64::NEG_INFINITY, f64::MIN, -1.5, -5e-324, 0.0, 5e-324, 1.5, f64::MAX, f64::INFINITY];
            let any = f64::from_bits(dice.bits());
            Value::Float(if narrow || any.is_nan() { edges[dice.below(9) as usize] } else { any })
        }
        Kind::Decimal { .. } => {
            let digits = 10i128.pow(dice.below(39) as u32) - 1;
            Value::Decimal(if dice.below(2) == 0 { digits } else { -digits - i128::from(digits < 10i128.pow(37)) })
        }
        Kind::Uuid | Kind::Uuid7 => {
            let mut uuid = (u128::from(dice.bits()) << 64 | u128::from(dice.bits())).to_be_bytes();
            if narrow {
                uuid = [[0; 16], [0x80; 16], [0xFF; 16], [1; 16]][dice.below(4) as usize];
                uuid[15] = dice.below(2) as u8;
            }
            let version = if *kind == Kind::Uuid7 { 7 } else { [0, 1, 4, 7, 15][dice.below(5) as usize] };
            uuid[6] = version << 4 | uuid[6] & 0x0F;
            Value::Uuid(uuid)
        }
        Kind::Ip => Value::Ip(match dice.below(2) {
            0 => IpAddr::from(
                (if narrow { [0, 1, u32::MAX][dice.below(3) as usize] } else { dice.bits() as u32 }).to_be_bytes(),
            ),
            _ => {
                let edges = [0, 1, 0xFFFF_0102_0304, u128::MAX];
                let any = u128::from(dice.bits()) << 64;
                IpAddr::from((if narrow { edges[dice.below(4) as usize] } else { any }).to_be_bytes())
            }
        }),
        Kind::Enum(variants) => Value::Enum(variants[dice.below(variants.len() as u64) as usize].rank),
        _ => panic!("{kind:?} has no order"),
    }
}

/// One table for each kind, which stands in front; all kinds come up in both directions.
fn table(at: usize) -> Table {
    let kinds = kinds();
    let sort = (0..COMPONENTS).map(|component| SortColumn {
        name: format!("s{component}"),
        kind: kinds[(at + component * 5) % kinds.len()].clone(),
        descending: (at / 2 + component * (1 + at % 2)) % 2 == 1,
    });
    Table {
        name: format!("keys_{at}"),
        discipline: Discipline::Placed,
        partition: vec![Column { name: "p".to_owned(), kind: Kind::Int }],
        sort: sort.collect(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: 0,
        lifetime_ms: None,
    }
}

/// The order of the table, said once more by hand.
fn order(sort: &[SortColumn], a: &[Owned], b: &[Owned]) -> Ordering {
    let orders = sort.iter().zip(a.iter().zip(b)).map(|(column, (a, b))| {
        let order = compare(a, b).unwrap();
        if column.descending { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// The sort keys of a slice of at most so many rows, in as many pages as it takes.
async fn read(
    store: &Cassandra,
    (id, shape): &(TableId, Arc<Shape>),
    after: Option<&[Owned]>,
    reverse: bool,
    rows: usize,
) -> Vec<Vec<Owned>> {
    let (mut found, mut after) = (Vec::new(), after.map(<[Owned]>::to_vec));
    while found.len() < rows {
        let slice = Slice {
            table: *id,
            partition: &[Value::Int(1)],
            within: Range::ALL,
            after: after.as_deref(),
            reverse,
            rows_max: u32::try_from(rows - found.len()).unwrap().min(300),
            bytes_max: u32::MAX,
            freshness: Freshness::Settled,
            now: NOW,
        };
        let page = store.slice(slice).await.unwrap();
        let sort =
            |row: &keyloom_store::Row| row.key(shape).unwrap().into_iter().skip(1).map(Value::into_owned).collect();
        found.extend(page.rows.iter().map(sort));
        let End::Limit { reached } = page.end else { break };
        after = Some(reached);
    }
    found
}

async fn check(store: &Cassandra, at: usize) -> usize {
    let mut dice = Dice::new(at as u64);
    let table = table(at);
    store.apply(&Step::Create(table.clone())).await.unwrap();
    let described = store.describe().await.unwrap();
    let described = described.into_iter().find(|(_, shape)| shape.table().name == table.name).unwrap();
    let mut tuple = || -> Vec<Owned> { table.sort.iter().map(|column| value(&column.kind, &mut dice)).collect() };
    let wanted = KEYS.div_ceil(kinds().len());
    let mut keys: Vec<Vec<Owned>> = Vec::new();
    while keys.len() < wanted {
        keys.extend((keys.len()..wanted).map(|_| tuple()));
        keys.sort_by(|a, b| order(&table.sort, a, b));
        keys.dedup();
    }
    let cursors: Vec<Vec<Owned>> = (0..20).map(|_| tuple()).collect();
    let group = [GroupImage { group: 0, version: 1, values: &[] }];
    let whole: Vec<Vec<Owned>> = keys.iter().map(|key| [&[Value::Int(1)], &key[..]].concat()).collect();
    let placing = Placing::Put { groups: &group, expires_at: None };
    let rows: Vec<Placement<'_>> = whole.iter().map(|key| Placement { table: described.0, key, placing }).collect();
    store.place(&rows, false, NOW).await.unwrap();
    for reverse in [false, true] {
        let mut expected = keys.clone();
        if reverse {
            expected.reverse();
        }
        assert_eq!(read(store, &described, None, reverse, usize::MAX >> 33).await, expected, "{:?}", table.sort);
        for cursor in cursors.iter().chain(keys.iter().step_by(keys.len() / 20)) {
            let behind = |key: &&Vec<Owned>| order(&table.sort, key, cursor).is_gt() != reverse && *key != cursor;
            let expected: Vec<Vec<Owned>> = expected.iter().filter(behind).take(25).cloned().collect();
            assert_eq!(
                read(store, &described, Some(cursor), reverse, 25).await,
                expected,
                "behind {cursor:?}, {:?}",
                table.sort
            );
        }
    }
    keys.len()
}

#[test]
fn ten_thousand_keys_keep_their_order() {
    let Some(node) = Node::start("order") else { return };
    let store = node.store();
    let keys: usize = (0..kinds().len()).map(|at| node.runtime.block_on(check(&store, at))).sum();
    assert!(keys >= KEYS);
    announce("order", "cassandra", keys, 0);
}
