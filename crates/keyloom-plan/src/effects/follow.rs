//! Rows of other entities that come or go with a row, or follow it.

use keyloom_model::layout::{Holds, Table};
use keyloom_model::{Origin, WriteVerb};

use super::{Does, Effect, Scope, When};
use crate::stored::Companions;

impl Scope<'_> {
    /// Rows of events and histories that come with the decision.
    pub(super) fn adds(&self, effects: &mut Vec<Effect>) {
        let rides = self.companions == Companions::Follow;
        for other in &self.catalog.entities {
            let when = match &other.origin {
                Origin::Event { of } if *of == self.entity.name && self.write.emits.as_ref() == Some(&other.name) => {
                    When::Always
                }
                Origin::History { of } if *of == self.entity.name => {
                    let kept = self.entity.history.iter().flat_map(|history| &history.of);
                    let touched = kept.into_iter().any(|field| self.changed.contains(&field.as_str()));
                    match self.write.verb {
                        WriteVerb::Create | WriteVerb::Delete | WriteVerb::Put => When::Always,
                        WriteVerb::Update if touched => When::Always,
                        WriteVerb::Update => continue,
                    }
                }
                _ => continue,
            };
            self.on_source(&other.name, Does::Adds { rides }, when, effects);
        }
    }

    /// Rows of other entities that must follow: parts of what is deleted, copies of what changed.
    pub(super) fn touches(&self, effects: &mut Vec<Effect>) {
        for other in &self.catalog.entities {
            let part = self.write.verb == WriteVerb::Delete && other.part_of.as_ref() == Some(&self.entity.name);
            let copies = |table: &&Table| {
                let of = matches!(&table.holds, Holds::Projection { entity, .. } if *entity == other.name);
                let copied = table.copies.iter().any(|copied| {
                    let points = copied.path.own_field().and_then(|field| other.field(field)?.reference.as_ref());
                    points.is_some_and(|reference| reference.entity == self.entity.name)
                        && self.changed.contains(&copied.path.field.as_str())
                });
                of && copied
            };
            if part {
                self.on_source(&other.name, Does::Touches, When::Sometimes, effects);
            }
            effects.extend(self.layout.tables.iter().filter(copies).map(|table| Effect {
                table: table.name.clone(),
                does: Does::Touches,
                when: When::Sometimes,
            }));
        }
    }
}
