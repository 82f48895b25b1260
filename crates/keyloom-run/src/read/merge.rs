//! Rows of several ranges, merged in the order of a list.
//!
//! The order is total: its parts are columns and values that the ranges fix, in any turn, and all of them in the end. So a
//! position is a value, and says of every row of every range on which side of it the row stands. Nothing is given out beyond
//! the smallest row that was not read.

use std::{cmp::Ordering, collections::VecDeque, ops::Bound};

use futures_util::future::try_join_all;
use keyloom_store::{End, Freshness, Get, Range as Within, Row, Shape, Slice, Store};
use keyloom_value::{Value, key};

use super::{
    Asking, Columns, Found, millis, passes,
    ranges::{Between, Range},
    trail::Trail,
};
use crate::{
    problem::Problem,
    program::{Access, EntityPlan, Slices, Turn},
    run::Run,
};

type Owned = Value<'static>;

/// How many bytes are read of a range at once.
const PIECE_BYTES: u32 = 4 << 20;
/// Rows that a list makes room for at once.
const ROOM: usize = 128;
/// A list of which nothing remains to be tested may meet rows that are gone; it reads on past so many times its bound.
pub(crate) const FILLS_MAX: u64 = 8;

/// A position in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    /// The bytes of the sort key behind what the ranges fix.
    pub(crate) behind: Vec<u8>,
    /// The number of the range.
    pub(crate) range: u32,
    /// It stands behind everything of the bucket whose last value, in the direction of reading, these bytes are.
    pub(crate) edge: bool,
}

/// Where a row of a list stands: of most it is never asked.
pub(super) enum Spot {
    At(Position),
    /// Behind so many bytes of its key, in the range of this number.
    Behind {
        bytes: usize,
        range: u32,
    },
}

impl Spot {
    /// Where that row stands.
    pub(super) fn position(&self, of: &Found<'_>) -> Position {
        match self {
            Self::At(position) => position.clone(),
            Self::Behind { bytes, range } => {
                let behind = of.key_bytes().get(*bytes..).unwrap_or_default().to_vec();
                Position { behind, range: *range, edge: false }
            }
        }
    }
}

/// What of a list is to be read.
pub(super) struct Reading<'r, 'a> {
    pub(super) access: &'a Access,
    pub(super) slices: &'a Slices,
    pub(super) entity: &'a EntityPlan,
    pub(super) asking: &'r Asking<'r>,
    pub(super) shape: &'a Shape,
    pub(super) ranges: &'r [Range],
    pub(super) between: &'r Between,
    /// Only rows behind it, in the direction of reading.
    pub(super) after: Option<&'r Position>,
    /// Against the order of the table.
    pub(super) reverse: bool,
    /// So many rows.
    pub(super) wanted: usize,
}

/// What was read.
pub(super) struct Merged<'a> {
    pub(super) rows: Vec<(Spot, Found<'a>)>,
    /// Reading ended here before there were enough, because of its bound.
    pub(super) stopped: Option<Position>,
}

/// What is known of one range.
struct Head<'r, 'a> {
    number: u32,
    range: &'r Range,
    /// What is being read: its one partition, or the next of its buckets.
    open: VecDeque<Open<'a>>,
    /// The buckets behind these, where it has several.
    trail: Option<Trail>,
    /// The last bucket that was read to its end.
    passed: Option<i64>,
    /// How many rows were looked at before reading begins.
    looked_at: u64,
}

/// A partition that is being read.
#[derive(Default)]
struct Open<'a> {
    /// Which bucket it is, where there are several: where it begins, and its key.
    bucket: Option<(i64, Vec<Owned>)>,
    /// Rows that were read.
    rows: VecDeque<Found<'a>>,
    /// What is left of it, the next piece last, where that is not all of it behind one row.
    pieces: Vec<Piece>,
    /// The whole sort key up to which it was looked at.
    reached: Option<Vec<Owned>>,
    /// Reading goes on behind that; else at the start of a piece.
    goes_on: bool,
    ended: bool,
}

/// What one look into the store came to.
#[derive(Default, Clone, Copy)]
struct Filled {
    looked_at: u64,
    /// Not all of it was there.
    lost: bool,
}

/// A part of a range: the first columns of its sort key, and a range of the next one.
struct Piece {
    equal: Vec<Owned>,
    between: Between,
}

