//! A store that loses sight of what it was asked.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use keyloom_run::{Answer, Problem, Program, Run};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Model, Placement, Resume, Rows, Segment, Shape, Slice, Step,
    Store, Sweep, Swept, TableId, Verdict,
};
use serde_json::json;

use super::support::{catalog, compiled, open, wait, write};

const HONEST: u8 = 0;
/// The next decision is done, but nobody hears of it, nor can look.
const DEAF: u8 = 1;
/// The next decision is not done, and nobody hears of that.
const LOST: u8 = 2;
/// Reads fail too.
const BLIND: u8 = 3;

#[derive(Default)]
struct Doubtful {
    model: Model,
    mood: Arc<AtomicU8>,
}

impl Store for Doubtful {
    fn abilities(&self) -> &Abilities {
        self.model.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        if self.mood.load(Ordering::Relaxed) == BLIND {
            return Err(Fault::NotDone("nobody answers".into()));
        }
        self.model.get(at).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.model.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.model.slice(of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        match self.mood.load(Ordering::Relaxed) {
            HONEST | BLIND => return self.model.decide(what).await,
            LOST => {}
            _ => {
                self.model.decide(what).await?;
            }
        }
        self.mood.store(BLIND, Ordering::Relaxed);
        Err(Fault::Unknown("a time-out".into()))
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.model.place(rows, together, now).await
    }
}

impl Define for Doubtful {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.model.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.model.apply(step).await
    }
}

impl Sweep for Doubtful {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.model.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.model.sweep(table, segment, from, rows_max, now).await
    }
}

fn key(number: i64) -> String {
    format!("k{number};{}", super::support::START_US / 1_000)
}

fn shop() -> (Run, Arc<AtomicU8>) {
    let store = Doubtful::default();
    let mood = store.mood.clone();
    let (run, clock) = open(store);
    // One that turns by itself is enough here.
    drop(clock);
    (run, mood)
}

#[test]
fn an_unknown_write_is_found_out_by_asking_again() {
    let (run, mood) = shop();
    let body = json!({"name": "ann", "email": "ann@x"});
    for (number, happened) in [(1, DEAF), (2, LOST)] {
        let body = json!({"name": "ann", "email": format!("{number}@x")});
        mood.store(happened, Ordering::Relaxed);
        let Ok(Answer::Unknown { token }) = write(&run, "sign_up", &body, &key(number)) else { panic!() };
        assert!(
            matches!(wait(run.outcome(keyloom_run::Caller::NOBODY, &token)), Err(Problem::Busy { .. })),
            "it can't be seen yet"
        );
        mood.store(HONEST, Ordering::Relaxed);
        let asked = wait(run.outcome(keyloom_run::Caller::NOBODY, &token)).unwrap();
        assert_eq!(matches!(asked, Answer::Applied { .. }), happened == DEAF, "{asked:?}");
        // What had not come can't come any more, neither by itself nor by a repeat.
        assert_eq!(asked == Answer::NotApplied { reason: "conflict".into() }, happened == LOST, "{asked:?}");
        let repeated = write(&run, "sign_up", &body, &key(number)).unwrap();
        assert_eq!(repeated, asked);
        assert_eq!(wait(run.outcome(keyloom_run::Caller::NOBODY, &token)).unwrap(), repeated);
        let mut forged = token.clone();
        forged.replace_range(5..6, if &token[5..6] == "A" { "B" } else { "A" });
        assert!(matches!(wait(run.outcome(keyloom_run::Caller::NOBODY, &forged)), Err(Problem::Token(_))));
    }
    assert!(matches!(write(&run, "sign_up", &body, &key(9)).unwrap(), Answer::Applied { .. }));
}

#[test]
fn an_unknown_update_is_over_when_it_is_asked_about() {
    let (run, mood) = shop();
    let Ok(Answer::Applied { key: user, .. }) =
        write(&run, "sign_up", &json!({"name": "ann", "email": "ann@x"}), &key(0))
    else {
        panic!()
    };
    mood.store(LOST, Ordering::Relaxed);
    let Ok(Answer::Unknown { token }) = write(&run, "visit", &user, &key(1)) else { panic!() };
    mood.store(HONEST, Ordering::Relaxed);
    let conflict = Answer::NotApplied { reason: "conflict".into() };
    assert_eq!(wait(run.outcome(keyloom_run::Caller::NOBODY, &token)).unwrap(), conflict);
    assert_eq!(write(&run, "visit", &user, &key(1)).unwrap(), conflict);
    assert!(matches!(write(&run, "visit", &user, &key(2)), Ok(Answer::Applied { .. })));
    assert_eq!(wait(run.outcome(keyloom_run::Caller::NOBODY, &token)).unwrap(), conflict);
}

#[test]
fn a_store_of_another_catalog_is_refused() {
    let store = Arc::new(Model::new());
    let open = |name: &str| {
        let mut catalog = catalog();
        catalog.name = name.to_owned();
        let program = Program::of(&compiled(&catalog, store.abilities())).unwrap();
        struct Still;
        impl keyloom_run::Environment for Still {
            fn now_us(&self) -> i64 {
                0
            }
            fn random(&self, bytes: &mut [u8]) {
                bytes.fill(7);
            }
        }
        wait(Run::open(program, store.clone(), Arc::new(Still)))
    };
    assert!(open("shop").is_ok() && open("shop").is_ok());
    assert!(open("store").err().unwrap().cause().contains("holds the catalog `shop`, not `store`"));
}
