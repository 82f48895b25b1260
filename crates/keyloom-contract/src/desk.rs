//! What cases work with: short words for tables, values and calls.

use std::{ops::Bound, sync::Arc, task::Poll};

use keyloom_store::{
    Along, BoxFuture, Change, Column, Cost, Current, Decision, Discipline, End, Expect, Fault, Freshness, Get, Got,
    Group, GroupImage, Image, Millis, Placement, Placing, Range, Row, Shape, Slice, SortColumn, Step, Swept, Table,
    TableId, Verdict, steps,
};
use keyloom_value::{Kind, Value};

use crate::{NOW, Seen, Subject};

/// A value with buffers of its own.
pub(crate) type Owned = Value<'static>;

/// For how long removed and expired rows fence older placements, in every table of the contract.
pub(crate) const GRACE: i64 = 7 * 24 * 3_600_000;

/// A minute: far more than any engine needs for a case, so that nothing is forgotten by its own clock meanwhile.
pub(crate) const MINUTE: i64 = 60_000;

pub(crate) fn text(value: &str) -> Owned {
    Value::Text(value.to_owned().into())
}

pub(crate) fn int(value: i64) -> Owned {
    Value::Int(value)
}

/// A table without columns so far.
pub(crate) fn table(name: &str, discipline: Discipline) -> Table {
    Table {
        name: name.to_owned(),
        discipline,
        partition: Vec::new(),
        sort: Vec::new(),
        groups: vec![Group { columns: Vec::new() }],
        grace_ms: GRACE,
        lifetime_ms: None,
    }
}

/// The table that most cases use: rows of a text, in the order of a number, with one text.
pub(crate) fn plain(name: &str, discipline: Discipline) -> Table {
    table(name, discipline).by("p", Kind::Text).ascending("s", Kind::Int).column("v", Kind::Text)
}

/// Adds columns to a table.
pub(crate) trait Columns {
    fn by(self, name: &str, kind: Kind) -> Self;
    fn ascending(self, name: &str, kind: Kind) -> Self;
    fn descending(self, name: &str, kind: Kind) -> Self;
    fn column(self, name: &str, kind: Kind) -> Self;
    fn group(self) -> Self;
}

impl Columns for Table {
    fn by(mut self, name: &str, kind: Kind) -> Self {
        self.partition.push(Column { name: name.to_owned(), kind });
        self
    }

    fn ascending(mut self, name: &str, kind: Kind) -> Self {
        self.sort.push(SortColumn { name: name.to_owned(), kind, descending: false });
        self
    }

    fn descending(mut self, name: &str, kind: Kind) -> Self {
        self.sort.push(SortColumn { name: name.to_owned(), kind, descending: true });
        self
    }

    fn column(mut self, name: &str, kind: Kind) -> Self {
        let group = self.groups.last_mut().expect("a table begins with a group");
        group.columns.push(Column { name: name.to_owned(), kind });
        self
    }

    fn group(mut self) -> Self {
        self.groups.push(Group { columns: Vec::new() });
        self
    }
}

/// A slice with buffers of its own.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub partition: Vec<Owned>,
    pub equal: Vec<Owned>,
    pub low: Bound<Owned>,
    pub high: Bound<Owned>,
    pub after: Option<Vec<Owned>>,
    pub reverse: bool,
    pub rows_max: u32,
    pub bytes_max: u32,
    pub freshness: Freshness,
    pub now: Millis,
}

impl Ask {
    /// A whole partition, in pages that are larger than any case's.
    pub fn of(partition: &[Owned]) -> Self {
        Self {
            partition: partition.to_vec(),
            equal: Vec::new(),
            low: Bound::Unbounded,
            high: Bound::Unbounded,
            after: None,
            reverse: false,
            rows_max: 1_000,
            bytes_max: 64 << 20,
            freshness: Freshness::Settled,
            now: NOW,
        }
    }

    pub fn slice(&self, table: TableId) -> Slice<'_> {
        Slice {
            table,
            partition: &self.partition,
            within: Range { equal: &self.equal, low: self.low.as_ref(), high: self.high.as_ref() },
            after: self.after.as_deref(),
            reverse: self.reverse,
            rows_max: self.rows_max,
            bytes_max: self.bytes_max,
            freshness: self.freshness,
            now: self.now,
        }
    }
}

