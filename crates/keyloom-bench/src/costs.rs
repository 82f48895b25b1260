//! What calls of a store cost its engine, fitted from calls of many sizes: the numbers that a designer needs.

use std::{
    fmt,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use keyloom_store::{
    Change, Column, Decision, Define, Discipline, Expect, Freshness, Get, Group, GroupImage, Image, Millis, Placement,
    Placing, Range, Slice, SortColumn, Step, Store, Table, TableId, Verdict,
};
use keyloom_value::{Kind, Value};

use crate::fit::{errors, fit};

/// The moment of every call; nothing here ends.
const NOW: Millis = Millis(1_790_000_000_000);

/// How many calls are under way at once, where a store waits for an engine.
const AT_ONCE: usize = 16;

/// How long each size is measured.
const WINDOW: Duration = Duration::from_millis(1_500);

/// Partitions of each size of row.
const PARTITIONS: u64 = 64;
/// Rows of each of them.
const ROWS: u64 = 1_000;
/// Bytes of a row beside its key.
const SIZES: [usize; 3] = [40, 400, 4_000];
/// Rows that the benchmark of decisions spreads over.
const DECIDED: u64 = 2_000;

/// Processor time of whoever does the engine's work, in microseconds for each part.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// A call that reads; for each partition it reads; for each row; for each KB of rows.
    pub read: [f64; 4],
    /// A row that is placed; for each KB of it.
    pub write: [f64; 2],
    /// Rows of several partitions placed together: the batch; for each row; for each KB.
    pub together: [f64; 3],
    /// How far the fits of reads, writes and batches are off: in the middle, and at most.
    pub errors: [(f64, f64); 3],
    /// What decisions cost.
    pub decisions: Decisions,
}

/// What it costs to read a row and decide on it.
#[derive(Debug, Clone, Copy)]
pub struct Decisions {
    /// Processor time of whoever does the engine's work, in microseconds, with nobody else on the row.
    pub each: f64,
    /// How many are done in a second over many rows.
    pub per_second: f64,
    /// How many are done in a second on one row, by as many callers as are under way at once.
    pub per_second_and_row: f64,
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { each, per_second, per_second_and_row } = self;
        write!(f, "  decision  {each:.2}; {per_second:.0} a second over many rows, {per_second_and_row:.0} on one row")
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [call, partition, row, kilobyte] = self.read;
        let [write, write_kilobyte] = self.write;
        let [batch, batch_row, batch_kilobyte] = self.together;
        let [reads, writes, batches] =
            self.errors.map(|(middle, most)| format!("off by {:.0} %, at most {:.0} %", middle * 100.0, most * 100.0));
        writeln!(f, "processor time in us")?;
        writeln!(
            f,
            "  read      {call:.2} a call + {partition:.2} a partition + {row:.3} a row + {kilobyte:.3} a KB \
             ({reads})"
        )?;
        writeln!(f, "  write     {write:.2} a row + {write_kilobyte:.3} a KB ({writes})")?;
        writeln!(f, "  together  {batch:.2} a batch + {batch_row:.2} a row + {batch_kilobyte:.3} a KB ({batches})")?;
        write!(f, "{}", self.decisions)
    }
}

/// Measures what calls cost. `processor` says how much processor time the engine has taken so far.
///
/// # Panics
/// When the store fails.
pub async fn costs<S: Store + Define>(store: &S, processor: impl Fn() -> Duration) -> Costs {
    let bench = Bench::open(store, processor, &SIZES).await;
    bench.fill().await;
    let (mut reads, mut writes, mut batches) = (Vec::new(), Vec::new(), Vec::new());
    for (at, size) in SIZES.into_iter().enumerate() {
        let kilobytes = |rows: u64| rows as f64 * size as f64 / 1_024.0;
        for rows in [1, 10, 100, 1_000] {
            let took = bench.measure(|number| bench.slice(at, number, rows as u32)).await;
            reads.push(([1.0, 1.0, rows as f64, kilobytes(rows)], took));
        }
        for keys in [3, 30] {
            let took = bench.measure(|number| bench.get_many(at, number, keys)).await;
            reads.push(([1.0, keys as f64, keys as f64, kilobytes(keys)], took));
        }
        let took = bench.measure(|number| bench.place(at, number)).await;
        writes.push(([1.0, kilobytes(1)], took));
        for rows in [2, 4, 8] {
            let took = bench.measure(|number| bench.place_together(at, number, rows)).await;
            batches.push(([1.0, rows as f64, kilobytes(rows)], took));
        }
    }
    let decisions = bench.decisions().await;
    let (read, write, together) = (fit(&reads), fit(&writes), fit(&batches));
    let errors = [errors(&reads, &read), errors(&writes, &write), errors(&batches, &together)];
    Costs { read, write, together, errors, decisions }
}

