//! Where one layout becomes better than another: what decides between two, with its number.

use std::collections::BTreeMap;

use keyloom_model::Catalog;
use keyloom_model::layout::Layout;
use keyloom_plan::rows_of;
use keyloom_size::{Ground, calls_in_month};

use super::explain::{Broken, Flip};
use super::scale::Score;
use super::standing::SAVES_AT_LEAST;
use super::{Terms, weighed_whole};

/// What decides between two layouts.
#[derive(Debug, Clone, PartialEq)]
pub enum Crossing {
    /// One of them breaks what the other does not.
    Limits(Broken),
    /// Another rate of a pattern would decide otherwise.
    Rate {
        /// The rate, and what it would have to be.
        flip: Flip,
        /// By how many hundredths the dearer one costs more there: 0 where both are equal, and else as much as something simpler, or
        /// something that is in use, may cost more.
        apart: u128,
    },
    /// Another number of rows would.
    Rows {
        /// The entity.
        entity: String,
        /// How many it has.
        now: u128,
        /// How many it would have to have.
        then: u128,
        /// See above.
        apart: u128,
    },
}

/// What decides between a layout and another one: a limit, or else the number that has to change least for both to come to the same,
/// or, where one is better whatever the numbers are, for it to be worth while. `None` where they come to the same.
pub fn crossing(catalog: &Catalog, one: &Layout, other: &Layout, terms: &Terms<'_>) -> Option<Crossing> {
    let (one, other) = (Side::of(catalog, one, terms), Side::of(catalog, other, terms));
    if one.score.broken != other.score.broken {
        let (worse, better) = if one.score.broken > other.score.broken { (one, other) } else { (other, one) };
        let all = worse.broken.clone();
        let more = worse.broken.beyond(better.broken);
        return Some(Crossing::Limits(if more == Broken::default() { all } else { more }));
    }
    let (cheap, dear) = if one.score <= other.score { (one, other) } else { (other, one) };
    let leeway = terms.standing.map_or(1, |_| SAVES_AT_LEAST);
    [0, leeway].into_iter().find_map(|apart| {
        let parts = |of_cheap: u128, of_dear: u128| (of_cheap.saturating_mul(100 + apart), of_dear.saturating_mul(100));
        let (low, high) = parts(cheap.score.weight, dear.score.weight);
        // Which of the two sides of the line is the lower one now.
        let sides = |of_cheap: u128, of_dear: u128| {
            let (of_cheap, of_dear) = parts(of_cheap, of_dear);
            if low <= high { (of_cheap, of_dear) } else { (of_dear, of_cheap) }
        };
        let rates = catalog.patterns.iter().map(|pattern| {
            let part = |side: &Side| side.patterns.get(&pattern.name).copied().unwrap_or(0);
            let (here, there) = sides(part(&cheap), part(&dear));
            (pattern.name.as_str(), calls_in_month(pattern), here, there)
        });
        let rows = catalog.entities.iter().filter_map(|entity| {
            let rows = entity.volume.and_then(|volume| volume.rows)?;
            let part = |side: &Side| side.stored.get(&entity.name).copied().unwrap_or(0);
            let (here, there) = sides(part(&cheap), part(&dear));
            Some((entity.name.as_str(), u128::from(rows), here, there))
        });
        let more = low.abs_diff(high);
        let rate = nearest(more, rates).map(|flip| Crossing::Rate { flip, apart });
        rate.or_else(|| {
            let Flip { pattern: entity, now, then } = nearest(more, rows)?;
            Some(Crossing::Rows { entity, now, then, apart })
        })
    })
}

/// What a layout comes to, by patterns and by entities.
struct Side {
    score: Score,
    broken: Broken,
    patterns: BTreeMap<String, u128>,
    stored: BTreeMap<String, u128>,
}

impl Side {
    fn of(catalog: &Catalog, layout: &Layout, terms: &Terms<'_>) -> Self {
        let (program, weighed, score) = weighed_whole(catalog, layout, terms);
        let ground = Ground::new(&program, terms.dialect);
        let of_pattern = |name: &String| (name.clone(), weighed.of_pattern(&ground, name));
        let mut stored: BTreeMap<String, u128> = BTreeMap::new();
        for (table, bytes) in program.layout.tables.iter().zip(&weighed.stored) {
            if let Some(entity) = rows_of(catalog, table) {
                *stored.entry(entity.to_owned()).or_default() += *bytes;
            }
        }
        Self {
            score,
            patterns: catalog.patterns.iter().map(|pattern| of_pattern(&pattern.name)).collect(),
            stored,
            broken: Broken::of(&program, weighed, |_| true),
        }
    }
}

/// The number that has to change least for two designs to cost the same, of `(whose it is, it, its part of the cheaper one, its part
/// of the other)`; cost is linear in each of them, and the other costs so much more.
pub(crate) fn nearest<'a>(more: u128, numbers: impl Iterator<Item = (&'a str, u128, u128, u128)>) -> Option<Flip> {
    let mut best: Option<(u128, u128, Flip)> = None;
    for (name, count, here, there) in numbers {
        // What one is dearer here, against what all are dearer there.
        let then = match here > there {
            true => count.checked_add(share_up(count, more, here - there)),
            false if there - here > more => count.checked_sub(share_up(count, more, there - here)),
            false => None,
        };
        let Some(then) = then.filter(|then| *then > 0 && *then != count) else { continue };
        let (high, low) = (then.max(count), then.min(count).max(1));
        let nearer = best
            .as_ref()
            .is_none_or(|(known_high, known_low, _)| high.saturating_mul(*known_low) < known_high.saturating_mul(low));
        if nearer {
            best = Some((high, low, Flip { pattern: name.to_owned(), now: count, then }));
        }
    }
    best.map(|(_, _, flip)| flip)
}

/// `count * parts / of`, rounded up, without losing digits of what is small.
fn share_up(count: u128, parts: u128, of: u128) -> u128 {
    match count.checked_mul(parts) {
        Some(product) => product.div_ceil(of),
        None => (parts / of).saturating_mul(count).saturating_add(count),
    }
}
