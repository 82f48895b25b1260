//! What one call of a question reads at most: the plan's bound, and what is looked up for the rows that are shown.

use keyloom_plan::{ReadPlan, Wants};

use super::{Access, Program, Reach, Read};
use crate::{
    read::{FILLS_MAX, PASSES_MAX},
    work::Promise,
};

impl Program {
    /// The bound of one call; nothing where the plan has none.
    pub(super) fn promise(&self, found: &ReadPlan, access: &Access) -> Option<Promise> {
        let most = found.at_most?;
        let (partitions, rows) = (most.partitions, most.rows);
        let most = match &access.reach {
            Reach::Get(_) => Promise { partitions, rows, rows_past_gone: rows },
            // A value that passes to another row meanwhile is looked up again.
            Reach::Via { .. } => Promise { partitions, rows, rows_past_gone: rows }.times(PASSES_MAX),
            Reach::Slices(slices) => {
                let rows_past_gone = rows.saturating_mul(access.fills());
                // Of those that are found to have ended the store does not say that they are gone.
                Promise { partitions, rows: if slices.shows_ended { rows_past_gone } else { rows }, rows_past_gone }
            }
        };
        let tests = access.tested.len() as u64;
        let tests = Promise { partitions: tests, rows: tests, rows_past_gone: tests }.times(most.rows_past_gone);
        let most = most.plus(tests);
        let shown = match access.wants {
            Wants::Row => 1,
            Wants::Rows { page, .. } => page,
            Wants::Count { .. } | Wants::All => 0,
        };
        let looked_up = (access.outputs.lookups.len() + access.outputs.kept.len()) as u64;
        let each = Promise { partitions: looked_up, rows: looked_up, rows_past_gone: looked_up };
        Some(most.plus(each.times(shown).times(found.asked.batch.max(1))))
    }
}

impl Access {
    /// How many times its bound a list may look at rows, because some of them are gone and still stored.
    pub(crate) fn fills(&self) -> u64 {
        if self.remains.is_empty() { FILLS_MAX } else { 1 }
    }
}

impl Read {
    /// Adds to what each question promises the lists that come with its rows, whichever of their questions is asked.
    pub(super) fn promise_lists(&mut self) {
        let batch = self.batch.unwrap_or(1);
        for (_, lists) in &self.with {
            let most = lists.iter().map(|list| list.promise).reduce(|one, other| Some(one?.max(other?)));
            for question in &mut self.questions {
                question.promise = question.promise.zip(most.flatten()).map(|(own, list)| own.plus(list.times(batch)));
            }
        }
    }
}
