//! What the dialect says a call costs is what the servers count, for thousands of generated calls through the store. Where
//! a server counts otherwise, it is named in `common/counted.rs` with the sentence of DynamoDB's documentation that decides
//! it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use common::counted::{Action, Asked, Difference, Row, Tally, What};
use keyloom_dynamodb::{DynamoDb, DynamoDbDialect};
use keyloom_engines::{announce, say};
use keyloom_limits::{Clock, Engine, Limited, Regime};
use keyloom_model::Engine as EngineKind;
use keyloom_store::{
    Along, Change, Column, Decision, Define, Dialect, Discipline, Expect, Freshness, Get, Group, GroupImage,
    GroupSizes, Image, IndexChange, Millis, Model, Placement, Placing, Range, RowSizes, Slice, SortColumn, Store,
    Table, TableId, Verdict,
};
use keyloom_value::{Duration, Kind, Member, Value, Variant};

const SUITE: &str = "units";
const CALLS: u64 = 3_000;
const NOW: Millis = Millis(1_794_000_000_000);

type Owned = Value<'static>;

#[test]
fn dynoxide_counts_as_the_dialect_does() {
    common::on_dynoxide(SUITE, |engine, endpoint| compare(engine, endpoint, &[]));
}

#[test]
fn extenddb_counts_as_the_dialect_does() {
    use Difference::*;
    let differences =
        [TransactionsLeaveIndexesOut, TransactionsForgetWhatWas, TransactionsSizePutsAlone, DigitsInOneRow];
    common::on_extenddb(SUITE, |engine, endpoint| compare(engine, endpoint, &differences));
}

/// The store that has DynamoDB's limits alone counts as the servers do, to which the same calls are made above.
#[test]
fn a_store_with_its_limits_counts_as_the_dialect_does() {
    let limits =
        Engine { name: "dynamodb", dialect: Box::new(DynamoDbDialect), regime: Regime::of(EngineKind::DynamoDb) };
    common::runtime().block_on(async {
        let store = Limited::over(Arc::new(Model::new()), limits, Arc::new(Ages::default()), Arc::new(|_| {}));
        let asked = World::new(store.await.unwrap(), 7).await.asked(CALLS).await;
        judge("model-as-dynamodb", &[], &asked);
    });
}

/// A clock by which so much time goes by between two calls that nothing is ever short or behind.
#[derive(Default)]
struct Ages(AtomicU64);

impl Clock for Ages {
    fn now_us(&self) -> u64 {
        self.0.fetch_add(10_000_000, Ordering::Relaxed)
    }
}

fn compare(engine: &str, endpoint: &str, differences: &[Difference]) {
    let asked = common::runtime().block_on(async {
        let store = common::fresh(endpoint).await;
        World::new(store, 7).await.asked(CALLS).await
    });
    judge(engine, differences, &asked);
}

