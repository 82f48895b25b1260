use std::collections::BTreeSet;
use std::fmt::Write as _;

use keyloom_design::search::{Changes, CopyReason, Found, Lack, Need, PAY_BACK_MONTHS, Query, Reason};
use keyloom_model::count_text;
use keyloom_plan::Program;
use keyloom_size::{Sizes, Tariff};

use super::amounts::{cost, count, days};
use super::argue::{Argument, Part, argue, compared, limits};
use super::questions::questions;
use super::words::Words;

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
    /// What would keep the limits that it breaks.
    pub needs: &'a [Need],
    /// What of it is not run yet.
    pub not_run: &'a [Lack],
    /// What nobody stated and would change it.
    pub queries: &'a [Query],
    /// What it comes to.
    pub sizes: &'a Sizes,
    /// What was weighed.
    pub tariff: &'a Tariff,
}

/// How wide lines are at most.
const WIDTH: usize = 120;

/// Why a layout is as it is: what it comes to, and for each pattern how it is answered, what would be next best, and what would
/// make that better; then what to ask. Of one pattern, if it is named, with all that was thought of for it.
pub fn explain(of: &Explained<'_>, only: Option<&str>) -> String {
    let patterns = of.program.catalog.patterns.iter();
    let chosen = patterns.filter(|pattern| only.is_none_or(|name| pattern.name == name));
    let arguments: Vec<Argument<'_>> = chosen.map(|pattern| argue(of, pattern)).collect();
    if only.is_some() {
        return arguments.iter().map(in_full).collect();
    }
    let mut out = summary(of);
    out.push('\n');
    let (writes, reads): (Vec<&Argument<'_>>, Vec<&Argument<'_>>) = arguments.iter().partition(|of| of.writes);
    let mut told = Vec::new();
    reads.iter().for_each(|argument| out.push_str(&read(argument, &mut told)));
    if !writes.is_empty() {
        out.push_str("\nwrites, with what follows from them:\n");
        writes.iter().for_each(|argument| out.push_str(&write(argument)));
    }
    let said = copied(of).into_iter().chain(elsewhere(of, &arguments)).chain(open(of));
    let said: String = said.map(|words| wrapped(&words.to_string(), 0, 2)).collect();
    if !said.is_empty() {
        out.push('\n');
        out.push_str(&said);
    }
    out.push_str(&questions(of));
    out
}

/// A pattern that reads, with the next best of each of its lists. What stands in a table and breaks there is told once.
fn read<'a>(argument: &'a Argument<'_>, told: &mut Vec<&'a str>) -> String {
    let single = argument.parts.len() == 1;
    let mut out = if single { String::new() } else { wrapped(&headed(argument, None), 0, 4) };
    let mut in_pattern: Vec<&str> = Vec::new();
    for part in &argument.parts {
        let is_told = part.table.as_deref().is_some_and(|table| told.contains(&table));
        let again = part.table.as_deref().is_some_and(|table| in_pattern.contains(&table));
        let does = if again { &part.in_short } else { &part.does };
        let holds = part.holds.clone().filter(|_| !is_told);
        let said = [Some(does.to_string()), holds, part.busiest.clone().filter(|_| !again)];
        let mut said = said.into_iter().flatten().collect::<Vec<_>>().join("; ");
        if part.others.as_ref().is_some_and(Vec::is_empty) {
            said.push_str("; no runner-up");
        }
        out.push_str(&match single {
            true => wrapped(&headed(argument, Some(said)), 0, 2),
            false => wrapped(&format!("{}: {said}", whose(argument, part)), 2, 4),
        });
        let indent = if single { 2 } else { 4 };
        for limit in part.limits.iter().filter(|_| !is_told) {
            out.push_str(&wrapped(limit, indent, indent + 2));
        }
        for next in part.others.iter().flatten().take(1) {
            out.push_str(&wrapped(&format!("runner-up: {next}"), indent, indent + 2));
        }
        told.extend(part.table.as_deref());
        in_pattern.extend(part.table.as_deref());
    }
    out
}

/// A pattern that writes, in a line.
fn write(argument: &Argument<'_>) -> String {
    let parts = argument.parts.iter().map(|part| match part.name.as_str() {
        "" => part.in_short.to_string(),
        name => format!("{name} {}", part.in_short),
    });
    wrapped(&headed(argument, Some(parts.collect::<Vec<_>>().join("; "))), 0, 4)
}

/// Name and arithmetic of a pattern, and what else is to be said in the same line.
fn headed(argument: &Argument<'_>, more: Option<String>) -> String {
    let lacks = (!argument.not_run.is_empty()).then(|| format!("not run yet: {}", argument.not_run.join(", ")));
    let said = argument.arithmetic.iter().chain(&argument.terms).chain(&more).chain(&lacks).chain(&argument.refused);
    format!("{}: {}", argument.pattern.name, said.cloned().collect::<Vec<_>>().join("; "))
}

/// Which list of a pattern it is; the first of several that have no name is the pattern itself.
fn whose<'a>(argument: &'a Argument<'_>, part: &'a Part) -> &'a str {
    if part.name.is_empty() { &argument.pattern.name } else { &part.name }
}

