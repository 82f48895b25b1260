//! Two tenants with the same ids, the same keys and the same values: neither sees or changes anything of the other's.

use std::sync::Arc;

use keyloom_design::design;
use keyloom_finding::Sources;
use keyloom_model::Engine;
use keyloom_plan::Program as Planned;
use keyloom_run::{Answer, Call, Caller, Credential, Holder, Problem, Program, Role, Run};
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::{Define, Model, Store, Sweep};
use keyloom_text::{Files, Unreadable};
use serde_json::{Value as Json, json};

use crate::support::clock::Turned;

const CATALOG: &str = "
language: 1
catalog: desks
tenant: { field: firm, type: text(2..20), count: 2, busiest: 50% }
entities:
  Desk:
    key: [desk_id]
    fields: { desk_id: uuid = new, name: text(4..20), owner: text(4..20) }
    unique: { name_taken: name }
    volume: { rows: 10 }
    groups: { owner: 5 / 5 / 10 }
  Card:
    key: [desk_id, number]
    fields: { desk_id: uuid -> Desk, number: int, words: text(4..20) }
    volume: { rows: 100 }
    groups: { desk_id: 5 / 5 / 10 }
  Rules:
    key: none
    fields: { words: text(4..20), changes: int = 0 }
    volume: { rows: 2 }
patterns:
  set_rules: { update: Rules, set: { words: $words, changes: changes + 1 }, or_create: true, rate: rare }
  rules: { get: Rules, rate: rare }
  all_rules: { list: Rules, by: all, page: 5, rate: rare }
  drop_rules: { delete: Rules, rate: rare }
  add_desk: { create: Desk, takes: [desk_id, name], set: { owner: $caller }, rate: rare }
  get_desk: { get: Desk, by: [desk_id], rate: rare }
  find_desk: { get: Desk, by: [name], returns: [desk_id, owner], rate: rare }
  rename: { update: Desk, by: [desk_id], set: { name: $name }, if: owner = $caller else not_yours, rate: rare }
  my_desks: { list: Desk, by: [owner = $caller], order: name asc, page: 1, rate: rare }
  add_card: { create: Card, takes: [desk_id, number, words], rate: rare }
  cards: { list: Card, by: [desk_id], order: number asc, page: 1, returns: [number, words, desk.name], rate: rare }
";

struct Text;

impl Files for Text {
    fn open(&self, _: &str) -> Result<String, Unreadable> {
        Ok(CATALOG.to_owned())
    }
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn open<S: Store + Define + Sweep>(store: S) -> Run {
    let reading = keyloom_text::read("catalog.yaml", &Text, &mut Sources::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    let layout = design(&reading.catalog, Engine::Embedded, store.abilities());
    let planned = Planned::compile(&reading.catalog, &layout, store.abilities());
    let program = Program::of(&planned).unwrap_or_else(|words| panic!("{words:?}"));
    let clock = Arc::new(Turned::new());
    wait(Run::open(program, Arc::new(store), clock)).unwrap()
}

fn stores() -> [Run; 3] {
    [open(Model::new()), open(AtOnce::new(1, WideStore::new)), open(AtOnce::new(1, ItemStore::new))]
}

fn caller(tenant: &str, subject: &str) -> Caller {
    Caller { tenant: Some(tenant.to_owned()), subject: Some(subject.to_owned()) }
}

fn write(run: &Run, caller: &Caller, pattern: &str, body: &Json, key: u64) -> Answer {
    let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), caller, body).unwrap();
    let key = format!("{key};1794735000000");
    let call = Call { pattern, inputs, key: Some(&key), order: None, limit: None, cursor: None };
    wait(run.call(&call)).unwrap()
}

fn read(run: &Run, caller: &Caller, pattern: &str, body: &Json, cursor: Option<&str>) -> Result<Answer, Problem> {
    let inputs = run.inputs_from_object(run.pattern(pattern).unwrap(), caller, body)?;
    wait(run.call(&Call { pattern, inputs, key: None, order: None, limit: None, cursor }))
}

