//! A catalog that changes while its data stays: what is new is made, filled and verified, and what is there stays as it is.

use std::sync::Arc;

use keyloom_design::{design, extend, misfits, remembered};
use keyloom_embedded::Embedded;
use keyloom_finding::Sources;
use keyloom_model::{Catalog, Engine};
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Changed, Changing, LayoutRecord, Program, Run, Verified, Verify, Wanted};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::{Define, Fault, Model, Store, Sweep};
use keyloom_text::{Files, Unreadable, layout_of_text, print_layout};
use serde_json::{Value as Json, json};

use crate::support::clock::Turned;

const BEFORE: &str = "
language: 1
catalog: house
entities:
  Owner:
    key: [owner_id]
    fields: { owner_id: text(2..10), name: text(4..40) }
    volume: { rows: 10 }
  Room:
    key: [room_id]
    fields: { room_id: uuid = new, owner_id: text(2..10) -> Owner, name: text(4..40), seats: int = 0 }
    volume: { rows: 100 }
    groups: { owner_id: 5 / 10 / 50 }
patterns:
  own: { create: Owner, takes: [owner_id, name], rate: rare }
  rename_owner: { update: Owner, by: [owner_id], set: { name: $name }, rate: rare }
  add: { create: Room, takes: [owner_id, name, seats], rate: rare }
  patch: { update: Room, by: [room_id], any_of: [owner_id, name, seats], rate: rare }
  drop: { delete: Room, by: [room_id], rate: rare }
  rooms: { list: Room, by: [owner_id], order: name asc, page: 50, returns: [name], rate: rare }
";

/// An optional field, a column more in a list, two lists, a unique, and a kept value.
fn after() -> String {
    BEFORE
        .replace("name: text(4..40) }\n    volume: { rows: 10 }", "name: text(4..40), rooms: int = count of Room }\n    volume: { rows: 10 }")
        .replace("seats: int = 0 }", "seats: int = 0, note: text(4..40)? }\n    unique: { name_taken: name }")
        .replace("returns: [name],", "returns: [name, seats],")
        .replace("any_of: [owner_id, name, seats]", "any_of: [owner_id, name, seats, note]")
        + "  large: { list: Room, by: [owner_id], where: seats > 3, order: seats desc, page: 50, returns: [name, note], rate: rare }
  find: { get: Room, by: [name], returns: [room_id], rate: rare }
  by_seats: { list: Room, by: all, order: seats asc, page: 50, returns: [name], rate: rare }
  owner: { get: Owner, by: [owner_id], rate: rare }
"
}

struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(self.0.to_owned())
    }
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn catalog(text: &str) -> Catalog {
    let reading = keyloom_text::read("catalog.yaml", &Text(text), &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    reading.catalog
}

/// The program of a catalog as `keyloom up` plans it, and the text of its layout if that is new.
fn planned<S: Store + Define>(
    text: &str,
    store: &Arc<S>,
    clock: &Arc<Turned>,
) -> Result<(Program, Option<String>), Fault> {
    let catalog = catalog(text);
    let runs = wait(LayoutRecord::of(&**store, &**clock))?.map(|record| {
        layout_of_text(&record.text, &record.entities, &catalog).map_err(|wrong| Fault::refused(wrong.join("; ")))
    });
    let runs = runs.transpose()?;
    let misfits = runs.as_ref().map_or_else(Vec::new, |runs| misfits(runs, &catalog));
    if !misfits.is_empty() {
        return Err(Fault::refused(misfits.join("; ")));
    }
    let layout = match &runs {
        Some(runs) => extend(runs, &catalog, store.abilities()),
        None => design(&catalog, Engine::Embedded, store.abilities()),
    };
    let planned = Planned::compile(&catalog, &layout, store.abilities());
    let program = Program::of(&planned).unwrap_or_else(|words| panic!("{words:?}"));
    let text = print_layout(&remembered(&planned.layout));
    let same = runs.is_some_and(|runs| print_layout(&remembered(&runs)) == text);
    Ok((program, (!same).then_some(text)))
}

/// As `keyloom up` opens it.
fn opened<S: Store + Define + Sweep>(text: &str, store: &Arc<S>, clock: &Arc<Turned>) -> Result<Changing, Fault> {
    let (program, text) = planned(text, store, clock)?;
    let wanted = Wanted { text: text.as_deref(), alone: true };
    Ok(wait(Run::open_by(program, wanted, Arc::clone(store), clock.clone()))?.expect("nobody else is there"))
}

/// Why it is not opened.
fn reasons<S: Store + Define + Sweep>(text: &str, store: &Arc<S>, clock: &Arc<Turned>) -> Vec<String> {
    let (program, text) = match planned(text, store, clock) {
        Ok(planned) => planned,
        Err(fault) => return vec![fault.cause().to_owned()],
    };
    let wanted = Wanted { text: text.as_deref(), alone: true };
    wait(Run::changes(&program, wanted, &**store, &**clock)).unwrap().reasons
}

/// The tables that a start would fill.
fn to_fill<S: Store + Define + Sweep>(text: &str, store: &Arc<S>, clock: &Arc<Turned>) -> Vec<String> {
    let (program, text) = planned(text, store, clock).unwrap();
    let wanted = Wanted { text: text.as_deref(), alone: true };
    wait(Run::changes(&program, wanted, &**store, &**clock)).unwrap().filled
}

fn ready(mut changing: Changing, clock: &Turned) -> Run {
    loop {
        match wait(changing.next()).unwrap() {
            Changed::Ready => return wait(changing.done()).unwrap(),
            Changed::Rows(_) => {}
            Changed::Waits(span) => clock.turn_ms(i64::try_from(span.as_millis()).unwrap()),
            other => panic!("{other:?}"),
        }
    }
}

fn call(run: &Run, clock: &Turned, pattern: &str, body: &Json) -> Answer {
    let key = format!("{body};{}", clock.now_ms());
    let key = format!("{:x};{}", key.len() * 31 + key.bytes().map(usize::from).sum::<usize>(), clock.now_ms());
    let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), Caller::NOBODY, body).unwrap();
    let writes = run.pattern(pattern).is_some_and(|pattern| matches!(pattern.action, keyloom_model::Action::Write(_)));
    let key = writes.then_some(key.as_str());
    wait(run.call(&Call { pattern, inputs, key, order: None, limit: None, cursor: None })).unwrap()
}

fn filled(run: &Run, rooms: usize) {
    let mut verify = Verify::new(run);
    while wait(verify.next(run)).unwrap() != Verified::All {}
    assert_eq!(verify.report().differences(), 0, "{:#?}", verify.report());
    assert!(verify.report().rows() as usize > rooms, "{:#?}", verify.report());
}

fn changes<S: Store + Define + Sweep>(store: S) {
    let (store, clock) = (Arc::new(store), Arc::new(Turned::new()));
    let first = opened(BEFORE, &store, &clock).unwrap();
    assert_eq!(first.epoch(), 1);
    let run = ready(first, &clock);
    call(&run, &clock, "own", &json!({"owner_id": "ann", "name": "Ann, who owns"}));
    let mut rooms = Vec::new();
    for number in 0..700 {
        let body = json!({"owner_id": "ann", "name": format!("room {number}"), "seats": number % 9});
        let Answer::Applied { key, .. } = call(&run, &clock, "add", &body) else { panic!("{body}") };
        rooms.push(key["room_id"].as_str().unwrap().to_owned());
    }
    call(&run, &clock, "drop", &json!({"room_id": rooms[7]}));
    drop(run);
    // The same again is no change, and neither is a pattern that the tables answer.
    let serves = format!("{BEFORE}  get: {{ get: Room, by: [room_id], rate: rare }}\n");
    for same in [BEFORE, &serves] {
        assert!(to_fill(same, &store, &clock).is_empty());
        assert_eq!(opened(same, &store, &clock).unwrap().epoch(), 1);
    }

    let more = after();
    let new = to_fill(&more, &store, &clock);
    assert_eq!(new.len(), 5, "{new:?}");
    // Cut off behind more and more steps, and gone on with by the next start: what was done is noted now and then.
    let mut steps = 0;
    let run = loop {
        steps += 1;
        let mut changing = opened(&more, &store, &clock).unwrap();
        assert_eq!(changing.epoch(), 2);
        assert_eq!(to_fill(&more, &store, &clock), new, "what is begun is to be done");
        let mut did = Changed::Rows(0);
        for _ in 0..steps {
            did = wait(changing.next()).unwrap();
            assert!(matches!(did, Changed::Rows(_) | Changed::Waits(_) | Changed::Ready), "{did:?}");
            clock.turn_ms(2_100);
        }
        if did == Changed::Ready {
            assert_eq!(changing.epoch(), 3);
            break wait(changing.done()).unwrap();
        }
    };
    assert!(steps > 4, "{steps}");
    filled(&run, rooms.len());
    let Answer::Row { row, .. } = call(&run, &clock, "find", &json!({"name": "room 9"})) else { panic!() };
    assert_eq!(row.json()["room_id"], rooms[9].as_str());
    let Answer::Row { row, .. } = call(&run, &clock, "owner", &json!({"owner_id": "ann"})) else { panic!() };
    assert_eq!(row.json()["rooms"], 699, "what is counted was counted");
    let taken = call(&run, &clock, "add", &json!({"owner_id": "ann", "name": "room 9", "seats": 1}));
    assert_eq!(taken, Answer::NotApplied { reason: "name_taken".into() });
    call(&run, &clock, "patch", &json!({"room_id": rooms[9], "name": "another room", "seats": 8, "note": "moved"}));
    filled(&run, 0);
    drop(run);
    assert_eq!(opened(&more, &store, &clock).unwrap().epoch(), 3, "all is done");
    assert!(to_fill(&more, &store, &clock).is_empty());

    // A list and a column that are asked for no more stay and are kept up.
    let fewer = more.replace("returns: [name, seats],", "returns: [name],");
    let fewer = fewer.lines().filter(|line| !line.contains("by_seats:")).collect::<Vec<_>>().join("\n");
    let run = ready(opened(&fewer, &store, &clock).unwrap(), &clock);
    call(&run, &clock, "patch", &json!({"room_id": rooms[10], "seats": 5}));
    drop(run);
    assert!(to_fill(&more, &store, &clock).is_empty());
    let run = ready(opened(&more, &store, &clock).unwrap(), &clock);
    filled(&run, 0);
}

