//! Options as they are written to what a keyspace or table is set to.

use super::{Compaction, Keyspace, Made, Replication, Table};
use crate::HOLE;
use crate::ast::{OptionValue, TableOption, TermKind};

/// The text of a constant; `None` where a hole stands.
fn text(value: &OptionValue) -> Option<&str> {
    match value {
        OptionValue::Term(term) => match &term.kind {
            TermKind::Literal(literal) if !literal.unknown => Some(&literal.text),
            _ => None,
        },
        OptionValue::Map(_) => None,
    }
}

fn number(value: &OptionValue) -> Option<u64> {
    text(value).and_then(|text| text.parse().ok())
}

/// The class in a map of settings without its package, and the other settings.
fn class(entries: &[(String, String)]) -> (String, Vec<(String, String)>) {
    let mut class = String::new();
    let mut others = Vec::new();
    for (key, value) in entries {
        if key == "class" {
            class = value.rsplit('.').next().unwrap_or(value).to_owned();
        } else {
            others.push((key.clone(), value.clone()));
        }
    }
    (class, others)
}

impl Keyspace {
    /// Takes over the options of `CREATE KEYSPACE` or `ALTER KEYSPACE`.
    pub(super) fn set_options(&mut self, options: &[TableOption], by: u32) {
        for option in options {
            let made = Made { by, at: option.span };
            match (option.name.text.as_str(), &option.value) {
                ("replication", OptionValue::Map(entries)) => {
                    let (class, others) = class(entries);
                    let factor = |(name, text): (String, String)| {
                        // Data centres that are holes are known to be there; `3/1` has transient replicas.
                        let full = text.split('/').next().unwrap_or_default();
                        let count = if text.contains(HOLE) { None } else { full.parse().ok() };
                        (name, count)
                    };
                    let factors = others.into_iter().map(factor).collect();
                    self.replication = Some(Replication { class, factors, made });
                }
                ("durable_writes", value) => {
                    self.durable_writes = text(value).map(|text| (!text.eq_ignore_ascii_case("false"), made));
                }
                _ => {}
            }
        }
    }
}

impl Table {
    /// Takes over options, in place of those of the same name.
    pub(super) fn set_options(&mut self, options: &[TableOption], by: u32) {
        for option in options {
            let made = Made { by, at: option.span };
            match (option.name.text.as_str(), &option.value) {
                ("default_time_to_live", value) => self.default_ttl = Some((number(value), made)),
                ("gc_grace_seconds", value) => self.gc_grace = Some((number(value), made)),
                ("compaction", OptionValue::Map(entries)) => {
                    let (class, settings) = class(entries);
                    self.compaction = Some(Compaction { class, settings, made });
                }
                (name, value) => {
                    let known = self.options.iter_mut().find(|(known, ..)| known == name);
                    match known {
                        Some(known) => *known = (name.to_owned(), value.clone(), made),
                        None => self.options.push((name.to_owned(), value.clone(), made)),
                    }
                }
            }
        }
    }
}
