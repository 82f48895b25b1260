//! What the dialect says rows take is what a node writes for them, compression off, within a tenth.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on fails; it looks into the folder of a node"
)]

mod common;

use std::{fs, path::Path, time::Duration};

use common::{Dice, Node};
use keyloom_cassandra::{Cassandra, CassandraDialect};
use keyloom_engines::{announce, say};
use keyloom_store::{
    Change, Column, Decision, Define, Dialect, Discipline, Expect, Group, GroupImage, GroupSizes, Image, Millis,
    Placement, Placing, RowSizes, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Member, Value, Variant};
use scylla::client::{session::Session, session_builder::SessionBuilder};

const SUITE: &str = "bytes";
const NOW: Millis = Millis(1_794_000_000_000);
const YEAR_MS: u64 = 365 * 86_400_000;
const DIALECT: CassandraDialect = CassandraDialect { replicas: 1 };

type Owned = Value<'static>;

#[test]
fn rows_take_what_the_dialect_says() {
    let Some(node) = Node::start(SUITE) else { return };
    node.runtime.block_on(async {
        let options = node.options();
        let store = Cassandra::connect(&options).await.unwrap();
        let session = SessionBuilder::new().known_nodes(&options.contact_points).build().await.unwrap();
        session.use_keyspace(&options.keyspace, true).await.unwrap();
        let place = Place { store, session, folder: node.data_folder().join(&options.keyspace) };
        case_events(&place).await;
        for (name, discipline, groups) in [("placed", Discipline::Placed, 1), ("parts", Discipline::Placed, 2)] {
            mixed(&place, name, discipline, groups).await;
        }
        mixed(&place, "decided", Discipline::Decided, 1).await;
    });
    announce(SUITE, "cassandra", 4, 0);
}

struct Place {
    store: Cassandra,
    session: Session,
    folder: std::path::PathBuf,
}

impl Place {
    async fn make(&self, table: &Table) -> TableId {
        self.store.apply(&Step::Create(table.clone())).await.unwrap();
        let there = self.store.describe().await.unwrap();
        self.say(&format!("ALTER TABLE {} WITH compression = {{'enabled': false}}", table.name)).await;
        there.iter().find(|(_, shape)| shape.table().name == table.name).unwrap().0
    }

    async fn say(&self, statement: &str) {
        self.session.query_unpaged(statement, ()).await.unwrap();
    }

    /// Has the node write what it holds in memory, and says how long its files are.
    async fn flushed(&self, table: &str, least: u64) -> u64 {
        self.say(&format!("ALTER TABLE {table} WITH memtable_flush_period_in_ms = 500")).await;
        let (mut before, mut same) = (0, 0);
        for _ in 0..600 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = data_bytes(&self.folder, table);
            same = if now == before && now >= least { same + 1 } else { 0 };
            if same == 15 {
                return now;
            }
            before = now;
        }
        panic!("`{table}` is not flushed: {before} bytes");
    }

    async fn compare(&self, table: &Table, rows: &[RowSizes], partitions: &[RowSizes]) {
        let of_rows: u64 = rows.iter().map(|sizes| DIALECT.row_bytes(table, &[], sizes)).sum();
        // Nobody can decide in the past: all these timestamps lie within minutes, and take three bytes less than those
        // of a table that is some months old.
        let cells = |sizes: &RowSizes| 2 + sizes.cells(0).iter().filter(|cell| !cell.is_absent()).count() as u64;
        let young: u64 = match table.discipline {
            Discipline::Decided => rows.iter().map(|sizes| 3 * cells(sizes)).sum(),
            _ => 0,
        };
        let of_rows = of_rows - young;
        let of_partitions: u64 = partitions.iter().map(|sizes| DIALECT.partition_bytes(table, sizes)).sum();
        let (predicted, stored) = (of_rows + of_partitions, self.flushed(&table.name, of_rows / 2).await);
        let thousandths = predicted * 1_000 / stored;
        let (rows, partitions) = (rows.len(), partitions.len());
        say(&format!(
            "{}: {rows} rows in {partitions} partitions, {predicted} bytes predicted, {stored} stored: {}.{} %\n",
            table.name,
            thousandths / 10,
            thousandths % 10
        ));
        assert!((900..=1_100).contains(&thousandths), "{}: {predicted} predicted, {stored} stored", table.name);
    }
}

/// The length of all data files of a table.
fn data_bytes(keyspace: &Path, table: &str) -> u64 {
    let under =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap()).collect::<Vec<_>>();
    let named = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&format!("{table}-"));
    let files = under(keyspace).into_iter().filter(named).flat_map(|folder| under(&folder.path()));
    let data = files.filter(|file| file.file_name().to_string_lossy().ends_with("-Data.db"));
    data.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn sort(name: &str, kind: Kind, descending: bool) -> SortColumn {
    SortColumn { name: name.to_owned(), kind, descending }
}

