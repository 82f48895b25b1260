use keyloom_finding::{Finding, Level, Rule};
use keyloom_model::{Field, Type};

use super::gathered;
use crate::Context;

pub(crate) static RULE: Rule = Rule {
    name: "storage-in-catalog",
    level: Level::Warning,
    summary: "a field that says how rows are stored, not what they mean",
    page: include_str!("storage_in_catalog.md"),
};

pub(crate) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for entity in context.catalog.entities.iter().filter(|entity| entity.is_declared()) {
        let (ttl, keys): (Vec<_>, Vec<_>) = entity
            .fields
            .iter()
            .filter(|field| is_storage(field))
            .map(|field| {
                let place = context.key(&format!("entities.{}.fields.{}", entity.name, field.name));
                (format!("{}.{}", entity.name, field.name), place)
            })
            .partition(|(name, _)| name.ends_with(".ttl"));
        let help =
            "remove it; keys, buckets and indexes are chosen from the patterns, and can change without the catalog";
        let expiry = "remove it, and say when a row ends: `expires: created_at + 30 days`; each engine then gets its own form of it";
        for (fields, help) in [(keys, help), (ttl, expiry)] {
            let found = gathered(&RULE, fields, |names| {
                format!("{names} tells how rows are stored; a catalog says what is needed")
            });
            findings.extend(found.map(|finding| finding.help(help)));
        }
    }
}

/// Some names mean nothing else. Others are also words of a trade (the bucket of an object store, the shard of a game):
/// these count only where the type is that of a computed key part.
fn is_storage(field: &Field) -> bool {
    let name = field.name.as_str();
    let numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let computed = match &field.ty {
        Type::Int | Type::Date => true,
        Type::Text(size) => size.max <= COMPUTED_TEXT_BYTES,
        _ => false,
    };
    match name {
        "pk" | "sk" | "partition_key" | "sort_key" | "dummy" | "gsi_pk" | "gsi_sk" => true,
        "bucket" | "bucket_id" | "shard" | "shard_id" | "partition" => computed && field.reference.is_none(),
        "ttl" => matches!(field.ty, Type::Int | Type::Timestamp { .. }),
        _ => numbered("gsi") || numbered("lsi"),
    }
}

/// `2026-11-15` and shorter: a part of a date, not a name that people give.
const COMPUTED_TEXT_BYTES: u64 = 10;
