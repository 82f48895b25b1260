//! Timelines and tasks in tables that are cut by time, on any store: every list answers as a plain one does, page by page in both
//! directions, and no call reads more than its path says.
#![allow(dead_code, reason = "not every test does everything")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::cmp::Reverse;

use keyloom_model::layout::{Bucket, Holds, Layout, Part, Partition};
use keyloom_run::{Answer, Shown, Verified, Verify};
use serde_json::{Value as Json, json};

use super::house::House;

pub const CATALOG: &str = "
language: 1
catalog: timeline
retries: 1h
entities:
  Event:
    append_only: true
    key: [event_id]
    fields: { event_id: text(2..10), file: text(1..10), at: timestamp, kind: enum(NOTE 50% | CALL 50%) }
    volume: { growth: 100/day }
    groups: { file: 10 / 100 / 1000 per month }
  Visit:
    append_only: true
    key: [visit_id]
    fields: { visit_id: text(2..10), file: text(1..10), at: timestamp }
    expires: at + 40 days
    volume: { growth: 100/day }
    groups: { file: 10 / 100 / 1000 per month }
  Task:
    key: [task_id]
    fields: { task_id: text(2..10), who: text(1..10), due: timestamp, open: bool = true }
    volume: { rows: 100 }
    groups: { who: 10 / 100 / 1000 }
patterns:
  record: { create: Event, takes: [event_id, file, at, kind], rate: rare }
  newest: { list: Event, by: [file], order: at desc, page: 5, span: 1 month / 1 year / 7 years, rate: rare }
  oldest: { list: Event, by: [file], order: at asc, page: 5, span: 1 month / 1 year / 7 years, rate: rare }
  short: { list: Event, by: [file], order: at desc, page: 5, span: 1 day / 1 day / 1 day, rate: rare }
  between: { list: Event, by: [file], where: 'at in $from..$to', order: at asc, page: 5, span: 1 day / 1 month / 7 years, rate: rare }
  before: { list: Event, by: [file], where: 'kind = $kind? and at < $before?', order: at desc, page: 3, matches: 50%, span: 1 month / 1 year / 7 years, rate: rare }
  several: { list: Event, by: [], where: 'file in $files max 3', order: at desc, page: 5, span: 1 month / 1 year / 7 years, rate: rare }
  last: { list: Event, by: [file], order: at desc, first: 4, span: 1 month / 1 year / 7 years, rate: rare }
  many: { count: Event, by: [file], up_to: 12, span: 1 month / 1 year / 7 years, rate: rare }
  visit: { create: Visit, takes: [visit_id, file, at], rate: rare }
  visits: { list: Visit, by: [file], order: at desc, page: 5, rate: rare }
  plan: { create: Task, takes: [task_id, who, due], rate: rare }
  move: { update: Task, by: [task_id], set: { due: $due, who: $who }, rate: rare }
  close: { update: Task, by: [task_id], set: { open: false }, rate: rare }
  todo: { list: Task, by: [who], where: open = true, order: due asc, page: 4, rate: rare }
";

const DAY_S: i64 = 86_400;
const FILES: [&str; 3] = ["a", "b", "c"];

/// All lists are cut by this step.
pub fn cut_by(step: Bucket) -> impl Fn(Layout) -> Layout {
    move |mut layout| {
        layout.paths.clear();
        for table in &mut layout.tables {
            let lists = matches!(table.holds, Holds::Source { .. } | Holds::Projection { .. });
            if let (Some(first), Partition::By(parts), true) = (table.sort.first(), &mut table.partition, lists) {
                parts.push(Part::Bucket(step, first.field.clone()));
            }
        }
        layout
    }
}

/// Chance that is always the same.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A moment: most often in a few months, sometimes years away, often the very same.
    fn seconds(&mut self) -> i64 {
        let days = match self.below(8) {
            0 => i64::try_from(self.below(2_000)).unwrap() - 1_500,
            1..=3 => -30 * i64::try_from(self.below(20)).unwrap(),
            _ => -i64::try_from(self.below(70)).unwrap(),
        };
        days * DAY_S + i64::try_from(self.below(3)).unwrap() * 3_600
    }
}

/// Rows by chance, and after each few of them every list, compared with what it should be.
pub fn lists_are_as_without_buckets(house: &House, seed: u64, rows: u64) {
    let mut dice = Dice(seed);
    let start = house.now_ms();
    let moment = |seconds: i64| house.moment(seconds - (house.now_ms() - start) / 1_000);
    let (mut events, mut tasks): (Vec<Json>, Vec<Json>) = (Vec::new(), Vec::new());
    for number in 0..rows {
        let file = FILES[usize::try_from(dice.below(3)).unwrap()];
        let kind = if dice.below(4) == 0 { "CALL" } else { "NOTE" };
        let event = json!({"event_id": format!("e{number}"), "file": file, "at": moment(dice.seconds()), "kind": kind});
        house.done("record", &event);
        events.push(event);
        let due = moment(dice.seconds());
        match (dice.below(3), tasks.len() as u64) {
            (0, known) if known > 0 => {
                let task = &mut tasks[usize::try_from(dice.below(known)).unwrap()];
                (task["due"], task["who"]) = (json!(due), json!(file));
                house.done("move", &json!({"task_id": task["task_id"], "due": due, "who": file}));
            }
            (1, known) if known > 4 => {
                let task = tasks.remove(usize::try_from(dice.below(known)).unwrap());
                house.done("close", &json!({"task_id": task["task_id"]}));
            }
            _ => {
                let task = json!({"task_id": format!("t{number}"), "who": file, "due": due});
                house.done("plan", &task);
                tasks.push(task);
            }
        }
        if number % 8 == 7 || number + 1 == rows {
            compare(house, &mut dice, &events, &tasks);
        }
    }
    verified(house);
}