/// One page of a slice.
#[derive(Debug)]
pub(crate) struct Page {
    pub rows: Vec<Seen>,
    pub end: End,
    pub cost: Cost,
    /// How many bytes the rows have.
    pub bytes: usize,
}

/// One table of a store, and the calls that cases make of it.
pub(crate) struct Desk<'a, S> {
    pub store: &'a S,
    pub id: TableId,
    pub shape: Arc<Shape>,
}

impl<'a, S: Subject> Desk<'a, S> {
    /// Defines the table and sits down at it.
    pub async fn open(store: &'a S, wanted: Table) -> Self {
        define(store, std::slice::from_ref(&wanted)).await;
        Self::at(store, &wanted.name).await
    }

    /// Sits down at a table that is there.
    pub async fn at(store: &'a S, name: &str) -> Self {
        let there = done(store.describe().await);
        let found = there.into_iter().find(|(_, shape)| shape.table().name == name);
        let (id, shape) = found.unwrap_or_else(|| panic!("a table that was created is described: `{name}`"));
        Self { store, id, shape }
    }

    pub fn ask_row<'b>(&self, key: &'b [Owned], now: Millis) -> Get<'b> {
        Get { table: self.id, key, freshness: Freshness::Settled, now }
    }

    pub async fn got(&self, key: &[Owned], now: Millis) -> Got {
        done(self.store.get(self.ask_row(key, now)).await)
    }

    pub async fn get_at(&self, key: &[Owned], now: Millis) -> Option<Seen> {
        self.got(key, now).await.row.map(|row| self.seen(&row, key, now))
    }

    pub async fn get(&self, key: &[Owned]) -> Option<Seen> {
        self.get_at(key, NOW).await
    }

    fn seen(&self, row: &Row, key: &[Owned], now: Millis) -> Seen {
        let seen = Seen::of(row, &self.shape, now);
        assert_eq!(seen.key, key, "the row that is answered is the one that was asked for");
        seen
    }

    /// One page.
    pub async fn page(&self, ask: &Ask) -> Page {
        let rows = done(self.store.slice(ask.slice(self.id)).await);
        let page = Page {
            bytes: rows.rows.iter().map(Row::size).sum(),
            rows: rows.rows.iter().map(|row| Seen::of(row, &self.shape, ask.now)).collect(),
            end: rows.end,
            cost: rows.cost,
        };
        assert!(page.rows.len() <= ask.rows_max as usize, "at most {} rows: {page:?}", ask.rows_max);
        assert!(page.cost.rows <= ask.rows_max.into(), "at most {} rows are looked at: {page:?}", ask.rows_max);
        assert!(page.cost.rows >= page.rows.len() as u64, "a returned row was looked at: {page:?}");
        assert!(
            page.rows.len() <= 1 || page.bytes <= ask.bytes_max as usize,
            "at most {} bytes: {page:?}",
            ask.bytes_max
        );
        page
    }

    /// All pages, each going on where the one before ended.
    pub async fn pages(&self, ask: &Ask) -> Vec<Page> {
        let (mut ask, mut pages) = (ask.clone(), Vec::new());
        loop {
            let page = self.page(&ask).await;
            let End::Limit { reached } = &page.end else {
                pages.push(page);
                return pages;
            };
            assert_ne!(ask.after.as_ref(), Some(reached), "a page that ends at its limit goes forward");
            ask.after = Some(reached.clone());
            pages.push(page);
            assert!(pages.len() < 20_000, "a slice comes to an end");
        }
    }

    /// The rows of all pages.
    pub async fn rows(&self, ask: &Ask) -> Vec<Seen> {
        self.pages(ask).await.into_iter().flat_map(|page| page.rows).collect()
    }

    /// The sort keys of all pages.
    pub async fn sorts(&self, ask: &Ask) -> Vec<Vec<Owned>> {
        let columns = self.shape.table().partition.len();
        self.rows(ask).await.into_iter().map(|row| row.key[columns..].to_vec()).collect()
    }

    pub fn change<'b>(&self, key: &'b [Owned], expect: Expect, becomes: Image<'b>) -> Change<'b> {
        Change { table: self.id, key, expect, becomes }
    }

    /// One decision on one row, without riders.
    pub async fn decide(&self, key: &[Owned], expect: Expect, becomes: Image<'_>) -> Verdict {
        self.decide_at(key, expect, becomes, NOW).await
    }

    pub async fn decide_at(&self, key: &[Owned], expect: Expect, becomes: Image<'_>, now: Millis) -> Verdict {
        let what = Decision { change: self.change(key, expect, becomes), along: &[], now };
        done(self.store.decide(what).await)
    }

    /// Whether one of several racing decisions was done. An engine may answer a race with "not done" or "unknown"; then
    /// the row itself tells, and as long as it is what was expected the same decision is sent again.
    pub async fn race(&self, key: &[Owned], expect: Expect, becomes: Image<'_>, shows: impl Fn(&Seen) -> bool) -> bool {
        let mut in_doubt = false;
        for _ in 0..1_000 {
            let what = Decision { change: self.change(key, expect, becomes), along: &[], now: NOW };
            match self.store.decide(what).await {
                Ok(Verdict::Done) => return true,
                Ok(Verdict::Lost { .. }) if !in_doubt => return false,
                Ok(Verdict::Lost { .. }) | Err(Fault::NotDone(_)) => {}
                Err(Fault::Unknown(_)) => in_doubt = true,
                Err(fault) => panic!("a decision that must work answers \"{fault}\""),
            }
            let fresh = Get { freshness: Freshness::Fresh, ..self.ask_row(key, NOW) };
            let Ok(got) = self.store.get(fresh).await else { continue };
            let seen = got.row.map(|row| self.seen(&row, key, NOW));
            if seen.as_ref().is_some_and(&shows) {
                return true;
            }
            if seen.map_or(Expect::Absent, |seen| Expect::Version(seen.version())) != expect {
                return false;
            }
        }
        panic!("of racing decisions always one wins")
    }

    /// A decided row that was not there before.
    pub async fn create(&self, key: &[Owned], version: u64, values: &[Owned]) {
        let verdict = self.decide(key, Expect::Absent, image(version, values)).await;
        assert_eq!(verdict, Verdict::Done, "a row that is not there can be created");
    }

    pub fn put<'b>(&self, key: &'b [Owned], groups: &'b [GroupImage<'b>], expires_at: Option<Millis>) -> Placement<'b> {
        Placement { table: self.id, key, placing: Placing::Put { groups, expires_at } }
    }

    pub fn removal<'b>(&self, key: &'b [Owned], groups: &'b [(usize, u64)]) -> Placement<'b> {
        Placement { table: self.id, key, placing: Placing::Remove { groups } }
    }

    /// Places the root of one row.
    pub async fn place(&self, key: &[Owned], version: u64, values: &[Owned]) {
        self.place_until(key, version, values, None, NOW).await;
    }

    pub async fn place_until(
        &self,
        key: &[Owned],
        version: u64,
        values: &[Owned],
        expires_at: Option<Millis>,
        now: Millis,
    ) {
        let groups = [root(version, values)];
        done(self.store.place(&[self.put(key, &groups, expires_at)], false, now).await);
    }

    /// Removes the root of one row.
    pub async fn remove(&self, key: &[Owned], version: u64) {
        self.remove_at(key, version, NOW).await;
    }

    pub async fn remove_at(&self, key: &[Owned], version: u64, now: Millis) {
        done(self.store.place(&[self.removal(key, &[(0, version)])], false, now).await);
    }

    /// What a sweep of the whole table finds, in the order of keys as they are printed.
    pub async fn swept(&self, parts: u32, rows_max: u32, now: Millis) -> Vec<Seen> {
        let rows = self.sweep(parts, rows_max, now).await.into_iter().flat_map(|swept| swept.rows);
        let mut found: Vec<Seen> = rows.map(|row| Seen::of(&row, &self.shape, now)).collect();
        found.sort_by_cached_key(|row| format!("{:?}", row.key));
        found
    }

    /// The keys of the leftovers that a sweep of the whole table finds, in the order in which they are printed.
    pub async fn swept_leftovers(&self, parts: u32, rows_max: u32, now: Millis) -> Vec<Vec<Owned>> {
        let rows = self.sweep(parts, rows_max, now).await.into_iter().flat_map(|swept| swept.leftovers);
        let key = |row: Row| row.key(&self.shape).expect("a key").into_iter().map(Value::into_owned).collect();
        let mut found: Vec<Vec<Owned>> = rows.map(key).collect();
        found.sort_by_cached_key(|key| format!("{key:?}"));
        found
    }

    async fn sweep(&self, parts: u32, rows_max: u32, now: Millis) -> Vec<Swept> {
        let mut all = Vec::new();
        for segment in done(self.store.segments(self.id, parts).await) {
            let mut from = None;
            loop {
                let swept = done(self.store.sweep(self.id, &segment, from.as_ref(), rows_max, now).await);
                let resume = swept.resume.clone();
                all.push(swept);
                assert!(resume.is_none() || from != resume, "a sweep goes forward");
                if resume.is_none() {
                    break;
                }
                from = resume;
            }
        }
        all
    }
}

