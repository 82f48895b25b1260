//! Values that are taken and rows that must be there.

use keyloom_model::layout::Holds;
use keyloom_model::{Class, Expr, Path, Reference, WriteVerb};

use super::{Does, Effect, Scope, When};
use crate::stored::Companions;

impl Scope<'_> {
    /// The values of uniques that are taken or become free.
    pub(super) fn reservations(&self, effects: &mut Vec<Effect>) {
        for table in &self.layout.tables {
            let Holds::Reservations { entity, unique } = &table.holds else { continue };
            let unique = self.entity.unique.iter().find(|known| *entity == self.entity.name && known.name == *unique);
            let Some(unique) = unique else { continue };
            let filter = unique.filter.as_ref().map_or(&[][..], Expr::conjuncts);
            let reads = unique.fields.iter().map(String::as_str);
            let reads = reads.chain(filter.iter().flat_map(Expr::paths).filter_map(Path::own_field));
            let touched = reads.clone().any(|field| self.changed.contains(&field));
            let found = match self.write.verb {
                WriteVerb::Create => {
                    let fields: Vec<&str> = unique.fields.iter().map(String::as_str).collect();
                    self.stands(filter, &fields).map(|when| (Does::Reserves, when))
                }
                WriteVerb::Put => Some((Does::Exchanges, When::Sometimes)),
                WriteVerb::Delete => Some((Does::Frees, self.share(filter))),
                WriteVerb::Update if !touched => None,
                WriteVerb::Update if filter.iter().any(|test| self.write.refutes(test)) => {
                    Some((Does::Frees, self.share(filter)))
                }
                WriteVerb::Update => Some((Does::Exchanges, When::Sometimes)),
            };
            if let Some((does, when)) = found {
                effects.push(Effect { table: table.name.clone(), does, when });
            }
        }
    }

    /// The rows that must be there.
    pub(super) fn checks(&self, effects: &mut Vec<Effect>) {
        if self.write.verb == WriteVerb::Delete {
            return;
        }
        for field in &self.entity.fields {
            let touched = self.makes() || self.changed.contains(&field.name.as_str());
            let Some(Reference { entity, must_exist: true }) = field.reference.as_ref().filter(|_| touched) else {
                continue;
            };
            let when = if field.optional { When::Sometimes } else { When::Always };
            let held = self.companions == Companions::Ride && self.class == Class::Decided;
            self.on_source(entity, Does::Checks { held }, when, effects);
        }
    }
}
