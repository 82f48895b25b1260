//! Parts are deleted with what they belong to, on three stores.

use keyloom_run::Answer;
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open, wait};

const CATALOG: &str = "
language: 1
catalog: files
retries: 24h
entities:
  File:
    key: [file_id]
    fields: { file_id: text(2..10), title: text(2..40) }
    volume: { rows: 100 }
  Page:
    part_of: File
    key: [page_id]
    fields:
      page_id: text(2..10)
      file_id: text(2..10) -> File must exist
      mark: text(2..10)?
      state: enum(DRAFT | DONE) = DRAFT
    unique: { mark_taken: mark }
    volume: { rows: 100 }
    groups: { file_id: 10 / 100 / 1000, state: 10 / 100 / 1000 }
  Note:
    append_only: true
    part_of: File
    key: [file_id, note_id]
    fields: { file_id: text(2..10) -> File must exist, note_id: uuid7 = new, words: text(2..40) }
    volume: { rows: 100 }
    groups: { file_id: 10 / 100 / 1000 }
patterns:
  open: { create: File, rate: rare }
  retitle: { update: File, by: [file_id], set: { title: $title }, rate: rare }
  burn: { delete: File, by: [file_id], rate: rare }
  get: { get: File, by: [file_id], rate: rare }
  add: { create: Page, takes: [page_id, file_id, mark], rate: rare }
  move_page: { update: Page, by: [page_id], set: { file_id: $to }, rate: rare }
  tear: { delete: Page, by: [page_id], rate: rare }
  get_page: { get: Page, by: [page_id], returns: [file_id], rate: rare }
  marked: { get: Page, by: [mark], returns: [page_id], rate: rare }
  pages: { list: Page, by: [file_id], order: page_id asc, page: 500, returns: [page_id], rate: rare }
  drafts: { list: Page, by: [state], order: page_id asc, page: 500, returns: [page_id], rate: rare }
  note: { create: Note, takes: [file_id, words], rate: rare }
  notes: { list: Note, by: [file_id], order: note_id asc, page: 100, returns: [words], rate: rare }
";

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

fn file(house: &House, file_id: &str) {
    house.done("open", &json!({"file_id": file_id, "title": "One"}));
}

fn page(house: &House, page_id: &str, file_id: &str) {
    house.done("add", &json!({"page_id": page_id, "file_id": file_id, "mark": format!("m-{page_id}")}));
}

fn pages(house: &House, file_id: &str) -> Vec<Json> {
    house.list("pages", &json!({"file_id": file_id})).iter().map(|row| row["page_id"].clone()).collect()
}

#[test]
fn parts_go_with_their_whole_and_others_stay() {
    for house in houses() {
        for of in ["f1", "f2"] {
            file(&house, of);
            house.done("note", &json!({"file_id": of, "words": "new"}));
        }
        for (page_id, of) in [("p1", "f1"), ("p2", "f1"), ("p3", "f2"), ("p4", "f1")] {
            page(&house, page_id, of);
        }
        // One that was moved belongs to the other.
        house.done("move_page", &json!({"page_id": "p4", "to": "f2"}));
        let key = house.key();
        let burned = house.send("burn", &json!({"file_id": "f1"}), Some(&key)).unwrap();
        assert!(matches!(burned, Answer::Applied { visible: true, .. }), "{burned:?}");
        assert_eq!(house.send("burn", &json!({"file_id": "f1"}), Some(&key)).unwrap(), burned);
        assert_eq!((pages(&house, "f1"), pages(&house, "f2")), (vec![], vec![json!("p3"), json!("p4")]));
        assert_eq!(house.list("drafts", &json!({"state": "DRAFT"})).len(), 2);
        assert_eq!(house.list("notes", &json!({"file_id": "f1"})), [] as [Json; 0]);
        assert_eq!(house.list("notes", &json!({"file_id": "f2"})).len(), 1);
        assert_eq!(house.get("get_page", &json!({"page_id": "p1"})), None);
        // What a part held is free again.
        assert_eq!(house.get("marked", &json!({"mark": "m-p1"})), None);
        house.done("add", &json!({"page_id": "p9", "file_id": "f2", "mark": "m-p1"}));
        house.refused("add", &json!({"page_id": "p8", "file_id": "f1"}), "missing_file");
        // Created again it has no parts.
        file(&house, "f1");
        assert_eq!(pages(&house, "f1"), [] as [Json; 0]);
        page(&house, "p2", "f1");
        assert_eq!(pages(&house, "f1"), [json!("p2")]);
    }
}

