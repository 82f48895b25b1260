use bytes::{Bytes, BytesMut};
use keyloom_value::{Malformed, Mismatch, Value, canonical, key};

use crate::schema::{Column, ColumnAt, Millis, Shape};

/// A row: two shared buffers, its key and its body, from which values are borrowed. It does not know its table; whoever
/// reads it brings the [`Shape`], so that a slice of a hundred rows is a hundred pairs of pointers.
///
/// A store returns rows as they are at the moment of the read: of a group that has expired or was removed they hold no
/// values, since whoever asks for a value brings no moment.
///
/// The body is one [`Section`] for each column group:
///
/// ```text
/// body     groups u8, then a section for each
/// section  state u8: never (nothing follows), put, put with an end, removed
///          version u64, [end or moment of removal i64], length u32, cells
/// cells    columns u16 (top bit: ends are wide), then for each its end (u16 or u32, top bit: absent), then the values
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    key: Bytes,
    body: Bytes,
}

/// What stands in one column group of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    /// Whether it is there.
    pub state: State,
    /// Its version; 0 when there was never anything.
    pub version: u64,
    cells: &'a [u8],
}

/// Whether a column group is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// There was never anything.
    Never,
    /// It is there, until it expires.
    Put {
        /// From when on it is not there.
        expires_at: Option<Millis>,
    },
    /// It was removed.
    Removed {
        /// When.
        at: Millis,
    },
}

/// A stored row as callers see it at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// It is there.
    There(Row),
    /// Its root is not there, though another group is.
    Leftover(Row),
    /// Nothing of it is there.
    Not(Row),
}

const NEVER: u8 = 0;
const PUT: u8 = 1;
const PUT_WITH_END: u8 = 2;
const REMOVED: u8 = 3;

const SHORT: Malformed = Malformed::from_static("a row ends early");

impl Row {
    /// A row of these bytes; a store made them with [`RowBuilder`].
    pub fn new(key: Bytes, body: Bytes) -> Self {
        Self { key, body }
    }

    /// The key's bytes, as [`keyloom_value::key`] writes them.
    pub fn key_bytes(&self) -> &Bytes {
        &self.key
    }

    /// The body's bytes.
    pub fn body_bytes(&self) -> &Bytes {
        &self.body
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.key.len() + self.body.len()
    }

    /// As it is seen at a moment: groups that are not there any more have nothing in them.
    ///
    /// # Errors
    /// When the body can't be read.
    pub fn as_of(self, now: Millis) -> Result<Self, Malformed> {
        let hidden = |section: &Section<'_>| section.state != State::Never && !section.is_there(now);
        let mut any = false;
        for section in Sections::of(&self.body)? {
            any |= hidden(&section?);
        }
        if !any {
            return Ok(self);
        }
        let mut body = RowBuilder::new();
        for section in Sections::of(&self.body)? {
            let section = section?;
            body.keep(if hidden(&section) { &Section::NEVER } else { &section });
        }
        Ok(Self { key: self.key, body: body.finish() })
    }

    /// What of it is there at a moment, where its table has so many column groups.
    ///
    /// # Errors
    /// When the body can't be read.
    pub fn shown(self, groups: usize, now: Millis) -> Result<Shown, Malformed> {
        if self.section(0)?.is_there(now) {
            // With one group there is nothing to hide, and the row goes out as it was read.
            return Ok(Shown::There(if groups == 1 { self } else { self.as_of(now)? }));
        }
        for group in 1..groups {
            if self.section(group)?.is_there(now) {
                return Ok(Shown::Leftover(self));
            }
        }
        Ok(Shown::Not(self))
    }

    /// The version of its root.
    ///
    /// # Errors
    /// When the body can't be read.
    pub fn version(&self) -> Result<u64, Malformed> {
        Ok(self.section(0)?.version)
    }

