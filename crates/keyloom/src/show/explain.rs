use std::fmt::Write as _;

use keyloom_design::search::{
    Broken, Changes, CopyReason, Flip, Found, Kind, Other, PAY_BACK_MONTHS, Query, Reason, Score,
};
use keyloom_model::{Pattern, count_text};
use keyloom_plan::{Program, is_index};
use keyloom_size::{Sizes, Tariff, rate};

use super::amounts::{cost, count, days};
use super::plan::sentences;
use super::questions::questions;
use super::table_text::where_rows_stand;

/// How many broken limits are named before the rest is counted.
const LIMITS_MAX: usize = 3;

/// What is explained, and by what.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    /// The layout, compiled.
    pub program: &'a Program,
    /// How it was found.
    pub found: &'a Found,
    /// Why each list is answered as it is.
    pub reasons: &'a [Reason],
    /// Why fields of other rows are copied, or looked up.
    pub copies: &'a [CopyReason],
    /// What nobody stated and would change it.
    pub queries: &'a [Query],
    /// What it comes to.
    pub sizes: &'a Sizes,
    /// What was weighed.
    pub tariff: &'a Tariff,
}

/// Why a layout is as it is: what it comes to, and for each pattern how it is answered, what would be next best, and what would
/// make that better; then what to ask. Of one pattern, if it is named, with all that was thought of for it.
pub fn explain(of: &Explained<'_>, only: Option<&str>) -> String {
    let mut out = String::new();
    if only.is_none() {
        out.push_str(&summary(of));
        out.push('\n');
    }
    let patterns = of.program.catalog.patterns.iter();
    for pattern in patterns.filter(|pattern| only.is_none_or(|name| pattern.name == name)) {
        out.push_str(&reason(of, pattern, only.is_some()));
    }
    if only.is_none() {
        out.push_str(&copies(of));
        out.push_str(&questions(of));
    }
    out
}

