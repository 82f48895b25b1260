//! The argument for each pattern of a design, as data: how it is answered with its arithmetic, which limits that breaks, what would keep
//! them, what would be next best and when. A terminal and a page show the same.

use keyloom_design::search::{Broken, Flip, Kind, Need, Other, Reason, Remedy, Score};
use keyloom_model::layout::{SortItem, Table};
use keyloom_model::{Class, Direction, Frequency, Freshness, Pattern, Skew, count_text};
use keyloom_plan::{Does, Program, Reach, ReadPlan, Slice, WritePlan, is_index};
use keyloom_size::{Break, Tariff, calls_on_busiest, peak, rate};

use super::amounts::cost;
use super::explain::Explained;
use super::plan::{blocks, part_text, verb};
use super::table_text::where_rows_stand;
use super::text::freshness_text;
use super::words::Words;

/// A pattern, and why it is answered as it is.
pub(crate) struct Argument<'a> {
    pub(crate) pattern: &'a Pattern,
    /// How often it is called, what a call takes, and what that comes to.
    pub(crate) arithmetic: Option<String>,
    /// What it asks for beside its rows: `2k/s at peak`, `read your writes`.
    pub(crate) terms: Vec<String>,
    /// What the engine can't hold of it, with a way out.
    pub(crate) refused: Vec<String>,
    /// Its questions, or what it writes.
    pub(crate) parts: Vec<Part>,
    /// What of it is not run yet.
    pub(crate) not_run: Vec<String>,
    /// Whether it writes.
    pub(crate) writes: bool,
}

/// A question of a pattern, or one of its writes.
#[derive(Default)]
pub(crate) struct Part {
    /// Which of them, if there are several: `:due`, `/latest`, `step 1`.
    pub(crate) name: String,
    /// The table that a question is answered from.
    pub(crate) table: Option<String>,
    /// What is done.
    pub(crate) does: Words,
    /// The same in fewer words: of a question that the same table answers, of a write with many rows.
    pub(crate) in_short: Words,
    /// What stands in a partition that is read.
    pub(crate) holds: Option<String>,
    /// How often the busiest of them is read.
    pub(crate) busiest: Option<String>,
    /// The limits that its table breaks, and what would keep them.
    pub(crate) limits: Vec<String>,
    /// What else could answer it, the best first; nothing where there is no choice.
    pub(crate) others: Option<Vec<Words>>,
    /// What could not, and what would let it.
    pub(crate) left_out: Option<&'static str>,
}

/// The argument for a pattern.
pub(crate) fn argue<'a>(of: &Explained<'a>, pattern: &'a Pattern) -> Argument<'a> {
    let program = of.program;
    let path = format!("patterns.{}", pattern.name);
    let below = format!("{path}.");
    let is_own = |at: &str| at == path || at.starts_with(&below);
    let refusals = program.refusals.iter().filter(|refusal| is_own(&refusal.at));
    let refused: Vec<String> = refusals.map(|refusal| format!("{}; {}", refusal.what, refusal.way_out())).collect();
    let not_run = of.not_run.iter().filter(|lack| is_own(&lack.at)).map(|lack| lack.what.clone());
    let not_run = if refused.is_empty() { not_run.collect() } else { Vec::new() };
    let writes: Vec<&WritePlan> = program.writes_of(&pattern.name).collect();
    let asked = blocks(program, pattern);
    let mut parts: Vec<Part> = Vec::new();
    if writes.is_empty() {
        let several = asked.len() > 1;
        parts.extend(asked.iter().map(|plan| read(of, pattern, plan, several)));
    }
    parts.extend(writes.iter().map(|plan| written(plan)));
    let sizes = of.sizes.patterns.iter().find(|known| known.name == pattern.name);
    Argument {
        pattern,
        arithmetic: sizes.map(|sizes| sizes.arithmetic(of.sizes.engine)),
        terms: terms(of, pattern),
        refused,
        parts,
        not_run,
        writes: !writes.is_empty(),
    }
}

