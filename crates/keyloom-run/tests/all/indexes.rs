//! Lists that the engine keeps, on the model and on a store whose indexes lag: they show the rows that belong there and no
//! others, and a caller who presents what it has seen finds it, however late the engine is.

use std::sync::Arc;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::{
    Engine,
    layout::{Holds, Layout},
};
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Changed, Problem, Program, Run, SEEN_MAX, Shown, Verified, Verify, Wanted};
use keyloom_sim::{AtOnce, ItemStore};
use keyloom_store::{Define, Model, Store, Sweep};
use keyloom_text::{Files, Unreadable, print_layout};
use serde_json::{Value as Json, json};

use crate::support::{
    clock::Turned,
    desk::{CATALOG, ids, indexed, own_writes_are_seen, seen},
    house::{open_by, wait},
};

#[test]
fn an_index_shows_rows_that_belong_there_and_no_others() {
    let house = open_by(Model::new(), CATALOG, indexed);
    let ann = json!({"owner": "ann"});
    let todo = || ids(&house.list("todo", &ann));
    for (id, due) in [("t1", 3), ("t2", 1), ("t3", 2)] {
        house.done("add", &json!({"ticket_id": id, "owner": "ann", "due": due}));
    }
    assert_eq!(todo(), ["t2", "t3", "t1"]);
    house.done("patch", &json!({"ticket_id": "t3", "status": "DONE"}));
    assert_eq!(todo(), ["t2", "t1"], "what the filter leaves out");
    assert_eq!(ids(&house.list("all", &json!({}))), ["t1", "t3", "t2"]);
    house.done("patch", &json!({"ticket_id": "t3", "status": "OPEN", "due": 9}));
    house.done("patch", &json!({"ticket_id": "t2", "owner": "bob"}));
    assert_eq!(todo(), ["t1", "t3"], "what moves");
    house.done("drop", &json!({"ticket_id": "t3"}));
    assert_eq!(todo(), ["t1"], "what is gone");
    assert_eq!(ids(&house.list("all", &json!({}))), ["t1", "t2"]);
    house.done("add", &json!({"ticket_id": "t4", "owner": "ann", "due": 4, "until": house.moment(60)}));
    assert_eq!(todo(), ["t1", "t4"]);
    house.turn(61);
    assert_eq!(todo(), ["t1"], "what has ended is still stored, and not shown");
    assert_eq!(house.send("late", &ann, None), Ok(Answer::Count { count: 1, at_least: false }));
    let mut verify = Verify::new(&house.run);
    while wait(verify.next(&house.run)).unwrap() != Verified::All {}
    assert_eq!(verify.report().differences(), 0);
    let says = |table: &&keyloom_run::TableReport| table.holds.contains("kept by the engine, not compared");
    assert_eq!(verify.report().tables.iter().filter(says).count(), 2, "{:#?}", verify.report());
}

#[test]
fn rows_that_end_do_not_end_a_page() {
    let house = open_by(Model::new(), CATALOG, indexed);
    for number in 0..12 {
        let until = (number < 8).then(|| house.moment(60));
        house.done("add", &json!({"ticket_id": format!("t{number}"), "owner": "ann", "due": number, "until": until}));
    }
    house.turn(61);
    assert_eq!(ids(&house.list("todo", &json!({"owner": "ann"}))), ["t8", "t9", "t10", "t11"]);
}

#[test]
fn who_presents_what_it_has_seen_finds_it_however_late_the_engine_is() {
    let late = (0..6).map(|seed: u64| {
        let house = open_by(AtOnce::new(seed, ItemStore::new), CATALOG, indexed);
        own_writes_are_seen(&house, i64::try_from(seed).unwrap(), 120)
    });
    let late: usize = late.sum();
    assert!(late > 100, "the engine was late {late} times only: this shows nothing");
}

#[test]
fn what_was_seen_is_believed_of_nobody_else() {
    let house = open_by(Model::new(), CATALOG, indexed);
    let mine = seen(house.write("add", &json!({"ticket_id": "t1", "owner": "ann", "due": 1})));
    let inputs = |caller: &Caller| {
        let pattern = house.run.pattern("todo").unwrap();
        house.run.inputs_from_object(pattern, caller, &json!({"owner": "ann"})).unwrap()
    };
    assert!(house.run.having_seen(inputs(Caller::NOBODY), &[&mine]).is_ok());
    let other = Caller { tenant: None, subject: Some("bob".into()) };
    assert!(matches!(house.run.having_seen(inputs(&other), &[&mine]), Err(Problem::Seen(_))));
    let mut altered = mine.clone().into_bytes();
    for at in 0..altered.len() {
        let before = std::mem::replace(&mut altered[at], if mine.as_bytes()[at] == b'A' { b'B' } else { b'A' });
        let text = String::from_utf8(altered.clone()).unwrap();
        assert!(matches!(house.run.having_seen(inputs(Caller::NOBODY), &[&text]), Err(Problem::Seen(_))), "{at}");
        altered[at] = before;
    }
    for strange in ["", "AAAA", "not base64 at all", "-"] {
        assert!(matches!(house.run.having_seen(inputs(Caller::NOBODY), &[strange]), Err(Problem::Seen(_))));
    }
    let many = vec![mine.as_str(); SEEN_MAX + 1];
    assert!(matches!(house.run.having_seen(inputs(Caller::NOBODY), &many), Err(Problem::Input(_))));
}

