//! What became of the calls of a pattern: times, outcomes, work.

use std::{collections::BTreeMap, time::Duration};

use hdrhistogram::Histogram;
use serde_json::Value as Json;

/// Times are told apart up to this one.
const LONGEST_US: u64 = 600_000_000;

/// How many reasons for "not now" are told apart.
const CAUSES_MAX: usize = 1_000;

/// The count of one pattern.
pub(crate) struct Tally {
    pub(crate) times_us: Histogram<u64>,
    pub(crate) outcomes: BTreeMap<String, u64>,
    /// Why calls were answered with "not now", and how many.
    pub(crate) held_up: BTreeMap<String, u64>,
    pub(crate) work: WorkDone,
}

/// What calls did, as their answers say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WorkDone {
    /// Answers that said it.
    pub(crate) calls: u64,
    pub(crate) trips: u64,
    pub(crate) partitions: u64,
    pub(crate) rows: u64,
    pub(crate) decisions: u64,
    pub(crate) placements: u64,
    /// The most of one call, and what was promised for it.
    pub(crate) rows_most: u64,
    pub(crate) rows_promised: Option<u64>,
    pub(crate) partitions_most: u64,
    pub(crate) partitions_promised: Option<u64>,
    /// Calls that did more than they promised.
    pub(crate) above: u64,
}

impl Tally {
    pub(crate) fn new() -> Self {
        #[expect(clippy::expect_used, reason = "it refuses bounds that cross and more than five digits")]
        let times_us = Histogram::new_with_bounds(1, LONGEST_US, 3).expect("the bounds are constants");
        Self { times_us, outcomes: BTreeMap::new(), held_up: BTreeMap::new(), work: WorkDone::default() }
    }

    pub(crate) fn took(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).clamp(1, LONGEST_US);
        self.times_us.saturating_record(micros);
    }

    pub(crate) fn ended(&mut self, outcome: impl Into<String>) {
        *self.outcomes.entry(outcome.into()).or_default() += 1;
    }
}

impl Tally {
    /// A call was answered with "not now".
    pub(crate) fn held_up(&mut self, why: &str) {
        if let Some(calls) = self.held_up.get_mut(why) {
            *calls += 1;
        } else if self.held_up.len() < CAUSES_MAX {
            self.held_up.insert(why.to_owned(), 1);
        }
    }
}

impl WorkDone {
    /// Adds what a header says: `trips=1, partitions=1, rows=51, bytes=4096, partitions-max=1, rows-max=51`.
    pub(crate) fn add(&mut self, header: &str) {
        let mut said: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, number) in header.split(',').filter_map(|part| part.trim().split_once('=')) {
            said.extend(number.parse().ok().map(|number| (name, number)));
        }
        let of = |name: &str| said.get(name).copied();
        let (rows, partitions) = (of("rows").unwrap_or(0), of("partitions").unwrap_or(0));
        self.calls += 1;
        self.trips += of("trips").unwrap_or(0);
        self.partitions += partitions;
        self.rows += rows;
        self.decisions += of("decisions").unwrap_or(0);
        self.placements += of("placements").unwrap_or(0);
        self.rows_most = self.rows_most.max(rows);
        self.partitions_most = self.partitions_most.max(partitions);
        self.rows_promised = self.rows_promised.max(of("rows-max"));
        self.partitions_promised = self.partitions_promised.max(of("partitions-max"));
        let above = |did: u64, most: Option<u64>| most.is_some_and(|most| did > most);
        self.above += u64::from(above(rows, of("rows-max")) || above(partitions, of("partitions-max")));
    }
}

/// The names of what an answer says, one for each item.
pub(crate) fn outcomes(status: u16, body: &Json) -> Vec<String> {
    if let Some(items) = body.get("items").and_then(Json::as_array).filter(|_| status == 200) {
        return items.iter().map(|item| outcome(200, item)).collect();
    }
    vec![outcome(status, body)]
}

fn outcome(status: u16, body: &Json) -> String {
    let text = |name: &str| body.get(name).and_then(Json::as_str);
    if let Some(reason) = text("reason") {
        return reason.to_owned();
    }
    if let Some(kind) = text("type").and_then(|kind| kind.rsplit(':').next()) {
        return kind.to_owned();
    }
    if let Some(outcome) = text("outcome") {
        return outcome.to_owned();
    }
    let read = ["rows", "row", "count"].into_iter().find(|name| body.get(name).is_some());
    match read {
        Some(read) => read.to_owned(),
        None if body.is_null() => "no_row".to_owned(),
        None => format!("status_{status}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_above_its_bound_is_seen() {
        let mut work = WorkDone::default();
        work.add("trips=2, partitions=2, rows=3, bytes=90, partitions-max=51, rows-max=101");
        work.add("trips=1, partitions=1, rows=0, bytes=0, decisions=1, placements=4");
        assert_eq!((work.calls, work.trips, work.rows, work.above), (2, 3, 3, 0));
        assert_eq!((work.partitions, work.decisions, work.placements), (3, 1, 4));
        work.add("trips=2, partitions=2, rows=102, bytes=90, partitions-max=51, rows-max=101");
        work.add("trips=2, partitions=52, rows=9, bytes=90, partitions-max=51, rows-max=101");
        assert_eq!((work.above, work.rows_most, work.rows_promised), (2, 102, Some(101)));
    }

    #[test]
    fn answers_are_called_by_their_outcomes() {
        for (status, body, named) in [
            (200, json!({"row": {"rows": 1}}), "row"),
            (200, json!({"rows": [{"reason": "no"}]}), "rows"),
            (200, json!({"outcome": "applied", "key": {}}), "applied"),
            (202, json!({"outcome": "unknown", "token": "t"}), "unknown"),
            (
                409,
                json!({"type": "urn:keyloom:problem:not_applied", "outcome": "not_applied", "reason": "taken"}),
                "taken",
            ),
            (503, json!({"type": "urn:keyloom:problem:busy"}), "busy"),
            (502, json!("bad gateway"), "status_502"),
        ] {
            assert_eq!(outcomes(status, &body), [named]);
        }
        let batch = json!({"items": [{"row": {}}, null, {"outcome": "applied"}]});
        assert_eq!(outcomes(200, &batch), ["row", "no_row", "applied"]);
    }
}
