use keyloom_finding::{Finding, Level, Rule};

use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "storage-in-catalog",
    level: Level::Warning,
    summary: "a field that says how rows are stored, not what they mean",
    page: include_str!("storage_in_catalog.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in context.catalog.entities.iter().filter(|entity| entity.is_declared()) {
        for field in entity.fields.iter().filter(|field| is_storage(&field.name)) {
            let message =
                format!("{}.{} says how rows are stored; a catalog says what is needed", entity.name, field.name);
            findings.push(
                Finding::new(&RULE, context.key(&format!("entities.{}.fields.{}", entity.name, field.name)), message)
                    .help("remove it; `design` chooses keys, buckets and indexes, and the layout names them"),
            );
        }
    }
}

fn is_storage(name: &str) -> bool {
    let numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    matches!(
        name,
        "pk" | "sk"
            | "bucket"
            | "bucket_id"
            | "shard"
            | "shard_id"
            | "partition_key"
            | "sort_key"
            | "partition"
            | "dummy"
            | "gsi_pk"
            | "gsi_sk"
            | "ttl"
    ) || numbered("gsi")
        || numbered("lsi")
}
