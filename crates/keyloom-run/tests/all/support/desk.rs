//! Tickets whose lists the engine keeps, on any store: whoever presents what it has seen finds what it wrote.
#![allow(dead_code, reason = "not every test does everything")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::collections::BTreeMap;

use keyloom_model::layout::{Holds, Keeper, Layout};
use keyloom_run::{Answer, Problem, SEEN_MAX, Shown};
use serde_json::{Value as Json, json};

use super::house::House;

pub const CATALOG: &str = "
language: 1
catalog: desk
retries: 1h
entities:
  Ticket:
    key: [ticket_id]
    fields:
      ticket_id: text(2..10)
      owner: text(2..10)
      status: enum(OPEN | DONE) = OPEN
      due: int
      until: timestamp?
    expires: until
    volume: { rows: 100 }
    groups: { owner: 10 / 100 / 1000 }
patterns:
  add: { create: Ticket, takes: [ticket_id, owner, due, until], rate: rare }
  patch: { update: Ticket, by: [ticket_id], any_of: [owner, due, status], rate: rare }
  drop: { delete: Ticket, by: [ticket_id], rate: rare }
  ticket: { get: Ticket, by: [ticket_id], freshness: 5s, returns: [due], rate: rare }
  todo: { list: Ticket, by: [owner], where: status = OPEN, order: due asc, page: 4, freshness: read_your_writes, returns: [ticket_id, due, version], rate: rare }
  late: { count: Ticket, by: [owner], where: status = OPEN, up_to: 20, freshness: 5s, rate: rare }
  all: { list: Ticket, by: all, order: due desc, page: 50, freshness: 5s, returns: [ticket_id], rate: rare }
";

/// All lists are kept by the engine.
pub fn indexed(mut layout: Layout) -> Layout {
    for table in &mut layout.tables {
        if let Holds::Projection { keeper, .. } = &mut table.holds {
            *keeper = Keeper::Index;
        }
    }
    layout.paths.clear();
    layout
}

pub fn ids(rows: &[Json]) -> Vec<String> {
    rows.iter().map(|row| row["ticket_id"].as_str().unwrap().to_owned()).collect()
}

/// What a write told its caller to present.
#[track_caller]
pub fn seen(answer: Result<Answer, Problem>) -> String {
    match answer {
        Ok(Answer::Applied { seen: Some(seen), .. }) => seen,
        other => panic!("{other:?}"),
    }
}

/// All pages of what somebody has to do, by a caller who has seen these.
#[track_caller]
pub fn walked(house: &House, owner: &str, seen: &[&str], limit: u64) -> Vec<String> {
    let (mut walked, mut cursor) = (Vec::new(), None::<String>);
    loop {
        match house.page("todo", &json!({"owner": owner}), seen, Some(limit), cursor.as_deref()).unwrap() {
            Answer::Rows { rows, next, .. } => {
                walked.extend(ids(&rows.iter().map(Shown::json).collect::<Vec<_>>()));
                let Some(next) = next else { return walked };
                cursor = Some(next);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Tickets as the test knows them: whose, when they are due, and whether they are open.
type Known = BTreeMap<String, (String, i64, bool)>;

/// What a list shows of the tickets that are known.
fn expected(known: &Known, owner: &str) -> Vec<String> {
    let mut open: Vec<(i64, &String)> =
        known.iter().filter(|(_, (of, _, open))| of == owner && *open).map(|(id, (_, due, _))| (*due, id)).collect();
    open.sort();
    open.into_iter().map(|(_, id)| id.clone()).collect()
}

/// Many writes, each followed by lists that present what was seen: it is always there. How often the list alone was late.
pub fn own_writes_are_seen(house: &House, seed: i64, steps: i64) -> usize {
    let (mut known, mut last): (Known, Vec<(String, String)>) = (Known::new(), Vec::new());
    let mut late = 0;
    for step in 0..steps {
        let dice = |below: i64| (step * 7 + seed * 13 + step * step) % below;
        let id = format!("t{}", dice(i64::try_from(SEEN_MAX).unwrap()));
        let owner = if dice(5) < 4 { "ann" } else { "bob" };
        let written = match (known.contains_key(&id), dice(6)) {
            (false, _) => {
                known.insert(id.clone(), (owner.into(), dice(9), true));
                house.write("add", &json!({"ticket_id": id, "owner": owner, "due": dice(9)}))
            }
            (true, 0) => {
                known.remove(&id);
                house.write("drop", &json!({"ticket_id": id}))
            }
            (true, 1) => {
                let open = dice(2) == 0;
                known.get_mut(&id).unwrap().2 = open;
                house.write("patch", &json!({"ticket_id": id, "status": if open { "OPEN" } else { "DONE" }}))
            }
            (true, _) => {
                let ticket = known.get_mut(&id).unwrap();
                (ticket.0, ticket.1) = (owner.into(), dice(9));
                house.write("patch", &json!({"ticket_id": id, "owner": owner, "due": dice(9)}))
            }
        };
        last.retain(|(of, _)| *of != id);
        last.push((id, seen(written)));
        let seen: Vec<&str> = last.iter().map(|(_, seen)| seen.as_str()).collect();
        for owner in ["ann", "bob"] {
            let wanted = expected(&known, owner);
            late += usize::from(walked(house, owner, &[], 3) != wanted);
            assert_eq!(
                walked(house, owner, &seen, 3),
                wanted,
                "seed {seed}, step {step}: all that was written was seen"
            );
            let counted = Answer::Count { count: wanted.len() as u64, at_least: false };
            assert_eq!(house.page("late", &json!({"owner": owner}), &seen, None, None), Ok(counted));
        }
    }
    late
}