pub(crate) fn image(version: u64, values: &[Owned]) -> Image<'_> {
    Image { version, expires_at: None, values }
}

pub(crate) fn image_until(version: u64, expires_at: Millis, values: &[Owned]) -> Image<'_> {
    Image { version, expires_at: Some(expires_at), values }
}

pub(crate) fn root(version: u64, values: &[Owned]) -> GroupImage<'_> {
    GroupImage { group: 0, version, values }
}

/// Takes all steps to these tables.
pub(crate) async fn define<S: Subject>(store: &S, wanted: &[Table]) {
    let there: Vec<Arc<Shape>> = done(store.describe().await).into_iter().map(|(_, shape)| shape).collect();
    for step in done(steps(&there, wanted, store.abilities())) {
        done(store.apply(&step).await);
    }
}

/// Asserts that a table is more than this engine can do: neither planned nor created.
pub(crate) async fn undefinable<S: Subject>(store: &S, wanted: &Table, why: &str) {
    refused(steps(&[], std::slice::from_ref(wanted), store.abilities()), why);
    refused(store.apply(&Step::Create(wanted.clone())).await, why);
    let there = done(store.describe().await);
    assert!(there.iter().all(|(_, shape)| shape.table().name != wanted.name), "a refused table is not there");
}

/// What a call answered that must work.
#[track_caller]
pub(crate) fn done<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| panic!("a call that must work answers \"{fault}\""))
}

