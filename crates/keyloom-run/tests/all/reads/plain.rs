//! The same questions asked of a plain list.

use std::cmp::Ordering;

use serde_json::{Value as Json, json};

use super::desk::{Asked, Desk, PRIORITIES};

pub struct Plain<'a>(pub &'a Desk);

#[derive(Debug, PartialEq)]
pub enum Expected {
    Row(Option<Json>),
    Rows(Vec<Json>),
    Count(u64, bool),
}

impl Plain<'_> {
    pub fn answer(&self, asked: &Asked) -> Expected {
        let input = |name: &str| asked.inputs.get(name);
        let of_queue = || self.tickets(|ticket| Some(&ticket["queue_id"]) == input("queue_id"));
        let among = |ticket: &Json, states: &[&str]| states.contains(&ticket["status"].as_str().unwrap());
        match (asked.pattern, asked.order) {
            ("get", _) => Expected::Row(self.tickets(|ticket| Some(&ticket["ticket_id"]) == input("ticket_id")).pop()),
            ("find", _) => Expected::Row(self.tickets(|ticket| Some(&ticket["code"]) == input("code")).pop()),
            ("open_queue", _) => {
                let queue = input("queue_id").unwrap();
                let mut urgent = of_queue();
                urgent.retain(|ticket| among(ticket, &["OPEN"]));
                urgent.sort_by(|a, b| by_priority(a, b).then(by_title(a, b)).then(by_id(a, b)));
                urgent.truncate(3);
                let mut late = of_queue();
                late.retain(|ticket| ticket.get("due_at").is_some());
                late.sort_by(|a, b| by_due(a, b).then(by_id(a, b)));
                late.truncate(2);
                let late = late.iter().map(|ticket| only(ticket, &["ticket_id", "due_at"])).collect::<Vec<_>>();
                let title = format!("queue {}", queue.as_str().unwrap());
                Expected::Row(Some(json!({"queue_id": queue, "title": title, "urgent": urgent, "late": late})))
            }
            ("of_queue", Some("due")) => {
                let mut rows = of_queue();
                rows.sort_by(|a, b| by_due(a, b).then(by_id(a, b)));
                Expected::Rows(rows)
            }
            ("of_queue", _) => {
                let mut rows = of_queue();
                rows.sort_by(|a, b| by_priority(a, b).then(by_title(a, b)).then(by_id(a, b)));
                Expected::Rows(rows)
            }
            ("alive", _) => {
                let mut rows = of_queue();
                rows.retain(|ticket| among(ticket, &["OPEN", "WAITING"]));
                rows.sort_by(|a, b| by_title(a, b).then(by_id(a, b)));
                Expected::Rows(rows)
            }
            ("in_states", _) => {
                let mut rows = of_queue();
                rows.retain(|ticket| input("states").unwrap().as_array().unwrap().contains(&ticket["status"]));
                rows.sort_by(|a, b| by_title(b, a).then(by_id(b, a)));
                Expected::Rows(rows)
            }
            ("some", _) => {
                let mut rows = of_queue();
                let equal = |ticket: &Json, name| input(name).is_none_or(|value| ticket[name] == *value);
                let begins =
                    |ticket: &Json| input("begin").is_none_or(|begin| text(&ticket["title"]).starts_with(text(begin)));
                rows.retain(|ticket| equal(ticket, "status") && equal(ticket, "priority") && begins(ticket));
                rows.sort_by(|a, b| by_title(a, b).then(by_id(a, b)));
                Expected::Rows(rows)
            }
            ("due", _) => {
                let mut rows = of_queue();
                let bounded = input("from").is_some() || input("to").is_some();
                rows.retain(|ticket| match ticket.get("due_at") {
                    Some(due) => {
                        input("from").is_none_or(|from| text(due) >= text(from))
                            && input("to").is_none_or(|to| text(due) < text(to))
                    }
                    None => !bounded,
                });
                rows.sort_by(|a, b| by_due_down(a, b).then(by_id(b, a)));
                Expected::Rows(rows)
            }
            ("on_day", _) => {
                let mut rows = of_queue();
                let day = text(input("day").unwrap());
                rows.retain(|ticket| ticket.get("due_at").is_some_and(|due| text(due).starts_with(day)));
                rows.sort_by(|a, b| by_due(a, b).then(by_id(a, b)));
                Expected::Rows(rows)
            }
            ("everything", _) => {
                let mut rows = self.0.tickets.clone();
                rows.sort_by(|a, b| by_title(a, b).then(by_id(a, b)));
                let shown = rows.iter().map(|ticket| {
                    let mut shown = only(ticket, &["ticket_id", "title"]);
                    shown["queue"] = json!({"title": format!("queue {}", text(&ticket["queue_id"]))});
                    shown
                });
                Expected::Rows(shown.collect())
            }
            ("how_many", _) => {
                let mut rows = of_queue();
                rows.retain(|ticket| among(ticket, &["OPEN"]));
                Expected::Count((rows.len() as u64).min(5), rows.len() > 5)
            }
            ("of_author", _) => {
                let mut rows = self.0.notes.clone();
                rows.retain(|note| {
                    Some(&note["author"]) == input("author")
                        && input("tickets").unwrap().as_array().unwrap().contains(&note["ticket_id"])
                });
                rows.sort_by(|a, b| {
                    a["number"]
                        .as_i64()
                        .cmp(&b["number"].as_i64())
                        .then(text(&a["ticket_id"]).cmp(text(&b["ticket_id"])))
                });
                Expected::Rows(rows)
            }
            (other, _) => panic!("{other}"),
        }
    }

    fn tickets(&self, keep: impl Fn(&Json) -> bool) -> Vec<Json> {
        self.0.tickets.iter().filter(|ticket| keep(ticket)).cloned().collect()
    }
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap()
}

fn only(row: &Json, names: &[&str]) -> Json {
    let member = |name: &&str| Some(((*name).to_owned(), row.get(*name)?.clone()));
    Json::Object(names.iter().filter_map(member).collect())
}

/// The highest first.
fn by_priority(a: &Json, b: &Json) -> Ordering {
    let rank = |row: &Json| PRIORITIES.iter().position(|known| row["priority"] == **known);
    rank(b).cmp(&rank(a))
}

fn by_title(a: &Json, b: &Json) -> Ordering {
    text(&a["title"]).cmp(text(&b["title"]))
}

fn by_id(a: &Json, b: &Json) -> Ordering {
    text(&a["ticket_id"]).cmp(text(&b["ticket_id"]))
}

/// Those without a date stand last, whatever the direction.
fn by_due(a: &Json, b: &Json) -> Ordering {
    let due = |row: &Json| row.get("due_at").map(|due| text(due).to_owned());
    due(a).is_none().cmp(&due(b).is_none()).then(due(a).cmp(&due(b)))
}

fn by_due_down(a: &Json, b: &Json) -> Ordering {
    let due = |row: &Json| row.get("due_at").map(|due| text(due).to_owned());
    due(a).is_none().cmp(&due(b).is_none()).then(due(b).cmp(&due(a)))
}
