//! `typical / p99 / worst`, and `per month`.

use std::ops::Range;

use keyloom_model::{Distribution, TimeSpan};

use super::{Wanted, count_at, span_at, time_unit, wrong_unit};
use crate::fault::Fault;
use crate::parse::lexer::{Cursor, Kind, shown};

/// Reads a distribution of counts without its `per`.
pub(in crate::parse) fn count_distribution_at(cursor: &mut Cursor, example: &str) -> Result<Distribution<u64>, Fault> {
    distribution_at(cursor, count_at, |count| *count, example)
}

/// Reads `typical / p99 / worst`, or one number that is a hard maximum.
pub(super) fn distribution_at<T: Copy>(
    cursor: &mut Cursor,
    read: impl Fn(&mut Cursor) -> Result<T, Fault>,
    length: impl Fn(&T) -> u64,
    example: &str,
) -> Result<Distribution<T>, Fault> {
    let three = "a distribution has three numbers: typical / p99 / worst";
    let mut values: Vec<(T, Range<usize>)> = Vec::with_capacity(3);
    loop {
        let start = cursor.peek().range.start;
        if let Some(fault) = foreign_part(cursor, values.is_empty(), example) {
            return Err(fault);
        }
        let value = read(cursor)?;
        values.push((value, start..cursor.taken_to()));
        if cursor.is("..") || cursor.is("-") || cursor.is(",") {
            return Err(Fault::new(cursor.peek().range.clone(), three).help(format!("write `{example}`")));
        }
        if cursor.take("/").is_none() {
            break;
        }
        if values.len() == 3 {
            let fourth = cursor.rest();
            let help = match time_unit(cursor.ahead()) {
                Some(unit) => format!("if it grows, write `per {}`", unit.name()),
                None => format!("write `{example}`"),
            };
            return Err(Fault::new(fourth, three).help(help));
        }
    }
    match values.as_slice() {
        [(worst, _)] => Ok(Distribution::at_most(*worst)),
        [(typical, first), (p99, second), (worst, third)] => {
            let said = |range: &Range<usize>| cursor.slice(range.clone());
            let fall = match (length(typical), length(p99), length(worst)) {
                (typical, p99, _) if typical > p99 => Some((second, "p99", "typical", first)),
                (_, p99, worst) if p99 > worst => Some((third, "worst", "p99", second)),
                _ => None,
            };
            if let Some((at, lower, upper, before)) = fall {
                let mut ascending = [(length(typical), first), (length(p99), second), (length(worst), third)];
                ascending.sort_by_key(|(length, _)| *length);
                let sorted = ascending.map(|(_, range)| said(range)).join(" / ");
                return Err(Fault::new(
                    at.clone(),
                    format!("the {lower} {} is less than the {upper} {}", shown(said(at)), shown(said(before))),
                )
                .help(format!("a distribution ascends, typical / p99 / worst: `{sorted}`")));
            }
            Ok(Distribution { typical: Some(*typical), p99: Some(*p99), worst: Some(*worst), per: None })
        }
        several => {
            let start = several.first().map_or(0, |(_, range)| range.start);
            Err(Fault::new(start..cursor.taken_to(), three)
                .help(format!("write `{example}`, or one number as a hard maximum")))
        }
    }
}

/// A part of a distribution that is no number, with an answer of its own.
fn foreign_part(cursor: &Cursor, first: bool, example: &str) -> Option<Fault> {
    let range = cursor.peek().range.clone();
    if cursor.at_end() && first {
        return Some(
            Fault::new(range, "the sizes are missing").help(format!("write typical / p99 / worst: `{example}`")),
        );
    }
    if cursor.is("?") || cursor.is("unknown") {
        return Some(
            Fault::new(range, "an unknown number is left out").help("write those you know by name: `{ worst: 200k }`"),
        );
    }
    if cursor.are(&["at", "most"]) && cursor.peek_at(2).kind == Kind::Number {
        return Some(
            Fault::new(range.start..cursor.peek_at(1).range.end, "one number is a hard maximum already")
                .help(format!("write `{}`", cursor.slice(cursor.peek_at(2).range.start..cursor.rest().end))),
        );
    }
    if cursor.is("p99") || cursor.is("typical") || cursor.is("worst") || cursor.is("max") {
        let help = format!("write numbers alone, typical / p99 / worst: `{example}`");
        return Some(Fault::new(range, format!("{} is said by its position", shown(cursor.ahead()))).help(help));
    }
    None
}

/// Reads `per month`, `per 2 weeks`.
pub(super) fn per_at(cursor: &mut Cursor) -> Result<Option<TimeSpan>, Fault> {
    let Some(per) = cursor.take("per") else {
        return Ok(None);
    };
    let word = cursor.ahead();
    if cursor.peek().kind == Kind::Word {
        let range = cursor.next().range;
        return match time_unit(word) {
            Some(unit) => Ok(Some(TimeSpan::new(1, unit))),
            None => Err(wrong_unit("1", word, range, Wanted::Time)),
        };
    }
    if cursor.at_end() {
        return Err(Fault::new(per, "nothing stands behind `per`").help("write `per day`, `per month`, `per 2 weeks`"));
    }
    let start = cursor.peek().range.start;
    let span = span_at(cursor)?;
    if span.amount == 0 {
        return Err(Fault::new(start..cursor.taken_to(), "nothing grows in no time").help("write `per day`"));
    }
    Ok(Some(span))
}
