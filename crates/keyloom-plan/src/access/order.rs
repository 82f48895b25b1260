use keyloom_model::layout::{Part, SortItem, Table};
use keyloom_model::{Catalog, Entity, OrderItem, Root};

use super::Why;
use crate::question::Asked;
use crate::test::Fixed;
use crate::truth::Known;

/// How the order of a table fits the one that is asked for.
pub(super) struct Ordered {
    /// The first components, as far as they are fixed.
    pub(super) equal: Vec<(String, Fixed)>,
    /// It is read from its end.
    pub(super) backward: bool,
}

/// Fixed components come first, then the asked order or its exact reverse, then identity alone, so that it is total.
pub(super) fn stands(
    catalog: &Catalog,
    entity: &Entity,
    table: &Table,
    asked: &Asked,
    known: &Known,
) -> Result<Ordered, Why> {
    if let Some(item) = asked.order.iter().find(|item| item.path.root != Root::Own || !item.path.members.is_empty()) {
        return Err(Why::Elsewhere(item.path.clone()));
    }
    // What has one value orders nothing. What has one in each partition is put in order when they are merged.
    let in_partition =
        |field: &str| table.partition.parts().iter().any(|part| matches!(part, Part::Field(name) if name == field));
    let orders = |item: &&OrderItem| known.single(&item.path.field).is_none() && !in_partition(&item.path.field);
    let order: Vec<&OrderItem> = asked.order.iter().filter(orders).collect();
    let mut equal = Vec::new();
    let mut rest = table.sort.as_slice();
    while let [item, more @ ..] = rest {
        let Some(to) = known.fixed(&item.field) else { break };
        // Several values of what is asked to be in order are read in that order, not one by one.
        if order.iter().any(|wanted| wanted.path.field == item.field) {
            break;
        }
        equal.push((item.field.clone(), to.clone()));
        rest = more;
    }
    let tenant = catalog.tenant.as_ref().map(|tenant| tenant.field.as_str());
    let identity = |field: &str| entity.key.iter().any(|key| key == field) || tenant == Some(field);
    if order.is_empty() || entity.key.iter().all(|key| known.single(key).is_some()) {
        return Ok(Ordered { equal, backward: false });
    }
    // What has one value does not come between two rows, wherever it stands.
    let rest: Vec<&SortItem> = rest.iter().filter(|item| known.single(&item.field).is_none()).collect();
    let (first, last) = rest.split_at_checked(order.len()).ok_or(Why::Order)?;
    let same = |item: &SortItem, wanted: &&OrderItem, turned: bool| {
        let nulls = !item.nulls_last || (wanted.nulls_last && !turned);
        item.field == wanted.path.field && (item.direction == wanted.direction) != turned && nulls
    };
    let along = |turned: bool| first.iter().zip(&order).all(|(item, wanted)| same(item, wanted, turned));
    let backward = along(true);
    let total = last.iter().all(|item| identity(&item.field));
    if (backward || along(false)) && total { Ok(Ordered { equal, backward }) } else { Err(Why::Order) }
}

/// One row for each value: they stand by that value.
pub(super) fn each_value(table: &Table, asked: &Asked, known: &Known) -> Result<Ordered, Why> {
    // What has one value has one row.
    let wanted: Vec<&String> = asked.one_per.iter().filter(|field| known.single(field).is_none()).collect();
    let mut equal = Vec::new();
    let mut rest = table.sort.as_slice();
    while let [item, more @ ..] = rest {
        let Some(to) = known.fixed(&item.field).filter(|_| !wanted.contains(&&item.field)) else { break };
        equal.push((item.field.clone(), to.clone()));
        rest = more;
    }
    let in_partition = |field: &String| table.partition.parts().iter().any(|part| part.field() == field);
    let values = wanted.iter().all(|field| rest.iter().any(|item| item.field == **field) || in_partition(field))
        && rest.iter().all(|item| wanted.contains(&&item.field) || known.single(&item.field).is_some());
    if values { Ok(Ordered { equal, backward: false }) } else { Err(Why::Order) }
}
