//! What becomes of the row's images in other tables.

use keyloom_model::layout::{Holds, Keeper, Part, Table};
use keyloom_model::{Expr, Literal, Path, WriteVerb};

use super::{Does, Effect, Scope, When};

impl Scope<'_> {
    /// What happens in projections and in tables of newest rows.
    pub(super) fn projections(&self, effects: &mut Vec<Effect>) {
        for table in &self.layout.tables {
            let keeper = match &table.holds {
                Holds::Projection { entity, keeper } if *entity == self.entity.name => *keeper,
                Holds::Newest { entity } if *entity == self.entity.name => Keeper::Placed,
                _ => continue,
            };
            if let Some((does, when)) = self.in_projection(table, keeper) {
                effects.push(Effect { table: table.name.clone(), does, when });
            }
        }
    }

    /// What happens to the row's image in a table.
    fn in_projection(&self, table: &Table, keeper: Keeper) -> Option<(Does, When)> {
        let filter = table.filter.as_ref().map_or(&[][..], Expr::conjuncts);
        let key: Vec<&str> = table
            .partition
            .parts()
            .iter()
            .map(Part::field)
            .chain(table.sort.iter().filter(|item| !item.nulls_last).map(|item| item.field.as_str()))
            .collect();
        if self.write.verb == WriteVerb::Delete {
            return Some((Does::Removes(keeper), self.share(filter)));
        }
        if self.write.verb == WriteVerb::Create {
            return self.stands(filter, &key).map(|when| (Does::Puts(keeper), when));
        }
        if filter.iter().any(|test| self.write.refutes(test)) || key.iter().any(|field| self.is_nulled(field)) {
            return Some((Does::Removes(keeper), self.share(filter)));
        }
        let changes = |field: &str| self.changed.contains(&field);
        let moves = key.iter().any(|field| changes(field)) || table.sort.iter().any(|item| changes(&item.field));
        let in_filter = filter.iter().flat_map(Expr::paths).filter_map(Path::own_field).any(changes);
        let copied = table.copies.iter().filter_map(|copied| copied.path.own_field()).any(changes);
        let in_columns =
            copied || table.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| changes(column)));
        let when = self.share(filter);
        // Without a value for its key a row has no place there, and none to leave.
        let enters = key.iter().any(|field| changes(field) && self.held_before(&is_absent(field)));
        match (moves, in_filter) {
            (true, _) if enters => Some((Does::Puts(keeper), when)),
            (true, _) => Some((Does::Moves(keeper), when)),
            (false, true) => Some((Does::Puts(keeper), When::Sometimes)),
            (false, false) => in_columns.then_some((Does::Puts(keeper), when)),
        }
    }

    /// Whether the write takes a field away.
    fn is_nulled(&self, field: &str) -> bool {
        let nulls = |value: &Expr| *value == Expr::Literal(Literal::Null);
        self.write.assignments.iter().any(|assignment| assignment.path == Path::own(field) && nulls(&assignment.value))
    }
}

fn is_absent(field: &str) -> Expr {
    Expr::IsNull { of: Box::new(Expr::Path(Path::own(field))), negated: false }
}
