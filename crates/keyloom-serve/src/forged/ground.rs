//! What forged requests are sent to: a real store in a folder, two tenants with rows of the same ids, keys, cursors and tokens.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use keyloom_embedded::{Embedded, Options};
use keyloom_model::{Catalog, Engine};
use keyloom_run::{Credential, Environment, Holder, Role, Run};
use keyloom_store::{
    Abilities, Decision, Define, Fault, Get, Got, Millis, Placement, Resume, Rows, Segment, Shape, Slice, Step, Store,
    Sweep, Swept, TableId, Verdict,
};
use keyloom_text::{Files, Unreadable, read};
use keyloom_value::{
    Kind, Value,
    key::{Part, encode},
};
use serde_json::{Value as Json, json};
use tokio::sync::Semaphore;

use crate::{
    control::Control,
    door::Door,
    following::Current,
    handle::{Local, Served},
    log::{Log, Logging},
    metrics::Metrics,
    query::encoded,
    system::System,
    up::program,
    watch::{first_request, watched},
};

/// Stands in every row of the victim's, and nowhere else.
pub(super) const MARK: &str = "secret-of-acme";
/// How many rows each tenant has.
const DESKS: usize = 8;

const CATALOG: &str = "
language: 1
catalog: desks
tenant: { field: firm, type: text(2..20), count: 2, busiest: 50% }
entities:
  Desk:
    key: [desk_id]
    fields: { desk_id: text(4..200), name: text(4..40), owner: text(4..20) }
    unique: { name_taken: name }
    volume: { rows: 10 }
    groups: { owner: 5 / 5 / 10 }
  Card:
    key: [desk_id, number]
    fields: { desk_id: text(4..200) -> Desk, number: int, words: text(4..20) }
    volume: { rows: 100 }
    groups: { desk_id: 5 / 5 / 10 }
patterns:
  add_desk: { create: Desk, takes: [desk_id, name], set: { owner: $caller }, rate: rare }
  get_desk: { get: Desk, by: [desk_id], rate: rare }
  get_desks: { get: Desk, by: [desk_id], batch: 10, rate: rare }
  find_desk: { get: Desk, by: [name], rate: rare }
  rename: { update: Desk, by: [desk_id], set: { name: $name }, if: owner = $caller else not_yours, rate: rare }
  rename_all: { update: Desk, by: [desk_id], set: { name: $name }, batch: 10, rate: rare }
  my_desks: { list: Desk, by: [owner = $caller], order: name asc, page: 100, rate: rare }
  add_card: { create: Card, takes: [desk_id, number, words], rate: rare }
  cards: { list: Card, by: [desk_id], order: number asc, page: 1, rate: rare }
";

/// Numbers that follow from a seed.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A request that is yet to be sent.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    method: &'static str,
    uri: String,
    headers: Vec<(String, String)>,
    body: Option<Json>,
}

impl Ask {
    pub(super) fn raw(method: &'static str, uri: &str) -> Self {
        Self { method, uri: uri.to_owned(), headers: Vec::new(), body: None }
    }

    pub(super) fn get(pattern: &str, query: &[(&str, &str)]) -> Self {
        let query: Vec<String> =
            query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        Self::raw("GET", &format!("/v1/{pattern}?{}", query.join("&")))
    }

    pub(super) fn post(pattern: &str, body: Json, number: u64) -> Self {
        let key = format!("forged-{number};{}", System.now_us() / 1_000);
        Self::raw("POST", &format!("/v1/{pattern}")).header("idempotency-key", &key).body(body)
    }

    pub(super) fn body(self, body: Json) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }
}

/// A served catalog with two tenants: acme is the victim.
pub(super) struct Ground {
    served: Arc<Served>,
    /// Of acme; and another subject there.
    pub(super) ann: String,
    pub(super) mallory: String,
    /// Of bolt, twice.
    pub(super) eve: String,
    pub(super) eve_too: String,
    pub(super) worker: String,
    pub(super) operator: String,
    /// One of ann's that was revoked.
    pub(super) revoked: String,
    /// Of the data folder.
    pub(super) secret: String,
    /// The same ids for both tenants.
    pub(super) desks: Vec<String>,
    /// What ann's rows are called.
    pub(super) names: Vec<String>,
    /// Of ann's second pages, one for each desk.
    pub(super) cursors: Vec<String>,
    /// Of ann's writes whose outcome was not known.
    pub(super) tokens: Vec<String>,
}