    /// What stands in a column group.
    ///
    /// # Errors
    /// When the body can't be read.
    pub fn section(&self, group: usize) -> Result<Section<'_>, Malformed> {
        Sections::of(&self.body)?.nth(group).unwrap_or(Ok(Section::NEVER))
    }

    /// The values of its key: partition, then sort.
    ///
    /// # Errors
    /// When the key can't be read.
    pub fn key<'a>(&'a self, shape: &Shape) -> Result<Vec<Value<'a>>, Malformed> {
        key::decode(&self.key, shape.key_parts())
    }

    /// The value of a column; `Null` when it is absent, or its group is.
    ///
    /// # Errors
    /// When the row can't be read.
    pub fn value<'a>(&'a self, shape: &Shape, at: ColumnAt) -> Result<Value<'a>, Malformed> {
        let Some(kind) = shape.kind(at) else { return Ok(Value::Null) };
        match at {
            ColumnAt::Key(at) => {
                let mut rest = &self.key[..];
                for part in &shape.key_parts()[..at] {
                    key::decode_part(&mut rest, part)?;
                }
                key::decode_part(&mut rest, &shape.key_parts()[at])
            }
            ColumnAt::Cell { group, column } => match self.section(group)?.cell(column)? {
                Some(bytes) => canonical::decode(bytes, kind),
                None => Ok(Value::Null),
            },
        }
    }

    /// The values of several columns, as [`Row::value`] reads each; `Null` where there is no column. The key is read once.
    ///
    /// # Errors
    /// When the row can't be read.
    pub fn values<'a>(&'a self, shape: &Shape, columns: &[Option<ColumnAt>]) -> Result<Vec<Value<'a>>, Malformed> {
        let mut values = vec![Value::Null; columns.len()];
        let mut last = (0, self.section(0)?);
        for (value, column) in values.iter_mut().zip(columns) {
            let Some(at @ ColumnAt::Cell { group, column }) = *column else { continue };
            if last.0 != group {
                last = (group, self.section(group)?);
            }
            if let (Some(bytes), Some(kind)) = (last.1.cell(column)?, shape.kind(at)) {
                *value = canonical::decode(bytes, kind)?;
            }
        }
        let mut rest = &self.key[..];
        for (at, part) in shape.key_parts().iter().enumerate() {
            let component = key::decode_part(&mut rest, part)?;
            let asked = values.iter_mut().zip(columns).filter(|(_, column)| **column == Some(ColumnAt::Key(at)));
            for (value, _) in asked {
                *value = component.clone();
            }
        }
        if rest.is_empty() {
            Ok(values)
        } else {
            Err(Malformed::from_static("a key goes on behind its last component"))
        }
    }
}

impl<'a> Section<'a> {
    /// There was never anything.
    pub const NEVER: Self = Self { state: State::Never, version: 0, cells: &[] };

    /// Whether it is there at this moment.
    pub fn is_there(&self, now: Millis) -> bool {
        match self.state {
            State::Put { expires_at } => expires_at.is_none_or(|end| end > now),
            State::Never | State::Removed { .. } => false,
        }
    }

    /// Whether a placement of this version would change it: see [`crate::Placement`] for the order.
    pub fn yields_to(&self, version: u64, removal: bool) -> bool {
        match self.state {
            State::Never => true,
            State::Put { .. } => version > self.version,
            State::Removed { .. } if removal => version > self.version,
            State::Removed { .. } => version >= self.version,
        }
    }

    /// From when on nothing depends on it any more: it is not there, and no older placement can still be under way.
    pub fn forgettable_from(&self, grace_ms: i64) -> Option<Millis> {
        match self.state {
            State::Never => Some(Millis(i64::MIN)),
            State::Put { expires_at } => expires_at.map(|end| end.plus(grace_ms)),
            State::Removed { at } => Some(at.plus(grace_ms)),
        }
    }

    /// The canonical bytes of one column; `None` when it is absent.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn cell(&self, column: usize) -> Result<Option<&'a [u8]>, Malformed> {
        if !matches!(self.state, State::Put { .. }) {
            return Ok(None);
        }
        let (head, rest) = self.cells.split_first_chunk().ok_or(SHORT)?;
        let head = u16::from_le_bytes(*head);
        let (count, wide) = (usize::from(head & 0x7FFF), head & 0x8000 != 0);
        // A column that was added later is absent in older rows.
        if column >= count {
            return Ok(None);
        }
        let width = if wide { 4 } else { 2 };
        let data = rest.get(count * width..).ok_or(SHORT)?;
        let end = |at: usize| -> Result<(usize, bool), Malformed> {
            let bytes = rest.get(at * width..(at + 1) * width).ok_or(SHORT)?;
            Ok(match *bytes {
                [a, b] => (usize::from(u16::from_le_bytes([a, b & 0x7F])), b & 0x80 != 0),
                [a, b, c, d] => (u32::from_le_bytes([a, b, c, d & 0x7F]) as usize, d & 0x80 != 0),
                _ => return Err(SHORT),
            })
        };
        let (stop, absent) = end(column)?;
        if absent {
            return Ok(None);
        }
        let start = if column == 0 { 0 } else { end(column - 1)?.0 };
        data.get(start..stop).map(Some).ok_or(SHORT)
    }
}

/// The sections of a body.
pub(crate) struct Sections<'a> {
    left: u8,
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    pub(crate) fn of(body: &'a [u8]) -> Result<Self, Malformed> {
        let (left, rest) = body.split_first().ok_or(SHORT)?;
        Ok(Self { left: *left, rest })
    }

    fn read(&mut self) -> Result<Section<'a>, Malformed> {
        let (state, rest) = self.rest.split_first().ok_or(SHORT)?;
        self.rest = rest;
        if *state == NEVER {
            return Ok(Section::NEVER);
        }
        let version = u64::from_le_bytes(self.take()?);
        let state = match *state {
            PUT => State::Put { expires_at: None },
            PUT_WITH_END => State::Put { expires_at: Some(Millis(i64::from_le_bytes(self.take()?))) },
            REMOVED => State::Removed { at: Millis(i64::from_le_bytes(self.take()?)) },
            _ => return Err(Malformed::from_static("a row is in an unknown state")),
        };
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (cells, rest) = self.rest.split_at_checked(length).ok_or(SHORT)?;
        self.rest = rest;
        Ok(Section { state, version, cells })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = Result<Section<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.read())
    }
}

