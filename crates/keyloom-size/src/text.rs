//! Sizes for people.

use std::collections::BTreeSet;
use std::fmt::Write;

use keyloom_facts::{Facts, Kind};
use keyloom_model::Engine;

use crate::limits::{Break, then};
use crate::load::TableLoad;
use crate::quantity::{Between, Quantity};
use crate::say::{between, bytes, columns, count, dollars, nanos, quantity, thousandths, three};
use crate::table::TableSize;
use crate::time::{YEAR_MS, plural, span_text};
use crate::total::MOMENTS;
use crate::{PatternSize, Sizes};

/// How many names of what is not stated are shown.
const NAMES_MAX: usize = 4;

/// The sizes of a program as text.
pub fn text(sizes: &Sizes) -> String {
    let mut text = heading(sizes);
    text.push_str(&tables(sizes));
    text.push_str(&partitions(sizes));
    text.push_str(&busiest(sizes));
    text.push_str(&patterns(sizes));
    text.push_str(&totals(sizes));
    text.push_str(&breaks(sizes));
    text.push_str(&notes(sizes));
    text
}

/// Two sizes of one catalog side by side, the second with other numbers.
pub fn text_beside(before: &Sizes, after: &Sizes, changes: &[String]) -> String {
    let mut text = heading(after);
    let _ = writeln!(text, "\nWhat if {}", changes.join(", and "));
    let mut lines = vec![vec!["".to_owned(), "BEFORE".to_owned(), "AFTER".to_owned()]];
    let mut line = |what: &str, before: String, after: String| {
        if before != after {
            lines.push(vec![what.to_owned(), before, after]);
        }
    };
    for (old, new) in before.tables.iter().zip(&after.tables) {
        let name = |what: &str| format!("{}: {what}", new.name);
        let stored = |of: &TableSize, moment| quantity(&of.stored_after(moment), bytes);
        let (moment, words) = match new.stored_after(0).value() {
            Some(_) => (0, "stored now"),
            None => (5 * YEAR_MS, "stored in 5 years"),
        };
        line(&name(words), stored(old, moment), stored(new, moment));
        let worst = |of: &TableSize| {
            let span_ms = of.partition.as_ref().map_or(0, |partition| partition.kept_ms.unwrap_or(YEAR_MS));
            of.partition_bytes_after(span_ms).map_or_else(String::new, |of| quantity(&of.worst, bytes))
        };
        line(&name("worst partition"), worst(old), worst(new));
    }
    for (old, new) in before.patterns.iter().zip(&after.patterns) {
        line(&format!("{}: calls a month", new.name), calls(old), calls(new));
    }
    let stored = |of: &Sizes| quantity(&of.total.stored[0], bytes);
    line("in all: stored now", stored(before), stored(after));
    for ([_, old, _], [name, new, _]) in summary(before).into_iter().zip(summary(after)) {
        line(&format!("in all: {name}"), old, new);
    }
    text.push('\n');
    text.push_str(&if lines.len() > 1 { columns(&lines, &[1, 2]) } else { "Nothing changes by that.\n".to_owned() });
    text.push_str(&breaks_beside(before, after));
    text.push_str(&notes(after));
    text
}