fn row(run: &Run, caller: &Caller, pattern: &str, body: &Json) -> Option<Json> {
    match read(run, caller, pattern, body, None).unwrap() {
        Answer::Row { row, .. } => Some(row.json()),
        Answer::NoRow => None,
        other => panic!("{other:?}"),
    }
}

const DESK: &str = "00000001-0000-4000-8000-000000000000";

#[test]
fn what_is_equal_for_two_tenants_stays_apart() {
    for run in stores() {
        let (ann, ben) = (caller("acme", "ann"), caller("bolt", "ann"));
        for who in [&ann, &ben] {
            let added = write(&run, who, "add_desk", &json!({"desk_id": DESK, "name": "first"}), 1);
            assert!(matches!(added, Answer::Applied { .. }), "{added:?}");
            for number in 1..=2 {
                let card = json!({"desk_id": DESK, "number": number, "words": who.tenant});
                assert!(matches!(write(&run, who, "add_card", &card, 2 + number), Answer::Applied { .. }));
            }
        }
        let renamed = write(&run, &ben, "rename", &json!({"desk_id": DESK, "name": "other"}), 9);
        assert!(matches!(renamed, Answer::Applied { .. }), "{renamed:?}");
        assert_eq!(row(&run, &ann, "get_desk", &json!({"desk_id": DESK})).unwrap()["name"], "first");
        assert_eq!(row(&run, &ben, "get_desk", &json!({"desk_id": DESK})).unwrap()["name"], "other");
        assert!(row(&run, &ann, "find_desk", &json!({"name": "first"})).is_some());
        assert!(row(&run, &ann, "find_desk", &json!({"name": "other"})).is_none());
        assert!(row(&run, &ben, "find_desk", &json!({"name": "first"})).is_none());
        let Ok(Answer::Rows { rows, next: Some(next), .. }) =
            read(&run, &ann, "cards", &json!({"desk_id": DESK}), None)
        else {
            panic!("there are two pages")
        };
        assert_eq!([rows[0].json()], [json!({"number": 1, "words": "acme", "desk": {"name": "first"}})]);
        let others = read(&run, &ben, "cards", &json!({"desk_id": DESK}), Some(&next));
        assert!(matches!(others, Err(Problem::Cursor(_))), "{others:?}");
        assert!(read(&run, &ann, "cards", &json!({"desk_id": DESK}), Some(&next)).is_ok());
    }
}

#[test]
fn each_tenant_has_a_row_that_is_its_only_one() {
    for run in stores() {
        let (ann, ben) = (caller("acme", "ann"), caller("bolt", "ann"));
        for who in [&ann, &ben] {
            let set = write(&run, who, "set_rules", &json!({"words": who.tenant}), 1);
            assert!(matches!(set, Answer::Applied { .. }), "{set:?}");
        }
        let Ok(Answer::Rows { rows, .. }) = read(&run, &ben, "all_rules", &json!({}), None) else { panic!("a list") };
        assert_eq!(
            rows.iter().map(keyloom_run::Shown::json).collect::<Vec<_>>(),
            [json!({"words": "bolt", "changes": 1})]
        );
        assert!(matches!(write(&run, &ben, "drop_rules", &json!({}), 2), Answer::Applied { .. }));
        assert_eq!(row(&run, &ann, "rules", &json!({})), Some(json!({"words": "acme", "changes": 1})));
        assert_eq!(row(&run, &ben, "rules", &json!({})), None);
    }
}

#[test]
fn the_same_key_of_two_callers_is_two_requests() {
    for run in stores() {
        let (ann, eve) = (caller("acme", "ann"), caller("acme", "eve"));
        let Answer::Applied { key: first, .. } = write(&run, &ann, "add_desk", &json!({"name": "first"}), 1) else {
            panic!("it is new")
        };
        let Answer::Applied { key: second, .. } = write(&run, &eve, "add_desk", &json!({"name": "second"}), 1) else {
            panic!("it is new, too")
        };
        assert_ne!(first, second);
        let refused = write(&run, &eve, "rename", &json!({"desk_id": first["desk_id"], "name": "mine"}), 2);
        assert_eq!(refused, Answer::NotApplied { reason: "not_yours".into() });
        let Ok(Answer::Rows { rows, .. }) = read(&run, &eve, "my_desks", &json!({}), None) else { panic!("a page") };
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].json()["name"], "second");
    }
}

