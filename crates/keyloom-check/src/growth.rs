//! What becomes of a group over time: whether its rows end, and how many it can hold at most.

use keyloom_model::{Entity, Expiry, Expr, GroupSize, Selection, TimeSpan, WriteVerb, count_text};

use crate::Context;

/// Whether something takes rows out of a group: they expire, are deleted (with what they are a part of), or a write
/// changes a field that the group is made by.
pub(crate) fn rows_leave(context: &Context<'_>, entity: &Entity, selection: &Selection) -> bool {
    if matches!(entity.expires, Some(Expiry::At(_))) || deleting_pattern(context, entity).is_some() {
        return true;
    }
    let by = selection.by.items().iter().filter_map(|item| item.path.own_field());
    let tested = selection.filter.iter().flat_map(Expr::paths).filter_map(|path| path.own_field());
    let made_by: Vec<&str> = by.chain(tested).collect();
    context
        .writers(&entity.name)
        .iter()
        .flat_map(|pattern| pattern.writes())
        .filter(|(_, write)| write.entity == entity.name)
        .any(|(_, write)| write.changed_fields(entity).iter().any(|field| made_by.contains(field)))
}

/// The first pattern that deletes rows of an entity, or of what they are a part of.
pub(crate) fn deleting_pattern<'a>(context: &Context<'a>, entity: &'a Entity) -> Option<&'a str> {
    let mut of = Some(entity);
    for _ in 0..PARTS_MAX {
        let Some(current) = of else { break };
        let deletes = context.writers(&current.name).iter().find(|pattern| {
            pattern.writes().iter().any(|(_, write)| write.verb == WriteVerb::Delete && write.entity == current.name)
        });
        if let Some(pattern) = deletes {
            return Some(&pattern.name);
        }
        of = current.part_of.as_deref().and_then(|parent| context.entity(parent));
    }
    None
}

/// Parts of parts: more of them are a circle.
const PARTS_MAX: usize = 64;

/// The rows a group holds at most, and how that is known.
pub(crate) struct Worst {
    /// How many.
    pub rows: u64,
    /// `200k rows`, or `4k rows per day x 30 days = 120k rows`.
    pub words: String,
}

/// The worst case of one read of a group: as stated, or its growth over the time that is read or kept.
pub(crate) fn worst_rows(entity: &Entity, selection: &Selection, size: &GroupSize) -> Option<Worst> {
    let worst = size.rows.worst?;
    let Some(per) = size.rows.per else {
        return Some(Worst { rows: worst, words: format!("{} rows", count_text(worst)) });
    };
    let read = selection.span.and_then(|span| span.worst);
    let longest = [read, entity.kept_for()].into_iter().flatten().min_by_key(|span| span.milliseconds())?;
    let times = longest.milliseconds().div_ceil(per.milliseconds().max(1));
    let rows = worst.saturating_mul(times);
    let per = match per {
        TimeSpan { amount: 1, unit } => unit.name().to_owned(),
        per => per.to_string(),
    };
    Some(Worst { rows, words: format!("{} rows per {per} x {longest} = {} rows", count_text(worst), count_text(rows)) })
}
