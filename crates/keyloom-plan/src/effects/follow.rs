//! Rows of other entities that come or go with a row, or follow it.

use keyloom_model::layout::{Holds, Table};
use keyloom_model::{Class, Origin, Root, WriteVerb};

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

    /// Rows whose fields the row copies, where an image of it with copies is written.
    pub(super) fn copies(&self, effects: &mut Vec<Effect>) {
        let held = self.companions == Companions::Ride && self.class == Class::Decided;
        let mut seen: Vec<(&str, &str, When)> = Vec::new();
        for table in &self.layout.tables {
            let of = matches!(&table.holds, Holds::Projection { entity, .. } if *entity == self.entity.name);
            let image = effects.iter().find(|effect| effect.table == table.name).map(|effect| effect.when);
            // Where rows follow, all images of a row are written again; what rides along is only what changed.
            let when = match image.filter(|_| of && self.write.verb != WriteVerb::Delete) {
                _ if of && !held && self.write.verb != WriteVerb::Delete => When::Always,
                Some(when) => when,
                None => continue,
            };
            for copied in &table.copies {
                let Root::Reference { field, entity } = &copied.path.root else { continue };
                // It is looked at as often as any image of the row needs it.
                match seen.iter_mut().find(|(known, of, _)| known == field && of == entity) {
                    Some((_, _, often)) if when == When::Always => *often = when,
                    Some(_) => {}
                    None => seen.push((field, entity, when)),
                }
            }
        }
        for (_, entity, when) in seen {
            self.on_source(entity, Does::Copies { held }, when, effects);
        }
    }

    /// Rows of other entities that must follow: parts of what is deleted, copies of what changed. Rows may point to one that
    /// is not there yet, or not any more.
    pub(super) fn touches(&self, effects: &mut Vec<Effect>) {
        let all = matches!(self.write.verb, WriteVerb::Create | WriteVerb::Delete) || self.write.or_create;
        for other in &self.catalog.entities {
            let part = self.write.verb == WriteVerb::Delete && other.part_of.as_ref() == Some(&self.entity.name);
            let copies = |table: &&Table| {
                let of = matches!(&table.holds, Holds::Projection { entity, .. } if *entity == other.name);
                let copied = table.copies.iter().any(|copied| {
                    let points = copied.path.own_field().and_then(|field| other.field(field)?.reference.as_ref());
                    points.is_some_and(|reference| reference.entity == self.entity.name)
                        && (all || self.changed.contains(&copied.path.field.as_str()))
                });
                of && copied
            };
            if part {
                self.on_source(&other.name, Does::Touches, When::Sometimes, effects);
            }
            // Hardly any rows point to one that is new.
            let set = matches!(self.write.verb, WriteVerb::Update | WriteVerb::Delete) && !self.write.or_create;
            effects.extend(self.layout.tables.iter().filter(copies).map(|table| Effect {
                table: table.name.clone(),
                does: Does::Touches,
                when: if set { When::Always } else { When::Sometimes },
            }));
        }
    }
}