#[test]
fn what_takes_long_is_finished_later() {
    for house in houses() {
        file(&house, "f1");
        for number in 0..150 {
            page(&house, &format!("p{number:03}"), "f1");
        }
        let burned = house.write("burn", &json!({"file_id": "f1"})).unwrap();
        assert!(matches!(burned, Answer::Applied { visible: false, .. }), "{burned:?}");
        assert_eq!(pages(&house, "f1").len(), 50);
        // Marks are left to their writers for a while.
        house.turn(600);
        let pass = wait(house.run.settle()).unwrap();
        assert_eq!((pass.left, pages(&house, "f1").len()), (0, 0), "{pass:?}");
        assert!(pass.settled >= 1);
        house.turn(600);
        assert_eq!(wait(house.run.settle()).unwrap().settled, 0);
    }
}

#[test]
fn who_creates_over_a_row_that_is_gone_finds_no_parts() {
    for house in houses() {
        file(&house, "f1");
        for number in 0..150 {
            page(&house, &format!("p{number:03}"), "f1");
        }
        house.done("burn", &json!({"file_id": "f1"}));
        assert_eq!(pages(&house, "f1").len(), 50);
        file(&house, "f1");
        assert_eq!(pages(&house, "f1").len(), 0);
        page(&house, "p001", "f1");
        // Nobody who comes late takes what is new.
        house.turn(600);
        wait(house.run.settle()).unwrap();
        assert_eq!(pages(&house, "f1"), [json!("p001")]);
    }
}

/// Files that end, are counted and copied, and have a name that nobody else may have.
const ENDING: &str = "
language: 1
catalog: ending
retries: 24h
entities:
  Shelf:
    key: [shelf_id]
    fields: { shelf_id: text(2..10), files: int = count of File }
    volume: { rows: 10 }
  File:
    key: [file_id]
    fields: { file_id: text(2..10), shelf_id: text(2..10) -> Shelf, name: text(2..40), until: timestamp? }
    unique: { name_taken: name }
    drift: { name: 1min }
    expires: until
    volume: { rows: 100 }
    groups: { shelf_id: 10 / 100 / 1000 }
  Page:
    part_of: File
    key: [page_id]
    fields: { page_id: text(2..10), file_id: text(2..10) -> File must exist, author: text(2..10) }
    volume: { rows: 100 }
    groups: { file_id: 10 / 100 / 1000, author: 10 / 100 / 1000 }
patterns:
  build: { create: Shelf, takes: [shelf_id], rate: rare }
  shelf: { get: Shelf, by: [shelf_id], freshness: latest, rate: rare }
  open: { create: File, rate: rare }
  burn: { delete: File, by: [file_id], rate: rare }
  get: { get: File, by: [file_id], freshness: latest, rate: rare }
  named: { get: File, by: [name], freshness: latest, returns: [file_id], rate: rare }
  add: { create: Page, takes: [page_id, file_id, author], rate: rare }
  pages: { list: Page, by: [file_id], order: page_id asc, page: 500, returns: [page_id], rate: rare }
  written: { list: Page, by: [author], order: page_id asc, page: 500, returns: [page_id, file.name], rate: rare }
";

/// An end is not inherited: whoever acts on it takes the row out of what is counted, and leaves its parts.
#[test]
fn parts_of_a_row_that_ends_stay() {
    for house in [
        open(Model::new(), ENDING),
        open(AtOnce::new(1, WideStore::new), ENDING),
        open(AtOnce::new(1, ItemStore::new), ENDING),
    ] {
        let files = || house.get("shelf", &json!({"shelf_id": "s1"})).unwrap()["files"].clone();
        house.done("build", &json!({"shelf_id": "s1"}));
        let until = house.moment(300);
        for (file_id, name) in [("f1", "One"), ("f2", "Two")] {
            house.done("open", &json!({"file_id": file_id, "shelf_id": "s1", "name": name, "until": until}));
            house.done("add", &json!({"page_id": format!("{file_id}-p"), "file_id": file_id, "author": "ann"}));
        }
        assert_eq!(files(), json!(2));
        house.turn(900);
        // Whoever wants its name decides that the first is gone.
        house.done("open", &json!({"file_id": "f3", "shelf_id": "s1", "name": "One"}));
        assert_eq!(pages(&house, "f1"), [json!("f1-p")]);
        // Whoever settles the mark of its end decides it of the second.
        house.turn(600);
        house.settle();
        assert_eq!(files(), json!(1));
        assert_eq!(pages(&house, "f2"), [json!("f2-p")]);
        let written = house.list("written", &json!({"author": "ann"}));
        assert_eq!(written, [json!({"page_id": "f1-p"}), json!({"page_id": "f2-p"})]);
        // They are parts of the row that comes in its place.
        house.done("open", &json!({"file_id": "f2", "shelf_id": "s1", "name": "Two"}));
        assert_eq!(pages(&house, "f2"), [json!("f2-p")]);
        house.done("burn", &json!({"file_id": "f2"}));
        assert_eq!((pages(&house, "f1"), pages(&house, "f2")), (vec![json!("f1-p")], vec![]));
        house.refused("add", &json!({"page_id": "p9", "file_id": "f1", "author": "ann"}), "missing_file");
    }
}
