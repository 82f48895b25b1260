//! Which comparisons an index answers.

use super::context::Context;
use super::typed::{Collection, Typed};
use crate::ast::{IndexTargetKind, Native};
use crate::schema::{Column, Index, IndexKind, Type};

/// A comparison as an index sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Equal,
    In,
    Range,
    Contains,
    ContainsKey,
    Like,
    Nearest,
}

/// The indexes of a table that answer together: all storage-attached ones, and each of the others by itself.
pub(super) fn groups(indexes: &[Index]) -> Vec<Vec<&Index>> {
    let (attached, alone): (Vec<&Index>, Vec<&Index>) =
        indexes.iter().partition(|index| index.kind == IndexKind::StorageAttached);
    let together = (!attached.is_empty()).then_some(attached);
    together.into_iter().chain(alone.into_iter().map(|index| vec![index])).collect()
}

impl Context<'_> {
    /// Whether the index answers the comparison of the column.
    pub(super) fn supports(&self, index: &Index, column: &Column, asked: Asked) -> bool {
        if index.column != column.name {
            return false;
        }
        let of = self.typed(column);
        match &index.kind {
            IndexKind::Legacy | IndexKind::Local => legacy(index, &of, asked),
            IndexKind::StorageAttached => storage_attached(index, &of, asked),
            IndexKind::Sasi => sasi(index, &of, asked),
            IndexKind::Custom(_) => {
                // What somebody else's class answers is not known here.
                self.meet(&index.name);
                true
            }
        }
    }
}

fn legacy(index: &Index, of: &Typed<'_>, asked: Asked) -> bool {
    if !of.is_multi_cell() {
        return asked == Asked::Equal;
    }
    match (of.collection(), index.target) {
        (Some(Collection::Set), _) => matches!(asked, Asked::Contains | Asked::ContainsKey),
        (Some(Collection::Map), IndexTargetKind::Keys) => asked == Asked::ContainsKey,
        (Some(Collection::Map), IndexTargetKind::Entries) | (None, _) => asked == Asked::Equal,
        (Some(_), _) => asked == Asked::Contains,
    }
}

fn storage_attached(index: &Index, of: &Typed<'_>, asked: Asked) -> bool {
    let vector = matches!(*of.of, Type::Vector(..));
    match asked {
        Asked::Like => false,
        Asked::Nearest => vector,
        _ if of.is_multi_cell() && of.collection().is_some() => match index.target {
            IndexTargetKind::Keys => asked == Asked::ContainsKey,
            IndexTargetKind::Entries => asked == Asked::Equal,
            _ => asked == Asked::Contains,
        },
        Asked::Equal => true,
        Asked::In => false,
        _ if index.target == IndexTargetKind::Full => false,
        _ => match *of.of {
            Type::Native(Native::Text | Native::Ascii | Native::Boolean) => asked != Asked::Range && of.reversed,
            // In a descending column the server does not recognise the type that has no ranges.
            Type::Native(Native::Uuid) => of.reversed,
            Type::Native(_) => true,
            _ => asked != Asked::Range,
        },
    }
}

fn sasi(index: &Index, of: &Typed<'_>, asked: Asked) -> bool {
    let option = |name: &str| index.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let truth = |value: &str| value.eq_ignore_ascii_case("true");
    let textual = matches!(*of.of, Type::Native(Native::Text | Native::Ascii)) && !of.reversed;
    let literal = option("is_literal").map_or(textual, truth);
    let tokenized = match option("analyzer_class") {
        Some(class) => option("analyzed").is_none_or(truth) && !class.ends_with("NonTokenizingAnalyzer"),
        None => option("analyzed").is_some_and(truth) && textual,
    };
    let mode = option("mode").unwrap_or("PREFIX").to_ascii_uppercase();
    match asked {
        Asked::Like => literal,
        Asked::Equal => !tokenized,
        Asked::Range => !literal && mode != "CONTAINS",
        Asked::In | Asked::Contains | Asked::ContainsKey | Asked::Nearest => false,
    }
}
