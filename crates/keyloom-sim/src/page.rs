use keyloom_store::{Cost, End, Fault, Got, Millis, Rows, Shape};
use keyloom_value::{Value, key};

use crate::{
    request::{At, Window},
    standing::{Standing, row},
};

/// What a slice answers, from the rows of its window in the order of the table.
pub(crate) fn page(shape: &Shape, window: &Window, mut found: Vec<(Vec<u8>, Vec<Standing>)>) -> Result<Rows, Fault> {
    if window.reverse {
        found.reverse();
    }
    let (mut rows, mut cost, mut returned) = (Vec::new(), Cost::default(), 0);
    let last = found.len().saturating_sub(1);
    for (at, (sort, standings)) in found.into_iter().enumerate() {
        let row = row(shape, [window.partition.as_slice(), &sort].concat(), &standings)?;
        cost = cost.plus(cost_of(row.size(), &standings, window.now));
        if standings[0].is_there(window.now) {
            returned += row.size();
            rows.push(row);
        }
        let full = cost.rows == u64::from(window.rows_max) || returned >= window.bytes_max as usize;
        if full && at < last {
            let reached = key::decode(&sort, shape.sort_parts())?.into_iter().map(Value::into_owned).collect();
            return Ok(Rows { rows, end: End::Limit { reached }, cost });
        }
    }
    Ok(Rows { rows, end: End::Range, cost })
}

/// What a get answers, from what stands there.
pub(crate) fn got(shape: &Shape, at: &At, standings: Option<&[Standing]>, now: Millis) -> Result<Got, Fault> {
    let Some(standings) = standings else { return Ok(Got { row: None, cost: Cost { rows: 1, ..Cost::default() } }) };
    let row = row(shape, at.key(), standings)?;
    let cost = cost_of(row.size(), standings, now);
    Ok(Got { row: standings[0].is_there(now).then_some(row), cost })
}

fn cost_of(bytes: usize, standings: &[Standing], now: Millis) -> Cost {
    let leftover = !standings[0].is_there(now) && standings.iter().any(|standing| standing.is_there(now));
    Cost { rows: 1, bytes: bytes as u64, leftovers: u64::from(leftover), milliunits: 0 }
}
