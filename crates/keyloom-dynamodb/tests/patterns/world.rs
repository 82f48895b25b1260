//! A store with the tables of a program, on which the calls of its plans are made.

use std::collections::{BTreeMap, BTreeSet};

use keyloom_dynamodb::{DynamoDb, DynamoDbDialect};
use keyloom_model::Pattern;
use keyloom_plan::{Program, rows_of};
use keyloom_size::{Becomes, Ground, InIndex, RowVisit, Visit, Visits};
use keyloom_store::{
    Along, Change, Decision, Dialect, Discipline, Expect, Freshness, Get, GroupImage, GroupSizes, Image, Millis,
    Placement, Placing, Range, RowSizes, Slice, Store, Table, TableId, Verdict,
};
use keyloom_value::Value;

use crate::all;
use crate::common::counted::{Action, Asked, Row, Tally, What};
use crate::common::{self, typical};

const NOW: Millis = Millis(1_794_000_000_000);
/// When rows end that do, and what is removed is forgotten.
const END: Millis = Millis(1_877_777_777_777);
/// The one partition of each table that slices read. No row that is written for itself has this number.
const SLICED: u64 = 0;
/// A decided table that every program has: carried rows ride with one of its rows.
const VEHICLE: &str = "kl_system";
/// How many rows ride at once.
const ALONG: usize = 50;

type Owned = Value<'static>;

/// A row with values of exactly the sizes that are assumed.
#[derive(Clone)]
struct Typical {
    key: Vec<Owned>,
    values: Vec<Owned>,
    ends: Option<Millis>,
}

impl Typical {
    fn image(&self, version: u64) -> Image<'_> {
        Image { version, expires_at: self.ends, values: &self.values }
    }

    fn groups(&self, version: u64) -> [GroupImage<'_>; 1] {
        [GroupImage { group: 0, version, values: &self.values }]
    }
}

/// A store with the tables of a program.
pub(crate) struct World<'a> {
    store: DynamoDb,
    ground: &'a Ground<'a>,
    program: &'a Program,
    tables: BTreeMap<&'a str, (TableId, &'a Table)>,
    /// How many rows the partition that slices read has, of each table.
    sliced: BTreeMap<String, u64>,
    number: u64,
    version: u64,
    pub(crate) calls: usize,
    pub(crate) without: BTreeSet<String>,
}

impl<'a> World<'a> {
    pub(crate) async fn new(endpoint: &str, ground: &'a Ground<'a>, program: &'a Program) -> Self {
        let store = common::fresh(endpoint).await;
        let all: Vec<&Table> = program.all_tables().collect();
        let ids = common::define(&store, &all.iter().map(|table| (*table).clone()).collect::<Vec<_>>()).await;
        let tables = all.iter().zip(ids).map(|(table, id)| (table.name.as_str(), (id, *table))).collect();
        let world = Self {
            store,
            ground,
            program,
            tables,
            sliced: BTreeMap::new(),
            number: SLICED,
            version: 1_794_000_000_000_001,
            calls: 0,
            without: BTreeSet::new(),
        };
        all.into_iter().for_each(|table| world.is_as_large_as_assumed(table));
        world
    }

    /// The rows that are written here have the bytes that `size` assumes.
    fn is_as_large_as_assumed(&self, table: &Table) {
        let source = match &table.discipline {
            Discipline::Indexed { of } => self.table(of).1,
            _ => table,
        };
        let row = self.row(source, |_| 7);
        let sizes = RowSizes::of(source, &row.key, self.version, row.ends, &row.values).unwrap();
        let bytes = match &table.discipline {
            Discipline::Indexed { .. } => DynamoDbDialect.index_row_bytes(table, source, &sizes).unwrap(),
            _ => DynamoDbDialect.row_bytes(table, &self.indexes(&table.name), &sizes),
        };
        assert_eq!(bytes, self.ground.bytes(&table.name).typical, "{}", table.name);
    }

    fn table(&self, name: &str) -> (TableId, &'a Table) {
        self.tables[name]
    }

