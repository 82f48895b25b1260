//! Batches: where they begin, and what is added to them.

use tree_sitter::Node;

use super::calls::Given;
use super::{Batch, Reader};
use crate::shape::bytes;
use crate::snippet::{BatchKind, BatchSite};
use crate::value::{Kind, Shared, Value};

/// Calls that begin a batch.
pub(super) const BATCH_BEGINS: &[&str] =
    &["NewBatch", "BatchStatement", "batch", "Batch", "unloggedBatch", "BatchStatementBuilder"];

/// Calls that add to one.
pub(super) const ADDS: &[&str] =
    &["add", "addStatement", "addStatements", "Query", "Bind", "Add", "add_all", "append_statement"];

impl<'t> Reader<'t> {
    /// The batch that a call begins or adds to.
    pub(super) fn batch(
        &mut self,
        node: Node<'t>,
        owner: Option<&Shared>,
        owner_text: &str,
        name: &str,
        given: &[Given<'t>],
    ) -> Option<u32> {
        if let Some(Kind::Batch(batch)) = owner.map(|value| &value.kind) {
            return Some(*batch);
        }
        let begins = BATCH_BEGINS.contains(&name) && !matches!(owner.map(|value| &value.kind), Some(Kind::Text(_)))
            || matches!(name, "builder" | "newInstance") && owner_text.ends_with("BatchStatement");
        if begins {
            let said: String = given.iter().map(|given| bytes(given.node, self.text)).collect::<Vec<_>>().join(" ");
            let said = format!("{name} {said}").to_lowercase();
            let kind = if said.contains("unlogged") {
                BatchKind::Unlogged
            } else if said.contains("counter") {
                BatchKind::Counter
            } else if said.contains("logged") || name.starts_with("Batch") || name == "newInstance" {
                BatchKind::Logged
            } else {
                BatchKind::Unknown
            };
            return Some(self.open_batch(kind));
        }
        // A batch that came as a parameter or a field: it is known by its name alone.
        let last = owner_text.rsplit(['.', '>']).next().unwrap_or("");
        let named = last.to_lowercase().ends_with("batch") || last.to_lowercase().starts_with("batch");
        (named && ADDS.contains(&name)).then(|| {
            let batch = self.open_batch(BatchKind::Unknown);
            if let Some(state) = self.batches.last_mut() {
                state.loops = 0;
            }
            let variable = self.text.get(node.byte_range()).and_then(|text| text.get(..owner_text.len())).unwrap_or("");
            if self.bindings.get(variable).is_some() {
                self.bindings.set(variable, Some(Value::new(Kind::Batch(batch))));
            }
            batch
        })
    }

    pub(super) fn open_batch(&mut self, kind: BatchKind) -> u32 {
        let loops = self.functions.last().map_or(0, |frame| frame.loops);
        self.batches.push(Batch { kind, loops });
        self.batches.len() as u32 - 1
    }

    pub(super) fn join_batch(&mut self, site: usize, id: u32) {
        let Some(batch) = self.batches.get(id as usize) else { return };
        let loops = self.functions.last().map_or(0, |frame| frame.loops);
        let around = self.functions.iter().rev().find(|frame| frame.name.is_some()).or(self.functions.last());
        let chunked = around.and_then(|frame| self.text.get(frame.range.clone())).is_some_and(divides);
        let in_loop = loops > batch.loops;
        self.unit.sent[site].batch = Some(BatchSite { id, kind: batch.kind, in_loop, chunked });
    }
}

/// Whether a function's text speaks of parts of limited size.
fn divides(text: &str) -> bool {
    ["artition(", "hunk", "grouped(", "batchSize", "batch_size", "BATCH_SIZE", "BatchSize", "sliding(", "in_groups_of"]
        .iter()
        .any(|word| text.contains(word))
}
