//! A layout that is in use: what of it stays as it is, and what is weighed against a change.

use keyloom_model::Catalog;
use keyloom_model::layout::{Counted, Holds, Layout, Table, Upkeep};

use crate::{is_list, misfit};

/// In how many months a change must pay back what it takes to make it.
pub const PAY_BACK_MONTHS: u128 = 6;

/// What a change must save at least, in hundredths of what the entities cost whose tables it changes: the numbers of a catalog are no
/// better than that.
pub const SAVES_AT_LEAST: u128 = 10;

/// So much that no cost comes near: in a search for the fewest changes, each is charged with it.
const ONE_CHANGE: u128 = 1 << 108;

/// A layout that is in use.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// It.
    pub layout: &'a Layout,
    /// What is a reason to change it.
    pub reason: ToChange,
}

/// What is a reason to change a layout that is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToChange {
    /// A limit that is broken, or costs that pay back.
    Costs,
    /// A limit that is broken, and then as few tables as can be.
    Limits,
}

impl<'a> Standing<'a> {
    /// The tables that must be there whatever is chosen, as they are. What is counted from which table is decided anew.
    pub(crate) fn must(&self, catalog: &'a Catalog) -> impl Iterator<Item = Table> + 'a {
        let is_must = |table: &&Table| {
            matches!(table.holds, Holds::Source { .. } | Holds::Reservations { .. } | Holds::Numbers { .. })
        };
        let stays = |table: &&Table| misfit::misfit(table, catalog).is_none();
        self.layout.tables.iter().filter(is_must).filter(stays).map(|table| {
            let mut table = Table { columns: None, ..table.clone() };
            if let Holds::Source { upkeep, .. } = &mut table.holds {
                *upkeep = Upkeep::default();
            }
            table
        })
    }

    /// Its lists of an entity, with whatever columns will be needed.
    pub(crate) fn lists(&self, entity: &str) -> impl Iterator<Item = Table> {
        let own = move |table: &&Table| match &table.holds {
            Holds::Projection { entity: of, .. } | Holds::Newest { entity: of } => of == entity,
            _ => false,
        };
        self.layout.tables.iter().filter(own).map(|table| Table { columns: None, ..table.clone() })
    }

    /// How many lists it has of these entities.
    pub(crate) fn count(&self, is_own: impl Fn(&str) -> bool) -> usize {
        let own = |table: &&Table| match &table.holds {
            Holds::Projection { entity, .. } | Holds::Newest { entity } => is_own(entity),
            _ => false,
        };
        self.layout.tables.iter().filter(own).count()
    }

    /// What is weighed in a month against a table that takes this much to fill.
    pub(crate) fn charge(&self, filling: u128) -> u128 {
        match self.reason {
            ToChange::Costs => filling / PAY_BACK_MONTHS,
            ToChange::Limits => ONE_CHANGE.saturating_add(filling / PAY_BACK_MONTHS),
        }
    }

    /// How much more than the cheapest design one may cost that changes less.
    pub(crate) fn leeway(&self, cheapest: u128) -> u128 {
        match self.reason {
            ToChange::Costs => cheapest / 100 * SAVES_AT_LEAST,
            ToChange::Limits => 0,
        }
    }

    /// Gives what was made anew the names that it has here, and the order; what is new comes last.
    pub(crate) fn rename(&self, layout: &mut Layout) {
        let known = |table: &Table| self.layout.tables.iter().find(|known| is_same_value(&known.holds, &table.holds));
        let renamed: Vec<(String, String)> = layout
            .tables
            .iter()
            .filter_map(|table| Some((table.name.clone(), known(table)?.name.clone())))
            .filter(|(now, then)| now != then)
            .collect();
        let new = |name: &str| renamed.iter().find(|(now, _)| now == name).map(|(_, then)| then.clone());
        for table in &mut layout.tables {
            if let Some(name) = new(&table.name) {
                table.name = name;
            }
            if let Holds::Source { upkeep, .. } | Holds::Kept { upkeep, .. } = &mut table.holds
                && let Some(name) = upkeep.from.as_deref().and_then(new)
            {
                upkeep.from = Some(name);
            }
        }
        let place = |table: &Table| self.layout.tables.iter().position(|known| known.name == table.name);
        layout.tables.sort_by_key(|table| place(table).unwrap_or(usize::MAX));
    }

    /// What another layout changes.
    pub(crate) fn changes(&self, to: &Layout) -> (Vec<String>, Vec<String>) {
        let has = |layout: &Layout, table: &Table| {
            layout
                .table(&table.name)
                .is_some_and(|known| known.partition == table.partition && known.sort == table.sort)
        };
        let names = |tables: &[Table], other: &Layout| -> Vec<String> {
            tables.iter().filter(|table| !has(other, table)).map(|table| table.name.clone()).collect()
        };
        (names(&to.tables, self.layout), names(&self.layout.tables, to))
    }

    /// The lists that another layout has no use for.
    pub(crate) fn unused(&self, by: &Layout) -> Vec<Table> {
        let unused = |table: &&Table| is_list(table) && by.table(&table.name).is_none();
        self.layout.tables.iter().filter(unused).cloned().collect()
    }
}

/// Whether two tables hold the same kept value, or what it is counted from.
fn is_same_value(one: &Holds, other: &Holds) -> bool {
    match (one, other) {
        (Holds::Kept { entity, field, .. }, Holds::Kept { entity: of, field: known, .. }) => {
            (entity, field) == (of, known)
        }
        (Holds::Contributions(one), Holds::Contributions(other)) => match (one, other) {
            (Counted::Field { .. }, Counted::Field { .. }) | (Counted::Rollup(_), Counted::Rollup(_)) => one == other,
            _ => false,
        },
        _ => false,
    }
}
