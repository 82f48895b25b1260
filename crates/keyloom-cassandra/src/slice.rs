//! Slices: which statements read a range from a cursor on, and the page that they make.

use std::{cmp::Ordering, ops::Bound};

use keyloom_store::{Cost, End, Fault, Rows, Slice, refuse};
use keyloom_value::{Value, compare, key};

use crate::{
    Cassandra,
    cells::Cells,
    fault::Asked,
    ready::Ready,
    rows::{Found, Reader, cost, raw, rows_of},
    statements::{Far, Near, SliceForm, run_end},
};

/// How many rows one call looks at, whatever it asks for: an answer is held in memory as a whole.
const ROWS_AT_ONCE: u32 = 1_000;

/// One statement of a slice: its form, and the values of its markers behind the partition.
#[derive(Debug, PartialEq)]
struct Piece<'a> {
    form: SliceForm,
    /// With the component that each is a value of.
    values: Vec<(usize, &'a Value<'a>)>,
}

impl Cassandra {
    pub(crate) async fn read_slice(&self, of: &Slice<'_>) -> Result<Rows, Fault> {
        let table = self.table(of.table)?;
        refuse::slice(&table.shape, of, &self.abilities)?;
        let (shape, first) = (&table.shape, table.shape.table().partition.len());
        let prefix = key::encode(of.partition, shape.partition_parts())?;
        if let Some(after) = of.after {
            key::encode(after, shape.sort_parts())?;
        }
        let mut partition = Cells::with_capacity(prefix.len() + 64);
        let bytes = table.bind_partition(of.partition, &mut partition)?;
        refuse::key_sizes(shape, bytes, 0, &self.abilities)?;
        let pieces = pieces(&table, of);
        // Values are looked at also where a cursor leaves nothing to ask for.
        bound_values(&table, of)?;
        let rows_max = of.rows_max.min(ROWS_AT_ONCE);
        let mut page = Page { rows: Vec::new(), cost: Cost::default(), bytes: 0, passed: None };
        for piece in pieces {
            let left = u64::from(rows_max) - page.cost.rows;
            if left == 0 {
                break;
            }
            let mut cells = partition.clone();
            for (at, value) in &piece.values {
                table.bind_component(first + at, value, &mut cells)?;
            }
            cells.int(i32::try_from(left).unwrap_or(i32::MAX));
            let statement = table.slice(piece.form, &self.session, &self.keyspace).await?.at(of.freshness);
            let answer = self.session.execute_unpaged(statement, &cells).await;
            let answer = rows_of(answer.map_err(|error| Asked::Read.failed(&error))?)?;
            let (mut reader, mut key) = (Reader::new(&table, &answer, of.now), prefix.clone());
            page.cost = page.cost.plus(cost(&answer));
            page.rows.reserve(answer.rows_num());
            for columns in raw(&answer)? {
                let mut columns = columns?;
                key.truncate(prefix.len());
                reader.key(&mut columns, first, &mut key)?;
                match reader.row(&mut columns, &key)? {
                    Found::Row(row) => {
                        if !page.rows.is_empty() && page.bytes + row.size() > of.bytes_max as usize {
                            return page.limited(&table);
                        }
                        page.bytes += row.size();
                        page.rows.push(row);
                        page.passed = None;
                    }
                    Found::Leftover(row) => {
                        page.cost.leftovers += 1;
                        page.passed = Some(row.key_bytes().to_vec());
                    }
                    Found::Nothing => page.passed = Some(key.clone()),
                }
            }
        }
        if page.cost.rows >= u64::from(rows_max) {
            return page.limited(&table);
        }
        Ok(Rows { rows: page.rows, end: End::Range, cost: page.cost })
    }
}

/// What a slice has found so far.
struct Page {
    rows: Vec<keyloom_store::Row>,
    cost: Cost,
    bytes: usize,
    /// The key of the last row that was looked at, if it is not one of the rows.
    passed: Option<Vec<u8>>,
}

impl Page {
    fn limited(self, table: &Ready) -> Result<Rows, Fault> {
        let last = self.rows.last().map(|row| &row.key_bytes()[..]);
        let key = key::decode(self.passed.as_deref().or(last).unwrap_or_default(), table.shape.key_parts())?;
        let sort = key.into_iter().skip(table.shape.table().partition.len());
        let reached = sort.map(Value::into_owned).collect();
        Ok(Rows { rows: self.rows, end: End::Limit { reached }, cost: self.cost })
    }
}

