use keyloom_finding::{Finding, Level, Rule};

use crate::LayoutContext;

pub(crate) static RULE: Rule = Rule {
    name: "missing-tenant-in-key",
    level: Level::Error,
    summary: "rows belong to tenants, and the partition does not say to which",
    page: include_str!("missing_tenant_in_key.md"),
};

pub(crate) fn check_layout(context: &LayoutContext<'_>, findings: &mut Vec<Finding>) {
    for table in context.tables().filter(|table| !table.all_tenants) {
        let Some(entity) = context.entity_of(table) else { continue };
        let Some(tenant) = context.tenant_field(entity).filter(|_| !context.has_tenant(table, entity)) else {
            continue;
        };
        let message = format!(
            "rows of {} belong to tenants, and the partition of `{}` lacks `{tenant}`",
            entity.name, table.name
        );
        findings.push(Finding::new(&RULE, context.word_place(&table.name, "partition"), message).help(format!(
            "put `{tenant}` first; a table that is read across tenants says so with `tenants: all` and has `{tenant}` in its sort key"
        )));
    }
}