/// What a pattern asks for beside its rows.
fn terms(of: &Explained<'_>, pattern: &Pattern) -> Vec<String> {
    let mut said = Vec::new();
    if let Frequency::Stated { mean: Some(_), peak: Some(_) } = pattern.rate
        && let Some(sizes) = of.sizes.patterns.iter().find(|known| known.name == pattern.name)
    {
        said.push(format!("{} at peak", peak(&sizes.calls.peak_kilosecond)));
    }
    if let keyloom_model::Action::Read(read) = &pattern.action {
        said.extend(read.freshness.map(freshness_text));
    }
    said.extend(pattern.latency.map(|latency| format!("p99 {latency}")));
    said
}

fn read(of: &Explained<'_>, pattern: &Pattern, plan: &ReadPlan, several: bool) -> Part {
    let question = plan.asked.question.to_string();
    let own = question.strip_prefix(pattern.name.as_str()).unwrap_or(&question);
    let does = sentence(of.program, plan);
    let in_short = match &plan.access.reach {
        Reach::Slice(_) => work(plan, Words::from("the same partitions of ").table(&plan.access.table)),
        Reach::Get { .. } | Reach::Via { .. } => does.clone(),
    };
    let table = of.program.layout.table(&plan.access.table);
    let sized = of.sizes.tables.iter().find(|sized| sized.name == plan.access.table);
    let is_slice = matches!(plan.access.reach, Reach::Slice(_));
    Part {
        name: if several { own.to_owned() } else { String::new() },
        table: is_slice.then(|| plan.access.table.clone()),
        does,
        in_short,
        holds: sized.filter(|_| is_slice).and_then(keyloom_size::TableSize::held),
        busiest: table.filter(|_| is_slice).and_then(|table| busiest(of.program, table, pattern)),
        limits: table.filter(|_| is_slice).map_or_else(Vec::new, |table| limits(of, &table.name)),
        others: others(of, plan),
        left_out: left_out(of.program, plan),
    }
}

/// Why a list that an index could answer by its key was not left to the engine.
fn left_out(program: &Program, plan: &ReadPlan) -> Option<&'static str> {
    let table = program.layout.table(&plan.access.table)?;
    let entity = program.catalog.entity(&plan.asked.entity)?;
    let is_list = matches!(plan.access.reach, Reach::Slice(_)) && !is_index(table);
    if program.abilities.indexes.is_none() || entity.class(&program.catalog).0 != Class::Decided || !is_list {
        return None;
    }
    match plan.asked.freshness {
        Some(Freshness::Within(_)) => None,
        Some(Freshness::ReadYourWrites) => Some(
            "an index that the engine keeps follows late: `read_your_writes` can't be had from it, unless callers present what they have seen",
        ),
        Some(Freshness::Latest) => Some("an index that the engine keeps follows late: `latest` can't be had from it"),
        None => Some(
            "an index that the engine keeps follows late, and nothing says that this list may: with `freshness: 5s` it would be weighed",
        ),
    }
}

/// How one question is answered.
fn sentence(program: &Program, plan: &ReadPlan) -> Words {
    let name = &plan.access.table;
    let table = program.layout.table(name);
    let said = match &plan.access.reach {
        Reach::Get { .. } => Words::from("one row of ").table(name).text(" by its key"),
        Reach::Via { reservations, .. } => Words::default().table(reservations).text(" says which row of ").table(name),
        Reach::Slice(slice) => {
            let partitions = plan.at_most.map_or(1, |most| most.partitions);
            let of = match partitions {
                1 => "one partition of ".to_owned(),
                several => format!("at most {} partitions of ", count_text(several)),
            };
            Words::from(of).table(name).text(table.map_or_else(String::new, |table| stands(table, slice)))
        }
    };
    work(plan, said)
}

/// What is done with the rows that were found.
fn work(plan: &ReadPlan, mut said: Words) -> Words {
    if let Some(most) = plan.at_most.filter(|_| matches!(plan.access.reach, Reach::Slice(_))) {
        let rows = if most.rows == 1 { "row" } else { "rows" };
        said = said.text(format!(": reads at most {} {rows}", count_text(most.rows)));
    }
    if !matches!(plan.access.reach, Reach::Via { .. }) && !plan.access.remains.is_empty() {
        let tests: Vec<String> = plan.access.remains.iter().map(ToString::to_string).collect();
        said = said.text(format!(", keeps those with {}", tests.join(" and ")));
    }
    if !plan.access.looks_up.is_empty() {
        let paths: Vec<String> = plan.access.looks_up.iter().map(ToString::to_string).collect();
        said = said.text(format!(", looks up {}", paths.join(", ")));
    }
    said
}

