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
    let (mut rows, mut cost, mut returned, mut reached) = (Vec::new(), Cost::default(), 0, None);
    for (sort, standings) in found {
        let row = row(shape, [window.partition.as_slice(), &sort].concat(), &standings)?;
        let stored = row.size();
        let row = row.as_of(window.now)?;
        let there = standings[0].is_there(window.now);
        let fits = !there || rows.is_empty() || returned + row.size() <= window.bytes_max as usize;
        if let Some(reached) = reached
            && (cost.rows == u64::from(window.rows_max) || !fits)
        {
            let reached: Vec<u8> = reached;
            let reached = key::decode(&reached, shape.sort_parts())?.into_iter().map(Value::into_owned).collect();
            return Ok(Rows { rows, end: End::Limit { reached }, cost });
        }
        cost = cost.plus(cost_of(stored, &standings, window.now));
        if there {
            returned += row.size();
            rows.push(row);
        }
        reached = Some(sort);
    }
    Ok(Rows { rows, end: End::Range, cost })
}

/// What a get answers, from what stands there.
pub(crate) fn got(shape: &Shape, at: &At, standings: Option<&[Standing]>, now: Millis) -> Result<Got, Fault> {
    let Some(standings) = standings else { return Ok(Got { row: None, cost: Cost { rows: 1, ..Cost::default() } }) };
    let row = row(shape, at.key(), standings)?;
    let cost = cost_of(row.size(), standings, now);
    let row = if standings[0].is_there(now) { Some(row.as_of(now)?) } else { None };
    Ok(Got { row, cost })
}

fn cost_of(bytes: usize, standings: &[Standing], now: Millis) -> Cost {
    let leftover = !standings[0].is_there(now) && standings.iter().any(|standing| standing.is_there(now));
    Cost { rows: 1, bytes: bytes as u64, leftovers: u64::from(leftover), milliunits: 0 }
}
