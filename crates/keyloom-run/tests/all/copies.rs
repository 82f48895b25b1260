//! Lists that hold fields of other rows, on three stores: they show what a look-up would.

use keyloom_model::{
    Path, Root,
    layout::{Copied, CopyRule, Layout, Path as LaidPath},
};
use keyloom_run::{Answer, Verified, Verify};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::{Value as Json, json};

use crate::support::house::{House, open_by, wait};

const CATALOG: &str = "
language: 1
catalog: board
retries: 24h
entities:
  Case:
    key: [case_id]
    fields: { case_id: text(2..10), title: text(2..40), stage: enum(NEW | OPEN) = NEW, notes: int = 0 }
    drift: { title: 1min, stage: 1min }
    volume: { rows: 100 }
  Task:
    key: [task_id]
    fields:
      task_id: text(2..10)
      case_id: text(2..10)? -> Case
      assignee: text(2..10)
      due: int
      done: bool = false
    volume: { rows: 100 }
    groups: { case_id: 10 / 100 / 1000, assignee: 10 / 100 / 1000 }
patterns:
  open_case: { create: Case, takes: [case_id, title], rate: rare }
  retitle: { update: Case, by: [case_id], set: { title: $title }, rate: rare }
  note: { update: Case, by: [case_id], set: { notes: notes + 1 }, rate: rare }
  drop_case: { delete: Case, by: [case_id], rate: rare }
  add: { create: Task, takes: [task_id, case_id, assignee, due], rate: rare }
  move_task: { update: Task, by: [task_id], set: { case_id: $case_id }, rate: rare }
  give: { update: Task, by: [task_id], set: { assignee: $assignee }, rate: rare }
  finish: { update: Task, by: [task_id], set: { done: true }, rate: rare }
  reopen: { update: Task, by: [task_id], set: { done: false }, rate: rare }
  drop_task: { delete: Task, by: [task_id], rate: rare }
  get_task: { get: Task, by: [task_id], returns: [task_id, case.title], rate: rare }
  todo: { list: Task, by: [assignee], where: done = false, order: due asc, page: 500, returns: [task_id, case.title, case.stage], rate: rare }
  tasks_in: { list: Task, by: [case_id], order: due asc, page: 500, returns: [task_id], rate: rare }
";

/// Copies of these paths in the list of what is to be done.
fn copying(rule: CopyRule) -> impl Fn(Layout) -> Layout {
    move |mut layout: Layout| {
        let is_todo = |path: &&LaidPath| path.question.to_string() == "todo";
        let name = layout.paths.iter().find(is_todo).unwrap().form.table().to_owned();
        let table = layout.tables.iter_mut().find(|table| table.name == name).unwrap();
        let path = |field: &str| Path {
            root: Root::Reference { field: "case_id".into(), entity: "Case".into() },
            ..Path::own(field)
        };
        table.copies = ["title", "stage"].map(|field| Copied { path: path(field), rule }).to_vec();
        layout.paths.clear();
        layout
    }
}

fn houses() -> [House; 3] {
    houses_by(CopyRule::Touch)
}

fn houses_by(rule: CopyRule) -> [House; 3] {
    let wide = open_by(AtOnce::new(1, WideStore::new), CATALOG, copying(rule));
    let items = open_by(AtOnce::new(1, ItemStore::new), CATALOG, copying(rule));
    [open_by(Model::new(), CATALOG, copying(rule)), wide, items]
}

fn task(house: &House, task_id: &str, case_id: Option<&str>, due: i64) {
    let mut body = json!({"task_id": task_id, "assignee": "ann", "due": due});
    if let Some(case_id) = case_id {
        body["case_id"] = json!(case_id);
    }
    house.done("add", &body);
}

/// What is to be done, as tasks with the titles of their cases.
fn todo(house: &House, assignee: &str) -> Vec<(String, Option<String>)> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    let rows = house.list("todo", &json!({"assignee": assignee}));
    rows.iter().map(|row| (text(&row["task_id"]).unwrap(), text(&row["case"]["title"]))).collect()
}

fn titled(tasks: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
    tasks.iter().map(|(task, title)| ((*task).to_owned(), title.map(str::to_owned))).collect()
}