/// ` for each tenant_id, assignee_id, only status = OPEN, sorted by due_at, task_id`
fn stands(table: &Table, slice: &Slice) -> String {
    let parts: Vec<String> = table.partition.parts().iter().map(part_text).collect();
    let mut said =
        if parts.is_empty() { " with all rows".to_owned() } else { format!(" for each {}", parts.join(", ")) };
    if let Some(filter) = &table.filter {
        said.push_str(&format!(", only {filter}"));
    }
    if !table.sort.is_empty() {
        let sort: Vec<String> = table.sort.iter().map(sort_text).collect();
        let turned = if slice.backward { ", read backwards" } else { "" };
        said.push_str(&format!(", sorted by {}{turned}", sort.join(", ")));
    }
    said
}

pub(crate) fn sort_text(item: &SortItem) -> String {
    let nulls = if item.nulls_last { " nulls last" } else { "" };
    match item.direction {
        Direction::Ascending => format!("{}{nulls}", item.field),
        Direction::Descending => format!("{} desc{nulls}", item.field),
    }
}

/// `the busiest is asked 30% of 2k/s = 600/s`
fn busiest(program: &Program, table: &Table, pattern: &Pattern) -> Option<String> {
    let of_all = calls_on_busiest(&program.catalog, table, pattern);
    match (of_all.whole(), pattern.skew) {
        (Some(_), Some(Skew::Busiest(share))) => {
            Some(format!("the busiest is asked {share} of the peak = {}", peak(&of_all)))
        }
        (Some(_), _) => Some(format!("the busiest is asked {}", peak(&of_all))),
        (None, _) => None,
    }
}

/// The limits that a table breaks, with their numbers, and what would keep them.
pub(crate) fn limits(of: &Explained<'_>, table: &str) -> Vec<String> {
    let broken = of.sizes.breaks.iter().filter(|broken| broken.table == table).map(|broken| {
        let when = broken.day.map_or_else(String::new, |day| format!(" from {day} on"));
        format!("{broken}{when}")
    });
    let broken: Vec<String> = broken.collect();
    let need = of.needs.iter().find(|need| need.table == table);
    let said = (!broken.is_empty()).then(|| format!("breaks {}", broken.join("; ")));
    let sized = of.sizes.tables.iter().find(|sized| sized.name == table);
    // Of a group whose size is known in part alone, nobody can tell how many partitions are enough.
    let whole = sized.and_then(|sized| sized.partition.as_ref()).is_some_and(|of| of.rows.worst.whole().is_some());
    said.into_iter().chain(need.map(|need| needed(need, whole))).collect()
}

/// What would keep the limits that a table breaks.
fn needed(need: &Need, whole: bool) -> String {
    let Some(by) = &need.by else {
        return "no step of time and no spread up to 64 keeps that: fewer rows in a group would, or groups by more fields"
            .to_owned();
    };
    let each = |over: u64| {
        let part = |broken: &Break| Break { value: broken.value.div_ceil(u128::from(over)), ..broken.clone() };
        let each: Vec<String> = need.keeps.iter().map(|broken| amount(&part(broken))).collect();
        each.join(", ")
    };
    let what = match by {
        Remedy::Step { step, field, partitions } => format!(
            "a partition for each {} of {field}, of which a call reads {} at most",
            step.name(),
            count_text(*partitions)
        ),
        Remedy::Spread { over } if whole => {
            format!("the heaviest groups over {over} partitions, {} in each", each(*over))
        }
        Remedy::Spread { over } => format!("the heaviest groups over {over} partitions at least"),
    };
    match need.lacks.as_slice() {
        [] => format!("kept by {what}: write it into the layout"),
        lacks => format!("would need {}: {what}", lacks.join(" and ")),
    }
}

/// How much it is, without its limit: `100k rows`.
fn amount(broken: &Break) -> String {
    let said = broken.to_string();
    let short = said.split(" in the ").next().unwrap_or(&said).split(" on the ").next().unwrap_or(&said);
    short.to_owned()
}

/// What else could answer a question.
fn others(of: &Explained<'_>, plan: &ReadPlan) -> Option<Vec<Words>> {
    let list = plan.asked.question.to_string();
    let reason: &Reason = of.reasons.iter().find(|reason| reason.list == list)?;
    Some(reason.others.iter().map(|other| said(other, of.tariff)).collect())
}

