//! What a catalog has otherwise than the layout that is in use, so that no table more would help.

use keyloom_model::layout::{Holds, Layout, Part, Table};
use keyloom_model::{Catalog, Class};

/// Why a layout that is in use can't be extended for a catalog: each with what would be needed.
pub fn misfits(layout: &Layout, catalog: &Catalog) -> Vec<String> {
    layout.tables.iter().filter_map(|table| misfit(table, catalog)).collect()
}

/// Why a table can't stay as it is.
pub(crate) fn misfit(table: &Table, catalog: &Catalog) -> Option<String> {
    let own = fields(table, catalog);
    match &table.holds {
        Holds::Source { entity: name, class, .. } => {
            let entity = catalog.entity(name)?;
            let now = entity.class(catalog).0;
            match (class.unwrap_or(now), now) {
                (Class::Append, Class::Append) => {
                    let lost = entity.key.iter().any(|key| !own.contains(&key.as_str()));
                    lost.then(|| other_key(name, &own, &entity.key))
                }
                (was, is) if was == is => (own != entity.key).then(|| other_key(name, &own, &entity.key)),
                (Class::Append, _) => Some(format!(
                    "rows of {name} were only added so far, and a pattern changes or deletes them now, or must find one: \
                     that takes another table"
                )),
                (_, Class::Append) => Some(format!(
                    "rows of {name} could be changed so far, and no pattern changes them now: keep one that does"
                )),
                _ => Some(format!("rows of {name} are written by other rules than so far: that takes another table")),
            }
        }
        Holds::Reservations { entity: name, unique } => {
            let now = catalog.entity(name)?.unique.iter().find(|known| known.name == *unique)?;
            let (was, is) = (own.join(", "), now.fields.join(", "));
            let says = || format!("`{unique}` of {name} was unique by {was} and is by {is}: give it another name");
            (own != now.fields).then(says)
        }
        _ => None,
    }
}

fn other_key(entity: &str, was: &[&str], is: &[String]) -> String {
    format!("the key of {entity} was {} and is {}: rows are found by the old one", was.join(", "), is.join(", "))
}

/// The fields that a table is keyed by, without the tenant.
fn fields<'a>(table: &'a Table, catalog: &Catalog) -> Vec<&'a str> {
    let parts = table.partition.parts().iter().filter_map(|part| match part {
        Part::Field(field) => Some(field.as_str()),
        _ => None,
    });
    let all = parts.chain(table.sort.iter().map(|item| item.field.as_str()));
    all.filter(|field| catalog.tenant.as_ref().is_none_or(|tenant| tenant.field != *field)).collect()
}
