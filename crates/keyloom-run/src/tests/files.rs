//! Files whose pages go with them, and come again.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    client::{Conclusion, Request},
    world::World,
};

pub(super) const CATALOG: &str = "
language: 1
catalog: files
retries: 24h
entities:
  File:
    key: [file_id]
    fields: { file_id: text(2..10), title: text(2..10) }
    volume: { rows: 100 }
  Page:
    part_of: File
    key: [page_id]
    fields: { page_id: text(2..10), file_id: text(2..10) -> File must exist, mark: text(2..10) }
    unique: { mark_taken: mark }
    volume: { rows: 100 }
    groups: { file_id: 10 / 100 / 1000 }
patterns:
  open: { create: File, rate: rare }
  retitle: { update: File, by: [file_id], set: { title: $title }, rate: rare }
  burn: { delete: File, by: [file_id], rate: rare }
  add: { create: Page, rate: rare }
  remark: { update: Page, by: [page_id], set: { mark: $mark }, rate: rare }
  move_page: { update: Page, by: [page_id], set: { file_id: $file_id }, rate: rare }
  pages: { list: Page, by: [file_id], order: page_id asc, page: 500, returns: [page_id], rate: rare }
";

/// What a client wants next.
pub(super) fn wish(world: &World) -> (&'static str, Json) {
    let file_id = ["f1", "f2"][world.pick(2)];
    let page_id = format!("p{}", world.pick(5));
    let mark = ["m1", "m2", "m3", "m4", "m5", "m6"][world.pick(6)];
    match world.dice.below(20) {
        0..=4 => ("open", json!({"file_id": file_id, "title": "new"})),
        5 => ("retitle", json!({"file_id": file_id, "title": "old"})),
        6..=8 => ("burn", json!({"file_id": file_id})),
        9..=16 => ("add", json!({"page_id": page_id, "file_id": file_id, "mark": mark})),
        17..=18 => ("remark", json!({"page_id": page_id, "mark": mark})),
        _ => ("move_page", json!({"page_id": page_id, "file_id": file_id})),
    }
}

impl World {
    /// Every page has its file, and none went without a reason.
    pub(super) fn pages_go_with_their_files(&self, requests: &[Request]) -> Result<(), String> {
        let run = &self.servers[0];
        let of = |name: &str| {
            let entity = run.program.entities.iter().find(|entity| entity.name == name).unwrap();
            let field = |field: &str| entity.field(field).unwrap();
            (self.records(entity.source.table), field("file_id"), entity.field("page_id"))
        };
        let ((files, file_of, _), (pages, page_of, page_id)) = (of("File"), of("Page"));
        for page in &pages {
            if !files.iter().any(|file| file.values[file_of] == page.values[page_of]) {
                return Err(format!("a page is left of a file that is gone: {:?}", page.values));
            }
        }
        let is = |request: &Request, name: &str, field: &str, value: &Json| {
            request.pattern == name && request.body[field] == *value && request.conclusion != Conclusion::NotApplied
        };
        // Whether it may have had its effect at that moment or later.
        let since = |request: &Request, moment: Duration| {
            request.ended >= moment || request.conclusion == Conclusion::Uncertain
        };
        let stands = |page: &Json| {
            let id = page.as_str().map(keyloom_value::Value::from);
            pages.iter().any(|known| Some(&known.values[page_id.unwrap()]) == id.as_ref())
        };
        let is_applied = |request: &&Request| matches!(request.conclusion, Conclusion::Applied { .. });
        for add in requests.iter().filter(|add| add.pattern == "add").filter(is_applied) {
            let (page, file) = (&add.body["page_id"], &add.body["file_id"]);
            let moved = requests.iter().any(|other| is(other, "move_page", "page_id", page));
            let mut burns = requests.iter().filter(|other| is(other, "burn", "file_id", file));
            if !moved && !stands(page) && !burns.any(|burn| since(burn, add.sent)) {
                return Err(format!("a page is lost: {add:?}"));
            }
        }
        for burn in requests.iter().filter(|burn| burn.pattern == "burn").filter(is_applied) {
            for add in requests.iter().filter(|add| is(add, "add", "file_id", &burn.body["file_id"])) {
                let page = &add.body["page_id"];
                // One that was ever moved or came again may stand in the other file.
                let mut others = requests.iter().filter(|other| {
                    is(other, "move_page", "page_id", page)
                        || is(other, "add", "page_id", page)
                            && (since(other, burn.sent) || other.body["file_id"] != burn.body["file_id"])
                });
                if stands(page) && others.next().is_none() {
                    return Err(format!("a page outlived its file: {add:?}, {burn:?}"));
                }
            }
        }
        Ok(())
    }
}
