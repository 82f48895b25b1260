use std::fmt::Write as _;

use keyloom_design::search::{Found, Kind, Next, Reason, Score};
use keyloom_model::Direction;
use keyloom_model::layout::{Part, Partition, Table};
use keyloom_plan::{Program, is_index};
use keyloom_size::Tariff;

use super::plan::sentences;

/// A month for rates, in seconds.
const MONTH_SECONDS: f64 = 86_400.0 * 30.44;

/// Why a layout is as it is: what it comes to, and for each pattern how it is answered, what would be next best, and what would
/// make that better. Of one pattern, if it is named.
pub fn explain(program: &Program, found: &Found, reasons: &[Reason], tariff: &Tariff, only: Option<&str>) -> String {
    let mut out = String::new();
    if only.is_none() {
        summary(&mut out, found, tariff);
    }
    let patterns = program.catalog.patterns.iter().filter(|pattern| only.is_none_or(|name| pattern.name == name));
    for pattern in patterns {
        for sentence in sentences(program, pattern) {
            let before = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{before}{sentence}");
        }
        let own = |reason: &&Reason| reason.pattern.as_deref() == Some(&pattern.name);
        let lists: Vec<&Reason> = reasons.iter().filter(own).collect();
        for reason in &lists {
            let of = if lists.len() > 1 { format!(" for {}", reason.list) } else { String::new() };
            let _ = match &reason.next {
                Some(next) => writeln!(out, "  next best{of}: {}", said(next, tariff)),
                None => writeln!(out, "  no other table was thought of{of}"),
            };
        }
    }
    out
}

fn summary(out: &mut String, found: &Found, tariff: &Tariff) {
    let designs = found.parts.iter().fold(1_u128, |all, part| all.saturating_mul(part.designs));
    let sum = |of: fn(&keyloom_design::search::Outcome) -> u128| {
        found.parts.iter().fold(0_u128, |sum, part| sum.saturating_add(of(part)))
    };
    let (cheapest, bound) = (sum(|part| part.cheapest.weight), sum(|part| part.bound.weight));
    let gap = cheapest.saturating_sub(bound) as f64 * 100.0 / cheapest.max(1) as f64;
    let _ = writeln!(
        out,
        "cheapest of {} designs from {} candidate tables under this cost model, gap {}",
        count(designs),
        found.shapes,
        if cheapest == bound { "0".to_owned() } else { format!("{gap:.2} %") }
    );
    let _ = write!(out, "{}", cost(found.score.weight, tariff));
    let plain = cost(found.plain.weight, tariff);
    let _ = match (found.plain.weight == found.score.weight, found.plain.broken > found.score.broken) {
        (true, _) => writeln!(out, ", as a table for each list would cost"),
        (false, false) => writeln!(out, "; a table for each list: {plain}"),
        (false, true) => writeln!(out, "; a table for each list: {plain}, and it breaks more limits"),
    };
    let _ = writeln!(
        out,
        "for choosing, a rate that is not stated counts as 1/s, a range by its middle, and designs within 1 % as equal: the one\n\
         with the fewest tables is taken"
    );
}

/// A design in which a list is answered otherwise.
fn said(next: &Next, tariff: &Tariff) -> String {
    let what = match (next.kind, is_index(&next.table)) {
        (None, _) => "the source itself",
        (_, true) => "an index that the engine keeps",
        (Some(Kind::Exact), _) => "a table of its own",
        (Some(Kind::Whole), _) => "a table with all rows",
        (Some(Kind::Coarser), _) => "a table by fewer fields",
    };
    let mut said = format!("{what}, {}", key(&next.table));
    if next.then.broken > next.now.broken {
        let _ = write!(said, "; {}", broken(next.now, next.then));
        return said;
    }
    if next.then.broken < next.now.broken {
        // Only a design that is cut off by time, or that the plain one beats, has one that breaks less.
        let _ = write!(said, "; it would break fewer limits");
        return said;
    }
    match next.then.weight.checked_sub(next.now.weight) {
        Some(0) => said.push_str("; it costs the same"),
        Some(more) => {
            let _ = write!(said, "; {} more", cost(more, tariff));
        }
        None => {
            let less = cost(next.now.weight.saturating_sub(next.then.weight), tariff);
            let _ = write!(said, "; {less} less, within 1 %, with more tables");
        }
    }
    if let Some(flip) = &next.flips {
        let _ = write!(said, "; equal if {} came {} instead of {}", flip.pattern, rate(flip.then), rate(flip.now));
    }
    said
}

/// Which kind of limit is broken by one design and not by another.
fn broken(now: Score, then: Score) -> &'static str {
    let (now, then) = (now.by_kind(), then.by_kind());
    let words = [
        "the engine or the plan refuses it",
        "the engine would refuse rows or calls of it",
        "the engine would slow its callers down",
        "it breaks rules of thumb that this one keeps",
        "nobody can tell whether it stays below the limits of a partition",
    ];
    let worse = now.iter().zip(&then).position(|(now, then)| then > now);
    worse.and_then(|at| words.get(at)).copied().unwrap_or("it breaks more limits")
}

fn key(table: &Table) -> String {
    let partition = match &table.partition {
        Partition::All => "all rows together".to_owned(),
        Partition::By(parts) => {
            let parts: Vec<&str> = parts.iter().map(Part::field).collect();
            format!("by {}", parts.join(", "))
        }
    };
    let item = |item: &keyloom_model::layout::SortItem| match item.direction {
        Direction::Ascending => item.field.clone(),
        Direction::Descending => format!("{} desc", item.field),
    };
    let sort: Vec<String> = table.sort.iter().map(item).collect();
    let order = if sort.is_empty() { String::new() } else { format!(" in the order {}", sort.join(", ")) };
    let filter = table.filter.as_ref().map_or_else(String::new, |filter| format!(", where {filter}"));
    format!("{partition}{order}{filter}")
}

/// Dollars a month, or processors that are busy.
fn cost(weight: u128, tariff: &Tariff) -> String {
    let nanos = Tariff::nanos(weight) as f64;
    if tariff.is_money() {
        return format!("${} a month", three(nanos / 1e9));
    }
    let busy = nanos / 1e9 / MONTH_SECONDS;
    match busy < 0.1 {
        true => format!("{} ms of processor a second", three(busy * 1_000.0)),
        false => format!("{} processors busy", three(busy)),
    }
}

fn rate(calls_in_month: u128) -> String {
    let second = calls_in_month as f64 / MONTH_SECONDS;
    match second < 0.1 {
        true => format!("{}/day", three(second * 86_400.0)),
        false => format!("{}/s", three(second)),
    }
}

/// A number in three digits.
fn three(value: f64) -> String {
    let whole = |value: f64| {
        let digits = format!("{value:.0}");
        let places = digits.len();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (places - at).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    };
    let decimals = match value {
        value if value >= 100.0 => return whole(value),
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        value if value > 0.0 => 3,
        _ => return "0".to_owned(),
    };
    format!("{value:.decimals$}")
}

/// A number of designs: as it is, or as a power of ten.
fn count(designs: u128) -> String {
    match designs {
        0..1_000_000_000 => keyloom_model::count_text(u64::try_from(designs).unwrap_or(u64::MAX)),
        more => format!("10^{}", more.ilog10()),
    }
}