/// A design in which a list is answered otherwise.
pub(crate) fn said(other: &Other, tariff: &Tariff) -> Words {
    let stands = where_rows_stand(&other.table);
    let what = match (other.kind, is_index(&other.table)) {
        (None, _) => format!("the source itself, {stands}"),
        (_, true) => format!("an index that the engine keeps, {stands}"),
        (Some(Kind::Exact), _) => format!("a table of its own, {stands}"),
        (Some(Kind::Whole), _) => format!("a table with all rows, {stands}"),
        (Some(Kind::Coarser), _) => format!("a table by fewer fields, {stands}"),
        (Some(Kind::Standing), _) => format!("a table that is in use, {stands}"),
    };
    let why = compared(other.now, other.then, &other.broken, other.flips.as_ref(), tariff);
    Words::joined([Words::from(what), why], "; ")
}

/// Why one design is taken and not the other: a limit with its number, or what it costs more and what would make both equal.
pub(crate) fn compared(now: Score, then: Score, broken_then: &Broken, flips: Option<&Flip>, tariff: &Tariff) -> Words {
    if then.broken > now.broken {
        return Words::from(broken(now, then, broken_then));
    }
    if then.broken < now.broken {
        // Only a design that is cut off by time, or that the plain one beats, has one that breaks less.
        return Words::from("it would break fewer limits");
    }
    let said = match then.weight.checked_sub(now.weight) {
        Some(0) => "it costs the same".to_owned(),
        Some(more) => format!("{} more", cost(more, tariff)),
        None => {
            let less = cost(now.weight.saturating_sub(then.weight), tariff);
            format!("{less} less, which is within 1 %, for more tables")
        }
    };
    let said = Words::from(said);
    match flips {
        Some(flip) => {
            let than = if flip.then > flip.now { "more" } else { "less" };
            let (then, now) = (rate(flip.then), rate(flip.now));
            said.text("; it wins if ").pattern(&flip.pattern).text(format!(" comes {than} than {then} ({now} now)"))
        }
        None if then.weight > now.weight => said.text("; no rate alone turns that"),
        None => said,
    }
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
            return format!("{limit}; up to that number it would be weighed");
        }
        if let Some(partitions) = partitions {
            return format!("a call reads {} partitions", count_text(*partitions));
        }
    }
    if let Some(unknown) = unknown.first() {
        return format!("nobody can tell its {}: {} is not stated", unknown.what, unknown.without.join(", "));
    }
    const KINDS: [&str; 5] = [
        "lists that nothing can hold",
        "limits that the engine refuses",
        "limits that it throttles",
        "limits of experience",
        "limits of which nobody can tell",
    ];
    let differs = now.iter().zip(&then).zip(KINDS).find(|((now, then), _)| then > now);
    differs.map_or_else(
        || "it breaks more limits".to_owned(),
        |((now, then), kind)| format!("it has {then} {kind} instead of {now}"),
    )
}

fn written(plan: &WritePlan) -> Part {
    let shown = || {
        let own = plan.effects.iter();
        own.filter(|effect| !matches!(effect.does, Does::Marks | Does::MarksEnd | Does::Registers))
    };
    let does = shown().map(|effect| {
        let when = super::plan::often(effect.when);
        Words::from(format!("{} ", verb(&effect.does))).table(&effect.table).text(when)
    });
    // What is decided by name; of what comes with it, how many rows.
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for effect in shown().filter(|effect| !matches!(effect.does, Does::Decides(_))) {
        let word = verb(&effect.does);
        match counted.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counted.push((word, 1)),
        }
    }
    let decided = shown().filter(|effect| matches!(effect.does, Does::Decides(_)));
    let decided = decided.map(|effect| Words::from("decides ").table(&effect.table));
    let rest = counted.iter().map(|(word, count)| Words::from(format!("{word} {count}")));
    let is_short = shown().count() <= 3;
    let in_short = if is_short { Words::joined(does.clone(), ", ") } else { Words::joined(decided.chain(rest), ", ") };
    Part {
        name: plan.step.map_or_else(String::new, |step| format!("step {}", step + 1)),
        does: Words::joined(does, ", "),
        in_short,
        ..Part::default()
    }
}
