//! `allow:`: findings that the authors know and accept.

use keyloom_model::Allow;

use super::syntax::{Reader, join};
use crate::rules::allow_without_reason;
use crate::vocabulary::ALLOW;
use crate::yaml::{Kind, Node};

/// Reads the `allow` of the thing at `on`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, on: &str) {
    let words: Vec<_> = ALLOW.iter().collect();
    let items = match &node.kind {
        Kind::Map { .. } => std::slice::from_ref(node),
        _ => reader.items(node, "`allow`", EXAMPLE),
    };
    for (at, item) in items.iter().enumerate() {
        let path = join(&join(on, "allow"), &at.to_string());
        if let Some(rule) = item.scalar().filter(|_| !item.is_empty()) {
            reader.places.insert(&path, item.place, item.place);
            reader.push(allow_without_reason::finding(item.place, &rule.text));
            let rule = rule.text.clone();
            let because = String::new();
            reader.catalog.allows.push(Allow { on: on.to_owned(), path, rule, because, until: None });
            continue;
        }
        let Some(keys) = reader.keys(item, &path, "an `allow`", &words, EXAMPLE) else { continue };
        reader.places.insert(&path, item.place, item.place);
        let Some(rule) = reader.required(&keys, "rule", "this `allow`", item.place, "rule: missing-rate") else {
            continue;
        };
        let Some(rule) = reader.text(rule, "`rule`", "missing-rate") else { continue };
        let because = reader.prose(&keys, "because").unwrap_or_default();
        if because.trim().is_empty() && !reader.is_misread(&join(&path, "because")) {
            // It still covers what it names: one finding asks for the reason, and none for the rest.
            reader.push(allow_without_reason::finding(rule.whole(), &rule.text));
        }
        let until = match keys.get("until") {
            Some(until) => match reader.date(until, "`until`") {
                Some(date) => Some(date),
                None => continue,
            },
            None => None,
        };
        reader.catalog.allows.push(Allow { on: on.to_owned(), path, rule: rule.text, because, until });
    }
}

const EXAMPLE: &str = "{ rule: missing-rate, because: ... }";
