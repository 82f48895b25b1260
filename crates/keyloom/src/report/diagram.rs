//! A picture of a design: who reads on the left, the tables of each entity in the middle, who writes on the right.

use keyloom_model::Direction;
use keyloom_model::layout::Table;
use keyloom_plan::{Does, Program, Reach, rows_of};

use super::html::Html;
use crate::show::{part_text, verb};

/// How wide the columns are, and how far apart.
const PATTERN_WIDTH: u64 = 262;
const TABLE_WIDTH: u64 = 356;
const BETWEEN: u64 = 150;
const WIDTH: u64 = 2 * PATTERN_WIDTH + 2 * BETWEEN + TABLE_WIDTH;
/// A pattern with the room below it.
const PATTERN_HEIGHT: u64 = 28;
const PATTERN_STEP: u64 = 38;
/// A line of text in a table, and what is around them.
const LINE: u64 = 16;
const AROUND: u64 = 15;
const TABLE_GAP: u64 = 12;
/// The name of an entity above its tables.
const HEADING: u64 = 30;
const TOP: u64 = 40;
/// How many letters fit: of a name, and of a line of a table.
const NAME_LETTERS: usize = 33;
const LINE_LETTERS: usize = 50;

/// A table and where it stands.
struct Placed<'a> {
    table: &'a Table,
    entity: &'a str,
    lines: Vec<String>,
    y: u64,
    height: u64,
}

/// A pattern at one side.
struct Node<'a> {
    /// Its place in the catalog.
    at: usize,
    name: &'a str,
    /// The tables that it reads or writes, each with what it does there.
    to: Vec<(usize, String)>,
    y: u64,
}

/// The picture, with what lights up when somebody points at a part of it.
pub(super) fn diagram(program: &Program, holds: &[String]) -> String {
    let boxes = boxes(program, holds);
    let middle = |at: usize| boxes.get(at).map_or(0, |of| of.y + of.height / 2);
    let tables_end = boxes.last().map_or(TOP, |of| of.y + of.height);
    let (mut readers, mut writers) = (readers(program, &boxes), writers(program, &boxes));
    let ends = [&mut readers, &mut writers].map(|nodes| place(nodes, &middle, tables_end));
    let height = ends.into_iter().max().unwrap_or(0).max(tables_end) + 16;
    let tables_x = PATTERN_WIDTH + BETWEEN;
    let writers_x = tables_x + TABLE_WIDTH + BETWEEN;

    let mut html = Html::default();
    html.element("style", &[], |html| html.made(&lights(program, &boxes)));
    let view = format!("0 0 {WIDTH} {height}");
    let label = "Patterns that read, the tables of each entity, and patterns that write";
    html.element("svg", &[("viewBox", &view), ("class", "map"), ("role", "img"), ("aria-label", label)], |html| {
        for (x, words) in [(0, "reads"), (tables_x, "tables"), (writers_x, "writes")] {
            text(html, "column", x, 18, words);
        }
        bands(html, &boxes, tables_x);
        for (nodes, reads) in [(&readers, true), (&writers, false)] {
            edges(html, nodes, &boxes, reads);
        }
        for (at, of) in boxes.iter().enumerate() {
            table(html, at, of, tables_x);
        }
        for (nodes, x, kind) in [(&readers, 0, "reader"), (&writers, writers_x, "writer")] {
            nodes.iter().for_each(|node| pattern(html, node, x, kind));
        }
    });
    html.end_line();
    html.into_text()
}

/// The tables under each other, those of an entity together.
fn boxes<'a>(program: &'a Program, holds: &[String]) -> Vec<Placed<'a>> {
    let of = |table: &'a Table| rows_of(&program.catalog, table).unwrap_or("");
    let mut entities: Vec<&str> = Vec::new();
    for table in &program.layout.tables {
        if !entities.contains(&of(table)) {
            entities.push(of(table));
        }
    }
    let mut boxes = Vec::new();
    let mut y = TOP;
    for entity in entities {
        y += HEADING;
        let own = program.layout.tables.iter().zip(holds).filter(|(table, _)| of(table) == entity);
        for (table, holds) in own {
            let lines = lines(table, holds);
            let height = LINE * (lines.len() as u64 + 1) + AROUND;
            boxes.push(Placed { table, entity, lines, y, height });
            y += height + TABLE_GAP;
        }
    }
    boxes
}