#[test]
fn a_catalog_changes_on_the_model() {
    changes(Model::new());
}

#[test]
fn a_catalog_changes_on_the_wide_store() {
    changes(AtOnce::new(1, WideStore::new));
}

#[test]
fn a_catalog_changes_on_the_item_store() {
    changes(AtOnce::new(1, ItemStore::new));
}

#[test]
fn a_catalog_changes_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let options = keyloom_embedded::Options::default();
    changes(Embedded::open(folder.path(), options, Arc::new(keyloom_embedded::System)).unwrap().0);
}

fn version_of(row: &Json) -> u64 {
    row["version"].to_string().trim_matches('"').parse().unwrap()
}

#[test]
fn versions_that_are_shown_from_now_on_are_those_of_the_rows() {
    let (store, clock) = (Arc::new(Model::new()), Arc::new(Turned::new()));
    let run = ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    let body = json!({"owner_id": "ann", "name": "a room", "seats": 3});
    let Answer::Applied { key, .. } = call(&run, &clock, "add", &body) else { panic!() };
    clock.turn_ms(5);
    let seats = json!({"room_id": key["room_id"], "seats": 4});
    let Answer::Applied { version, .. } = call(&run, &clock, "patch", &seats) else { panic!() };
    let more = BEFORE.replace("returns: [name],", "returns: [name, version],");
    assert_eq!(to_fill(&more, &store, &clock), ["room_by_owner"]);
    let run = ready(opened(&more, &store, &clock).unwrap(), &clock);
    let Answer::Rows { rows, .. } = call(&run, &clock, "rooms", &json!({"owner_id": "ann"})) else { panic!() };
    assert!(version_of(&rows[0].json()) >= version, "{rows:?}");
    // Whoever does not show them keeps them up from now on.
    let run = ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    clock.turn_ms(5);
    call(&run, &clock, "patch", &json!({"room_id": key["room_id"], "seats": 5}));
    let run = ready(opened(&more, &store, &clock).unwrap(), &clock);
    let Answer::Rows { rows, .. } = call(&run, &clock, "rooms", &json!({"owner_id": "ann"})) else { panic!() };
    assert!(version_of(&rows[0].json()) > version, "{rows:?}");
}