/// Measures what decisions cost, and nothing else.
///
/// # Panics
/// When the store fails.
pub async fn decisions<S: Store + Define>(store: &S, processor: impl Fn() -> Duration) -> Decisions {
    Bench::open(store, processor, &[]).await.decisions().await
}

/// A store with rows of every size.
struct Bench<'a, S, P> {
    store: &'a S,
    processor: P,
    /// One table for each size of row.
    placed: Vec<TableId>,
    decided: TableId,
}

impl<'a, S: Store + Define, P: Fn() -> Duration> Bench<'a, S, P> {
    /// Makes a table for rows that are decided, and one for each of these sizes of rows that are placed.
    async fn open(store: &'a S, processor: P, sizes: &[usize]) -> Self {
        let table = |name: String, discipline, sort| Table {
            name,
            discipline,
            partition: vec![Column { name: "p".into(), kind: Kind::Int }],
            sort,
            groups: vec![Group { columns: vec![Column { name: "payload".into(), kind: Kind::Bytes }] }],
            grace_ms: 864_000_000,
            lifetime_ms: None,
        };
        let sort = || vec![SortColumn { name: "s".into(), kind: Kind::Int, descending: false }];
        let mut wanted: Vec<Table> =
            sizes.iter().map(|size| table(format!("placed_{size}"), Discipline::Placed, sort())).collect();
        wanted.push(table("decided".into(), Discipline::Decided, Vec::new()));
        for wanted in wanted {
            store.apply(&Step::Create(wanted)).await.expect("a table is made");
        }
        let there = store.describe().await.expect("tables are described");
        let id = |name: &str| there.iter().find(|(_, shape)| shape.table().name == name).expect("it was made").0;
        let placed = sizes.iter().map(|size| id(&format!("placed_{size}"))).collect();
        Self { store, processor, placed, decided: id("decided") }
    }

    async fn fill(&self) {
        for at in 0..self.placed.len() {
            at_once(PARTITIONS * ROWS, |number| self.place_at(at, number / ROWS, number % ROWS, 1)).await;
        }
    }

    async fn decisions(&self) -> Decisions {
        Decisions {
            each: self.measure(|number| self.decide(number % DECIDED)).await,
            per_second: self.rate(|number| self.decide(number % DECIDED)).await,
            per_second_and_row: self.rate(|_| self.decide(DECIDED)).await,
        }
    }

    /// Processor time for each call, in microseconds.
    async fn measure<F: Future<Output = u64>>(&self, call: impl Fn(u64) -> F) -> f64 {
        let mut first = 0;
        // An engine compiles what it runs often, so the first calls do not count.
        self.run(WINDOW / 3, &mut first, &call).await;
        let processor = (self.processor)();
        let done = self.run(WINDOW, &mut first, &call).await;
        (self.processor)().saturating_sub(processor).as_secs_f64() * 1e6 / done as f64
    }

    /// Calls that were done in a second.
    async fn rate<F: Future<Output = u64>>(&self, call: impl Fn(u64) -> F) -> f64 {
        let began = Instant::now();
        let done = self.run(WINDOW * 2, &mut 0, &call).await;
        done as f64 / began.elapsed().as_secs_f64()
    }

    /// Calls for a while; says how many were done.
    async fn run<F: Future<Output = u64>>(&self, window: Duration, first: &mut u64, call: &impl Fn(u64) -> F) -> u64 {
        let (began, mut done) = (Instant::now(), 0);
        while began.elapsed() < window {
            done += at_once(AT_ONCE as u64 * 4, |number| call(*first + number)).await;
            *first += AT_ONCE as u64 * 4;
        }
        done
    }

    async fn slice(&self, at: usize, number: u64, rows: u32) -> u64 {
        let partition = [Value::Int((number % PARTITIONS) as i64)];
        let slice = Slice {
            table: self.placed[at],
            partition: &partition,
            within: Range::ALL,
            after: None,
            reverse: false,
            rows_max: rows,
            bytes_max: u32::MAX,
            freshness: Freshness::Settled,
            now: NOW,
        };
        let found = self.store.slice(slice).await.expect("a slice is read");
        assert!(!found.rows.is_empty());
        1
    }