fn judge(engine: &str, differences: &[Difference], asked: &[(Asked, u64)]) {
    let mut tally = Tally::new(engine, differences);
    for (asked, counted) in asked {
        tally.judge(asked, *counted, "");
    }
    for (what, calls) in &tally.equal {
        say(&format!("{engine}: {what:?}: {calls} as predicted\n"));
    }
    for (difference, calls) in &tally.otherwise {
        say(&format!("{engine}: {difference:?}: {calls}\n"));
    }
    tally.all_differences_are_there();
    announce(SUITE, engine, asked.len(), 0);
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        common::mixed(self.0) % bound
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// A row as it was written.
#[derive(Clone)]
struct Written {
    version: u64,
    values: Vec<Owned>,
    sizes: RowSizes,
}

/// A store that says what its writes took.
trait Counting: Store + Define {
    fn write_milliunits(&self) -> u64;
}

impl Counting for DynamoDb {
    fn write_milliunits(&self) -> u64 {
        Self::write_milliunits(self)
    }
}

impl Counting for Limited<Model> {
    fn write_milliunits(&self) -> u64 {
        self.meter().counts().iter().map(|count| count.milliunits[1]).sum()
    }
}

/// The store, what was written into it, and what it counted.
struct World<S> {
    store: S,
    dice: Dice,
    tables: BTreeMap<&'static str, (TableId, Table)>,
    rows: BTreeMap<(&'static str, u64), Written>,
    version: u64,
    asked: Vec<(Asked, u64)>,
}

const KEYS: u64 = 24;
const INDEXES: [&str; 2] = ["thing_by_kind", "thing_by_count"];

impl<S: Counting> World<S> {
    async fn new(store: S, seed: u64) -> Self {
        let all = tables();
        let ids = common::define(&store, &all).await;
        let names = ["thing", "thing_by_kind", "thing_by_count", "copy", "spot", "parts"];
        let tables = names.into_iter().zip(ids.into_iter().zip(all)).collect();
        let (dice, version) = (Dice(seed << 32), 1_794_000_000_000_000);
        Self { store, dice, tables, rows: BTreeMap::new(), version, asked: Vec::new() }
    }

    /// Makes so many calls; what was asked, and what was counted.
    async fn asked(mut self, calls: u64) -> Vec<(Asked, u64)> {
        for _ in 0..calls {
            self.call().await;
        }
        self.asked
    }

    async fn call(&mut self) {
        match self.dice.below(10) {
            0 => self.get().await,
            1 => self.slice().await,
            2 => self.slice_of_index().await,
            3..=5 => self.decide().await,
            _ => self.place().await,
        }
    }

    fn table(&self, name: &'static str) -> (TableId, &Table) {
        let (id, table) = &self.tables[name];
        (*id, table)
    }

    fn bytes(&self, name: &'static str, row: Option<&Written>) -> u64 {
        let indexes: Vec<&Table> = match name {
            "thing" => INDEXES.iter().map(|index| self.table(index).1).collect(),
            _ => Vec::new(),
        };
        row.map_or(0, |row| DynamoDbDialect.row_bytes(self.table(name).1, &indexes, &row.sizes))
    }

    fn freshness(&mut self) -> Freshness {
        [Freshness::Any, Freshness::Settled, Freshness::Fresh][self.dice.below(3) as usize]
    }

    async fn get(&mut self) {
        let name = ["thing", "copy", "spot", "parts"][self.dice.below(4) as usize];
        let (number, freshness) = (self.dice.below(KEYS), self.freshness());
        let (table, key) = (self.table(name).0, key(name, number));
        let got = self.store.get(Get { table, key: &key, freshness, now: NOW }).await.unwrap();
        let bytes = self.bytes(name, self.rows.get(&(name, number)));
        self.asked.push((Asked::read(What::Get, 1, bytes, freshness), got.cost.milliunits));
    }

    async fn slice(&mut self) {
        let (owner, freshness) = (self.dice.below(OWNERS), self.freshness());
        let found = self.rows.iter().filter(|((name, number), _)| *name == "thing" && number % OWNERS == owner);
        let found: Vec<(u64, u64)> = found.map(|(_, row)| (row.version, self.bytes("thing", Some(row)))).collect();
        let partition = [key("thing", owner).swap_remove(0)];
        self.read_slice("thing", &partition, found, freshness).await;
    }

    async fn slice_of_index(&mut self) {
        let at = self.dice.below(2) as usize;
        let (index, column) = (INDEXES[at], [KIND_AT, COUNT_AT][at]);
        let things = self.rows.iter().filter(|((name, _), _)| *name == "thing");
        let things: Vec<Written> = things.map(|(_, row)| row.clone()).collect();
        let Some(one) = things.get(self.dice.below(KEYS) as usize % things.len().max(1)) else { return };
        if one.values[column].is_null() {
            return;
        }
        let partition = [one.values[column].clone()];
        let found = things.iter().filter(|row| row.values[column] == partition[0]);
        let found = found.filter_map(|row| Some((row.version, self.index_bytes(index, row)?))).collect();
        self.read_slice(index, &partition, found, Freshness::Any).await;
    }

    /// Reads a partition, of which it is known which versions are in it and how large each row is.
    async fn read_slice(
        &mut self,
        name: &'static str,
        partition: &[Owned],
        mut found: Vec<(u64, u64)>,
        freshness: Freshness,
    ) {
        let of = Slice {
            table: self.table(name).0,
            partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: 1_000,
            bytes_max: 1 << 20,
            freshness,
            now: NOW,
        };
        found.sort_unstable();
        let expected: Vec<u64> = found.iter().map(|(version, _)| *version).collect();
        let mut tries = 0;
        // An index follows its table.
        let rows = loop {
            let rows = self.store.slice(of).await.unwrap();
            let mut versions: Vec<u64> = rows.rows.iter().map(|row| row.version().unwrap()).collect();
            versions.sort_unstable();
            if versions == expected {
                break rows;
            }
            tries += 1;
            assert!(tries < 500, "{name}: {versions:?} and not {expected:?}");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        };
        let what = if INDEXES.contains(&name) { What::SliceOfIndex } else { What::Slice };
        let bytes = found.iter().map(|(_, bytes)| bytes).sum();
        self.asked.push((Asked::read(what, found.len() as u64, bytes, freshness), rows.cost.milliunits));
    }

    fn index_bytes(&self, index: &'static str, row: &Written) -> Option<u64> {
        DynamoDbDialect.index_row_bytes(self.table(index).1, self.table("thing").1, &row.sizes)
    }

    /// What becomes of a row in the indexes.
    fn index_changes(&self, name: &'static str, old: Option<&Written>, new: Option<&Written>) -> Vec<IndexChange> {
        if name != "thing" {
            return Vec::new();
        }
        let change = |index: &'static str| {
            let bytes = |row: Option<&Written>| row.and_then(|row| self.index_bytes(index, row));
            let names = self.table(index).1.key_names().collect::<Vec<_>>();
            let columns = &self.table("thing").1.groups[0].columns;
            let moved = columns.iter().enumerate().filter(|(_, column)| names.contains(&column.name.as_str()));
            let at = |row: Option<&Written>, at: usize| row.map(|row| row.values[at].clone());
            let moved = moved.clone().any(|(column, _)| at(old, column) != at(new, column));
            match (bytes(old), bytes(new)) {
                (None, None) => None,
                (None, Some(new)) => Some(IndexChange::Enters { new }),
                (Some(old), None) => Some(IndexChange::Leaves { old }),
                (Some(old), Some(new)) if moved => Some(IndexChange::Moves { old, new }),
                (Some(old), Some(new)) => Some(IndexChange::Stays { old, new }),
            }
        };
        INDEXES.into_iter().filter_map(change).collect()
    }

    fn next(&mut self, name: &'static str, number: u64) -> Written {
        self.version += 1 + self.dice.below(50);
        let expires_at = self.dice.one_in(3).then(|| NOW.plus(1_000 * (1 + self.dice.below(100_000_000) as i64)));
        let (_, table) = self.tables[name].clone();
        let key = key(name, number);
        let groups = table.groups.iter().enumerate().map(|(at, group)| {
            let values: Vec<Owned> = group.columns.iter().map(|column| sample(&mut self.dice, &column.kind)).collect();
            let sizes = GroupSizes::of(&table, at, self.version, expires_at, &values).unwrap();
            (values, sizes)
        });
        let (values, groups): (Vec<_>, Vec<_>) = groups.unzip();
        let sizes = RowSizes::of_groups(&table, &key, groups).unwrap();
        Written { version: self.version, values: values.concat(), sizes }
    }

    fn row_change(&self, action: Action, name: &'static str, number: u64, new: Option<&Written>) -> Row {
        let old = self.rows.get(&(name, number));
        let indexes = if action == Action::Check { Vec::new() } else { self.index_changes(name, old, new) };
        Row { action, old: self.bytes(name, old), new: self.bytes(name, new), indexes }
    }

    /// A decision, half of the time with others along.
    async fn decide(&mut self) {
        let number = self.dice.below(KEYS);
        let along = self.dice.one_in(2);
        let new = self.next("thing", number);
        let mut changes = vec![self.row_change(Action::Put, "thing", number, Some(&new))];
        let expect_of = |row: Option<&Written>| row.map_or(Expect::Absent, |row| Expect::Version(row.version));
        let expect = expect_of(self.rows.get(&("thing", number)));
        // Keys and images outlive the call that borrows them.
        let (copy_number, spot_number, check_number) =
            (self.dice.below(KEYS), self.dice.below(KEYS), (number + 1 + self.dice.below(KEYS - 1)) % KEYS);
        let keys =
            [key("thing", number), key("copy", copy_number), key("spot", spot_number), key("thing", check_number)];
        let removes = self.dice.one_in(3);
        let copy = self.next("copy", copy_number);
        let spot = self.next("spot", spot_number);
        let images = [image(&copy)];
        let spot_groups = [GroupImage { group: 0, version: spot.version, values: &spot.values }];
        let mut riders = Vec::new();
        if along {
            let (copies, spots, things) = (self.table("copy").0, self.table("spot").0, self.table("thing").0);
            riders.push(match removes {
                true => Along::Remove { table: copies, key: &keys[1] },
                false => Along::Put { table: copies, key: &keys[1], becomes: images[0] },
            });
            let action = if removes { Action::Delete } else { Action::Put };
            changes.push(self.row_change(action, "copy", copy_number, (!removes).then_some(&copy)));
            let placing = Placing::Put { groups: &spot_groups, expires_at: expires_at(&spot) };
            riders.push(Along::Place(Placement { table: spots, key: &keys[2], placing }));
            changes.push(self.row_change(Action::Put, "spot", spot_number, Some(&spot)));
            let checked = self.rows.get(&("thing", check_number));
            riders.push(Along::Check { table: things, key: &keys[3], expect: expect_of(checked) });
            changes.push(self.row_change(Action::Check, "thing", check_number, checked));
        }
        let change = Change { table: self.table("thing").0, key: &keys[0], expect, becomes: image(&new) };
        let before = self.store.write_milliunits();
        let verdict = self.store.decide(Decision { change, along: &riders, now: NOW }).await.unwrap();
        assert_eq!(verdict, Verdict::Done);
        let counted = self.store.write_milliunits() - before;
        let what = if along { What::Transaction } else { What::Decision };
        self.asked.push((Asked::written(what, changes), counted));
        self.rows.insert(("thing", number), new);
        if along {
            match removes {
                true => self.rows.remove(&("copy", copy_number)),
                false => self.rows.insert(("copy", copy_number), copy),
            };
            self.rows.insert(("spot", spot_number), spot);
        }
    }

    /// Placements, alone or together.
    async fn place(&mut self) {
        let name = if self.dice.one_in(3) { "parts" } else { "spot" };
        let together = self.dice.one_in(2);
        let count = 1 + self.dice.below(3);
        let first = self.dice.below(KEYS);
        let numbers: Vec<u64> = (0..count).map(|at| (first + at) % KEYS).collect();
        let removes = self.dice.one_in(4);
        let rows: Vec<Written> = numbers.iter().map(|number| self.next(name, *number)).collect();
        let rows: Vec<Written> = rows.into_iter().map(|row| if removes { removed(row) } else { row }).collect();
        let action = if name == "parts" { Action::Update } else { Action::Put };
        let changes = numbers.iter().zip(&rows).map(|(number, row)| self.row_change(action, name, *number, Some(row)));
        let changes = changes.collect();
        let (table, definition) = self.table(name);
        let keys: Vec<_> = numbers.iter().map(|number| key(name, *number)).collect();
        let widths: Vec<usize> = definition.groups.iter().map(|group| group.columns.len()).collect();
        let images: Vec<Vec<GroupImage<'_>>> = rows.iter().map(|row| group_images(row, &widths)).collect();
        let gone: Vec<Vec<(usize, u64)>> =
            rows.iter().map(|row| (0..widths.len()).map(|group| (group, row.version)).collect()).collect();
        let placements = keys.iter().enumerate().map(|(at, key)| {
            let placing = match removes {
                true => Placing::Remove { groups: &gone[at] },
                false => Placing::Put { groups: &images[at], expires_at: expires_at(&rows[at]) },
            };
            Placement { table, key, placing }
        });
        let placements: Vec<Placement<'_>> = placements.collect();
        let before = self.store.write_milliunits();
        self.store.place(&placements, together, NOW).await.unwrap();
        let counted = self.store.write_milliunits() - before;
        let what = match (together && count > 1, removes) {
            (true, _) => What::PlacedTogether,
            (false, true) => What::Removed,
            (false, false) => What::Placed,
        };
        self.asked.push((Asked::written(what, changes), counted));
        self.rows.extend(numbers.iter().map(|number| (name, *number)).zip(rows));
    }
}

fn image(row: &Written) -> Image<'_> {
    Image { version: row.version, expires_at: expires_at(row), values: &row.values }
}