#[test]
fn who_shows_no_tenant_is_not_let_in() {
    let run = open(Model::new());
    for who in [Caller::default(), Caller { tenant: None, ..caller("acme", "ann") }] {
        let refused = read(&run, &who, "get_desk", &json!({"desk_id": DESK}), None);
        assert!(matches!(refused, Err(Problem::Caller(_))), "{refused:?}");
    }
    let nobody = Caller { subject: None, ..caller("acme", "ann") };
    let refused = read(&run, &nobody, "my_desks", &json!({}), None);
    assert!(matches!(&refused, Err(Problem::Caller(words)) if words.contains("subject")), "{refused:?}");
}

#[test]
fn a_tenant_can_not_be_named_by_a_request() {
    let run = open(Model::new());
    let body = json!({"desk_id": DESK, "firm": "bolt"});
    let refused = read(&run, &caller("acme", "ann"), "get_desk", &body, None);
    assert!(matches!(&refused, Err(Problem::Input(words)) if words.contains("no input `firm`")), "{refused:?}");
}

#[test]
fn keys_are_known_until_they_are_revoked() {
    for run in stores() {
        assert!(!wait(run.has_keys()).unwrap());
        let shown = |letter: &str| Credential::read(&format!("kl_{}A", letter.repeat(42))).unwrap();
        let holder = |subject: &str, role, tenant: Option<&str>| Holder {
            subject: subject.to_owned(),
            role,
            tenant: tenant.map(str::to_owned),
        };
        let (ann, ops) = (shown("a"), shown("b"));
        let added = wait(run.add_key(ann.hash(), holder("ann", Role::Client, Some("acme")))).unwrap();
        wait(run.add_key(ops.hash(), holder("ops", Role::Operator, None))).unwrap();
        assert!(wait(run.has_keys()).unwrap());
        assert_eq!(wait(run.find_key(&ann.hash())).unwrap(), Some(added.clone()));
        assert_eq!(wait(run.find_key(&shown("c").hash())).unwrap(), None);
        // Who knows the id of a key, and not the rest, knows nothing.
        let mut alike = *ann.hash().bytes();
        alike[31] ^= 1;
        assert_eq!(wait(run.find_key(&keyloom_run::Hash::of_bytes(&alike).unwrap())).unwrap(), None);
        assert!(wait(run.add_key(keyloom_run::Hash::of_bytes(&alike).unwrap(), added.holder.clone())).is_err());
        assert_eq!(
            wait(run.add_key(ann.hash(), added.holder.clone())).unwrap(),
            added,
            "added once, however often it is sent"
        );

        let revoked = wait(run.revoke_key(&ann.hash().id())).unwrap().unwrap();
        assert!(revoked.revoked_us.is_some());
        assert_eq!(wait(run.find_key(&ann.hash())).unwrap().unwrap().revoked_us, revoked.revoked_us);
        assert_eq!(wait(run.revoke_key(&ann.hash().id())).unwrap().unwrap(), revoked, "again is the same");
        assert_eq!(wait(run.revoke_key("000000000000")).unwrap(), None);
        let keys = wait(run.keys()).unwrap();
        assert_eq!(keys.len(), 2);
        wait(run.revoke_key(&ops.hash().id())).unwrap();
        assert!(wait(run.has_keys()).unwrap(), "revoking the last one opens nothing");

        for (subject, role, tenant) in [
            ("ann", Role::Client, None),
            ("ann", Role::Client, Some("a firm with too long a name")),
            ("ann", Role::Client, Some("")),
            ("ann", Role::Client, Some("ac\nme")),
            ("", Role::Worker, None),
            ("ann", Role::Worker, Some("acme")),
        ] {
            let refused = wait(run.add_key(shown("c").hash(), holder(subject, role, tenant)));
            assert!(matches!(refused, Err(Problem::Input(_))), "{subject} {role:?} {tenant:?}: {refused:?}");
        }
        assert_eq!(wait(run.keys()).unwrap().len(), 2);
    }
}