struct Text(&'static str);

impl Files for Text {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

/// A page of what Ann has to do.
fn page(run: &Run, cursor: Option<&str>) -> (Vec<Json>, Option<String>) {
    let inputs =
        run.inputs_from_object(run.pattern("todo").unwrap(), Caller::NOBODY, &json!({"owner": "ann"})).unwrap();
    let call = Call { pattern: "todo", inputs, key: None, order: None, limit: None, cursor };
    match wait(run.call(&call)).unwrap() {
        Answer::Rows { rows, next, .. } => (rows.iter().map(Shown::json).collect(), next),
        other => panic!("{other:?}"),
    }
}

/// A start as `keyloom up` makes it, to its end.
fn started<S: Store + Define + Sweep>(
    store: &Arc<S>,
    clock: &Arc<Turned>,
    laid: impl Fn(Layout) -> Layout,
) -> Result<Run, String> {
    let reading = keyloom_text::read("catalog.yaml", &Text(CATALOG), &mut Sources::default());
    let layout = laid(design(&reading.catalog, Engine::DynamoDb, store.abilities()));
    let planned = Planned::compile(&reading.catalog, &layout, store.abilities());
    let program = Program::of(&planned).map_err(|words| format!("{words:?}"))?;
    let text = print_layout(&planned.layout);
    let wanted = Wanted { text: Some(&text), alone: false };
    let opened = wait(Run::open_by(program, wanted, Arc::clone(store), clock.clone()));
    let mut changing = opened.map_err(|fault| fault.cause().to_owned())?.expect("nobody else is there");
    loop {
        match wait(changing.next()).unwrap() {
            Changed::Ready => return Ok(wait(changing.done()).unwrap()),
            Changed::Rows(_) => {}
            Changed::Waits(span) => clock.turn_ms(i64::try_from(span.as_millis()).unwrap()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_index_that_is_added_shows_the_rows_that_are_there() {
    let (store, clock) = (Arc::new(AtOnce::new(1, ItemStore::new)), Arc::new(Turned::new()));
    let all_tickets = |table: &keyloom_model::layout::Table| table.name.contains("all") || table.filter.is_none();
    let fewer = |layout: Layout| {
        let mut layout = indexed(layout);
        layout.tables.retain(|table| !matches!(table.holds, Holds::Projection { .. }) || all_tickets(table));
        layout
    };
    let reading = keyloom_text::read("catalog.yaml", &Text(CATALOG), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    // A catalog that asks less runs first: the list of what is to be done comes later.
    let mut before = reading.catalog.clone();
    before.patterns.retain(|pattern| pattern.name != "todo" && pattern.name != "late");
    let layout = fewer(design(&before, Engine::DynamoDb, store.abilities()));
    let planned = Planned::compile(&before, &layout, store.abilities());
    let text = print_layout(&planned.layout);
    let wanted = Wanted { text: Some(&text), alone: false };
    let opened = wait(Run::open_by(Program::of(&planned).unwrap(), wanted, Arc::clone(&store), clock.clone()));
    let run = wait(opened.unwrap().unwrap().done()).unwrap();
    for number in 0..300 {
        let body = json!({"ticket_id": format!("t{number}"), "owner": "ann", "due": number});
        let inputs = run.inputs_from_object(run.pattern("add").unwrap(), Caller::NOBODY, &body).unwrap();
        let key = format!("{number};{}", clock.now_ms());
        let call = Call { pattern: "add", inputs, key: Some(&key), order: None, limit: None, cursor: None };
        wait(run.call(&call)).unwrap();
    }
    drop(run);
    let run = started(&store, &clock, indexed).unwrap();
    let mut walked = Vec::new();
    let mut cursor: Option<String> = None;
    // The engine may still be at it.
    for _ in 0..2_000 {
        let (rows, next) = page(&run, cursor.as_deref());
        walked.extend(ids(&rows));
        match next {
            Some(next) => cursor = Some(next),
            None if walked.len() == 300 => break,
            None => (walked, cursor) = (Vec::new(), None),
        }
    }
    assert_eq!(walked, (0..300).map(|number| format!("t{number}")).collect::<Vec<_>>());
}

#[test]
fn rows_without_a_field_have_no_place_behind_others_in_an_index() {
    let reading = keyloom_text::read("catalog.yaml", &Text(CATALOG), &mut Sources::default());
    let model = Model::new();
    let mut layout = indexed(design(&reading.catalog, Engine::DynamoDb, model.abilities()));
    for item in layout.tables.iter_mut().flat_map(|table| &mut table.sort) {
        item.nulls_last |= item.field == "due";
    }
    let words = Program::of(&Planned::compile(&reading.catalog, &layout, model.abilities())).unwrap_err();
    assert!(words.iter().any(|word| word.to_string().contains("`nulls last` in an index")), "{words:?}");
}