/// The words of a call that must be refused.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Fault>, what: &str) -> String {
    match result {
        Err(Fault::Refused(cause)) if !cause.is_empty() => cause.into_owned(),
        other => panic!("{what} is refused, in words; but the answer is {other:?}"),
    }
}

/// Asserts that a decision was lost to this row at this place. An engine need not say what it found.
#[track_caller]
pub(crate) fn lost<S: Subject>(desk: &Desk<'_, S>, verdict: &Verdict, place: usize, expected: Option<&Seen>) {
    let Verdict::Lost { at, current } = verdict else { panic!("the decision is lost, but the verdict is {verdict:?}") };
    assert_eq!(*at, place, "the verdict says which row was not as expected: {verdict:?}");
    match (current, expected) {
        (Current::NotSaid, _) | (Current::Absent, None) => {}
        (Current::Is(row), Some(expected)) => assert_eq!(&Seen::of(row, &desk.shape, NOW), expected),
        (current, expected) => panic!("the row is {expected:?}, but the verdict says {current:?}"),
    }
}

/// A decision with riders, at `NOW`.
pub(crate) async fn decide_along<S: Subject>(
    store: &S,
    change: Change<'_>,
    along: &[Along<'_>],
) -> Result<Verdict, Fault> {
    store.decide(Decision { change, along, now: NOW }).await
}

/// Polls futures in turns until all have ended.
pub(crate) async fn join<T>(futures: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut running: Vec<(BoxFuture<'_, T>, Option<T>)> = futures.into_iter().map(|future| (future, None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut running {
            if output.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        if running.iter().all(|(_, output)| output.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}
