//! A catalog that is run inside a program, without HTTP: the same tables, the same answers.

use std::{future::IntoFuture, pin::Pin, sync::Arc};

use keyloom_embedded::{Embedded, Options};
use keyloom_model::{Action, Catalog, Engine as EngineKind, Pattern, layout::Layout};
use keyloom_run::{Answer, Call, Caller, Environment, Inputs, Problem, Run, tenant_of, uuid7};
use keyloom_store::{Define, Fault, Store, Sweep};
use keyloom_value::{Kind, Value, to_text};
use serde_json::Value as Json;

use crate::{
    as_engine, change,
    engine::{Engine, cassandra, dynamodb},
    following::{Current, Follower, Following},
    log::Log,
    settling::Settling,
    store_address::StoreAddress,
    system::System,
    up::{Data, UpError, close, program},
};

/// A catalog over its data.
///
/// Several processes may have the same data where it lies in an engine; a folder is one process's own. While it is open, what
/// others or an earlier process left unfinished is finished in the background.
pub struct Db {
    catalog: Arc<Catalog>,
    current: Current,
    settling: Settling,
    /// Who follows the layout, where others may change it.
    follower: Option<Follower>,
    /// The store in a folder, which is stopped cleanly.
    folder: Option<Arc<Embedded>>,
}

impl Db {
    /// Opens the data and makes what tables are missing. Must be called on a runtime of tokio.
    ///
    /// # Errors
    /// When the catalog can't be run there, or the data can't be opened.
    pub async fn open(catalog: &Catalog, layout: Option<&Layout>, data: &Data<'_>) -> Result<Self, UpError> {
        match data {
            Data::Folder { path, durability } => {
                program(catalog, layout, EngineKind::Embedded)?;
                let options = Options { durability: *durability, ..Options::default() };
                let opened = Embedded::open(path, options, Arc::new(keyloom_embedded::System));
                let store = Arc::new(opened.map_err(UpError::Open)?.0);
                let failed = |fault| UpError::Store((*path).to_owned(), fault);
                let (run, _) = change::joined(catalog, layout, EngineKind::Embedded, &store, true, failed).await?;
                Ok(Self::over(Arc::new(catalog.clone()), Current::new(run), None, Some(store)))
            }
            Data::As { path, durability, engine } => {
                program(catalog, layout, *engine)?;
                let options = Options { durability: *durability, ..Options::default() };
                let opened = Embedded::open(path, options, as_engine::machine(*engine));
                let folder = Arc::new(opened.map_err(UpError::Open)?.0);
                let failed = |fault| UpError::Store((*path).to_owned(), fault);
                let store = Arc::new(as_engine::limited(&folder, *engine, Log::silent(), path).await?);
                let (run, _) = change::joined(catalog, layout, *engine, &store, true, failed).await?;
                Ok(Self::over(Arc::new(catalog.clone()), Current::new(run), None, Some(folder)))
            }
            Data::Engine(engine) => match &engine.address {
                StoreAddress::Cassandra(at) => Self::on(catalog, layout, engine, cassandra(at, engine).await).await,
                StoreAddress::DynamoDb(at) => {
                    Self::on(catalog, layout, engine, dynamodb(at, engine, catalog).await).await
                }
            },
        }
    }

    /// Over the store of an engine, where others may change the layout.
    async fn on<S: Store + Define + Sweep>(
        catalog: &Catalog,
        layout: Option<&Layout>,
        engine: &Engine,
        store: Result<S, Fault>,
    ) -> Result<Self, UpError> {
        let failed = |fault| engine.failed(fault);
        program(catalog, layout, engine.kind())?;
        let store = Arc::new(store.map_err(failed)?);
        let (run, paths) = change::joined(catalog, layout, engine.kind(), &store, false, failed).await?;
        run.begin_term().await.map_err(failed)?;
        let (catalog, current) = (Arc::new(catalog.clone()), Current::new(run));
        let follower = Follower::start(Following {
            catalog: Arc::clone(&catalog),
            engine: engine.kind(),
            paths,
            store,
            current: current.clone(),
        });
        Ok(Self::over(catalog, current, Some(follower), None))
    }