fn kinds() -> Kind {
    let variant = |(rank, name): (u16, &str)| Variant { name: name.to_owned(), rank };
    let names = [(10, "opened"), (20, "assigned"), (30, "commented"), (40, "status_changed"), (50, "closed")];
    Kind::Enum(names.map(variant).to_vec())
}

fn uuid(dice: &mut Dice, version: u8) -> Owned {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&dice.bits().to_be_bytes());
    bytes[8..].copy_from_slice(&dice.bits().to_be_bytes());
    bytes[6] = version << 4 | bytes[6] & 0xF;
    Value::Uuid(bytes)
}

/// A moment of the last year, in milliseconds.
fn moment(dice: &mut Dice) -> i64 {
    NOW.0 - dice.below(YEAR_MS) as i64
}

fn text(dice: &mut Dice, length: u64) -> Owned {
    (0..length).map(|_| char::from(b'a' + dice.below(26) as u8)).collect::<String>().into()
}

/// The events of the example `cases`: a thousand cases of a hundred events.
async fn case_events(place: &Place) {
    let columns = vec![column("kind", kinds()), column("actor_id", Kind::Uuid), column("summary", Kind::Text)];
    let table = Table {
        name: "case_event".to_owned(),
        discipline: Discipline::Placed,
        partition: vec![column("tenant_id", Kind::Uuid), column("case_id", Kind::Uuid)],
        sort: vec![sort("at", Kind::Timestamp { micros: false }, true), sort("event_id", Kind::Uuid7, true)],
        groups: vec![Group { columns }],
        grace_ms: 3_600_000,
        lifetime_ms: None,
    };
    let id = place.make(&table).await;
    let mut dice = Dice::new(1);
    let (mut rows, mut partitions) = (Vec::new(), Vec::new());
    for _ in 0..1_000 {
        let (tenant, case) = (uuid(&mut dice, 4), uuid(&mut dice, 4));
        let events = (0..100).map(|_| {
            let at = moment(&mut dice);
            let key = vec![tenant.clone(), case.clone(), Value::Timestamp(at), uuid(&mut dice, 7)];
            let rank = 10 * (1 + dice.below(5) as u16);
            let values = vec![Value::Enum(rank), uuid(&mut dice, 4), text(&mut dice, 160)];
            (key, at as u64 * 1_000, values)
        });
        let events: Vec<(Vec<Owned>, u64, Vec<Owned>)> = events.collect();
        let sizes =
            events.iter().map(|(key, version, values)| RowSizes::of(&table, key, *version, None, values).unwrap());
        rows.extend(sizes);
        partitions.push(rows[rows.len() - 1].clone());
        let groups = events.iter().map(|(_, version, values)| [GroupImage { group: 0, version: *version, values }]);
        let groups: Vec<[GroupImage<'_>; 1]> = groups.collect();
        let placements = events.iter().zip(&groups).map(|((key, ..), groups)| Placement {
            table: id,
            key,
            placing: Placing::Put { groups, expires_at: None },
        });
        place.store.place(&placements.collect::<Vec<_>>(), false, NOW).await.unwrap();
    }
    place.compare(&table, &rows, &partitions).await;
}

/// All kinds, absent values, ends and removals.
async fn mixed(place: &Place, name: &str, discipline: Discipline, groups: usize) {
    let line = Member { name: "line".to_owned(), kind: Kind::Text, optional: true };
    let amount = Member { name: "amount".to_owned(), kind: Kind::Int, optional: false };
    let columns = |suffix: &str| {
        let all = [
            ("note", Kind::Text),
            ("count", Kind::Int),
            ("price", Kind::Decimal { scale: 2 }),
            ("ratio", Kind::Float),
            ("done", Kind::Bool),
            ("day", Kind::Date),
            ("kind", kinds()),
            ("host", Kind::Ip),
            ("tags", Kind::Set(Box::new(Kind::Text))),
            ("counts", Kind::Map(Box::new(Kind::Text), Box::new(Kind::Int))),
            ("lines", Kind::List(Box::new(Kind::Struct(vec![line.clone(), amount.clone()])))),
            ("either", Kind::OneOf(vec![Kind::Int, Kind::Text])),
        ];
        Group { columns: all.into_iter().map(|(name, kind)| column(&format!("{name}{suffix}"), kind)).collect() }
    };
    let table = Table {
        name: name.to_owned(),
        discipline,
        partition: vec![column("owner", Kind::Text)],
        sort: vec![
            sort("state", kinds(), false),
            sort("day_of", Kind::Date, true),
            sort("name", Kind::Text, false),
            sort("other", Kind::Uuid, false),
        ],
        groups: (0..groups).map(|at| columns(["", "_too"][at])).collect(),
        grace_ms: 3_600_000,
        lifetime_ms: None,
    };
    let id = place.make(&table).await;
    let mut dice = Dice::new(groups as u64);
    let (mut rows, mut partitions) = (Vec::new(), Vec::new());
    for number in 0..4_000u64 {
        let owner: Owned = format!("owner {}", number / 20).into();
        let name_length = dice.below(30);
        let day = Value::Date(20_000 + dice.below(400) as i32);
        let key = vec![owner, there(&mut dice, &kinds()), day, text(&mut dice, name_length), uuid(&mut dice, 4)];
        let version = moment(&mut dice) as u64 * 1_000;
        let expires_at = dice.below(2).eq(&0).then(|| NOW.plus(90 * 86_400_000 + dice.below(86_400_000) as i64));
        let gone = table.discipline == Discipline::Placed && dice.below(20) == 0;
        let values: Vec<Vec<Owned>> = table.groups.iter().map(|group| sample(&mut dice, group)).collect();
        let sizes = values.iter().enumerate().map(|(group, values)| match gone {
            true => GroupSizes::Removed { version, at: NOW },
            false => GroupSizes::of(&table, group, version, expires_at, values).unwrap(),
        });
        rows.push(RowSizes::of_groups(&table, &key, sizes.collect()).unwrap());
        if number % 20 == 0 {
            partitions.push(rows[rows.len() - 1].clone());
        }
        if table.discipline == Discipline::Decided {
            let becomes = Image { version, expires_at, values: &values[0] };
            let change = Change { table: id, key: &key, expect: Expect::Absent, becomes };
            let decided = place.store.decide(Decision { change, along: &[], now: NOW }).await.unwrap();
            assert_eq!(decided, Verdict::Done);
            continue;
        }
        let images = values.iter().enumerate().map(|(group, values)| GroupImage { group, version, values });
        let (images, removed) = (images.collect::<Vec<_>>(), (0..groups).map(|at| (at, version)).collect::<Vec<_>>());
        let placing = match gone {
            true => Placing::Remove { groups: &removed },
            false => Placing::Put { groups: &images, expires_at },
        };
        place.store.place(&[Placement { table: id, key: &key, placing }], false, NOW).await.unwrap();
    }
    place.compare(&table, &rows, &partitions).await;
}

fn sample(dice: &mut Dice, group: &Group) -> Vec<Owned> {
    let sparse = dice.below(2) == 0;
    let one = |column: &Column| if sparse && dice.below(3) == 0 { Value::Null } else { there(dice, &column.kind) };
    group.columns.iter().map(one).collect()
}

fn there(dice: &mut Dice, kind: &Kind) -> Owned {
    match kind {
        Kind::Int => Value::Int(dice.bits() as i64),
        Kind::Decimal { .. } => Value::Decimal(i128::from(dice.bits() >> dice.below(60))),
        Kind::Float => Value::Float(dice.below(1_000_000) as f64 / 7.0),
        Kind::Bool => Value::Bool(dice.below(2) == 0),
        Kind::Date => Value::Date(dice.below(30_000) as i32),
        Kind::Enum(variants) => Value::Enum(variants[dice.below(variants.len() as u64) as usize].rank),
        Kind::Ip if dice.below(2) == 0 => Value::Ip([1, 2, 3, 4].into()),
        Kind::Ip => Value::Ip([7u16; 8].into()),
        Kind::Set(of) => Value::Set((0..dice.below(4)).map(|_| there(dice, of)).collect()),
        Kind::List(of) => Value::List((0..dice.below(4)).map(|_| there(dice, of)).collect()),
        Kind::Map(_, of) => {
            Value::Map((0..dice.below(4)).map(|at| (format!("key {at}").into(), there(dice, of))).collect())
        }
        Kind::Struct(members) => {
            let one = |member: &Member| match member.optional && dice.below(2) == 0 {
                true => Value::Null,
                false => there(dice, &member.kind),
            };
            Value::Struct(members.iter().map(one).collect())
        }
        Kind::OneOf(kinds) => {
            let which = dice.below(kinds.len() as u64);
            Value::OneOf(which as u8, Box::new(there(dice, &kinds[which as usize])))
        }
        _ => {
            let length = dice.below(40);
            text(dice, length)
        }
    }
}