impl Run {
    pub(super) async fn merged<'a>(&'a self, reading: &Reading<'_, 'a>) -> Result<Merged<'a>, Problem> {
        let Reading { access, slices, entity, asking, .. } = *reading;
        let heads = reading.ranges.iter().zip(0..).map(|(range, number)| self.head(reading, range, number));
        let mut heads = try_join_all(heads).await?;
        let mut beside = self.beside(reading).await?;
        // A row that is dropped is no reason for a page to end.
        let allowed = slices.rows_max.saturating_mul(access.fills()).saturating_add(beside.hidden());
        let mut merged = Merged { rows: Vec::with_capacity(reading.wanted.min(ROOM)), stopped: None };
        let mut looked_at: u64 = heads.iter().map(|head| head.looked_at).sum();
        let mut fills = 0_u32;
        let may_move = heads.len() > 1 || slices.walks.is_some() && entity.source.hidden.is_some();
        while merged.rows.len() < reading.wanted {
            let missing = reading.wanted - merged.rows.len();
            let first = first(&heads, reading)?;
            if !beside.rows.is_empty() {
                let next = first.map(|first| heads[first].next(reading)).transpose()?;
                let next = next.as_ref().map(Option::as_ref).filter(|_| self.protocol.seen_in_place);
                if let Some((position, row)) = beside.next(next, reading) {
                    merged.rows.push((Spot::At(position), row));
                    continue;
                }
            }
            let Some(first) = first else { break };
            if let Some(mut found) = heads[first].take() {
                if !beside.hides(entity, &found)?
                    && passes(access, entity, asking, &found)?
                    && (!may_move || merged.is_newest(entity, &mut found)?)
                {
                    merged.rows.push((heads[first].spot(), found));
                }
                continue;
            }
            if looked_at >= allowed || heads[first].is_spent() {
                merged.stopped = heads[first].position(reading)?;
                break;
            }
            // Where much fails the tests, or is there no more, more is read each time.
            let more = (missing as u64).saturating_mul(1 << fills.min(8)).min(allowed - looked_at);
            let dry = heads.iter_mut().filter(|head| head.is_dry() && !head.is_spent());
            let filled = try_join_all(dry.map(|head| self.fill(reading, head, more))).await?;
            looked_at += filled.iter().map(|filled| filled.looked_at).sum::<u64>();
            fills += u32::from(!access.remains.is_empty() || filled.iter().any(|filled| filled.lost));
        }
        Ok(merged)
    }

    /// A range of which nothing is read yet, but for a row at the very position behind which reading begins: another range
    /// stands at it, and what this one has there comes behind.
    async fn head<'r, 'a>(
        &'a self,
        reading: &Reading<'r, 'a>,
        range: &'r Range,
        number: u32,
    ) -> Result<Head<'r, 'a>, Problem> {
        let Reading { access, slices, shape, .. } = *reading;
        let mut head = Head { number, range, open: VecDeque::new(), trail: None, passed: None, looked_at: 0 };
        let mut open = Open::default();
        if let Some(after) = reading.after {
            let other = |_| Problem::Cursor("this cursor is of another order".into());
            let parts = &shape.sort_parts()[slices.equal.len()..];
            let behind = key::decode(&after.behind, if after.edge { &parts[..1] } else { parts }).map_err(other)?;
            let behind: Vec<Owned> = behind.into_iter().map(Value::into_owned).collect();
            let bucket = slices.walks.as_ref().zip(behind.first());
            let bucket = bucket.and_then(|(walks, first)| Some((walks, walks.bucket_of(first)?)));
            match reading.begins(number, after) {
                (0, false) => return Ok(head),
                (0, true) => {}
                // Whatever stands in that bucket comes before its edge.
                _ if after.edge => head.passed = bucket.map(|(_, bucket)| bucket),
                (columns, comes_behind) => {
                    open.bucket = bucket.map(|(walks, bucket)| (bucket, range.bucket(walks.cut, bucket)));
                    if columns < behind.len() {
                        open.pieces = reading.pieces(range, &behind[..columns], comes_behind);
                    } else {
                        let sort: Vec<Owned> = range.equal.iter().cloned().chain(behind).collect();
                        if comes_behind && !slices.identified {
                            let key: Vec<Owned> = open.partition(range).iter().chain(&sort).cloned().collect();
                            let (table, now) = (self.table(slices.table).0, millis(reading.asking.now_us));
                            let get = Get { table, key: &key, freshness: at_most_settled(access), now };
                            let got = self.store.get(get).await?;
                            head.looked_at = got.cost.rows;
                            open.rows.extend(self.found_in(reading, got.row).await?);
                        }
                        (open.reached, open.goes_on) = (Some(sort), true);
                    }
                }
            }
        }
        let Some(walks) = &slices.walks else {
            head.open.push_back(open);
            return Ok(head);
        };
        let begins = open.bucket.as_ref().map(|(bucket, _)| *bucket);
        let mut trail = self.trail(reading, walks, range, begins.or(head.passed))?;
        if begins.is_some() {
            trail.reads_one();
            head.open.push_back(open);
        }
        head.trail = Some(trail);
        Ok(head)
    }

    /// Reads on in a range: where it is being read, else in its next buckets.
    async fn fill<'a>(
        &'a self,
        reading: &Reading<'_, 'a>,
        head: &mut Head<'_, 'a>,
        rows_max: u64,
    ) -> Result<Filled, Problem> {
        let range = head.range;
        if let (Some(walks), Some(trail), true) = (&reading.slices.walks, head.trail.as_mut(), head.open.is_empty()) {
            for bucket in self.next_buckets(reading, walks, trail, rows_max).await? {
                let bucket = Some((bucket, range.bucket(walks.cut, bucket)));
                head.open.push_back(Open { bucket, ..Open::default() });
            }
        }
        // Those that were just opened, each of them a part; else the first one alone.
        let unread = head.open.iter().filter(|open| open.reached.is_none() && !open.ended).count().max(1);
        let each = rows_max / unread as u64;
        let dry = head.open.iter_mut().take(unread);
        let filled = try_join_all(dry.map(|open| self.read_on(reading, range, open, each))).await?;
        head.tidy();
        let looked_at = filled.iter().map(|filled| filled.looked_at).sum();
        Ok(Filled { looked_at, lost: filled.iter().any(|filled| filled.lost) })
    }

    /// Reads on in a partition, until there is something or nothing is left.
    async fn read_on<'a>(
        &'a self,
        reading: &Reading<'_, 'a>,
        range: &Range,
        open: &mut Open<'a>,
        rows_max: u64,
    ) -> Result<Filled, Problem> {
        let (table, shape) = self.table(reading.slices.table);
        let mut filled = Filled::default();
        loop {
            let piece = open.pieces.last();
            let equal = piece.map_or(&range.equal, |piece| &piece.equal);
            let Between { low, high } = piece.map_or(reading.between, |piece| &piece.between);
            let read = self.store.slice(Slice {
                table,
                partition: open.partition(range),
                within: Within { equal, low: low.as_ref(), high: high.as_ref() },
                after: open.reached.as_deref().filter(|_| open.goes_on),
                reverse: reading.reverse,
                rows_max: u32::try_from(rows_max).unwrap_or(u32::MAX).max(1),
                bytes_max: PIECE_BYTES,
                freshness: at_most_settled(reading.access),
                now: millis(reading.asking.now_us),
            });
            let read = read.await?;
            let last = read.rows.last().filter(|_| open.pieces.len() > 1).map(|row| row.key_bytes().to_vec());
            let found = self.found_in(reading, read.rows).await?;
            filled.lost |= (found.len() as u64) < read.cost.rows;
            open.rows.extend(found);
            // An engine that looked at nothing has still been asked, and may be asked again.
            filled.looked_at += read.cost.rows.max(1);
            match read.end {
                End::Limit { reached } => (open.reached, open.goes_on) = (Some(reached), true),
                End::Range if open.pieces.len() > 1 => {
                    open.pieces.pop();
                    open.goes_on = false;
                    let Some(last) = last else { continue };
                    open.reached = Some(range.sort_key(&last, shape)?);
                }
                End::Range => {
                    // It is not asked again.
                    filled.looked_at -= u64::from(read.cost.rows == 0);
                    open.ended = true;
                }
            }
            return Ok(filled);
        }
    }

    /// Rows that were read, with the kept values that are to be tested. Those of a source that are gone are left out, and those
    /// that have ended where they are still shown.
    async fn found_in<'a>(
        &'a self,
        reading: &Reading<'_, 'a>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Vec<Found<'a>>, Problem> {
        let Reading { access, slices, entity, asking, .. } = *reading;
        let columns = Columns::of_list(self.table(slices.table).1, slices, entity);
        let may_be_gone = slices.is_source || slices.shows_ended;
        let rows = rows.into_iter();
        let mut found: Vec<Found<'a>> = Vec::with_capacity(rows.size_hint().0);
        for row in rows {
            let row = columns.found(row);
            if !may_be_gone || row.is_alive(entity, asking.now_us)? {
                found.push(row);
            }
        }
        self.with_kept(access, &mut found, asking.now_us).await?;
        Ok(found)
    }
}