    fn over(
        catalog: Arc<Catalog>,
        current: Current,
        follower: Option<Follower>,
        folder: Option<Arc<Embedded>>,
    ) -> Self {
        // Whoever wants to know what is left asks `verify`.
        let settling = Settling::start(current.clone(), |_| {});
        Self { catalog, current, settling, follower, folder }
    }

    /// The run that calls are made on, as long as there is one.
    fn run(&self) -> Result<Arc<Run>, Problem> {
        self.follower.as_ref().map_or(Ok(()), Follower::check)?;
        Ok(self.current.run())
    }

    /// The catalog that is run.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// A call of a pattern, with its inputs as an object; it is made when it is awaited.
    ///
    /// A write that is given no key gets one of its own, so it is another request each time. Who may have to send one again,
    /// because an answer can get lost, gives it a [key](Calling::key).
    pub fn call<'a>(&'a self, pattern: &'a str, inputs: Json) -> Calling<'a, Json> {
        Calling::new(self, pattern, inputs)
    }

    /// A call of a pattern that takes several items, each with inputs of its own and an answer of its own.
    pub fn call_batch<'a>(&'a self, pattern: &'a str, items: Vec<Json>) -> Calling<'a, Vec<Json>> {
        Calling::new(self, pattern, items)
    }

    /// What became of a write whose outcome was [not known](Answer::Unknown). If it was not applied by then, it never will be.
    ///
    /// # Errors
    /// When the token was given to somebody else, or the store does not answer.
    pub async fn outcome(&self, caller: &Caller, token: &str) -> Result<Answer, Problem> {
        self.run()?.outcome(&self.known(caller)?, token).await
    }

    /// Stops cleanly. One that is dropped instead loses nothing; a folder is then opened as after a crash.
    ///
    /// # Errors
    /// When the store does not stop.
    pub async fn close(self) -> Result<(), Fault> {
        let Self { current, settling, follower, folder, .. } = self;
        settling.stop().await;
        drop(follower);
        drop(current);
        match folder {
            Some(store) => close(store).await,
            None => Ok(()),
        }
    }

    /// A caller whose tenant is written as it is kept.
    fn known(&self, caller: &Caller) -> Result<Caller, Problem> {
        let tenant = caller.tenant.as_ref().map(|tenant| tenant_of(self.catalog(), tenant)).transpose()?;
        Ok(Caller { tenant, subject: caller.subject.clone() })
    }
}

/// A call that is put together, and made when it is awaited.
#[must_use = "a call is made when it is awaited"]
pub struct Calling<'a, I> {
    db: &'a Db,
    pattern: &'a str,
    inputs: I,
    caller: Caller,
    key: Option<String>,
    sent_before: bool,
    order: Option<String>,
    limit: Option<u64>,
    cursor: Option<String>,
    seen: Vec<String>,
}

impl<'a, I> Calling<'a, I> {
    fn new(db: &'a Db, pattern: &'a str, inputs: I) -> Self {
        Self {
            db,
            pattern,
            inputs,
            caller: Caller::default(),
            key: None,
            sent_before: false,
            order: None,
            limit: None,
            cursor: None,
            seen: Vec::new(),
        }
    }

    /// Who calls: a catalog with tenants wants one, and `$caller` is the subject. Whoever it is was made sure of before.
    pub fn by(self, caller: &Caller) -> Self {
        Self { caller: caller.clone(), ..self }
    }

    /// The idempotency key of a write: a [new one](new_key), or `name;unix-ms`.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// It may have been sent before, under the same key.
    pub fn again(self) -> Self {
        Self { sent_before: true, ..self }
    }