/// What is said of a table below its name.
fn lines(table: &Table, holds: &str) -> Vec<String> {
    let parts: Vec<String> = table.partition.parts().iter().map(part_text).collect();
    let parts = if parts.is_empty() { "all rows together".to_owned() } else { parts.join(", ") };
    let mut lines = vec![holds.to_owned(), format!("\u{25c6} {parts}")];
    if !table.sort.is_empty() {
        let item = |item: &keyloom_model::layout::SortItem| match item.direction {
            Direction::Ascending => format!("{} \u{2191}", item.field),
            Direction::Descending => format!("{} \u{2193}", item.field),
        };
        lines.push(format!("\u{21c5} {}", table.sort.iter().map(item).collect::<Vec<_>>().join(", ")));
    }
    lines.extend(table.filter.as_ref().map(|filter| format!("only {filter}")));
    lines
}

fn position(boxes: &[Placed<'_>], table: &str) -> Option<usize> {
    boxes.iter().position(|of| of.table.name == table)
}

fn readers<'a>(program: &'a Program, boxes: &[Placed<'_>]) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    for (at, pattern) in program.catalog.patterns.iter().enumerate() {
        if program.writes_of(&pattern.name).next().is_some() {
            continue;
        }
        let mut node = Node { at, name: &pattern.name, to: Vec::new(), y: 0 };
        for plan in program.reads_of(&pattern.name) {
            let via = match &plan.access.reach {
                Reach::Via { reservations, .. } => Some(reservations),
                Reach::Get { .. } | Reach::Slice(_) => None,
            };
            let most = plan.at_most.map_or_else(String::new, |most| format!("at most {} rows", most.rows));
            for name in via.into_iter().chain([&plan.access.table]) {
                let table = position(boxes, name).filter(|table| node.to.iter().all(|(known, _)| known != table));
                node.to.extend(table.map(|table| (table, most.clone())));
            }
        }
        nodes.push(node);
    }
    nodes
}

fn writers<'a>(program: &'a Program, boxes: &[Placed<'_>]) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    for (at, pattern) in program.catalog.patterns.iter().enumerate() {
        let mut node = Node { at, name: &pattern.name, to: Vec::new(), y: 0 };
        for effect in program.writes_of(&pattern.name).flat_map(|write| &write.effects) {
            if matches!(effect.does, Does::Marks | Does::MarksEnd | Does::Registers) {
                continue;
            }
            let table = position(boxes, &effect.table).filter(|table| node.to.iter().all(|(known, _)| known != table));
            node.to.extend(table.map(|table| (table, verb(&effect.does).to_owned())));
        }
        if program.writes_of(&pattern.name).next().is_some() {
            nodes.push(node);
        }
    }
    nodes
}

/// Lays patterns beside their tables as near as others leave room; returns where the last one ends.
fn place(nodes: &mut [Node<'_>], middle: &impl Fn(usize) -> u64, end: u64) -> u64 {
    // Beside the table that a write decides, or between those that are read.
    let wanted = |node: &Node<'_>| {
        let decided: Vec<u64> =
            node.to.iter().filter(|(_, does)| does == "decides").map(|(at, _)| middle(*at)).collect();
        let all = || node.to.iter().map(|(at, _)| middle(*at)).collect();
        let near: Vec<u64> = if decided.is_empty() { all() } else { decided };
        near.iter().sum::<u64>() / (near.len() as u64).max(1)
    };
    nodes.sort_by_key(|node| (wanted(node), node.at));
    let mut next = TOP + HEADING;
    for node in nodes.iter_mut() {
        node.y = wanted(node).saturating_sub(PATTERN_HEIGHT / 2).max(next);
        next = node.y + PATTERN_STEP;
    }
    // What was pushed beyond the tables moves up again, as far as there is room.
    let mut below = end.max(TOP + HEADING + PATTERN_STEP * nodes.len() as u64);
    for node in nodes.iter_mut().rev() {
        node.y = node.y.min(below.saturating_sub(PATTERN_HEIGHT));
        below = node.y.saturating_sub(PATTERN_STEP - PATTERN_HEIGHT);
    }
    nodes.last().map_or(0, |node| node.y + PATTERN_HEIGHT)
}