fn heading(sizes: &Sizes) -> String {
    let (tables, patterns) = (sizes.tables.len() as u64, sizes.patterns.len() as u64);
    let day = sizes.as_of.map_or_else(String::new, |day| format!(", as of {day}"));
    format!(
        "{} on {}: {}, {}{day}\n",
        sizes.catalog,
        sizes.engine.name(),
        plural(tables, "table"),
        plural(patterns, "pattern")
    )
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn tables(sizes: &Sizes) -> String {
    format!("\n{}", columns(&table_lines(sizes), &[1, 2, 3, 4, 5, 6]))
}

/// The tables in columns, with a heading, and all of them in the last line.
pub fn table_lines(sizes: &Sizes) -> Vec<Vec<String>> {
    let mut lines =
        vec![words(&["TABLE", "ROWS", "A MONTH", "A ROW", "STORED NOW", "IN 1 YEAR", "IN 5 YEARS", "HOLDS"])];
    for table in &sizes.tables {
        let stored = MOMENTS.map(|moment| quantity(&table.stored_after(moment), bytes));
        let mut line = vec![
            table.name.clone(),
            quantity(&table.rows.now, count),
            quantity(&table.rows.month, |rows| format!("+{}", count(rows))),
            bytes(table.row_stored()),
        ];
        line.extend(stored);
        let kept = table.rows.kept_ms.map_or_else(String::new, |kept| format!(", kept {}", span_text(kept)));
        line.push(format!("{}{kept}", table.holds));
        lines.push(line);
    }
    let mut all = words(&["in all", "", "", ""]);
    all.extend(sizes.total.stored.iter().map(|stored| quantity(stored, bytes)));
    lines.push(all);
    lines
}

fn partitions(sizes: &Sizes) -> String {
    let lines = partition_lines(sizes);
    if lines.len() == 1 { String::new() } else { format!("\n{}", columns(&lines, &[])) }
}

/// Partitions of more than one row in columns, with a heading. Those that grow are shown after as long as rows stay, or a year.
pub fn partition_lines(sizes: &Sizes) -> Vec<Vec<String>> {
    let mut lines =
        vec![words(&["PARTITIONS OF", "BY", "ROWS typical / p99 / worst", "BYTES typical / p99 / worst", ""])];
    for table in &sizes.tables {
        let Some(partition) = &table.partition else { continue };
        let span_ms = partition.kept_ms.unwrap_or(YEAR_MS);
        let grows = match (partition.per_ms, partition.kept_ms) {
            (None, _) => String::new(),
            (Some(_), Some(kept)) => format!("after {}, from then on the same", span_text(kept)),
            (Some(_), None) => "after 1 year, and growing".to_owned(),
        };
        let by = if partition.by.is_empty() { "all".to_owned() } else { partition.by.join(", ") };
        let size = table.partition_bytes_after(span_ms);
        lines.push(vec![
            table.name.clone(),
            by,
            three(&partition.after(span_ms), count),
            size.map_or_else(String::new, |size| three(&size, bytes)),
            grows,
        ]);
    }
    lines
}

fn calls(pattern: &PatternSize) -> String {
    quantity(&pattern.calls.month, count)
}

fn patterns(sizes: &Sizes) -> String {
    format!("\n{}", columns(&pattern_lines(sizes), &[1, 2, 3, 4, 5, 6]))
}

/// The patterns in columns, with a heading.
pub fn pattern_lines(sizes: &Sizes) -> Vec<Vec<String>> {
    let dynamodb = sizes.engine == Engine::DynamoDb;
    let mut heads = vec!["PATTERN", "CALLS A MONTH", "PEAK A SECOND"];
    heads.extend(if dynamodb { ["READ UNITS", "WRITE UNITS"] } else { ["PROCESSOR", "CORES"] });
    heads.push("ROWS WRITTEN");
    heads.extend(dynamodb.then_some("A MONTH"));
    let mut lines = vec![words(&heads)];
    for pattern in &sizes.patterns {
        let effort = &pattern.effort;
        let mut line =
            vec![pattern.name.clone(), calls(pattern), quantity(&pattern.calls.peak_kilosecond, thousandths)];
        if dynamodb {
            line.push(between(effort, |of| thousandths(of.read_half_units / 2)));
            line.push(between(effort, |of| thousandths(of.write_units)));
        } else {
            line.push(between(effort, |of| nanos(of.nanos / 1_000)));
            line.push(between(effort, |of| cores(pattern, of.nanos)));
        }
        let more = if pattern.without.is_empty() { "" } else { "+" };
        line.push(format!("{}{more}", between(effort, |of| thousandths(of.rows))));
        line.extend(pattern.month.as_ref().map(|month| between(month, |of| quantity(of, dollars))));
        lines.push(line);
    }
    lines
}

/// How much of a core the mean of a pattern takes.
pub(crate) fn cores(pattern: &PatternSize, thousandths_of_nanos: u128) -> String {
    let a_second = pattern.calls.month.times(&Quantity::known(thousandths_of_nanos));
    quantity(&a_second.part(1_000, crate::time::MONTH_MS.into()), busy)
}

/// Thousandths of nanoseconds in a second, as cores.
fn busy(thousandths_of_nanos: u128) -> String {
    match thousandths_of_nanos / 1_000_000_000 {
        0 => "below 0.001".to_owned(),
        milli if milli < 10_000 => format!("{}.{:03}", milli / 1_000, milli % 1_000),
        milli => count(milli / 1_000),
    }
}

/// The numbers that stand for the whole, each with its name and a remark.
pub fn summary(sizes: &Sizes) -> Vec<[String; 3]> {
    const WHEN: &str = "now, in 1 year, in 5 years";
    let total = &sizes.total;
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String, remark: String| lines.push([name.to_owned(), value, remark]);
    let none = String::new;
    if let Some(month) = &total.dynamodb {
        line("on demand", between(&month.on_demand, |of| quantity(of, dollars)), none());
        let provisioned = month.provisioned.as_ref().map_or("price not known".to_owned(), |of| quantity(of, dollars));
        let units = month.capacity.each_ref().map(|units| quantity(units, count));
        let [reads, writes] = &units;
        line(
            "provisioned",
            provisioned,
            format!("for {reads} read and {writes} write units, the peak of all patterns at once"),
        );
        line("storage", quantity(&month.storage, dollars), "of today".to_owned());
    } else if sizes.engine != Engine::DynamoDb {
        line("cores, mean", between(&total.mean_nanos, |of| quantity(of, busy)), none());
        line("cores, peak", quantity(&total.peak.nanos, busy), "of all patterns at once".to_owned());
    }
    if let Some(cluster) = &total.cluster {
        let stored = cluster.stored.each_ref().map(|of| quantity(of, bytes)).join(", ");
        line("on disk", stored, format!("{WHEN}, with {} replicas", cluster.replicas));
        if let Some((_, nodes)) = &cluster.nodes {
            line("nodes", nodes.each_ref().map(|of| quantity(of, count)).join(", "), format!("{WHEN}, for the peak"));
        }
        if let Some(month) = &cluster.month {
            line("nodes of now", quantity(month, dollars), "a month".to_owned());
        }
    }
    lines
}

fn totals(sizes: &Sizes) -> String {
    let heading = match &sizes.total.dynamodb {
        Some(month) => format!("A month in {}, by prices of {}", month.region, month.prices_of),
        None => "In all".to_owned(),
    };
    let lines: Vec<Vec<String>> =
        summary(sizes).into_iter().map(|[name, value, remark]| vec![format!("  {name}"), value, remark]).collect();
    let left_out = left_out(sizes);
    let names = if left_out.is_empty() { String::new() } else { format!("  without {}\n", shortened(&left_out)) };
    format!("\n{heading}\n{}{names}", columns(&lines, &[]))
}

/// What the totals leave out.
fn left_out(sizes: &Sizes) -> Vec<String> {
    let total = &sizes.total;
    let mut names = BTreeSet::new();
    let mut add = |quantity: &Quantity| names.extend(quantity.without().map(str::to_owned));
    total.stored.iter().for_each(&mut add);
    if let Some(month) = &total.dynamodb {
        let Between { low, high } = &month.on_demand;
        [low, high].into_iter().for_each(&mut add);
    } else {
        add(&total.mean_nanos.high);
    }
    names.into_iter().collect()
}

fn shortened(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    let shown = names[..names.len().min(NAMES_MAX)].join(", ");
    if more > 0 { format!("{shown} and {more} more (--format json names all)") } else { shown }
}

fn breaks(sizes: &Sizes) -> String {
    let mut text = "\nWhat breaks first\n".to_owned();
    if sizes.breaks.is_empty() {
        text.push_str("  nothing within 10 years, by the numbers that are stated\n");
    }
    let mut lines = break_lines(sizes);
    lines.iter_mut().for_each(|line| line[0].insert_str(0, "  "));
    text.push_str(&columns(&lines, &[]));
    text.push_str(&what_then(&sizes.breaks.iter().collect::<Vec<_>>()));
    text.push_str(&not_known(sizes));
    text
}

/// What breaks in columns, without a heading: when, which table, what, and what kind of limit.
pub fn break_lines(sizes: &Sizes) -> Vec<Vec<String>> {
    let line = |broken: &Break| {
        let (value, what) = said(broken);
        let kind = broken.limit.kind.name().to_owned();
        vec![when(broken), broken.table.clone(), format!("{value} {what}"), kind]
    };
    sizes.breaks.iter().map(line).collect()
}

/// What breaks before and after, each limit of a table in one line.
fn breaks_beside(before: &Sizes, after: &Sizes) -> String {
    let same =
        |one: &Break, other: &Break| (&one.table, one.what, one.limit) == (&other.table, other.what, other.limit);
    let gone = before.breaks.iter().filter(|old| !after.breaks.iter().any(|new| same(old, new)));
    let all: Vec<&Break> = after.breaks.iter().chain(gone).collect();
    let mut text = "\nWhat breaks first\n".to_owned();
    let mut lines = vec![words(&["  BEFORE", "AFTER", "TABLE", "WHAT", ""])];
    for broken in &all {
        let find = |sizes: &'_ Sizes| sizes.breaks.iter().find(|other| same(broken, other)).cloned();
        let (old, new) = (find(before), find(after));
        let then = |of: &Option<Break>| of.as_ref().map_or("never".to_owned(), when);
        let value = |of: &Option<Break>| of.as_ref().map_or("less".to_owned(), |of| said(of).0);
        let values = match (value(&old), value(&new)) {
            (old, new) if old == new => new,
            (old, new) => format!("{old} -> {new}"),
        };
        let sentence = format!("{values} {}", said(broken).1);
        let kind = broken.limit.kind.name().to_owned();
        lines.push(vec![format!("  {}", then(&old)), then(&new), broken.table.clone(), sentence, kind]);
    }
    if all.is_empty() {
        text.push_str("  nothing within 10 years, before and after, by the numbers that are stated\n");
    } else {
        text.push_str(&columns(&lines, &[]));
    }
    text.push_str(&what_then(&all));
    text.push_str(&not_known(after));
    text
}

/// When it breaks.
fn when(broken: &Break) -> String {
    match (broken.after_ms, broken.day) {
        (0, _) => "now".to_owned(),
        (after, Some(day)) => format!("after {}, {day}", span_text(after)),
        (after, None) => format!("after {}", span_text(after)),
    }
}

/// How much it is, and of what.
pub(crate) fn said(broken: &Break) -> (String, String) {
    let (what, say): (&str, fn(u128) -> String) = match broken.what.strip_prefix("bytes ") {
        Some(what) => (what, bytes),
        None => (broken.what, count),
    };
    (say(broken.value), format!("{what}, above {}", say(broken.limit.value.into())))
}

fn what_then(breaks: &[&Break]) -> String {
    let kinds = Kind::ALL.into_iter().filter(|kind| breaks.iter().any(|broken| broken.limit.kind == *kind));
    kinds.map(|kind| format!("  {}: {}\n", kind.name(), then(kind))).collect()
}

fn not_known(sizes: &Sizes) -> String {
    if sizes.unknown.is_empty() {
        return String::new();
    }
    let names: BTreeSet<String> = sizes.unknown.iter().flat_map(|unknown| unknown.without.iter().cloned()).collect();
    let names: Vec<String> = names.into_iter().collect();
    let limits = plural(sizes.unknown.len() as u64, "more limit");
    format!("  not known of {limits}, without {}\n", shortened(&names))
}

/// What the busiest partition of each table is asked at peak.
fn busiest(sizes: &Sizes) -> String {
    let limit = |name: &str| Facts::of(sizes.engine).get(name).map_or(0, |fact| u128::from(fact.value));
    let dynamodb = sizes.engine == Engine::DynamoDb;
    let head = |what: &str, name: &str| format!("{what} (limit {})", count(limit(name)));
    let mut heads = vec!["BUSIEST PARTITION OF".to_owned()];
    if dynamodb {
        heads.push(head("READ UNITS A SECOND", "partition_read_units"));
        heads.push(head("WRITE UNITS A SECOND", "partition_write_units"));
    } else {
        heads.push("CORES AT PEAK".to_owned());
        heads.push(head("DECISIONS A SECOND ON A ROW", "row_decisions_per_second"));
    }
    let cluster = sizes.tables.iter().any(|table| table.removed.is_some());
    heads.extend(cluster.then(|| head("REMOVED, NOT FORGOTTEN YET", "tombstones_warned")));
    let mut lines = vec![heads];
    for table in &sizes.tables {
        let TableLoad { busiest, all } = &table.load;
        let row = table.partition.is_none();
        let mut line = vec![table.name.clone()];
        if dynamodb {
            line.push(at_most(&busiest.read_half_units, &all.read_half_units, |half| thousandths(half / 2)));
            line.push(at_most(&busiest.write_units, &all.write_units, thousandths));
        } else {
            line.push(at_most(&busiest.nanos, &all.nanos, busy));
            let decisions = row.then(|| at_most(&busiest.decisions, &all.decisions, thousandths));
            line.push(decisions.unwrap_or_else(|| "-".to_owned()));
        }
        if cluster {
            let removed = table.removed.as_ref().map(|of| at_most(&of.busiest, &of.all, count));
            line.push(removed.unwrap_or_else(|| "-".to_owned()));
        }
        lines.push(line);
    }
    format!("\n{}", columns(&lines, &[]))
}

/// What the busiest has; where nobody knows how uneven calls are, no more than all have together.
fn at_most(busiest: &Quantity, all: &Quantity, say: impl Fn(u128) -> String) -> String {
    match (busiest.whole(), all.whole()) {
        (Some(value), _) => say(value),
        (None, Some(all)) => format!("at most {}", say(all)),
        (None, None) => quantity(busiest, say),
    }
}

fn notes(sizes: &Sizes) -> String {
    let mut text = String::new();
    for refused in &sizes.refused {
        let _ = writeln!(text, "{}  {refused}", if text.is_empty() { "\nNot held, and so not counted\n" } else { "" });
    }
    text.push_str("\nAssumed\n");
    for assumed in &sizes.assumed {
        let _ = writeln!(text, "  {assumed}");
    }
    text
}