impl Merged<'_> {
    /// Whether a row is the newest of its identity. One that moves from range to range may be met in both: of those the
    /// older is no longer so.
    fn is_newest(&mut self, entity: &EntityPlan, found: &mut Found<'_>) -> Result<bool, Problem> {
        // It is compared with all that come behind it.
        found.read()?;
        let values = found.values()?;
        let mut same = None;
        for (at, (_, known)) in self.rows.iter().enumerate() {
            let others = known.values()?;
            if entity.key.iter().all(|field| others[*field] == values[*field]) {
                same = Some((at, known.version()?));
                break;
            }
        }
        let Some((at, version)) = same else { return Ok(true) };
        let newer = version < found.version()?;
        if newer {
            self.rows.remove(at);
        }
        Ok(newer)
    }
}

impl Open<'_> {
    /// The key of its partition.
    fn partition<'p>(&'p self, range: &'p Range) -> &'p [Owned] {
        self.bucket.as_ref().map_or(&range.partition, |(_, partition)| partition)
    }
}

impl<'a> Head<'_, 'a> {
    /// Its next row, if it was read.
    fn take(&mut self) -> Option<Found<'a>> {
        let row = self.open.front_mut()?.rows.pop_front();
        self.tidy();
        row
    }

    /// Leaves buckets behind of which everything was given out.
    fn tidy(&mut self) {
        while self.trail.is_some()
            && let Some(open) = self.open.front().filter(|open| open.rows.is_empty() && open.ended)
        {
            self.passed = open.bucket.as_ref().map(|(bucket, _)| *bucket);
            self.open.pop_front();
        }
    }

    /// Nothing is left to be given out that was read.
    fn is_dry(&self) -> bool {
        !self.is_over() && self.open.front().is_none_or(|open| open.rows.is_empty())
    }

    fn is_over(&self) -> bool {
        let read = self.open.front().is_none_or(|open| open.rows.is_empty() && open.ended);
        read && self.trail.as_ref().is_none_or(Trail::is_over)
    }

    /// It may have more, and this call does not look for it.
    fn is_spent(&self) -> bool {
        self.open.is_empty() && self.trail.as_ref().is_some_and(Trail::is_spent)
    }

    /// Where a row of it stands.
    fn spot(&self) -> Spot {
        Spot::Behind { bytes: self.range.bytes, range: self.number }
    }

    /// Where its next row stands; of one that has to be read on, what it stands behind.
    fn next(&self, reading: &Reading<'_, '_>) -> Result<Option<Position>, Problem> {
        match self.open.front().and_then(|open| open.rows.front()) {
            Some(found) => Ok(Some(self.spot().position(found))),
            None => self.position(reading),
        }
    }

    /// Where it stands when nothing of it is left to be given out: at what was looked at last.
    fn position(&self, reading: &Reading<'_, '_>) -> Result<Option<Position>, Problem> {
        let Reading { slices, shape, reverse, .. } = *reading;
        if let Some(reached) = self.open.front().and_then(|open| open.reached.as_ref()) {
            return Ok(Some(Position { behind: encoded(reached, shape, slices)?, range: self.number, edge: false }));
        }
        let Some((walks, passed)) = slices.walks.as_ref().zip(self.passed) else { return Ok(None) };
        let parts = &shape.sort_parts()[slices.equal.len()..];
        let behind = key::encode(&[walks.last_of(passed, reverse)], parts);
        let behind = behind.map_err(|mismatch| Problem::Broken(mismatch.to_string()))?;
        Ok(Some(Position { behind, range: self.number, edge: true }))
    }
}