/// What lists show of other rows: whether it is copied, and what the other way would cost.
fn copies(of: &Explained<'_>) -> String {
    let mut out = String::new();
    for reason in of.copies {
        let paths: Vec<String> = reason.reference.paths.iter().map(ToString::to_string).collect();
        let (is, other) = if reason.is_copied { ("copied into", "looked up") } else { ("looked up by", "copied") };
        let lists = format!("lists of {}", reason.reference.entity);
        let (now, then) = (reason.now, reason.then);
        let why = compared(now, then, &reason.broken, reason.flips.as_ref(), of.tariff);
        let _ = writeln!(out, "{} is {is} {lists}; {other}: {why}", paths.join(", "));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// What a design comes to, in a few lines.
pub fn summary(of: &Explained<'_>) -> String {
    let (found, tariff) = (of.found, of.tariff);
    let mut out = headline(found);
    let _ = write!(out, "\n{}", cost(found.score.weight, tariff));
    let plain = cost(found.plain.weight, tariff);
    let _ = match (found.plain.weight == found.score.weight, found.plain.broken > found.score.broken) {
        (true, false) => writeln!(out, ", as a table for each list would cost"),
        (true, true) => writeln!(out, ", as a table for each list would cost, which breaks more limits"),
        (false, false) => writeln!(out, "; a table for each list: {plain}"),
        (false, true) => writeln!(out, "; a table for each list: {plain}, and it breaks more limits"),
    };
    if let Some(changes) = &found.changes {
        out.push_str(&changed(changes, found, tariff));
    }
    let breaks = &of.sizes.breaks;
    for broken in breaks.iter().take(LIMITS_MAX) {
        let _ = writeln!(out, "breaks in {}: {broken}", broken.table);
    }
    if breaks.len() > LIMITS_MAX {
        let _ = writeln!(out, "and {} limits more; `keyloom size` names them", breaks.len() - LIMITS_MAX);
    }
    let _ = writeln!(
        out,
        "for choosing, a rate that is not stated counts as 1/s, a range by its middle, and designs within 1 % as equal: the one\n\
         with the fewest tables is taken"
    );
    out
}

/// Of how many designs it is the cheapest.
pub(crate) fn headline(found: &Found) -> String {
    let gap = match (found.gap.is_closed(), found.gap.share()) {
        (true, _) => "gap 0".to_owned(),
        (false, Some(share)) => format!("gap {:.2} %", share * 100.0),
        (false, None) => "and time was over before it was known whether another breaks fewer limits".to_owned(),
    };
    let designs = found.parts.iter().fold(1_u128, |all, part| all.saturating_mul(part.designs));
    let (designs, tables) = (count(designs), found.shapes);
    format!("cheapest of {designs} designs from {tables} candidate tables under this cost model, {gap}")
}

/// What is changed in the layout that is in use, and whether that pays.
pub fn changed(changes: &Changes, found: &Found, tariff: &Tariff) -> String {
    let mut out = String::new();
    if changes.new.is_empty() && changes.gone.is_empty() {
        let _ = writeln!(
            out,
            "the layout in use stays: nothing breaks fewer limits or pays back within {PAY_BACK_MONTHS} months"
        );
        return out;
    }
    let mut filling = 0_u128;
    for (table, fill) in &changes.new {
        let _ = match fill {
            Some(fill) => {
                filling = filling.saturating_add(fill.weight);
                let rows = count_text(u64::try_from(fill.rows).unwrap_or(u64::MAX));
                writeln!(
                    out,
                    "new: {table}; {rows} rows are read and written once, {}",
                    super::amounts::once(fill.weight, tariff)
                )
            }
            None => writeln!(out, "new: {table}; how many rows are to be read and written once, nobody says"),
        };
    }
    for table in &changes.gone {
        let _ = writeln!(out, "not asked any more: {table}");
    }
    let (before, after) = (changes.before, found.score);
    if before.broken > after.broken {
        let _ = writeln!(out, "the layout in use costs {} and breaks more limits", cost(before.weight, tariff));
    } else if let Some(saved) = before.weight.checked_sub(after.weight).filter(|saved| *saved > 0) {
        let _ = writeln!(
            out,
            "the layout in use costs {}; that pays back in {}",
            cost(before.weight, tariff),
            days(filling, saved)
        );
    }
    out
}

/// How a pattern is answered, and what else could answer it.
fn reason(of: &Explained<'_>, pattern: &Pattern, all: bool) -> String {
    let mut out = String::new();
    let sizes = of.sizes.patterns.iter().find(|known| known.name == pattern.name);
    for (at, sentence) in sentences(of.program, pattern).into_iter().enumerate() {
        let _ = match sizes.filter(|_| at == 0) {
            Some(sizes) => writeln!(out, "{sentence}; {}", sizes.arithmetic(of.sizes.engine)),
            None => writeln!(out, "{sentence}"),
        };
    }
    for (list, other) in others(of, pattern) {
        let _ = match other {
            None => writeln!(out, "  no other table was thought of{list}"),
            Some(other) if all => writeln!(out, "  {}{list}", said(other, of.tariff)),
            Some(other) => writeln!(out, "  next best{list}: {}", said(other, of.tariff)),
        };
    }
    out
}

/// What else could answer the lists of a pattern, each with the list where it has several.
pub(crate) fn others<'a>(of: &Explained<'a>, pattern: &Pattern) -> Vec<(String, Option<&'a Other>)> {
    let lists: Vec<&Reason> =
        of.reasons.iter().filter(|reason| reason.pattern.as_deref() == Some(&pattern.name)).collect();
    let several = lists.len() > 1;
    let each = lists.into_iter().flat_map(|reason| {
        let name = if several { format!(" for {}", reason.list) } else { String::new() };
        let others: Vec<Option<&Other>> =
            if reason.others.is_empty() { vec![None] } else { reason.others.iter().map(Some).collect() };
        others.into_iter().map(move |other| (name.clone(), other))
    });
    each.collect()
}

/// A design in which a list is answered otherwise.
pub(crate) fn said(other: &Other, tariff: &Tariff) -> String {
    let what = match (other.kind, is_index(&other.table)) {
        (None, _) => "the source itself",
        (_, true) => "an index that the engine keeps",
        (Some(Kind::Exact), _) => "a table of its own",
        (Some(Kind::Whole), _) => "a table with all rows",
        (Some(Kind::Coarser), _) => "a table by fewer fields",
        (Some(Kind::Standing), _) => "a table that is in use",
    };
    let why = compared(other.now, other.then, &other.broken, other.flips.as_ref(), tariff);
    format!("{what}, {}; {why}", where_rows_stand(&other.table))
}

/// Why one design is taken and not the other: a limit with its number, or what it costs more and what would make both equal.
fn compared(now: Score, then: Score, broken_then: &Broken, flips: Option<&Flip>, tariff: &Tariff) -> String {
    if then.broken > now.broken {
        return broken(now, then, broken_then);
    }
    if then.broken < now.broken {
        // Only a design that is cut off by time, or that the plain one beats, has one that breaks less.
        return "it would break fewer limits".to_owned();
    }
    let mut said = match then.weight.checked_sub(now.weight) {
        Some(0) => "it costs the same".to_owned(),
        Some(more) => format!("{} more", cost(more, tariff)),
        None => {
            let less = cost(now.weight.saturating_sub(then.weight), tariff);
            format!("{less} less, within 1 %, with more tables")
        }
    };
    if let Some(flip) = flips {
        let _ = write!(said, "; equal if {} came {} instead of {}", flip.pattern, rate(flip.then), rate(flip.now));
    }
    said
}

/// Which limit is broken by another design and not by this one, with its numbers.
fn broken(now: Score, then: Score, broken: &Broken) -> String {
    let Broken { limits, unknown, partitions, refused } = broken;
    if let Some(refused) = refused.first() {
        return refused.clone();
    }
    // The harder kind decides, and so it is named; what nobody can tell is no argument beside it.
    let (now, then) = (now.by_kind(), then.by_kind());
    let only_open = now.iter().zip(&then).take(4).all(|(now, then)| then <= now);
    if !only_open {
        if let Some(limit) = limits.first() {
            return format!("{limit}");
        }
        if let Some(partitions) = partitions {
            return format!("a call reads {} partitions", count_text(*partitions));
        }
    }
    match unknown.first() {
        Some(unknown) => {
            format!("nobody can tell the {}: {} is not stated", unknown.what, unknown.without.join(", "))
        }
        None => "it breaks limits for more lists".to_owned(),
    }
}
