//! What `size` says that the patterns of the examples cost is what servers count: every call of every plan is made through
//! the store, on rows that have exactly the sizes which are assumed. Differences are those of `common/counted.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::counted::{Action, Asked, Difference, Row, Tally, What};
use common::typical;
use keyloom_design::design;
use keyloom_dynamodb::{DynamoDb, DynamoDbDialect, abilities};
use keyloom_engines::{announce, say};
use keyloom_finding::Sources;
use keyloom_model::layout::Question;
use keyloom_model::{Engine, Pattern};
use keyloom_plan::{Program, rows_of};
use keyloom_size::{Becomes, Effort, Ground, InIndex, Often, RowVisit, Terms, Visit, Visits, size};
use keyloom_store::{
    Along, Change, Decision, Dialect, Discipline, Expect, Freshness, Get, GroupImage, GroupSizes, Image, Millis,
    Placement, Placing, Range, RowSizes, Slice, Store, Table, TableId, Verdict,
};
use keyloom_text::{Files, Unreadable, read, read_layout};
use keyloom_value::Value;

const SUITE: &str = "patterns";
const NOW: Millis = Millis(1_794_000_000_000);
/// When rows end that do, and what is removed is forgotten.
const END: Millis = Millis(1_877_777_777_777);
/// Always, in millionths.
const ALWAYS: u128 = 1_000_000;
/// The one partition of each table that slices read. No row that is written for itself has this number.
const SLICED: u64 = 0;

type Owned = Value<'static>;

/// A catalog, and where it is not the designed one a layout by hand: with indexes, which the plain designer never takes.
const PROGRAMS: [(&str, &str, Option<&str>); 6] = [
    ("shop", include_str!("../../../examples/shop/catalog.yaml"), None),
    ("chat", include_str!("../../../examples/chat/catalog.yaml"), None),
    ("sensors", include_str!("../../../examples/sensors/catalog.yaml"), None),
    ("cases", include_str!("../../../examples/cases/catalog.yaml"), None),
    (
        "shop with an index",
        include_str!("../../../examples/shop/catalog.yaml"),
        Some(include_str!("patterns/shop.layout.yaml")),
    ),
    (
        "chat with indexes",
        include_str!("../../../examples/chat/catalog.yaml"),
        Some(include_str!("patterns/chat.layout.yaml")),
    ),
];

#[test]
fn dynoxide_counts_what_size_says() {
    common::on_dynoxide(SUITE, |engine, endpoint| compare(engine, endpoint, &[]));
}

#[test]
fn extenddb_counts_what_size_says() {
    let differences = [Difference::TransactionsLeaveIndexesOut];
    common::on_extenddb(SUITE, |engine, endpoint| compare(engine, endpoint, &differences));
}

/// A pattern costs what its calls cost: what is printed is what is compared with the servers. Where a row comes to a
/// decision with a share of the calls, it lies between that decision without and with all of them.
#[test]
fn what_size_says_is_the_sum_of_the_calls() {
    for (name, catalog, layout) in PROGRAMS {
        let program = program(catalog, layout);
        let ground = Ground::new(&program, &DynamoDbDialect);
        let sizes = size(&program, &DynamoDbDialect, &Terms::default());
        for (pattern, said) in program.catalog.patterns.iter().zip(&sizes.patterns) {
            let sum = sum(&ground, &program, pattern);
            let of = format!("{name}: {}: {said:?}, {sum:?}", pattern.name);
            let units = |effort: Effort| [effort.read_half_units, effort.write_units];
            let (low, high) = (units(said.effort.low), units(said.effort.high));
            for at in 0..2 {
                assert!(sum.low[at] <= low[at] && low[at] <= high[at] && high[at] <= sum.high[at], "{of}");
            }
            assert!(sum.shares || (low, high) == (sum.low, sum.high), "{of}");
        }
    }
}

fn compare(engine: &str, endpoint: &str, differences: &[Difference]) {
    let (mut tally, mut made) = (Tally::new(engine, differences), 0);
    for (name, catalog, layout) in PROGRAMS {
        let program = program(catalog, layout);
        let ground = Ground::new(&program, &DynamoDbDialect);
        let before = (tally.equal.values().sum::<u64>(), tally.otherwise.clone());
        let (calls, without) = common::runtime().block_on(async {
            let mut world = World::new(endpoint, &ground, &program).await;
            for pattern in &program.catalog.patterns {
                world.pattern(pattern, &mut tally).await;
            }
            (world.calls, world.without)
        });
        made += calls;
        let equal = tally.equal.values().sum::<u64>() - before.0;
        let mut line = format!("{engine}: {name}: {} patterns, {calls} calls", program.catalog.patterns.len());
        line += &format!(", {equal} as predicted");
        for (difference, calls) in &tally.otherwise {
            let calls = calls - before.1.get(difference).unwrap_or(&0);
            if calls > 0 {
                line += &format!(", {difference:?}: {calls}");
            }
        }
        say(&format!("{line}\n"));
        without.iter().for_each(|what| say(&format!("{engine}: {name}: not compared, since open: {what}\n")));
    }
    tally.all_differences_are_there();
    announce(SUITE, engine, made, 0);
}

struct One<'a>(&'a str);