impl Range {
    /// The sort key of a row, by the bytes of its key.
    fn sort_key(&self, key: &[u8], shape: &Shape) -> Result<Vec<Owned>, Problem> {
        let behind = key.get(self.bytes..).unwrap_or_default();
        let behind = key::decode(behind, &shape.sort_parts()[self.equal.len()..]);
        let behind = behind.map_err(|malformed| Problem::Broken(malformed.to_string()))?;
        Ok(self.equal.iter().cloned().chain(behind.into_iter().map(Value::into_owned)).collect())
    }
}

/// Lists are not linearizable: of them fresh means settled.
pub(super) fn at_most_settled(access: &Access) -> Freshness {
    access.freshness.min(Freshness::Settled)
}

/// The bytes of a sort key behind what the ranges fix.
pub(super) fn encoded(sort: &[Value<'_>], shape: &Shape, slices: &Slices) -> Result<Vec<u8>, Problem> {
    let fixed = slices.equal.len();
    key::encode(&sort[fixed..], &shape.sort_parts()[fixed..]).map_err(|mismatch| Problem::Broken(mismatch.to_string()))
}

/// The range whose next row comes first, or might: of one that has to be read on, it may stand just behind what was
/// reached.
fn first(heads: &[Head<'_, '_>], reading: &Reading<'_, '_>) -> Result<Option<usize>, Problem> {
    // One range is the rule, and needs no comparing.
    if let [head] = heads {
        return Ok((!head.is_over()).then_some(0));
    }
    let mut first: Option<(usize, Option<Position>)> = None;
    for (at, head) in heads.iter().enumerate() {
        if head.is_over() {
            continue;
        }
        let position = head.next(reading)?;
        let earlier = match &first {
            None => true,
            Some((_, known)) => reading.order(position.as_ref(), known.as_ref()) == Ordering::Less,
        };
        if earlier {
            first = Some((at, position));
        }
    }
    Ok(first.map(|(at, _)| at))
}

impl Reading<'_, '_> {
    /// The order of two positions in the direction of reading; before both stands what was not read at all.
    pub(super) fn order(&self, one: Option<&Position>, other: Option<&Position>) -> Ordering {
        match (one, other) {
            (Some(one), Some(other)) => {
                let mut each = self.slices.turns.iter().map(|turn| match turn {
                    Turn::Columns(columns) => {
                        let order = self.order_of_columns(one, other, *columns);
                        if self.reverse { order.reverse() } else { order }
                    }
                    Turn::Ranges { at, descending } => self.order_of_ranges(one.range, other.range, *at, *descending),
                });
                each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }

    /// Which of two positions comes first in the table, by so many columns.
    fn order_of_columns(&self, one: &Position, other: &Position, columns: usize) -> Ordering {
        match (one.edge, other.edge) {
            (false, false) => self.first_columns(one, columns).cmp(self.first_columns(other, columns)),
            (true, true) => one.behind.cmp(&other.behind),
            (false, true) => self.order_of_columns(other, one, columns).reverse(),
            (true, false) => {
                // All rows at the last value of a bucket come before its edge, in the direction of reading.
                let first = other.behind.get(..one.behind.len()).unwrap_or(&other.behind);
                let edge = if self.reverse { Ordering::Less } else { Ordering::Greater };
                one.behind.as_slice().cmp(first).then(edge)
            }
        }
    }

    /// The bytes of so many columns of a position.
    fn first_columns<'p>(&self, position: &'p Position, columns: usize) -> &'p [u8] {
        let parts = &self.shape.sort_parts()[self.slices.equal.len()..];
        if columns == parts.len() {
            return &position.behind;
        }
        let mut rest = &position.behind[..];
        for part in &parts[..columns] {
            // What is no key was refused with its cursor.
            if key::decode_part(&mut rest, part).is_err() {
                break;
            }
        }
        &position.behind[..position.behind.len() - rest.len()]
    }

    /// Which of two ranges comes first in the direction of reading, by a value that they fix.
    fn order_of_ranges(&self, one: u32, other: u32, at: usize, descending: bool) -> Ordering {
        let range = |number: u32| self.ranges.get(usize::try_from(number).unwrap_or(usize::MAX));
        let order = range(one).zip(range(other)).map(|(one, other)| one.order(other, at, descending));
        let order = order.unwrap_or(Ordering::Equal);
        if self.reverse { order.reverse() } else { order }
    }

    /// How many columns of a position say where a range goes on behind it, and whether rows come behind it that are equal there.
    fn begins(&self, number: u32, after: &Position) -> (usize, bool) {
        let mut known = 0;
        for turn in &self.slices.turns {
            match turn {
                Turn::Columns(columns) => known = *columns,
                Turn::Ranges { at, descending } => match self.order_of_ranges(number, after.range, *at, *descending) {
                    Ordering::Less => return (known, false),
                    Ordering::Greater => return (known, true),
                    Ordering::Equal => {}
                },
            }
        }
        (self.shape.sort_parts().len() - self.slices.equal.len(), false)
    }

    /// What lies behind the first columns of a position in a range, the last piece first: rows that are equal in all of these columns
    /// but the last one, in all but the last two, and so on.
    fn pieces(&self, range: &Range, first: &[Owned], included: bool) -> Vec<Piece> {
        let piece = |(at, value): (usize, &Owned)| {
            let mut between =
                if at == 0 { self.between.clone() } else { Between { low: Bound::Unbounded, high: Bound::Unbounded } };
            let falls = self.shape.sort_parts()[range.equal.len() + at].descending != self.reverse;
            between.narrow(value.clone(), included && at + 1 == first.len(), !falls);
            Piece { equal: range.equal.iter().chain(&first[..at]).cloned().collect(), between }
        };
        first.iter().enumerate().map(piece).collect()
    }
}