impl Ground {
    pub(super) async fn new(folder: &Path) -> Self {
        let catalog = catalog();
        let program = program(&catalog, None, Engine::Embedded).unwrap();
        let (store, _) = Embedded::open(folder, Options::default(), Arc::new(keyloom_embedded::System)).unwrap();
        let store = Arc::new(store);
        let shaky =
            Arc::new(Shaky { store: Arc::clone(&store), armed: AtomicBool::new(false), down: AtomicBool::new(false) });
        let current = Current::new(Run::open(program, Arc::clone(&shaky), Arc::new(System)).await.unwrap());
        let run = current.run();
        let mut secret = [0; 32];
        System.random(&mut secret);
        let control = Control::new(SocketAddr::from(([127, 0, 0, 1], 1)), secret);
        let secret = control.secret.clone();
        let served = Served {
            door: Door::new(Arc::clone(&run), true, None),
            current,
            turns: Semaphore::new(8),
            log: Log::new(Logging {
                write: |line| assert!(!line.contains("kl_"), "{line}"),
                for_people: false,
                calls: true,
            }),
            metrics: Arc::new(Metrics::new(&run, None)),
            requests: first_request(),
            stopping: AtomicBool::new(false),
            local: Some(Local { store, control }),
            loopback_only: true,
            address: "http://127.0.0.1:1".to_owned(),
        };
        let desks = (0..DESKS).map(|number| format!("desk-{number}")).collect();
        let mut ground = Self {
            served: Arc::new(served),
            ann: add(&run, "ann", Role::Client, Some("acme")).await,
            mallory: add(&run, "mallory", Role::Client, Some("acme")).await,
            eve: add(&run, "eve", Role::Client, Some("bolt")).await,
            eve_too: add(&run, "ann", Role::Client, Some("bolt")).await,
            worker: add(&run, "nightly", Role::Worker, None).await,
            operator: add(&run, "ops", Role::Operator, None).await,
            revoked: add(&run, "ann", Role::Client, Some("acme")).await,
            secret,
            desks,
            names: Vec::new(),
            cursors: Vec::new(),
            tokens: Vec::new(),
        };
        let hash = Credential::read(&ground.revoked).unwrap().hash();
        assert!(run.revoke_key(&hash.id()).await.unwrap().unwrap().revoked_us.is_some());
        ground.fill(&shaky).await;
        ground
    }

    async fn fill(&mut self, shaky: &Shaky) {
        let mut number = 1 << 40;
        for (key, firm) in [(self.ann.clone(), MARK), (self.eve.clone(), "of-bolt")] {
            for (at, desk) in self.desks.clone().iter().enumerate() {
                let name = format!("{firm}-{at}");
                let mut asks = vec![("add_desk", json!({"desk_id": desk, "name": name}))];
                asks.extend((0..3).map(|card| ("add_card", json!({"desk_id": desk, "number": card, "words": firm}))));
                for (pattern, body) in asks {
                    number += 1;
                    let (status, said) = self.send(&Ask::post(pattern, body, number).key(&key)).await;
                    assert_eq!(status, 200, "{said}");
                }
                if firm == MARK {
                    self.names.push(name);
                    let page = self.send(&Ask::get("cards", &[("desk_id", desk)]).key(&key)).await.1;
                    let page: Json = serde_json::from_str(&page).unwrap();
                    self.cursors.push(page["next"].as_str().unwrap().to_owned());
                }
            }
        }
        for at in 0..DESKS {
            number += 1;
            let name = format!("{MARK}-{number}");
            shaky.armed.store(true, Ordering::Relaxed);
            let body = json!({"desk_id": self.desks[at], "name": name});
            let (status, said) = self.send(&Ask::post("rename", body, number).key(&self.ann)).await;
            shaky.down.store(false, Ordering::Relaxed);
            assert_eq!(status, 202, "{said}");
            let said: Json = serde_json::from_str(&said).unwrap();
            self.tokens.push(said["token"].as_str().unwrap().to_owned());
            self.names[at] = name;
        }
    }

    /// Sends a request, and answers with the status and the body.
    pub(super) async fn send(&self, ask: &Ask) -> (u16, String) {
        let mut request = Request::builder().method(ask.method).uri(&ask.uri).header("host", "127.0.0.1");
        for (name, value) in &ask.headers {
            request = request.header(name, value.as_bytes());
        }
        let body = ask.body.as_ref().map_or(Body::empty(), |body| Body::from(body.to_string()));
        // What is no request at all is refused by the server's own parser.
        let Ok(request) = request.body(body) else { return (400, String::new()) };
        let response = watched(&self.served, request, &crate::patience::Unhurried::default()).await;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(!body.contains("kl_") || status == 401, "no answer repeats a key: {body}");
        (status, body)
    }