    fn indexes(&self, name: &str) -> Vec<&'a Table> {
        let of = |table: &&Table| matches!(&table.discipline, Discipline::Indexed { of } if of == name);
        self.program.tables.iter().filter(of).collect()
    }

    /// Whether a row may be without a column.
    fn is_optional(&self, table: &str, column: &str) -> bool {
        let (catalog, table) = (&self.program.catalog, self.program.layout.table(table));
        let entity = table.and_then(|table| catalog.entity(rows_of(catalog, table)?));
        entity.and_then(|entity| entity.field(column)).is_some_and(|field| field.optional)
    }

    fn next_version(&mut self) -> u64 {
        self.version += 10;
        self.version
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// A typical row, by a number for each of its columns.
    fn row(&self, table: &Table, number: impl Fn(&str) -> u64) -> Typical {
        let RowSizes { key, groups } = self.ground.typical(table);
        let [GroupSizes::Put { expires_at, cells, .. }] = &groups[..] else { panic!("{table:?}") };
        let columns = table.partition.iter().map(|column| (&column.name, &column.kind));
        let columns = columns.chain(table.sort.iter().map(|column| (&column.name, &column.kind)));
        let key = columns.zip(&key).map(|((name, kind), size)| typical::value(kind, size, number(name)));
        let cells = table.groups[0].columns.iter().zip(cells);
        let values = cells.map(|(column, size)| typical::value(&column.kind, size, number(&column.name)));
        Typical { key: key.collect(), values: values.collect(), ends: expires_at.map(|_| END) }
    }

    /// Makes every call of a pattern.
    pub(crate) async fn pattern(&mut self, pattern: &Pattern, tally: &mut Tally) {
        let reads = self.program.reads_of(&pattern.name).map(|plan| self.ground.read(plan));
        let plans: Vec<Visits> = reads.chain([self.ground.write(pattern)]).collect();
        let before = self.calls;
        for visits in plans {
            for visit in all(&visits) {
                let asked = self.asked(&visit);
                let predicted = self.ground.work(&visit);
                let predicted = predicted.read_half_units * 500 + predicted.write_units * 1_000;
                assert_eq!(asked.milliunits(), predicted, "{visit:?}");
                let counted = self.make(&visit).await;
                tally.judge(&asked, counted, &format!("{}: {visit:?}", pattern.name));
                self.calls += 1;
            }
            self.without.extend(visits.without);
        }
        assert!(self.calls > before, "{} makes no call", pattern.name);
    }

    /// A call as the differences know it.
    fn asked(&self, visit: &Visit) -> Asked {
        let bytes = |table: &str| self.ground.bytes(table).typical;
        match visit {
            Visit::Get { table, freshness } => Asked::read(What::Get, 1, bytes(table), *freshness),
            Visit::Slice { table, rows, freshness } => {
                let index = matches!(self.table(table).1.discipline, Discipline::Indexed { .. });
                let what = if index { What::SliceOfIndex } else { What::Slice };
                Asked::read(what, *rows, rows * bytes(table), *freshness)
            }
            Visit::Decide { rows } => {
                let what = if rows.len() > 1 { What::Transaction } else { What::Decision };
                Asked::written(what, rows.iter().map(|row| self.asked_row(row)).collect())
            }
            Visit::Place { row } => {
                let what = if row.becomes == Becomes::Gone { What::Removed } else { What::Placed };
                Asked::written(what, vec![self.asked_row(row)])
            }
        }
    }

    fn asked_row(&self, row: &RowVisit) -> Row {
        let action = match (&self.table(&row.table).1.discipline, row.becomes) {
            (_, Becomes::Checked) => Action::Check,
            (Discipline::Carried, Becomes::Gone) => Action::Delete,
            _ => Action::Put,
        };
        let change = self.ground.row_change(row, &[]);
        Row { action, old: change.old, new: change.new, indexes: self.ground.index_changes(row) }
    }

    /// Makes a call, and says what was counted.
    async fn make(&mut self, visit: &Visit) -> u64 {
        match visit {
            Visit::Get { table, freshness } => {
                let row = self.fresh(table);
                self.write(table, std::slice::from_ref(&row)).await;
                let get = Get { table: self.table(table).0, key: &row.key, freshness: *freshness, now: NOW };
                let got = self.store.get(get).await.unwrap();
                assert!(got.row.is_some(), "{table}");
                got.cost.milliunits
            }
            Visit::Slice { table, rows, freshness } => self.slice(table, *rows, *freshness).await,
            Visit::Decide { rows } => self.decide(rows).await,
            Visit::Place { row } => self.place(row).await,
        }
    }

    /// A row that nobody has written yet.
    fn fresh(&mut self, table: &str) -> Typical {
        let number = self.next_number();
        self.row(self.table(table).1, |_| number)
    }

    /// Writes rows as their table is written.
    async fn write<'b>(&mut self, name: &str, rows: &'b [Typical]) -> u64 {
        let (table, definition) = self.table(name);
        let version = self.next_version();
        match definition.discipline {
            Discipline::Decided => {
                for row in rows {
                    let change = Change { table, key: &row.key, expect: Expect::Absent, becomes: row.image(version) };
                    let verdict = self.store.decide(Decision { change, along: &[], now: NOW }).await.unwrap();
                    assert_eq!(verdict, Verdict::Done, "{name}");
                }
            }
            Discipline::Carried => {
                let vehicle = self.fresh(VEHICLE);
                let (carries, becomes) = (self.table(VEHICLE).0, vehicle.image(version));
                let change = Change { table: carries, key: &vehicle.key, expect: Expect::Absent, becomes };
                let put = |row: &'b Typical| Along::Put { table, key: &row.key, becomes: row.image(version) };
                let along: Vec<Along<'_>> = rows.iter().map(put).collect();
                let verdict = self.store.decide(Decision { change, along: &along, now: NOW }).await.unwrap();
                assert_eq!(verdict, Verdict::Done, "{name}");
            }
            Discipline::Placed => {
                let groups: Vec<[GroupImage<'_>; 1]> = rows.iter().map(|row| row.groups(version)).collect();
                let placements = rows.iter().zip(&groups).map(|(row, groups)| {
                    let placing = Placing::Put { groups, expires_at: row.ends };
                    Placement { table, key: &row.key, placing }
                });
                self.store.place(&placements.collect::<Vec<_>>(), false, NOW).await.unwrap();
            }
            Discipline::Indexed { .. } => panic!("{name} is written by the engine"),
        }
        version
    }

    /// From the beginning of a partition: neither bounds nor the direction change what is counted.
    async fn slice(&mut self, name: &str, rows: u64, freshness: Freshness) -> u64 {
        let (table, definition) = self.table(name);
        let source = match &definition.discipline {
            Discipline::Indexed { of } => self.table(of).1,
            _ => definition,
        };
        let together = |column: &str| definition.partition.iter().any(|part| part.name == column);
        // Rows are written until the partition has enough; nobody reads less of one than there is.
        let partition = if rows == 0 { self.next_number() } else { SLICED };
        while rows > self.sliced.get(name).copied().unwrap_or(0) {
            let filled = self.sliced.entry(name.to_owned()).or_default();
            let more: Vec<u64> = (*filled..rows).take(ALONG).collect();
            *filled += more.len() as u64;
            let more = more.into_iter().map(|_| {
                let number = self.next_number();
                self.row(source, |column| if together(column) { SLICED } else { number })
            });
            let more: Vec<Typical> = more.collect();
            self.write(&source.name, &more).await;
        }
        let sizes = self.ground.typical(definition).key;
        let partition: Vec<Owned> = definition
            .partition
            .iter()
            .zip(&sizes)
            .map(|(column, size)| typical::value(&column.kind, size, partition))
            .collect();
        let of = Slice {
            table,
            partition: &partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: u32::try_from(rows.max(1)).unwrap(),
            bytes_max: 1 << 20,
            freshness,
            now: NOW,
        };
        // An index follows its table.
        for _ in 0..500 {
            let found = self.store.slice(of).await.unwrap();
            if found.rows.len() as u64 == rows {
                return found.cost.milliunits;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{name} never has {rows} rows");
    }

    async fn place(&mut self, row: &RowVisit) -> u64 {
        let made = self.prepare(row).await;
        let groups = made.row.groups(made.version);
        let rows = [made.placement(&groups)];
        let before = self.store.write_milliunits();
        self.store.place(&rows, false, NOW).await.unwrap();
        self.store.write_milliunits() - before
    }

    async fn decide(&mut self, rows: &[RowVisit]) -> u64 {
        let mut made = Vec::new();
        for row in rows {
            made.push(self.prepare(row).await);
        }
        // An atomic may begin with a row that is only appended.
        let own = made.iter().position(|row| row.discipline == Discipline::Decided && row.becomes != Becomes::Checked);
        let own = made.remove(own.expect("a decision is about a decided row"));
        let groups: Vec<[GroupImage<'_>; 1]> = made.iter().map(|row| row.row.groups(row.version)).collect();
        let along: Vec<Along<'_>> = made.iter().zip(&groups).map(|(row, groups)| row.along(groups)).collect();
        let before = self.store.write_milliunits();
        let verdict = self.store.decide(Decision { change: own.change(), along: &along, now: NOW }).await.unwrap();
        assert_eq!(verdict, Verdict::Done, "{rows:?}");
        self.store.write_milliunits() - before
    }

    /// Brings a row about as it is before a call, and says what becomes of it.
    async fn prepare(&mut self, row: &RowVisit) -> Made {
        let (table, definition) = self.table(&row.table);
        let (number, moved) = (self.next_number(), self.next_number());
        let change =
            |index: &Table| row.indexes.iter().find(|(name, _)| *name == index.name).map(|(_, change)| *change);
        let indexes = self.indexes(&row.table);
        let keys = |of: &dyn Fn(Option<InIndex>) -> bool| -> BTreeSet<&str> {
            let indexes = indexes.iter().filter(|index| of(change(index)));
            let names = indexes.flat_map(|index| index.key_names());
            names.filter(|name| definition.key_names().all(|own| own != *name)).collect()
        };
        let moves = keys(&|change| change == Some(InIndex::Moves));
        // A row without a value for the key of an index is not in it, but stays in the others.
        let out_of = |out: &dyn Fn(Option<InIndex>) -> bool, row: &mut Typical| {
            let (absent, there) = (keys(out), keys(&|change| !out(change)));
            for (column, value) in definition.groups[0].columns.iter().zip(&mut row.values) {
                let name = column.name.as_str();
                if absent.contains(name) && !there.contains(name) && self.is_optional(&definition.name, name) {
                    *value = Value::Null;
                }
            }
        };
        let mut before = self.row(definition, |_| number);
        out_of(&|change| matches!(change, None | Some(InIndex::Enters)), &mut before);
        let mut after = self.row(definition, |column| if moves.contains(column) { moved } else { number });
        out_of(&|change| matches!(change, None | Some(InIndex::Leaves)), &mut after);
        let expect = match row.becomes {
            Becomes::New => Expect::Absent,
            _ => Expect::Version(self.write(&row.table, &[before]).await),
        };
        let version = self.next_version();
        let (discipline, becomes, gone) = (definition.discipline.clone(), row.becomes, [(0, version)]);
        Made { table, discipline, becomes, expect, version, gone, row: after }
    }
}

/// What a call does with a row.
struct Made {
    table: TableId,
    discipline: Discipline,
    becomes: Becomes,
    expect: Expect,
    version: u64,
    /// The group that is gone, where it is removed.
    gone: [(usize, u64); 1],
    row: Typical,
}

impl Made {
    /// A decided row that is removed stays for a while without values.
    fn change(&self) -> Change<'_> {
        let becomes = match self.becomes {
            Becomes::Gone => Image { version: self.version, expires_at: Some(END), values: &[] },
            _ => self.row.image(self.version),
        };
        Change { table: self.table, key: &self.row.key, expect: self.expect, becomes }
    }

    fn placement<'b>(&'b self, groups: &'b [GroupImage<'b>]) -> Placement<'b> {
        let placing = match self.becomes {
            Becomes::Gone => Placing::Remove { groups: &self.gone },
            _ => Placing::Put { groups, expires_at: self.row.ends },
        };
        Placement { table: self.table, key: &self.row.key, placing }
    }

    fn along<'b>(&'b self, groups: &'b [GroupImage<'b>]) -> Along<'b> {
        let (table, key) = (self.table, &self.row.key[..]);
        match (&self.discipline, self.becomes) {
            (_, Becomes::Checked) => Along::Check { table, key, expect: self.expect },
            (Discipline::Decided, _) => Along::Decide(self.change()),
            (Discipline::Carried, Becomes::Gone) => Along::Remove { table, key },
            (Discipline::Carried, _) => Along::Put { table, key, becomes: self.row.image(self.version) },
            _ => Along::Place(self.placement(groups)),
        }
    }
}