    async fn get_many(&self, at: usize, number: u64, keys: u64) -> u64 {
        let keys: Vec<[Value<'_>; 2]> = (number..number + keys)
            .map(|number| [Value::Int((number % PARTITIONS) as i64), Value::Int((number % ROWS) as i64)])
            .collect();
        let gets: Vec<Get<'_>> = keys
            .iter()
            .map(|key| Get { table: self.placed[at], key, freshness: Freshness::Settled, now: NOW })
            .collect();
        let found = self.store.get_many(&gets).await;
        assert!(found.into_iter().all(|got| got.is_ok_and(|got| got.row.is_some())));
        1
    }

    async fn place(&self, at: usize, number: u64) -> u64 {
        self.place_at(at, PARTITIONS + number % PARTITIONS, number / PARTITIONS, number + 1).await
    }

    async fn place_at(&self, at: usize, partition: u64, sort: u64, version: u64) -> u64 {
        self.place_rows(at, &[[Value::Int(partition as i64), Value::Int(sort as i64)]], version, false).await
    }

    /// Rows of as many partitions.
    async fn place_together(&self, at: usize, number: u64, rows: u64) -> u64 {
        let keys: Vec<[Value<'_>; 2]> = (0..rows)
            .map(|row| {
                [
                    Value::Int((2 * PARTITIONS + (number * rows + row) % (8 * PARTITIONS)) as i64),
                    Value::Int((number % ROWS) as i64),
                ]
            })
            .collect();
        self.place_rows(at, &keys, number + 1, true).await
    }

    async fn place_rows(&self, at: usize, keys: &[[Value<'_>; 2]], version: u64, together: bool) -> u64 {
        let payload = vec![u8::try_from(version % 251).unwrap_or(0); SIZES[at]];
        let values = [Value::Bytes(payload.into())];
        let groups = [GroupImage { group: 0, version, values: &values }];
        let placing = Placing::Put { groups: &groups, expires_at: None };
        let rows: Vec<Placement<'_>> =
            keys.iter().map(|key| Placement { table: self.placed[at], key, placing }).collect();
        self.store.place(&rows, together, NOW).await.expect("rows are placed");
        1
    }

    /// Reads a row and decides on it: 1 if the decision was done.
    async fn decide(&self, number: u64) -> u64 {
        let key = [Value::Int(number as i64)];
        let at = Get { table: self.decided, key: &key, freshness: Freshness::Settled, now: NOW };
        let got = self.store.get(at).await.expect("a row is read");
        let there = got.row.map(|row| row.version().expect("a row is sound"));
        let expect = there.map_or(Expect::Absent, Expect::Version);
        let values = [Value::Bytes(vec![1; SIZES[0]].into())];
        let becomes = Image { version: there.unwrap_or(0) + 2, expires_at: None, values: &values };
        let change = Change { table: self.decided, key: &key, expect, becomes };
        // Contenders may be answered with "lost" or "unknown"; only what was done counts.
        let verdict = self.store.decide(Decision { change, along: &[], now: NOW }).await;
        u64::from(matches!(verdict, Ok(Verdict::Done)))
    }
}

/// Makes so many calls, some of them at once, and sums up what they answer.
async fn at_once<F: Future<Output = u64>>(calls: u64, call: impl Fn(u64) -> F) -> u64 {
    let next = std::cell::Cell::new(0);
    let lane = || async {
        let mut sum = 0;
        while next.get() < calls {
            let number = next.replace(next.get() + 1);
            sum += call(number).await;
        }
        sum
    };
    let mut lanes: Vec<_> = (0..AT_ONCE).map(|_| (Box::pin(lane()), None)).collect();
    let mut all = pin!(std::future::poll_fn(|context| {
        for (lane, sum) in &mut lanes {
            if sum.is_none()
                && let Poll::Ready(ready) = lane.as_mut().poll(context)
            {
                *sum = Some(ready);
            }
        }
        match lanes.iter().map(|(_, sum)| *sum).sum::<Option<u64>>() {
            Some(sum) => Poll::Ready(sum),
            None => Poll::Pending,
        }
    }));
    all.as_mut().await
}