/// A pattern with all that was thought of for it, and all that it writes.
fn in_full(argument: &Argument<'_>) -> String {
    if !argument.writes {
        let mut out = wrapped(&headed(argument, None), 0, 4);
        for part in &argument.parts {
            let _ = writeln!(out, "{}", whose(argument, part));
            let said = std::iter::once(part.does.to_string()).chain(part.holds.clone()).chain(part.busiest.clone());
            said.chain(part.limits.clone()).for_each(|line| out.push_str(&wrapped(&line, 2, 4)));
            for (at, other) in part.others.iter().flatten().enumerate() {
                let name = if at == 0 { "runner-up".to_owned() } else { format!("{}.", at + 2) };
                out.push_str(&wrapped(&format!("{name}: {other}"), 2, 4));
            }
            if part.others.as_ref().is_some_and(Vec::is_empty) {
                out.push_str("  runner-up: none was thought of\n");
            }
            part.left_out.iter().for_each(|said| out.push_str(&wrapped(&format!("left out: {said}"), 2, 4)));
        }
        return out;
    }
    let mut out = wrapped(&headed(argument, None), 0, 4);
    for part in &argument.parts {
        let name = if part.name.is_empty() { String::new() } else { format!("{}: ", part.name) };
        out.push_str(&wrapped(&format!("{name}{}", part.does), 2, 4));
    }
    out
}

/// A text in lines that are not too long, the first one indented by `first`, the others by `rest`.
fn wrapped(text: &str, first: usize, rest: usize) -> String {
    let mut out = " ".repeat(first);
    let mut width = first;
    let mut fresh = true;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !fresh && width + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(rest));
            (width, fresh) = (rest, true);
        }
        if !fresh {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        (width, fresh) = (width + length, false);
    }
    out.push('\n');
    out
}

/// How many names are shown of what is not stated.
const NAMES_MAX: usize = 4;

/// What is not stated, so that nobody can tell whether limits are kept.
fn open(of: &Explained<'_>) -> Option<Words> {
    let names: BTreeSet<&str> = of.sizes.unknown.iter().flat_map(|open| &open.without).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMES_MAX);
    let shown: Vec<&str> = names.into_iter().take(NAMES_MAX).collect();
    let more =
        if more > 0 { format!(" and {more} more (`keyloom size --format json` names all)") } else { String::new() };
    let limits = of.sizes.unknown.len();
    (limits > 0)
        .then(|| Words::from(format!("{limits} limits of which nobody can tell without {}{more}", shown.join(", "))))
}

/// What is broken in tables that no pattern reads, and what is not run of entities and tables.
pub(crate) fn elsewhere(of: &Explained<'_>, arguments: &[Argument<'_>]) -> Vec<Words> {
    let mut said = Vec::new();
    let parts = arguments.iter().flat_map(|argument| &argument.parts);
    let shown: BTreeSet<&str> = parts.filter_map(|part| part.table.as_deref()).collect();
    for table in of.program.layout.tables.iter().filter(|table| !shown.contains(table.name.as_str())) {
        let own = limits(of, &table.name);
        if !own.is_empty() {
            said.push(Words::default().table(&table.name).text(format!(": {}", own.join("; "))));
        }
    }
    let mut lacks: Vec<(&str, Vec<&str>)> = Vec::new();
    for lack in of.not_run.iter().filter(|lack| !lack.at.starts_with("patterns.")) {
        let name = lack.at.rsplit('.').next().unwrap_or(&lack.at);
        match lacks.iter_mut().find(|(what, _)| *what == lack.what) {
            Some((_, names)) => names.push(name),
            None => lacks.push((&lack.what, vec![name])),
        }
    }
    let lacks: Vec<String> = lacks.iter().map(|(what, names)| format!("{what} ({})", names.join(", "))).collect();
    if !lacks.is_empty() {
        said.push(Words::from(format!("not run yet beside patterns: {}", lacks.join("; "))));
    }
    if let Some(better) = &of.found.given_up {
        let lacks: Vec<String> = better.lacks.iter().map(|lack| format!("{} ({})", lack.what, lack.at)).collect();
        let costs = cost(better.score.weight, of.tariff);
        said.push(Words::from(format!("a design for {costs} would need {}", lacks.join(", "))));
    }
    said
}

/// What lists show of other rows: whether it is copied, and what the other way would cost.
pub(crate) fn copied(of: &Explained<'_>) -> Vec<Words> {
    let said = of.copies.iter().map(|reason| {
        let paths: Vec<String> = reason.reference.paths.iter().map(ToString::to_string).collect();
        let (is, other) = if reason.is_copied { ("copied into", "looked up") } else { ("looked up by", "copied") };
        let lists = format!("{} is {is} lists of {}; {other}: ", paths.join(", "), reason.reference.entity);
        let why = compared(reason.now, reason.then, &reason.broken, reason.flips.as_ref(), of.tariff);
        Words::joined([Words::from(lists), why], "")
    });
    said.collect()
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
    if let Some(first) = breaks.first() {
        let more =
            if breaks.len() > 1 { format!("; the first of {} broken limits", breaks.len()) } else { String::new() };
        out.push_str(&wrapped(&format!("breaks first: {} has {first}{more}", first.table), 0, 2));
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
