//! The times of the protocol, and whether they go together: each promise of the run time holds only while one of them
//! ends before another does.

use keyloom_finding::Place;
use keyloom_model::layout::Horizons;
use keyloom_model::{TimeSpan, TimeUnit};

use super::span;
use crate::read::syntax::{Keys, Reader};
use crate::rules::bad_value;
use crate::vocabulary::HORIZONS;
use crate::yaml::Node;

/// How long a request may be repeated, unless the catalog states it.
const RETRIES: TimeSpan = TimeSpan::new(24, TimeUnit::Hour);

/// Reads `horizons` and compares them with each other and with the catalog's `retries`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, retries: Option<TimeSpan>) -> Horizons {
    let words: Vec<_> = HORIZONS.iter().collect();
    let before = reader.faults();
    let Some(keys) = reader.keys(node, "horizons", "`horizons`", &words, "horizons: { settle: 10s, grace: 10 days }")
    else {
        return Horizons::default();
    };
    let mut span = |key: &str| span(reader, &keys, key, "10s");
    let horizons = Horizons {
        settle: span("settle"),
        doubt: span("doubt"),
        late: span("late"),
        page: span("page"),
        grace: span("grace"),
    };
    // One that was not understood may be the one that mends the others.
    if reader.faults() == before {
        compare(reader, &keys, &horizons, retries.unwrap_or(RETRIES));
    }
    horizons
}

/// What is stated must go together with the rest; where nothing is stated, nobody chose anything wrong.
fn compare(reader: &mut Reader<'_>, keys: &Keys<'_>, horizons: &Horizons, retries: TimeSpan) {
    let place = |key: &str| keys.get(key).map(|node| node.place);
    let (settle, doubt, grace) = (horizons.settle(), horizons.doubt(), horizons.grace(retries));
    let mut ends_before = |one: u64, other: TimeSpan, at: Option<Place>, message: String, help: String| {
        if one >= other.milliseconds() {
            reader.push(at.map(|at| bad_value::finding(at, message, Some(help))));
        }
    };
    ends_before(
        doubt.milliseconds(),
        retries,
        place("doubt"),
        format!("an answer may stay unknown for {doubt}, and a request can be repeated for {retries} only"),
        format!("keep `doubt` below the catalog's `retries`, {retries}"),
    );
    ends_before(
        retries.milliseconds(),
        grace,
        place("grace"),
        format!("what was removed is forgotten after {grace}, and a request can be repeated for {retries}"),
        format!("keep `grace` above the catalog's `retries`, {retries}"),
    );
    ends_before(
        settle.milliseconds(),
        grace,
        place("settle").or(place("grace")),
        format!("a projection may lag for {settle}, and what was removed is forgotten after {grace}"),
        format!("keep `settle` below `grace`, {grace}"),
    );
    if let Some(late) = horizons.late {
        ends_before(
            late.milliseconds().saturating_mul(2),
            grace,
            place("late"),
            format!(
                "a placement may come {late} late and then once more, and what was removed is forgotten after {grace}"
            ),
            format!("keep twice `late` below `grace`, {grace}"),
        );
    }
}