#[track_caller]
fn is_right(house: &House) {
    let mut verify = Verify::new(&house.run);
    loop {
        match wait(verify.next(&house.run)).unwrap() {
            Verified::Rows(_) => {}
            Verified::Waits(span) => house.clock.turn_ms(i64::try_from(span.as_millis()).unwrap()),
            Verified::All => break,
        }
    }
    assert_eq!((verify.report().differences(), verify.report().moving), (0, 0), "{:#?}", verify.report().named);
}

#[test]
fn a_copy_follows_its_row_wherever_it_stands() {
    for house in houses() {
        house.done("open_case", &json!({"case_id": "c1", "title": "One"}));
        task(&house, "t1", Some("c1"), 1);
        // One may point to a row that is not there, or to none.
        task(&house, "t2", Some("c2"), 2);
        task(&house, "t3", None, 3);
        assert_eq!(todo(&house, "ann"), titled(&[("t1", Some("One")), ("t2", None), ("t3", None)]));
        house.done("open_case", &json!({"case_id": "c2", "title": "Two"}));
        let key = house.key();
        let body = json!({"case_id": "c1", "title": "Uno"});
        let retitled = house.send("retitle", &body, Some(&key)).unwrap();
        assert!(matches!(retitled, Answer::Applied { visible: true, .. }), "{retitled:?}");
        assert_eq!(house.send("retitle", &body, Some(&key)).unwrap(), retitled);
        assert_eq!(todo(&house, "ann"), titled(&[("t1", Some("Uno")), ("t2", Some("Two")), ("t3", None)]));
        // It points elsewhere, moves, goes and comes back.
        house.done("move_task", &json!({"task_id": "t3", "case_id": "c1"}));
        house.done("give", &json!({"task_id": "t2", "assignee": "ben"}));
        house.done("finish", &json!({"task_id": "t1"}));
        house.done("retitle", &json!({"case_id": "c1", "title": "Eins"}));
        house.done("reopen", &json!({"task_id": "t1"}));
        assert_eq!(todo(&house, "ann"), titled(&[("t1", Some("Eins")), ("t3", Some("Eins"))]));
        assert_eq!(todo(&house, "ben"), titled(&[("t2", Some("Two"))]));
        house.done("note", &json!({"case_id": "c2"}));
        house.done("drop_case", &json!({"case_id": "c2"}));
        assert_eq!(todo(&house, "ben"), titled(&[("t2", None)]));
        house.done("open_case", &json!({"case_id": "c2", "title": "Zwei"}));
        assert_eq!(todo(&house, "ben"), titled(&[("t2", Some("Zwei"))]));
        is_right(&house);
    }
}

#[test]
fn what_is_followed_by_many_is_finished_later() {
    for house in houses() {
        house.done("open_case", &json!({"case_id": "c1", "title": "One"}));
        for number in 0..150 {
            task(&house, &format!("t{number:03}"), Some("c1"), number);
        }
        let retitled = house.write("retitle", &json!({"case_id": "c1", "title": "Uno"})).unwrap();
        assert!(matches!(retitled, Answer::Applied { visible: false, .. }), "{retitled:?}");
        let new = || todo(&house, "ann").iter().filter(|(_, title)| title.as_deref() == Some("Uno")).count();
        assert_eq!((new(), todo(&house, "ann").len()), (100, 150));
        // One that comes meanwhile is right at once.
        task(&house, "t999", Some("c1"), 999);
        assert_eq!(new(), 101);
        // Marks are left to their writers for a while.
        house.turn(600);
        let pass = wait(house.run.settle()).unwrap();
        assert_eq!((pass.left, new()), (0, 151), "{pass:?}");
        assert!(pass.settled >= 1);
        house.turn(600);
        assert_eq!(wait(house.run.settle()).unwrap().settled, 0);
        is_right(&house);
    }
}

#[test]
fn a_copy_is_kept_as_a_touch_is() {
    for house in houses_by(CopyRule::Copy) {
        house.done("open_case", &json!({"case_id": "c1", "title": "One"}));
        task(&house, "t1", Some("c1"), 1);
        house.done("retitle", &json!({"case_id": "c1", "title": "Uno"}));
        assert_eq!(todo(&house, "ann"), titled(&[("t1", Some("Uno"))]));
        is_right(&house);
    }
}
