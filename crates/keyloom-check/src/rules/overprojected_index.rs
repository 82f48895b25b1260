use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::layout::{Holds, Keeper};
use keyloom_model::{RowSize, bytes_text};
use keyloom_plan::{Access, Asked, access};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "overprojected-index",
    level: Level::Warning,
    summary: "an index holds fields that nobody reads there",
    page: include_str!("overprojected_index.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for table in &context.stated.tables {
        let Holds::Projection { entity, keeper: Keeper::Index } = &table.holds else { continue };
        let (Some(entity), Some(columns)) = (context.base.entity(entity), &table.columns) else { continue };
        let served: Vec<(&Asked, &Access)> =
            context.served_by(&table.name).map(|plan| (&plan.asked, &plan.access)).collect();
        let needed = access::needed(context.catalog, entity, table, &served);
        let bytes = |field: &String| {
            entity.field(field).map_or(0, |field| RowSize::of_type(context.catalog, &field.ty).typical)
        };
        let idle: Vec<&String> = columns.iter().filter(|column| !needed.contains(column)).collect();
        let (spare, all) = (idle.iter().map(|column| bytes(column)).sum::<u64>(), context.row_size(table).typical);
        if served.is_empty() || spare * 2 < all {
            continue;
        }
        let shown = idle.iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ");
        let message = format!("the index `{}` holds {shown}, which nobody reads there", table.name);
        findings.push(
            Finding::new(&RULE, context.word_place(&table.name, "columns"), message)
                .derivation(format!("{} of {} a row", bytes_text(spare), bytes_text(all)))
                .help("take them out of `columns`: each is stored and written twice"),
        );
    }
}
