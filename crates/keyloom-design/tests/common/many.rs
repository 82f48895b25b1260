//! Catalogs as large as somebody wants: parts that have nothing to do with each other, each with its entities, writes and lists.

use std::fmt::Write;

/// How large one part is.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Its entities: the first is the whole, whose rows the others are parts of, so that all are looked at together.
    pub entities: usize,
    /// Its patterns, writes among them.
    pub patterns: usize,
}

/// Parts of this size until there are so many entities, the last one perhaps smaller.
pub fn parts(entities: usize, each: Part) -> Vec<Part> {
    let (whole, rest) = (entities / each.entities, entities % each.entities);
    let last = Part { entities: rest, patterns: each.patterns * rest / each.entities };
    std::iter::repeat_n(each, whole).chain((rest > 0).then_some(last)).collect()
}

/// The lists of an entity: by which fields, of which rows, in which order.
const LISTS: [(&str, &str, &str); 14] = [
    ("a_id", "status = OPEN", "due_at asc"),
    ("b_id", "", "made_at desc"),
    ("a_id", "", "made_at desc"),
    ("c_id", "status = $status", "made_at desc"),
    ("a_id, b_id", "status = OPEN", "due_at asc"),
    ("b_id", "status = OPEN", "\"priority desc, due_at asc\""),
    ("c_id", "status = HELD", "due_at asc"),
    ("a_id, c_id", "", "made_at desc"),
    ("d_id", "", "due_at asc"),
    ("b_id, c_id", "status = $status", "due_at asc"),
    ("d_id", "status = OPEN", "made_at desc"),
    ("a_id, d_id", "status = HELD", "due_at asc"),
    ("b_id, d_id", "", "made_at desc"),
    ("c_id, d_id", "status = OPEN", "\"priority desc, due_at asc\""),
];

/// The text of a catalog of these parts.
pub fn many(parts: &[Part]) -> String {
    let (mut entities, mut patterns) = (String::new(), String::new());
    for (at, part) in parts.iter().enumerate() {
        for own in 0..part.entities {
            entity(&mut entities, at, own);
        }
        let turns = (0..).flat_map(|round| (0..part.entities).map(move |own| (own, round)));
        turns.take(part.patterns).for_each(|(own, round)| pattern(&mut patterns, at, own, round));
    }
    format!("language: 1\ncatalog: many\nas_of: 2026-11-01\nentities:\n{entities}patterns:\n{patterns}")
}

fn entity(text: &mut String, part: usize, own: usize) {
    let whole = match own {
        0 => String::new(),
        _ => format!("    part_of: Thing{part}x0\n"),
    };
    let points = match own {
        0 => String::new(),
        _ => format!("      whole_id: uuid -> Thing{part}x0 must exist\n"),
    };
    let _ = write!(
        text,
        "  Thing{part}x{own}:\n{whole}    key: [thing_id]\n    fields:\n      thing_id: uuid = new\n{points}      a_id: uuid\n      \
         b_id: uuid\n      c_id: uuid\n      d_id: uuid\n      status: enum(OPEN 8% | HELD 2% | DONE 90%) = OPEN\n      priority: \
         enum(LOW | NORMAL | HIGH) = NORMAL\n      due_at: timestamp\n      made_at: timestamp = now\n      title: text(40..200)\n      \
         note: text(100..900)\n    volume: {{ rows: {}k, growth: {}/day }}\n    groups:\n      a_id: 30 / 400 / 5k\n      b_id: 80 / 900 / 20k\n      \
         c_id: 200 / 3k / 50k\n      d_id: 12 / 90 / 2k\n",
        100 + number(part, own, 0) % 900,
        100 + number(part, own, 1) % 9_000,
    );
    if own > 0 {
        let _ = writeln!(text, "      whole_id: 5 / 60 / 1k");
    }
}

/// The pattern that an entity has in this round: it is made, changed or deleted, and then listed and changed in turns.
fn pattern(text: &mut String, part: usize, own: usize, round: usize) {
    let (entity, name) = (format!("Thing{part}x{own}"), format!("{part}x{own}"));
    let rate = 1 + number(part, own, 2 + round) % 400;
    let takes = if own == 0 { "" } else { "whole_id, " };
    let changed =
        |field: &str| format!("{{ update: {entity}, by: [thing_id], set: {{ {field} }}, rate: {}/s }}", 1 + rate / 8);
    let _ = match round {
        0 => writeln!(
            text,
            "  make_{name}: {{ create: {entity}, takes: [{takes}a_id, b_id, c_id, d_id, priority, due_at, title, note], rate: {}/s }}",
            1 + rate / 8
        ),
        1 if own == 0 => writeln!(text, "  delete_{name}: {{ delete: {entity}, by: [thing_id], rate: 1/s }}"),
        1 => writeln!(text, "  finish_{name}: {}", changed("status: DONE")),
        5 => writeln!(text, "  assign_{name}: {}", changed("a_id: $to")),
        9 => writeln!(text, "  postpone_{name}: {}", changed("due_at: $due_at")),
        _ => {
            let list = round - 2 - usize::from(round > 5) - usize::from(round > 9);
            let (by, tests, order) = LISTS[list % LISTS.len()];
            let tests = if tests.is_empty() { String::new() } else { format!(" where: {tests},") };
            let page = 20 + 10 * (list / LISTS.len());
            writeln!(
                text,
                "  list_{name}_{list}: {{ list: {entity}, by: [{by}],{tests} order: {order}, page: {page}, freshness: 30s, rate: {rate}/s }}"
            )
        }
    };
}

/// A number that looks random and is the same everywhere.
fn number(part: usize, own: usize, of: usize) -> u64 {
    let mut mixed = (part as u64) << 40 ^ (own as u64) << 20 ^ of as u64;
    for by in [0x9e37_79b9_7f4a_7c15_u64, 0xbf58_476d_1ce4_e5b9] {
        mixed = (mixed ^ mixed >> 29).wrapping_add(1).wrapping_mul(by);
    }
    mixed >> 20
}