/// Refuses values that are none of their kind.
fn bound_values(table: &Ready, of: &Slice<'_>) -> Result<(), Fault> {
    let sort = table.shape.sort_parts();
    key::encode(of.within.equal, sort)?;
    for bound in [of.within.low, of.within.high] {
        if let (Bound::Included(value) | Bound::Excluded(value), Some(part)) = (bound, sort.get(of.within.equal.len()))
        {
            key::encode_part(value, part, &mut Vec::new())?;
        }
    }
    Ok(())
}

/// The statements that together read a slice, in the order of reading.
///
/// The rows behind a cursor are those that differ from it first in the last component, then those that differ first in the
/// one before, and so on. Components of one direction are one comparison of tuples; where the direction changes another
/// statement begins.
fn pieces<'a>(table: &Ready, of: &Slice<'a>) -> Vec<Piece<'a>> {
    let sort = &table.shape.table().sort;
    let equal = of.within.equal.len();
    let prefix = || of.within.equal.iter().enumerate();
    // The order of two values of a component in the direction of reading.
    let order = |at: usize, a: &Value<'_>, b: &Value<'_>| {
        let order = compare(a, b).unwrap_or(Ordering::Equal);
        if sort[at].descending == of.reverse { order } else { order.reverse() }
    };
    let rising = sort.get(equal).is_none_or(|next| next.descending == of.reverse);
    let (near, far) = if rising { (of.within.low, of.within.high) } else { (of.within.high, of.within.low) };
    let (far_form, far_value) = match far {
        Bound::Unbounded => (Far::Last, None),
        Bound::Included(value) => (Far::At, Some(value)),
        Bound::Excluded(value) => (Far::Before, Some(value)),
    };
    // Cassandra refuses bounds that no row can be between.
    let apart = |value: &Value<'_>, open: bool| match far {
        Bound::Unbounded => true,
        Bound::Included(far) => order(equal, value, far).is_lt() || !open && order(equal, value, far).is_eq(),
        Bound::Excluded(far) => order(equal, value, far).is_lt(),
    };
    let whole = || {
        let (form, value, sound) = match near {
            Bound::Unbounded => (Near::First, None, true),
            Bound::Included(value) => (Near::At, Some(value), apart(value, false)),
            Bound::Excluded(value) => (Near::Behind, Some(value), apart(value, true)),
        };
        let values = prefix().chain(value.into_iter().chain(far_value).map(|value| (equal, value))).collect();
        let reverse = of.reverse && equal < sort.len();
        let piece = Piece { form: SliceForm { equal, near: form, far: far_form, reverse }, values };
        if sound { vec![piece] } else { Vec::new() }
    };
    let Some(after) = of.after else { return whole() };
    let differs = prefix().map(|(at, value)| order(at, &after[at], value)).find(|order| order.is_ne());
    match differs {
        Some(Ordering::Less) => return whole(),
        Some(_) => return Vec::new(),
        None if equal == sort.len() => return Vec::new(),
        None => {}
    }
    let cursor = &after[equal];
    let before = match near {
        Bound::Unbounded => false,
        Bound::Included(near) => order(equal, cursor, near).is_lt(),
        Bound::Excluded(near) => order(equal, cursor, near).is_le(),
    };
    if before {
        return whole();
    }
    if !apart(cursor, false) {
        return Vec::new();
    }
    // The components at which another direction begins, the deepest first.
    let mut starts = vec![equal];
    while let Some(end) = starts.last().map(|start| run_end(&table.shape, *start)).filter(|end| *end < sort.len()) {
        starts.push(end);
    }
    let piece = |start: usize| {
        let end = run_end(&table.shape, start);
        let near = Near::behind(&table.shape, start);
        let bounded = start == equal;
        let values = after[..end].iter().enumerate();
        let far_value = far_value.filter(|_| bounded).map(|value| (equal, value));
        let far = if bounded { far_form } else { Far::Last };
        let form = SliceForm { equal: start, near, far, reverse: of.reverse };
        // Behind a value that is the last one of the range nothing is left.
        let empty = bounded && near == Near::Behind && !apart(cursor, true);
        (!empty).then(|| Piece { form, values: values.chain(far_value).collect() })
    };
    starts.into_iter().rev().filter_map(piece).collect()
}
