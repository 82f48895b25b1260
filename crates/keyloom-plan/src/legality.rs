//! Every read that was planned is put to the engine's own language: the finder looks at shapes, and a shape that the engine
//! refuses after all is said here, not when somebody calls the pattern.

use keyloom_model::layout::Layout;
use keyloom_store::{Abilities, ReadForm, Table as Stored};

use crate::access::{Access, Reach};
use crate::program::ReadPlan;
use crate::refusal::{Because, Refusal, What};

/// What the engine has against the reads.
pub(crate) fn objections(
    layout: &Layout,
    abilities: &Abilities,
    reads: &[ReadPlan],
    tables: &[Stored],
) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for plan in reads {
        for (name, form) in plan.access.forms(layout) {
            let Some(table) = tables.iter().find(|table| table.name == name) else { continue };
            if let Some(objection) = (abilities.objection)(table, form) {
                let what = What::Illegal { objection, engine: abilities.engine };
                refusals.push(Refusal::of_question(&plan.asked.question, Because::Layout, what));
            }
        }
    }
    refusals
}

impl Access {
    /// The tables that are read, each with what is given of its key.
    pub fn forms<'a>(&'a self, layout: &Layout) -> Vec<(&'a str, ReadForm)> {
        match &self.reach {
            Reach::Get { .. } => vec![(&self.table, ReadForm::Get)],
            Reach::Via { reservations, .. } => vec![(reservations, ReadForm::Get), (&self.table, ReadForm::Get)],
            Reach::Slice(slice) => {
                let (items, bounded) = (slice.equal.len(), slice.range.is_some());
                let sort = layout.table(&self.table).map_or(&[][..], |table| &table.sort);
                // A component that may be absent is two: a flag stands before it, also before the one that is bounded.
                let given = items + usize::from(bounded);
                let flags = sort.iter().take(given).filter(|item| item.nulls_last).count();
                vec![(&self.table, ReadForm::Slice { equal: items + flags, bounded, backward: slice.backward })]
            }
        }
    }
}