/// Writes the body of a row, group by group.
#[derive(Debug)]
pub struct RowBuilder {
    body: Vec<u8>,
}

impl RowBuilder {
    /// A body without groups so far.
    pub fn new() -> Self {
        Self { body: vec![0] }
    }

    /// The next group is there, with these values; columns behind them are absent.
    ///
    /// # Errors
    /// When there are more values than columns, or one is none of its kind.
    pub fn put(
        &mut self,
        version: u64,
        expires_at: Option<Millis>,
        columns: &[Column],
        values: &[Value<'_>],
    ) -> Result<(), Mismatch> {
        if values.len() > columns.len() {
            return Err(Mismatch::new(format!("{} values where there are {} columns", values.len(), columns.len())));
        }
        let columns = &columns[..values.len()];
        // A body that is made in one piece is made fast, and takes no more memory than it has bytes.
        let data: usize = values.iter().map(about).sum();
        self.body.reserve_exact(24 + 2 * columns.len() + data);
        self.head(State::Put { expires_at }, version);
        let length_at = self.body.len();
        self.body.extend([0; 4]);
        let cells_at = self.body.len();
        // Narrow ends do for nearly every row; one that is larger than they can say is written again with wide ones.
        if !self.cells::<2>(columns, values)? {
            self.body.truncate(cells_at);
            if !self.cells::<4>(columns, values)? {
                return Err(Mismatch::new("a row above 2 GB".into()));
            }
        }
        let length = u32::try_from(self.body.len() - cells_at).unwrap_or(u32::MAX);
        self.body[length_at..cells_at].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    /// The next group was removed.
    pub fn removed(&mut self, version: u64, at: Millis) {
        self.head(State::Removed { at }, version);
        self.body.extend([0; 4]);
    }

    /// The next group is as it was.
    pub fn keep(&mut self, section: &Section<'_>) {
        if section.state == State::Never {
            self.body[0] += 1;
            self.body.push(NEVER);
            return;
        }
        self.head(section.state, section.version);
        self.body.extend(u32::try_from(section.cells.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.body.extend(section.cells);
    }

    /// The bytes.
    pub fn finish(self) -> Bytes {
        self.body.into()
    }

    /// The bytes so far, of which a [`Page`] makes a row.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// Begins again, with the next row.
    pub fn clear(&mut self) {
        self.body.clear();
        self.body.push(0);
    }

    fn head(&mut self, state: State, version: u64) {
        self.body[0] += 1;
        let (tag, moment) = match state {
            State::Never => (NEVER, None),
            State::Put { expires_at: None } => (PUT, None),
            State::Put { expires_at: Some(end) } => (PUT_WITH_END, Some(end)),
            State::Removed { at } => (REMOVED, Some(at)),
        };
        self.body.push(tag);
        self.body.extend(version.to_le_bytes());
        self.body.extend(moment.into_iter().flat_map(|Millis(moment)| moment.to_le_bytes()));
    }

    /// Writes cells with ends of so many bytes; false when they do not suffice.
    fn cells<const WIDTH: usize>(&mut self, columns: &[Column], values: &[Value<'_>]) -> Result<bool, Mismatch> {
        let top = 1u32 << (WIDTH * 8 - 1);
        let count = u16::try_from(columns.len()).ok().filter(|count| *count < 0x8000);
        let count = count.ok_or_else(|| Mismatch::new("too many columns".into()))?;
        self.body.extend((if WIDTH == 4 { count | 0x8000 } else { count }).to_le_bytes());
        let mut end_at = self.body.len();
        self.body.resize(end_at + columns.len() * WIDTH, 0);
        let data_at = self.body.len();
        for (column, value) in columns.iter().zip(values) {
            if !value.is_null() {
                canonical::encode(value, &column.kind, &mut self.body)
                    .map_err(|mismatch| Mismatch::new(format!("column `{}`: {mismatch}", column.name)))?;
            }
            let Some(end) = u32::try_from(self.body.len() - data_at).ok().filter(|end| *end < top) else {
                return Ok(false);
            };
            let end = if value.is_null() { end | top } else { end };
            self.body[end_at..end_at + WIDTH].copy_from_slice(&end.to_le_bytes()[..WIDTH]);
            end_at += WIDTH;
        }
        Ok(true)
    }
}

/// Rows of one answer, which lie in one piece of memory: it is asked for once, and given back when the last of them is.
#[derive(Debug, Default)]
pub struct Page {
    bytes: BytesMut,
}

impl Page {
    /// With room for so many bytes; there may be more.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: BytesMut::with_capacity(bytes) }
    }

    /// A row of this key and this body.
    pub fn row(&mut self, key: &[u8], body: &[u8]) -> Row {
        self.bytes.reserve(key.len() + body.len());
        let mut take = |bytes: &[u8]| {
            self.bytes.extend_from_slice(bytes);
            self.bytes.split().freeze()
        };
        Row { key: take(key), body: take(body) }
    }
}

/// About how many bytes a value has.
fn about(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) | Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 8,
    }
}

impl Default for RowBuilder {
    fn default() -> Self {
        Self::new()
    }
}
