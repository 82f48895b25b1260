//! I12: at most one row has a unique value.

use keyloom_model::{Entity, Unique};

use super::{Contradiction, Judge, wrong};
use crate::meaning::{Fields, Owned, Scope, Sent, ends_ms, tenant_field};

/// A value that a row certainly has between two moments.
struct Held {
    value: Vec<Owned>,
    from_us: i64,
    until_us: i64,
    step: usize,
    owner: Vec<Owned>,
}

impl Judge<'_> {
    /// The unique value of a row, if it has one.
    fn value(&self, entity: &Entity, unique: &Unique, row: &Fields) -> Option<Vec<Owned>> {
        let sent = Sent::default();
        let looked = std::cell::Cell::new(false);
        let scope = Scope { catalog: self.catalog, entity, row, sent: &sent, item: None, now_us: 0, looked: &looked };
        if unique.filter.as_ref().is_some_and(|filter| scope.holds(filter) != Ok(true)) {
            return None;
        }
        let tenant = tenant_field(self.catalog, entity).map(|(name, _)| name);
        tenant.into_iter().chain(unique.fields.iter().map(String::as_str)).map(|name| row.get(name).cloned()).collect()
    }

    /// Whether another row may have the value that this one is to have.
    pub(super) fn is_taken(
        &self,
        entity: &Entity,
        unique: &Unique,
        identity: &[Owned],
        row: &Fields,
        from_us: i64,
        to_us: i64,
    ) -> bool {
        let Some(value) = self.value(entity, unique, row) else { return false };
        self.lives.of_entity(entity).filter(|life| life.identity != identity).any(|life| {
            let states = self.lives.possible(entity, &life.identity, from_us, to_us);
            states.iter().flatten().any(|other| self.value(entity, unique, other).as_ref() == Some(&value))
        })
    }

    pub(super) fn uniques(&self) -> Result<(), Contradiction> {
        for entity in &self.catalog.entities {
            for unique in &entity.unique {
                let mut held: Vec<Held> = Vec::new();
                for life in self.lives.of_entity(entity) {
                    for (at, turn) in life.turns.iter().enumerate() {
                        let values: Vec<Option<Vec<Owned>>> = turn
                            .states
                            .iter()
                            .map(|row| row.as_ref().and_then(|row| self.value(entity, unique, row)))
                            .collect();
                        let Some(Some(value)) = values.first() else { continue };
                        if values.iter().any(|other| other.as_ref() != Some(value)) {
                            continue;
                        }
                        // Where it is certain that it has the value.
                        let ends =
                            turn.states.iter().flatten().filter_map(|row| ends_ms(self.catalog, entity, row)).min();
                        let ends = ends.map_or(i64::MAX, |ends| ends * 1_000 - self.skew.ahead_us);
                        let until = life.turns.get(at + 1).map_or(i64::MAX, |next| next.lower_us);
                        let until = until.min(ends).min(turn.may_go_us);
                        if turn.upper_us < until {
                            let (value, owner) = (value.clone(), life.identity.clone());
                            held.push(Held { value, from_us: turn.upper_us, until_us: until, step: turn.step, owner });
                        }
                    }
                }
                for (at, one) in held.iter().enumerate() {
                    let same = |two: &&Held| {
                        let together = one.from_us.max(two.from_us) < one.until_us.min(two.until_us);
                        two.value == one.value && two.owner != one.owner && together
                    };
                    if let Some(two) = held[at + 1..].iter().find(same) {
                        return wrong(
                            format!("two rows of {} have one value of `{}`", entity.name, unique.name),
                            &[one.step, two.step],
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