fn expires_at(row: &Written) -> Option<Millis> {
    match row.sizes.groups[0] {
        GroupSizes::Put { expires_at, .. } => expires_at,
        _ => None,
    }
}

fn group_images<'a>(row: &'a Written, widths: &[usize]) -> Vec<GroupImage<'a>> {
    let mut values = &row.values[..];
    let mut image = |(group, width): (usize, &usize)| {
        let (own, rest) = values.split_at(*width);
        values = rest;
        GroupImage { group, version: row.version, values: own }
    };
    widths.iter().enumerate().map(&mut image).collect()
}

fn removed(mut row: Written) -> Written {
    let gone = GroupSizes::Removed { version: row.version, at: NOW };
    row.sizes.groups.iter_mut().for_each(|group| *group = gone.clone());
    row
}

const OWNERS: u64 = 4;
const KIND_AT: usize = 3;
const COUNT_AT: usize = 2;

/// The key of a row by its number.
fn key(name: &str, number: u64) -> Vec<Owned> {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&common::mixed(number).to_be_bytes());
    match name {
        "thing" => {
            let owner = ["", "ann", "a much longer name of somebody", "é"][(number % OWNERS) as usize];
            vec![owner.into(), Value::Timestamp(1_700_000_000_000 + number as i64 * 1_000), Value::Uuid(id)]
        }
        "copy" => vec![Value::Uuid(id)],
        _ => vec![Value::Int(number as i64 % 5 * 100 - 200), format!("name {number}").into()],
    }
}

fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}

fn tables() -> Vec<Table> {
    let sort = |name: &str, kind, descending| SortColumn { name: name.to_owned(), kind, descending };
    let table = |name: &str, discipline, partition, sort, groups: Vec<Vec<Column>>| Table {
        name: name.to_owned(),
        discipline,
        partition,
        sort,
        groups: groups.into_iter().map(|columns| Group { columns }).collect(),
        grace_ms: 3_600_000,
        lifetime_ms: None,
    };
    let (at, kind) = (Kind::Timestamp { micros: false }, kinds());
    let of_thing = || vec![sort("at", at.clone(), true), sort("id", Kind::Uuid, false)];
    let index = || Discipline::Indexed { of: "thing".to_owned() };
    let mut by_kind = vec![sort("day", Kind::Date, false), sort("owner", Kind::Text, false)];
    by_kind.extend(of_thing());
    let mut by_count = vec![sort("owner", Kind::Text, true)];
    by_count.extend(of_thing());
    let line = Kind::Struct(vec![
        Member { name: "name".to_owned(), kind: Kind::Text, optional: false },
        Member { name: "amount".to_owned(), kind: Kind::Decimal { scale: 2 }, optional: true },
    ]);
    let columns = vec![
        column("title", Kind::Text),
        column("body", Kind::Text),
        column("count", Kind::Int),
        column("kind", kind.clone()),
        column("day", Kind::Date),
        column("price", Kind::Decimal { scale: 2 }),
        column("ratio", Kind::Float),
        column("done", Kind::Bool),
        column("tags", Kind::Set(Box::new(Kind::Text))),
        column("lines", Kind::List(Box::new(line))),
        column("counts", Kind::Map(Box::new(Kind::Text), Box::new(Kind::Int))),
        column("pairs", Kind::Map(Box::new(Kind::Int), Box::new(Kind::Text))),
        column("host", Kind::Ip),
        column("span", Kind::Duration),
        column("raw", Kind::Bytes),
        column("doc", Kind::Json),
        column("either", Kind::OneOf(vec![Kind::Int, Kind::Text])),
        column("micros", Kind::Timestamp { micros: true }),
    ];
    vec![
        table("thing", Discipline::Decided, vec![column("owner", Kind::Text)], of_thing(), vec![columns]),
        table(
            "thing_by_kind",
            index(),
            vec![column("kind", kind.clone())],
            by_kind,
            vec![vec![column("title", Kind::Text), column("count", Kind::Int)]],
        ),
        table(
            "thing_by_count",
            index(),
            vec![column("count", Kind::Int)],
            by_count,
            vec![vec![column("body", Kind::Text)]],
        ),
        table(
            "copy",
            Discipline::Carried,
            vec![column("id", Kind::Uuid)],
            vec![],
            vec![vec![column("body", Kind::Text)]],
        ),
        table(
            "spot",
            Discipline::Placed,
            vec![column("place", Kind::Int)],
            vec![sort("name", Kind::Text, false)],
            vec![vec![column("body", Kind::Text), column("count", Kind::Int), column("kind", kind.clone())]],
        ),
        table(
            "parts",
            Discipline::Placed,
            vec![column("place", Kind::Int)],
            vec![sort("name", Kind::Text, true)],
            vec![vec![column("body", Kind::Text)], vec![column("more", Kind::Text), column("kind", kind)]],
        ),
    ]
}