    /// What the victim's row is called, as the victim sees it.
    pub(super) async fn name_of(&self, desk: usize) -> String {
        let (_, body) = self.send(&Ask::get("get_desk", &[("desk_id", &self.desks[desk])]).key(&self.ann)).await;
        let row: Json = serde_json::from_str(&body).unwrap();
        row["row"]["name"].as_str().unwrap().to_owned()
    }

    /// The ids of all rows that the victim's subject owns.
    pub(super) async fn rows_of_victim(&self) -> Vec<String> {
        let (_, body) = self.send(&Ask::get("my_desks", &[]).key(&self.ann)).await;
        let page: Json = serde_json::from_str(&body).unwrap();
        let rows = page["rows"].as_array().unwrap();
        let mut ids: Vec<String> = rows.iter().map(|row| row["desk_id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }
}

async fn add(run: &Run, subject: &str, role: Role, tenant: Option<&str>) -> String {
    let credential = Credential::new(&System);
    let holder = Holder { subject: subject.to_owned(), role, tenant: tenant.map(str::to_owned) };
    run.add_key(credential.hash(), holder).await.unwrap();
    credential.show()
}

/// What somebody would show who has read the table of keys.
pub(super) fn hash_as_key(key: &str) -> String {
    format!("kl_{}", URL_SAFE_NO_PAD.encode(Credential::read(key).unwrap().hash().bytes()))
}

/// The bytes of another tenant's key, as far as they are text.
pub(super) fn encoded_key(tenant: &str, id: &str) -> String {
    let parts = [Part::ascending(Kind::Text), Part::ascending(Kind::Text)];
    let bytes = encode(&[Value::from(tenant), Value::from(id)], &parts).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn catalog() -> Catalog {
    struct Desks;
    impl Files for Desks {
        fn open(&self, _: &str) -> Result<String, Unreadable> {
            Ok(CATALOG.to_owned())
        }
    }
    let reading = read("catalog.yaml", &Desks, &mut Default::default());
    assert!(reading.findings.is_empty(), "{:#?}", reading.findings);
    reading.catalog
}

/// A store whose next decision has no answer, and which says nothing more until it is up again.
struct Shaky {
    store: Arc<Embedded>,
    armed: AtomicBool,
    down: AtomicBool,
}

impl Store for Shaky {
    fn abilities(&self) -> &Abilities {
        self.store.abilities()
    }

    async fn get(&self, at: Get<'_>) -> Result<Got, Fault> {
        if self.down.load(Ordering::Relaxed) {
            return Err(Fault::NotDone("it is down".into()));
        }
        self.store.get(at).await
    }

    async fn get_many(&self, at: &[Get<'_>]) -> Vec<Result<Got, Fault>> {
        self.store.get_many(at).await
    }

    async fn slice(&self, of: Slice<'_>) -> Result<Rows, Fault> {
        self.store.slice(of).await
    }

    async fn decide(&self, what: Decision<'_>) -> Result<Verdict, Fault> {
        let decided = self.store.decide(what).await;
        if self.armed.swap(false, Ordering::Relaxed) {
            self.down.store(true, Ordering::Relaxed);
            return Err(Fault::Unknown("nobody heard the answer".into()));
        }
        decided
    }

    async fn place(&self, rows: &[Placement<'_>], together: bool, now: Millis) -> Result<(), Fault> {
        self.store.place(rows, together, now).await
    }
}

impl Define for Shaky {
    async fn describe(&self) -> Result<Vec<(TableId, Arc<Shape>)>, Fault> {
        self.store.describe().await
    }

    async fn apply(&self, step: &Step) -> Result<(), Fault> {
        self.store.apply(step).await
    }
}

impl Sweep for Shaky {
    async fn segments(&self, table: TableId, parts: u32) -> Result<Vec<Segment>, Fault> {
        self.store.segments(table, parts).await
    }

    async fn sweep(
        &self,
        table: TableId,
        segment: &Segment,
        from: Option<&Resume>,
        rows_max: u32,
        now: Millis,
    ) -> Result<Swept, Fault> {
        self.store.sweep(table, segment, from, rows_max, now).await
    }
}