impl Files for One<'_> {
    fn open(&self, _name: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn program(catalog: &str, layout: Option<&str>) -> Program {
    let reading = read("catalog.yaml", &One(catalog), &mut Sources::default());
    let layout = layout.map(|text| {
        let read = read_layout("layout.yaml", &One(text), &mut Sources::default(), &reading);
        assert!(read.findings.is_empty(), "{:?}", read.findings);
        read.layout
    });
    let layout = layout.unwrap_or_else(|| design(&reading.catalog, Engine::DynamoDb, &abilities()));
    let program = Program::compile(&reading.catalog, &layout, &abilities());
    assert!(program.refusals.is_empty(), "{:?}", program.refusals);
    program
}

/// Half read units and write units, in thousandths.
type Units = [u128; 2];

/// All calls of a pattern together, at least and at most.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    low: Units,
    high: Units,
    /// Some of it happens with a share of the calls.
    shares: bool,
}

impl Sum {
    fn each(self, other: Self, low: fn(u128, u128) -> u128, high: fn(u128, u128) -> u128) -> Self {
        let each = |a: Units, b: Units, of: fn(u128, u128) -> u128| [of(a[0], b[0]), of(a[1], b[1])];
        let shares = self.shares || other.shares;
        Self { low: each(self.low, other.low, low), high: each(self.high, other.high, high), shares }
    }

    fn plus(self, other: Self) -> Self {
        self.each(other, u128::saturating_add, u128::saturating_add)
    }

    fn of(ground: &Ground<'_>, visits: &Visits) -> Self {
        let units = |visit: &Visit, times: u128| {
            let work = ground.work(visit);
            [work.read_half_units, work.write_units].map(|units| u128::from(units) * times * 1_000)
        };
        let times = visits.beside.iter().map(|beside| beside.visit.millionths);
        let times = times.chain(visits.decision.iter().map(|row| row.millionths));
        let shares = times.into_iter().any(|times| times.low % ALWAYS > 0 || times.high % ALWAYS > 0);
        let mut sum = Self { shares, ..Self::default() };
        for Often { least, most, millionths } in visits.beside.iter().map(|beside| &beside.visit) {
            let (low, high) = (units(least, millionths.low / ALWAYS), units(most, millionths.high.div_ceil(ALWAYS)));
            sum = sum.plus(Self { low, high, shares });
        }
        if let (Some(least), Some(most)) = (decided(visits, |_| false), decided(visits, |_| true)) {
            sum = sum.plus(Self { low: units(&least, 1), high: units(&most, 1), shares });
        }
        sum
    }
}

fn sum(ground: &Ground<'_>, program: &Program, pattern: &Pattern) -> Sum {
    // Orders and optional inputs are alternatives; the lists of `with` come on top.
    let mut parts: BTreeMap<Option<&String>, Sum> = BTreeMap::new();
    for plan in program.reads_of(&pattern.name) {
        let Question::Pattern { with, .. } = &plan.asked.question else { continue };
        let one = Sum::of(ground, &ground.read(plan));
        let part = parts.entry(with.as_ref()).or_insert(one);
        *part = part.each(one, u128::min, u128::max);
    }
    parts.into_values().fold(Sum::of(ground, &ground.write(pattern)), Sum::plus)
}

/// The decision of a plan with those of its rows that always come, and of the others those that are chosen.
fn decided(visits: &Visits, chosen: impl Fn(usize) -> bool) -> Option<Visit> {
    let mut rows = Vec::new();
    for (at, Often { least, most, millionths }) in visits.decision.iter().enumerate() {
        assert!(millionths.high <= ALWAYS, "no example decides several rows of one step");
        match (millionths.low >= ALWAYS, chosen(at)) {
            (_, true) => rows.push(most.clone()),
            (true, false) => rows.push(least.clone()),
            (false, false) => {}
        }
    }
    (!rows.is_empty()).then_some(Visit::Decide { rows })
}

/// Every call that a plan may make: decisions with none of what comes only sometimes, with each of it alone, with all.
fn all(visits: &Visits) -> Vec<Visit> {
    let beside = visits.beside.iter().flat_map(|beside| {
        let Often { least, most, millionths } = &beside.visit;
        let least = (millionths.low > 0).then(|| least.clone());
        least.into_iter().chain((millionths.high > 0).then(|| most.clone()))
    });
    let decisions = (0..visits.decision.len()).map(|one| decided(visits, |at| at == one));
    let decisions = decisions.chain([decided(visits, |_| false), decided(visits, |_| true)]).flatten();
    let mut all: Vec<Visit> = Vec::new();
    for visit in beside.chain(decisions) {
        if !all.contains(&visit) {
            all.push(visit);
        }
    }
    all
}

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
struct World<'a> {
    store: DynamoDb,
    ground: &'a Ground<'a>,
    program: &'a Program,
    tables: BTreeMap<&'a str, (TableId, &'a Table)>,
    /// How many rows the partition that slices read has, of each table.
    sliced: BTreeMap<String, u64>,
    number: u64,
    version: u64,
    calls: usize,
    without: BTreeSet<String>,
}

impl<'a> World<'a> {
    async fn new(endpoint: &str, ground: &'a Ground<'a>, program: &'a Program) -> Self {
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
    async fn pattern(&mut self, pattern: &Pattern, tally: &mut Tally) {
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

/// A decided table that every program has: carried rows ride with one of its rows.
const VEHICLE: &str = "kl_system";
/// How many rows ride at once.
const ALONG: usize = 50;

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
