use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Engine, Field, RowSize, bytes_text};

use crate::context::limit;
use crate::{Context, LayoutContext};

pub(crate) static RULE: Rule = Rule {
    name: "oversized-item",
    level: Level::Warning,
    summary: "a row may grow larger than an engine stores in one item",
    page: include_str!("oversized_item.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in context.catalog.entities.iter().filter(|entity| entity.is_declared()) {
        let size = RowSize::of_entity(context.catalog, entity);
        let mut broken: Vec<_> = Engine::ALL
            .iter()
            .map(|engine| limit(*engine, "item_bytes"))
            .filter(|(fact, _)| size.worst > fact.value)
            .collect();
        broken.sort_by_key(|(fact, _)| fact.value);
        let Some((_, limit)) = broken.first().cloned() else { continue };
        let engines = broken
            .iter()
            .map(|(fact, _)| format!("{} ({})", fact.engine.title(), bytes_text(fact.value)))
            .collect::<Vec<_>>()
            .join(", ");
        let mut fields: Vec<(u64, &Field)> =
            entity.fields.iter().map(|field| (RowSize::of_type(context.catalog, &field.ty).worst, field)).collect();
        fields.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        let largest = fields
            .iter()
            .take(3)
            .map(|(bytes, field)| format!("{} {}", field.name, bytes_text(*bytes)))
            .collect::<Vec<_>>()
            .join(" + ");
        let named = fields.iter().take(3).map(|(bytes, _)| *bytes).fold(0, u64::saturating_add);
        let rest = size.worst.saturating_sub(named);
        let others = if rest > 0 { format!(" + the rest {}", bytes_text(rest)) } else { String::new() };
        let place = fields
            .first()
            .and_then(|(_, field)| context.key(&format!("entities.{}.fields.{}", entity.name, field.name)));
        let message = format!(
            "a row of {} may have {}, more than one item holds on {engines}",
            entity.name,
            bytes_text(size.worst)
        );
        findings.push(
            Finding::new(&RULE, place, message)
                .derivation(format!("worst case: {largest}{others} = {}", bytes_text(size.worst)))
                .limit(limit)
                .help("lower the maximum, make the collection an entity of its own, or keep large bytes in an object store and their address here"),
        );
    }
}

/// Over a layout: what the program refuses.
pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    findings.extend(context.refused(&RULE).into_iter().map(|finding| finding.level(Level::Error)));
}