fn kinds() -> Kind {
    let variant = |(rank, name): (u16, &str)| Variant { name: name.to_owned(), rank };
    Kind::Enum([(10, "open"), (20, "waiting_for_somebody"), (30, "done")].map(variant).to_vec())
}

/// A value of a kind, absent now and then.
fn sample(dice: &mut Dice, kind: &Kind) -> Owned {
    if dice.one_in(5) { Value::Null } else { there(dice, kind) }
}

fn text(dice: &mut Dice) -> String {
    let near = |dice: &mut Dice, size: u64| size - 300 + dice.below(600);
    let length = match dice.below(20) {
        0 => 0,
        1 => near(dice, 1_024),
        2 => near(dice, 4_096),
        3 => near(dice, 8_192),
        _ => dice.below(40),
    };
    let letter = ["x", "é", "😀"][dice.below(3) as usize];
    letter.repeat(length as usize / letter.len())
}

fn there(dice: &mut Dice, kind: &Kind) -> Owned {
    let number = |dice: &mut Dice| {
        let magnitude = 10u64.pow(dice.below(17) as u32);
        let digits = dice.below(magnitude) as i64;
        // With zeros at its end, now and then.
        let number = if dice.one_in(3) { digits / 100 * 100 } else { digits };
        if dice.one_in(3) { -number } else { number }
    };
    match kind {
        Kind::Bool => Value::Bool(dice.one_in(2)),
        Kind::Int => Value::Int(number(dice)),
        Kind::Float => Value::Float(number(dice) as f64 / 1_000.0),
        Kind::Decimal { .. } => Value::Decimal(i128::from(number(dice)) * [1, 10, 100][dice.below(3) as usize]),
        Kind::Text => text(dice).into(),
        Kind::Bytes => Value::Bytes(vec![7; dice.below(50) as usize].into()),
        Kind::Json => Value::Json(format!("\"{}\"", text(dice)).into()),
        Kind::Uuid | Kind::Uuid7 => Value::Uuid([0x70 | dice.below(16) as u8; 16]),
        Kind::Date => Value::Date(number(dice) as i32 % 100_000),
        Kind::Timestamp { .. } => Value::Timestamp(number(dice)),
        Kind::Duration => Value::Duration(Duration { months: 1, days: 2, micros: 3 }),
        Kind::Ip if dice.one_in(2) => Value::Ip([1, 2, 3, 4].into()),
        Kind::Ip => Value::Ip([7u16; 8].into()),
        Kind::Enum(variants) => Value::Enum(variants[dice.below(variants.len() as u64) as usize].rank),
        Kind::List(of) => Value::List((0..dice.below(5)).map(|_| there(dice, of)).collect()),
        Kind::Set(of) => Value::Set((0..dice.below(5)).map(|_| there(dice, of)).collect()),
        Kind::Map(key, of) => {
            let mut entries: Vec<(Owned, Owned)> = Vec::new();
            for _ in 0..dice.below(5) {
                let name = there(dice, key);
                if entries.iter().all(|(known, _)| *known != name) {
                    entries.push((name, there(dice, of)));
                }
            }
            Value::Map(entries)
        }
        Kind::Struct(members) => {
            let one =
                |member: &Member| if member.optional { sample(dice, &member.kind) } else { there(dice, &member.kind) };
            Value::Struct(members.iter().map(one).collect())
        }
        Kind::OneOf(kinds) => {
            let which = dice.below(kinds.len() as u64);
            Value::OneOf(which as u8, Box::new(there(dice, &kinds[which as usize])))
        }
    }
}