fn compare(house: &House, dice: &mut Dice, events: &[Json], tasks: &[Json]) {
    let text = |row: &Json, field: &str| row[field].as_str().unwrap().to_owned();
    let sorted = |rows: Vec<&Json>, id: &str, by: &str, newest: bool| {
        let mut rows: Vec<(String, String)> = rows.iter().map(|row| (text(row, by), text(row, id))).collect();
        if newest {
            rows.sort_by_key(|row| Reverse(row.clone()));
        } else {
            rows.sort();
        }
        rows.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    };
    for file in FILES {
        let of_file = || events.iter().filter(|row| row["file"] == file);
        let all = sorted(of_file().collect(), "event_id", "at", true);
        let mut turned = all.clone();
        turned.reverse();
        walk(house, dice, "newest", &json!({"file": file}), "event_id", &all);
        walk(house, dice, "short", &json!({"file": file}), "event_id", &all);
        walk(house, dice, "oldest", &json!({"file": file}), "event_id", &turned);
        let counted = Answer::Count { count: (all.len() as u64).min(12), at_least: all.len() > 12 };
        assert_eq!(house.page("many", &json!({"file": file}), &[], None, None), Ok(counted));
        let Ok(Answer::Rows { rows, .. }) = house.page("last", &json!({"file": file}), &[], None, None) else {
            panic!("the first rows of a list")
        };
        assert_eq!(ids(&rows, "event_id"), all.iter().take(4).cloned().collect::<Vec<_>>());
        let (one, other) = (moment_of(dice, events), moment_of(dice, events));
        let (from, to) = if one < other { (one, other) } else { (other, one) };
        let within = of_file().filter(|row| text(row, "at") >= from && text(row, "at") < to).collect();
        let within = sorted(within, "event_id", "at", false);
        walk(house, dice, "between", &json!({"file": file, "from": from, "to": to}), "event_id", &within);
        let calls = of_file().filter(|row| row["kind"] == "CALL" && text(row, "at") < to).collect();
        let calls = sorted(calls, "event_id", "at", true);
        walk(house, dice, "before", &json!({"file": file, "kind": "CALL", "before": to}), "event_id", &calls);
        let own = sorted(tasks.iter().filter(|row| row["who"] == file).collect(), "task_id", "due", false);
        walk(house, dice, "todo", &json!({"who": file}), "task_id", &own);
    }
    // Of several files rows of one moment stand by their own order, then by that of the files.
    let several = json!({"files": ["a", "c"]});
    let of_both = events.iter().filter(|row| row["file"] != "b").collect();
    walk(house, dice, "several", &several, "event_id", &sorted(of_both, "event_id", "at", true));
}

fn moment_of(dice: &mut Dice, events: &[Json]) -> String {
    let one = &events[usize::try_from(dice.below(events.len() as u64)).unwrap()];
    one["at"].as_str().unwrap().to_owned()
}

fn ids(rows: &[Shown], id: &str) -> Vec<String> {
    rows.iter().map(|row| row.json()[id].as_str().unwrap().to_owned()).collect()
}

/// All pages of a list, and then back from the last one.
fn walk(house: &House, dice: &mut Dice, pattern: &str, body: &Json, id: &str, wanted: &[String]) {
    let (mut there, mut cursor): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut back: Option<(Option<String>, usize)> = None;
    for _ in 0..500 {
        let limit = 1 + dice.below(3);
        let answer = house.page(pattern, body, &[], Some(limit), cursor.as_deref()).unwrap();
        let Answer::Rows { rows, next, previous, .. } = answer else { panic!("{answer:?}") };
        back = Some((previous, there.len()));
        there.extend(ids(&rows, id));
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    assert!(cursor.is_none(), "{pattern} {body} never ends");
    assert_eq!(there, wanted, "{pattern} {body}");
    let Some((mut cursor, before)) = back else { return };
    let mut again: Vec<String> = Vec::new();
    for _ in 0..500 {
        let Some(from) = &cursor else { break };
        let answer = house.page(pattern, body, &[], Some(1 + dice.below(3)), Some(from)).unwrap();
        let Answer::Rows { rows, previous, .. } = answer else { panic!("{answer:?}") };
        again.splice(0..0, ids(&rows, id));
        cursor = previous;
    }
    assert_eq!(again, wanted[..before], "{pattern} {body}, backwards");
}

/// Nothing differs.
pub fn verified(house: &House) {
    let mut verify = Verify::new(&house.run);
    while house.wait(verify.next(&house.run)).unwrap() != Verified::All {}
    assert_eq!(verify.report().differences(), 0, "{:#?}", verify.report());
}