    /// The caller has seen this row: what the answer to a [write](Answer::Applied) said. A list that follows later shows it
    /// then. Up to 8 of these are taken.
    pub fn seen(mut self, seen: impl Into<String>) -> Self {
        self.seen.push(seen.into());
        self
    }

    /// The key that it goes by, if it is a write: the caller's own, or a new one.
    fn key_of(&self, pattern: &Pattern) -> Option<String> {
        // What happens once per its fields has them for a key.
        let wants_one = matches!(pattern.action, Action::Write(_)) && pattern.once_per.is_empty();
        self.key.clone().or_else(|| wants_one.then(new_key))
    }

    fn pattern<'r>(&self, run: &'r Run) -> Result<&'r Pattern, Problem> {
        let found = run.pattern(self.pattern);
        found.ok_or_else(|| Problem::Input(format!("there is no pattern `{}`", self.pattern)))
    }

    fn inputs(&self, run: &Run, pattern: &Pattern, caller: &Caller, inputs: &Json) -> Result<Inputs, Problem> {
        let inputs = run.inputs_from_object(pattern, caller, inputs)?;
        let seen: Vec<&str> = self.seen.iter().map(String::as_str).collect();
        let inputs = run.having_seen(inputs, &seen)?;
        Ok(if self.sent_before { inputs.sent_before() } else { inputs })
    }
}

impl Calling<'_, Json> {
    /// The order of a list that has several; the first one unless stated.
    pub fn order(self, order: impl Into<String>) -> Self {
        Self { order: Some(order.into()), ..self }
    }

    /// At most so many rows.
    pub fn limit(self, limit: u64) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Where a page goes on: what the page before said of its `next` or `previous`.
    pub fn cursor(self, cursor: impl Into<String>) -> Self {
        Self { cursor: Some(cursor.into()), ..self }
    }

    async fn made(self) -> Result<Answer, Problem> {
        let run = self.db.run()?;
        let pattern = self.pattern(&run)?;
        let key = self.key_of(pattern);
        let inputs = self.inputs(&run, pattern, &self.db.known(&self.caller)?, &self.inputs)?;
        let call = Call {
            pattern: self.pattern,
            inputs,
            key: key.as_deref(),
            order: self.order.as_deref(),
            limit: self.limit,
            cursor: self.cursor.as_deref(),
        };
        run.call(&call).await
    }
}

impl Calling<'_, Vec<Json>> {
    async fn made(self) -> Result<Vec<Result<Answer, Problem>>, Problem> {
        let run = self.db.run()?;
        let pattern = self.pattern(&run)?;
        let caller = self.db.known(&self.caller)?;
        let items = self.inputs.iter().map(|inputs| self.inputs(&run, pattern, &caller, inputs));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        if let Action::Read(_) = pattern.action {
            let rows = run.get_batch(self.pattern, &items).await?;
            return Ok(rows.into_iter().map(|row| Ok(row.unwrap_or(Answer::NoRow))).collect());
        }
        let key = self.key_of(pattern);
        run.write_batch(self.pattern, items, key.as_deref()).await
    }
}

/// What a call becomes when it is awaited.
type Made<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

impl<'a> IntoFuture for Calling<'a, Json> {
    type Output = Result<Answer, Problem>;
    type IntoFuture = Made<'a, Answer>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.made())
    }
}

impl<'a> IntoFuture for Calling<'a, Vec<Json>> {
    type Output = Result<Vec<Result<Answer, Problem>>, Problem>;
    type IntoFuture = Made<'a, Vec<Result<Answer, Problem>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.made())
    }
}

/// A new idempotency key: a uuid of version 7.
pub fn new_key() -> String {
    let mut random = [0; 10];
    System.random(&mut random);
    let uuid = Value::Uuid(uuid7(System.now_us().div_euclid(1_000), random));
    // Every uuid has a text.
    to_text(&uuid, &Kind::Uuid7).unwrap_or_default()
}
