//! Two pictures: how the worst partitions grow, with the limit above them, and what each pattern costs.

use std::fmt::Write;

use keyloom_facts::Facts;

use crate::Sizes;
use crate::quantity::Quantity;
use crate::say::{bytes, dollars, nanos};
use crate::table::TableSize;
use crate::time::YEAR_MS;

const WIDTH: u64 = 860;
/// Where the picture begins, right of the names and numbers.
const LEFT: u64 = 230;
const RIGHT: u64 = 20;
const GROWTH: u64 = 260;
const BAR: u64 = 22;
/// Lines that are told apart by their colours, also by those who see fewer.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const YEARS: u64 = 5;

/// The sizes of a program as an SVG picture.
pub fn plot(sizes: &Sizes) -> String {
    let top = 60 + GROWTH + 60 + 20 * COLOURS.len() as u64;
    let height = top + 50 + BAR * sizes.patterns.len() as u64 + 20;
    let mut svg = begun(0, height);
    let _ = writeln!(svg, "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>");
    text(&mut svg, 20, 26, "start", &format!("{} on {}", sizes.catalog, sizes.engine.name()));
    growth(&mut svg, sizes);
    costs(&mut svg, sizes, top);
    svg.push_str("</svg>\n");
    svg
}

/// How the worst partitions grow, without a ground, for a page with colours of its own.
pub fn growth_plot(sizes: &Sizes) -> String {
    let mut drawn = String::new();
    let legend = growth(&mut drawn, sizes);
    format!("{}{drawn}</svg>\n", begun(30, 60 + GROWTH + 20 + 20 * legend))
}

/// What each pattern costs, without a ground, for a page with colours of its own.
pub fn cost_plot(sizes: &Sizes) -> String {
    let mut svg = begun(0, 40 + BAR * sizes.patterns.len() as u64);
    costs(&mut svg, sizes, 20);
    svg.push_str("</svg>\n");
    svg
}

/// The beginning of a picture of what stands between two heights.
fn begun(top: u64, height: u64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {top} {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n"
    )
}

/// Bars from a height on, one for each pattern.
fn costs(svg: &mut String, sizes: &Sizes, top: u64) {
    let bars = bars(sizes);
    let (heading, say): (&str, fn(u128) -> String) = match sizes.total.dynamodb {
        Some(_) => ("Requests of each pattern, dollars a month on demand", dollars),
        None => {
            ("Work of each pattern, processor time in a second of its mean", |thousandths| nanos(thousandths / 1_000))
        }
    };
    text(svg, 20, top, "start", heading);
    let highest = bars.iter().filter_map(|(_, value)| value.value()).max().unwrap_or(0).max(1);
    for (at, (name, value)) in (0_u64..).zip(&bars) {
        let y = top + 14 + at * BAR;
        text(svg, LEFT - 10, y + 13, "end", name);
        let length = value.value().map_or(0, |value| scale(value, highest, WIDTH - LEFT - RIGHT - 90));
        let _ = writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            y + 2,
            length.max(1),
            BAR - 6,
            COLOURS[0]
        );
        let said = crate::say::quantity(value, say);
        text(svg, LEFT + length + 8, y + 13, "start", &said);
    }
}

/// What each pattern costs at most.
fn bars(sizes: &Sizes) -> Vec<(String, Quantity)> {
    let cost = |pattern: &crate::PatternSize| match &pattern.month {
        Some(month) => month.high.clone(),
        None => {
            let month = pattern.calls.month.times(&Quantity::known(pattern.effort.high.nanos));
            month.part(1_000, crate::time::MONTH_MS.into())
        }
    };
    sizes.patterns.iter().map(|pattern| (pattern.name.clone(), cost(pattern))).collect()
}

/// The worst partitions over five years, largest first; returns how many.
fn growth(svg: &mut String, sizes: &Sizes) -> u64 {
    let (top, bottom, right) = (60, 60 + GROWTH, WIDTH - RIGHT);
    text(
        svg,
        20,
        top - 12,
        "start",
        "Bytes of the worst partitions, over five years from their first row (each line is 1,024 times the one below)",
    );
    let worst = |table: &TableSize, months: u64| {
        let span_ms = YEAR_MS / 12 * months;
        table.partition_bytes_after(span_ms).and_then(|size| size.worst.value())
    };
    let mut known: Vec<(&TableSize, u128)> =
        sizes.tables.iter().filter_map(|table| Some((table, worst(table, YEARS * 12)?))).collect();
    known.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    known.truncate(COLOURS.len());
    let limit = Facts::of(sizes.engine).get("partition_bytes");
    let largest = known.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
    let highest = magnitude(largest.max(limit.map_or(0, |limit| limit.value.into())).max(1 << 20)) + MAGNITUDE;
    let lowest = 10 * MAGNITUDE;
    let y = |value: u128| {
        let above = magnitude(value).saturating_sub(lowest);
        bottom - scale(above.into(), (highest - lowest).into(), GROWTH)
    };
    let x = |months: u64| LEFT + months * (right - LEFT) / (YEARS * 12);
    // Each step is a thousand times as much: partitions differ by so much that a straight scale would show one of them.
    for power in (10..=120).step_by(10).take_while(|power| power * MAGNITUDE <= highest) {
        let at = y(1 << power);
        line(svg, (LEFT, at), (right, at), "#dddddd", " class=\"grid\"");
        text(svg, LEFT - 10, at + 4, "end", &bytes(1 << power));
    }
    for year in 0..=YEARS {
        text(svg, x(year * 12), bottom + 18, "middle", &format!("{year} y"));
    }
    if let Some(limit) = limit {
        let at = y(limit.value.into());
        line(svg, (LEFT, at), (right, at), "#b00000", " class=\"limit\" stroke-dasharray=\"6 4\"");
        let said = format!("{} ({})", bytes(limit.value.into()), limit.kind.name());
        text(svg, right, at.saturating_sub(6), "end", &said);
    }
    for (at, (table, bytes_then)) in (0_u64..).zip(&known) {
        let colour = COLOURS[usize::try_from(at).unwrap_or(0) % COLOURS.len()];
        let points: Vec<String> =
            (0..=YEARS * 12).filter_map(|months| Some(format!("{},{}", x(months), y(worst(table, months)?)))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let legend = bottom + 40 + at * 20;
        let _ = writeln!(svg, "<rect x=\"{LEFT}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>", legend - 5);
        text(svg, LEFT + 22, legend, "start", &format!("{}: {} after five years", table.name, bytes(*bytes_then)));
    }
    if known.is_empty() {
        text(svg, LEFT + 10, top + 30, "start", "No partition of several rows has a stated size.");
    }
    known.len() as u64
}

/// One doubling, in steps of which the scale is made.
const MAGNITUDE: u64 = 1_024;

/// The logarithm of a value to the base 2, straight between the powers: near enough for a picture, and in integers.
fn magnitude(value: u128) -> u64 {
    let value = value.max(1);
    let power = value.ilog2();
    let beyond = crate::quantity::share(value - (1 << power), MAGNITUDE.into(), 1 << power);
    u64::from(power) * MAGNITUDE + u64::try_from(beyond).unwrap_or(0)
}

/// A value as a length, where the highest is as long as `most`.
fn scale(value: u128, highest: u128, most: u64) -> u64 {
    u64::try_from(crate::quantity::share(value.min(highest), most.into(), highest)).unwrap_or(0)
}

fn line(svg: &mut String, from: (u64, u64), to: (u64, u64), colour: &str, more: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(svg, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\"{more}/>");
}

fn text(svg: &mut String, x: u64, y: u64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>");
}
