//! Which options an index may have over which column.

use super::fault::{Applied, SchemaFaultKind, fault};
use super::{Column, ColumnKind, IndexKind, Type};
use crate::HOLE;
use crate::ast::{CreateIndex, IndexTarget, IndexTargetKind, Native};

/// What storage-attached indexes do to text before it is held.
const ANALYSIS: [&str; 3] = ["case_sensitive", "normalize", "ascii"];

/// What they may be told about vectors.
const OF_VECTORS: [&str; 2] = ["similarity_function", "optimize_for"];

/// The ways in which SASI holds what it indexes.
const SASI_MODES: [&str; 3] = ["PREFIX", "CONTAINS", "SPARSE"];

/// Where SASI's own analyzers are, and those of them that take text alone.
const SASI_ANALYZERS: &str = "org.apache.cassandra.index.sasi.analyzer.";
const OF_TEXT: [&str; 3] = ["StandardAnalyzer", "NonTokenizingAnalyzer", "DelimiterAnalyzer"];

/// What the options of an index ask of the column.
pub(super) fn check(create: &CreateIndex, kind: &IndexKind, column: &Column, target: &IndexTarget) -> Applied {
    let name = &column.name;
    let refuse = |message: String| fault(SchemaFaultKind::Other, target.column.span, message);
    let is_custom = !matches!(kind, IndexKind::Legacy | IndexKind::Local);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == HOLE;
    if is_custom && !name.chars().all(is_plain) {
        return refuse(format!(
            "an index with a class of its own takes column names of letters, digits and underscores, not {name}"
        ));
    }
    match kind {
        IndexKind::StorageAttached => storage_attached(create, column, target),
        IndexKind::Sasi => sasi(create, column, target),
        _ => Ok(()),
    }
}

fn storage_attached(create: &CreateIndex, column: &Column, target: &IndexTarget) -> Applied {
    let name = &column.name;
    let refuse = |message: String| fault(SchemaFaultKind::Other, target.column.span, message);
    if has_any(create, &ANALYSIS) {
        if matches!(column.kind, ColumnKind::Partition | ColumnKind::Clustering { .. }) {
            return refuse(format!("what is indexed of the key is held as it is, and {name} is part of it"));
        }
        let held = held(&column.of, target.kind);
        if !matches!(held, Some(Type::Native(Native::Text | Native::Ascii) | Type::Unknown(_) | Type::Custom(_))) {
            return refuse(format!("only text can be folded or normalized, and {name} is none"));
        }
    }
    let Some(Type::Vector(_, dimensions)) = held(&column.of, target.kind) else {
        return match has_any(create, &OF_VECTORS) {
            true => refuse(format!("only the index of a vector has such options, and {name} is none")),
            false => Ok(()),
        };
    };
    let similarity = option(create, "similarity_function").unwrap_or("cosine");
    if *dimensions == 1 && similarity.eq_ignore_ascii_case("cosine") {
        return refuse(format!("{name} has one dimension: the cosine of two such vectors tells nothing"));
    }
    Ok(())
}

/// What an index over a part of the column holds; `None` for the entries of a map.
pub(super) fn held(of: &Type, part: IndexTargetKind) -> Option<&Type> {
    match (of, part) {
        (Type::Map(..), IndexTargetKind::Entries) => None,
        (Type::Map(key, _), IndexTargetKind::Keys) => Some(key),
        (Type::Map(_, held) | Type::List(held) | Type::Set(held), _) => Some(held),
        (of, _) => Some(of),
    }
}

fn sasi(create: &CreateIndex, column: &Column, target: &IndexTarget) -> Applied {
    let name = &column.name;
    let refuse = |message: String| fault(SchemaFaultKind::Other, target.column.span, message);
    let is_true = |value: &str| value.eq_ignore_ascii_case("true");
    // In a descending column the server does not see the text behind the order.
    let is_text = matches!(column.of, Type::Native(Native::Text | Native::Ascii))
        && column.kind != ColumnKind::Clustering { descending: true };
    let is_known = !matches!(column.of, Type::Unknown(_) | Type::Custom(_));
    let analyzer = option(create, "analyzer_class");
    let own = analyzer.and_then(|class| class.strip_prefix(SASI_ANALYZERS));
    if own.is_some_and(|class| OF_TEXT.contains(&class)) && !is_text && is_known {
        return refuse(format!("only ascending text can be analyzed, and {name} is none"));
    }
    let folds = has_any(create, &["normalize_lowercase", "normalize_uppercase"]);
    if own == Some("NonTokenizingAnalyzer") && option(create, "case_sensitive").is_some() && folds {
        return refuse(format!("the index of {name} is told twice whether upper and lower case differ"));
    }
    let mode = option(create, "mode").unwrap_or("PREFIX").to_ascii_uppercase();
    if !mode.contains(HOLE) && !SASI_MODES.contains(&mode.as_str()) {
        return refuse(format!("SASI has no mode {mode}"));
    }
    if mode != "SPARSE" {
        return Ok(());
    }
    if option(create, "is_literal").map_or(is_text, is_true) {
        return refuse(format!("a sparse SASI index holds no text, and {name} is text"));
    }
    if option(create, "analyzed").map_or(analyzer.is_some(), is_true) {
        return refuse(format!("a sparse SASI index analyzes nothing, and that of {name} is told to"));
    }
    Ok(())
}

fn option<'a>(create: &'a CreateIndex, name: &str) -> Option<&'a str> {
    create.options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str())
}

fn has_any(create: &CreateIndex, names: &[&str]) -> bool {
    create.options.iter().any(|(option, _)| names.contains(&option.as_str()))
}