#[test]
fn all_that_is_no_addition_is_said_with_its_reason() {
    let (store, clock) = (Arc::new(Model::new()), Arc::new(Turned::new()));
    ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    let changed = |pairs: &[(&str, &str)]| {
        pairs.iter().fold(BEFORE.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    let by_name = [
        ("key: [owner_id]", "key: [name]"),
        ("by: [owner_id], set: { name: $name }", "by: [name], set: { owner_id: $owner_id }"),
        (" -> Owner", ""),
    ];
    for (pairs, words) in [
        (&[("seats: int = 0 }", "seats: int = 0, floor: int = 1 }")][..], &["`floor` of Room is new"][..]),
        (&[("seats: int = 0", "seats: text(2..9)?")], &["`seats` of Room was int and is text"]),
        (&[("seats", "chairs")], &["`chairs` of Room is new", "`seats` of Room is taken away"]),
        (&by_name, &["the key of Owner was owner_id and is name"]),
        (
            &[("seats: int = 0 }", "seats: int = 0, loud: text(4..40) = upper(name) }")],
            &["`loud` of Room is new and computed"],
        ),
    ] {
        let found = reasons(&changed(pairs), &store, &clock);
        assert_eq!(found.len(), words.len(), "{found:#?}");
        assert!(words.iter().all(|words| found.iter().any(|found| found.contains(words))), "{words:?}: {found:#?}");
    }
    assert_eq!(opened(BEFORE, &store, &clock).unwrap().epoch(), 1, "nothing was changed");
}

#[test]
fn a_catalog_that_ran_before_may_run_again_as_long_as_it_derives_all() {
    let (store, clock) = (Arc::new(Model::new()), Arc::new(Turned::new()));
    ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    let noted = BEFORE.replace("seats: int = 0 }", "seats: int = 0, note: text(4..40)? }")
        + "  note: { update: Room, by: [room_id], set: { note: $note }, rate: rare }\n  get: { get: Room, by: [room_id], rate: rare }\n";
    let run = ready(opened(&noted, &store, &clock).unwrap(), &clock);
    let body = json!({"owner_id": "ann", "name": "a room", "seats": 3});
    let Answer::Applied { key, .. } = call(&run, &clock, "add", &body) else { panic!() };
    call(&run, &clock, "note", &json!({"room_id": key["room_id"], "note": "quiet"}));
    let older = ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    clock.turn_ms(5);
    call(&older, &clock, "patch", &json!({"room_id": key["room_id"], "seats": 5}));
    let run = ready(opened(&noted, &store, &clock).unwrap(), &clock);
    let Answer::Row { row, .. } = call(&run, &clock, "get", &key) else { panic!() };
    let row = row.json();
    assert_eq!((&row["note"], &row["seats"]), (&json!("quiet"), &json!(5)), "what the older one does not know stays");
    // One that never ran has taken the field away.
    let other = BEFORE.replace("seats: int = 0 }", "seats: int = 0, floor: int? }");
    let found = reasons(&other, &store, &clock);
    assert!(found.len() == 1 && found[0].contains("`note` of Room is taken away"), "{found:?}");
    // And one that can't derive what a list holds is refused.
    let listed = noted.replace("returns: [name],", "returns: [name, note],");
    ready(opened(&listed, &store, &clock).unwrap(), &clock);
    let found = reasons(BEFORE, &store, &clock);
    assert!(found.len() == 1 && found[0].contains("`note`"), "{found:?}");
}

#[test]
fn a_unique_that_two_rows_break_is_said_and_not_served() {
    let (store, clock) = (Arc::new(Model::new()), Arc::new(Turned::new()));
    let run = ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    let rooms: Vec<Json> = (0..2)
        .map(|_| {
            clock.turn_ms(1);
            let Answer::Applied { key, .. } =
                call(&run, &clock, "add", &json!({"owner_id": "ann", "name": "the same", "seats": 3}))
            else {
                panic!()
            };
            key
        })
        .collect();
    let mut changing = opened(&after(), &store, &clock).unwrap();
    let wrong = loop {
        match wait(changing.next()).unwrap() {
            Changed::Wrong(why) => break why,
            Changed::Ready => panic!("it is served"),
            _ => {}
        }
    };
    assert!(wrong.iter().any(|why| why.contains("have the same value; change one of them")), "{wrong:?}");
    drop(changing);
    // What was served before is served again, so that one of them can be changed; then it is done.
    let run = ready(opened(BEFORE, &store, &clock).unwrap(), &clock);
    clock.turn_ms(1);
    call(&run, &clock, "patch", &json!({"room_id": rooms[0]["room_id"], "name": "another"}));
    let run = ready(opened(&after(), &store, &clock).unwrap(), &clock);
    filled(&run, 0);
}