/// A ground for the tables of each entity, with its name.
fn bands(html: &mut Html, boxes: &[Placed<'_>], x: u64) {
    for (at, of) in boxes.iter().enumerate() {
        if at > 0 && boxes[at - 1].entity == of.entity {
            continue;
        }
        let last = boxes.iter().rev().find(|other| other.entity == of.entity).unwrap_or(of);
        let y = of.y - HEADING + 4;
        let height = last.y + last.height + 6 - y;
        rect(html, "band", (x - 10, y), (TABLE_WIDTH + 20, height));
        text(html, "entity", x, of.y - 9, &short(of.entity, NAME_LETTERS));
    }
}

/// The lines between patterns and tables.
fn edges(html: &mut Html, nodes: &[Node<'_>], boxes: &[Placed<'_>], reads: bool) {
    let tables_x = PATTERN_WIDTH + BETWEEN;
    for node in nodes {
        for (table, does) in &node.to {
            // Lines that meet at a table come in in the order of their patterns.
            let mut met = nodes.iter().filter(|other| other.to.iter().any(|(known, _)| known == table));
            let (count, before) = (met.clone().count() as u64, met.position(|other| other.at == node.at).unwrap_or(0));
            let of = &boxes[*table];
            let y2 = of.y + of.height * (before as u64 + 1) / (count + 1);
            let y1 = node.y + PATTERN_HEIGHT / 2;
            let (x1, x2, bend) = match reads {
                true => (PATTERN_WIDTH, tables_x, (PATTERN_WIDTH + BETWEEN / 2, tables_x - BETWEEN / 2)),
                false => {
                    let (from, to) = (tables_x + TABLE_WIDTH + BETWEEN, tables_x + TABLE_WIDTH);
                    (from, to, (from - BETWEEN / 2, to + BETWEEN / 2))
                }
            };
            let kind = if reads { "read" } else { "write" };
            let strong = if does == "decides" || does == "places" && node.to.len() == 1 { " first" } else { "" };
            let class = format!("edge {kind}{strong} p{} t{table}", node.at);
            let path = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", bend.0, bend.1);
            html.element("path", &[("class", &class), ("d", &path)], |html| {
                let words = if does.is_empty() { kind } else { does };
                html.line("title", &[], &format!("{} \u{2192} {}: {words}", node.name, of.table.name));
            });
            html.end_line();
        }
    }
}

fn table(html: &mut Html, at: usize, of: &Placed<'_>, x: u64) {
    let class = format!("node table t{at}");
    html.element("a", &[("href", &format!("#table-{}", of.table.name)), ("class", &class)], |html| {
        let full: Vec<&str> =
            std::iter::once(of.table.name.as_str()).chain(of.lines.iter().map(String::as_str)).collect();
        html.line("title", &[], &full.join("\n"));
        rect(html, "ground", (x, of.y), (TABLE_WIDTH, of.height));
        text(html, "name", x + 12, of.y + LINE + 3, &short(&of.table.name, 44));
        for (line, words) in (0_u64..).zip(&of.lines) {
            let class = if line == 0 { "holds" } else { "detail" };
            text(html, class, x + 12, of.y + LINE * (line + 2) + 3, &short(words, LINE_LETTERS));
        }
    });
    html.end_line();
}

fn pattern(html: &mut Html, node: &Node<'_>, x: u64, kind: &str) {
    let class = format!("node pattern {kind} p{}", node.at);
    html.element("a", &[("href", &format!("#pattern-{}", node.name)), ("class", &class)], |html| {
        html.line("title", &[], node.name);
        rect(html, "ground", (x, node.y), (PATTERN_WIDTH, PATTERN_HEIGHT));
        text(html, "name", x + 12, node.y + 18, &short(node.name, NAME_LETTERS));
    });
    html.end_line();
}

/// While somebody points at a pattern or a table, its lines stand out.
fn lights(program: &Program, boxes: &[Placed<'_>]) -> String {
    let patterns = (0..program.catalog.patterns.len()).map(|at| format!("p{at}"));
    let tables = (0..boxes.len()).map(|at| format!("t{at}"));
    let rule = |class: String| format!(".map:has(a.{class}:is(:hover,:focus)) .edge.{class}");
    let all: Vec<String> = patterns.chain(tables).map(rule).collect();
    format!("{}{{opacity:1;stroke-width:2.2}}", all.join(","))
}

fn rect(html: &mut Html, class: &str, (x, y): (u64, u64), (width, height): (u64, u64)) {
    let [x, y, width, height] = [x, y, width, height].map(|number| number.to_string());
    let at = [("class", class), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height), ("rx", "7")];
    html.element("rect", &at, |_| {});
}

fn text(html: &mut Html, class: &str, x: u64, y: u64, words: &str) {
    let (x, y) = (x.to_string(), y.to_string());
    html.line("text", &[("class", class), ("x", &*x), ("y", &*y)], words);
}

/// A text of so many letters at most.
fn short(text: &str, letters: usize) -> String {
    match text.chars().count() > letters {
        true => format!("{}\u{2026}", text.chars().take(letters - 1).collect::<String>()),
        false => text.to_owned(),
    }
}
