//! A catalog on several processes, and clients who ask what a script says.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use keyloom_model::{Action, Catalog, WriteVerb};
use keyloom_run::{Answer, Call, Caller, Export, Problem, Run, SEEN_MAX, Shown};
use keyloom_store::{BoxFuture, Define, Store, Sweep};
use serde_json::{Value as Json, json};

use crate::{
    generate::{Generator, entity_of},
    ground::{Ended, Ground, Served, Watched, together},
    growth::Growth,
    history::{Asked, Attempt, End, History, Looked, Moments, Presented, Quiet, Seen},
    script::{Script, Step, Try, What},
};

/// How many rows of pages are read before a list is taken to have no end.
const PAGES_MAX: usize = 200;
/// How late an index of the item store is at most, and a little more.
const LAG_MS: u64 = 2_500;
/// How often marks are settled when it is quiet.
const PASSES_MAX: usize = 60;
/// Time that passes in the quiet, so that rows end; requests may still be repeated then.
const LONG_MS: u64 = 2 * 3_600_000;
/// The same where something follows when rows end, as most of them do in it.
const ENDS_MS: u64 = 60_000;

pub(crate) struct World<'a, G, S> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) ground: G,
    /// Who serves at each place now.
    runs: RefCell<Vec<Arc<Run>>>,
    pub(crate) store: Arc<S>,
    /// After so long whoever settles sees to a mark.
    due_ms: u64,
    /// When the pass began in which nothing was left to settle.
    settled_us: Cell<i64>,
    /// How the layout changes meanwhile, if it does.
    pub(crate) growth: Option<Growth<'a>>,
    pub(crate) history: RefCell<History>,
    /// The version that somebody last saw of a row, by entity and key.
    versions: RefCell<BTreeMap<String, u64>>,
    /// What each client was told to present; nothing where lists show all that was answered.
    presented: Option<RefCell<BTreeMap<usize, Vec<Presented>>>>,
}

impl<'a, G: Ground, S: Store + Define + Sweep> World<'a, G, S> {
    pub(crate) fn new(
        catalog: &'a Catalog,
        ground: G,
        runs: Vec<Arc<Run>>,
        store: Arc<S>,
        due_ms: u64,
        presents: bool,
    ) -> Self {
        Self {
            catalog,
            ground,
            runs: RefCell::new(runs),
            store,
            due_ms,
            settled_us: Cell::default(),
            growth: None,
            history: RefCell::default(),
            versions: RefCell::default(),
            presented: presents.then(RefCell::default),
        }
    }

    /// The places at which somebody serves.
    pub(crate) fn servers(&self) -> std::ops::Range<usize> {
        0..self.runs.borrow().len()
    }

    /// Who serves at a place now.
    pub(crate) fn run(&self, place: usize) -> Arc<Run> {
        self.runs.borrow()[place].clone()
    }

    /// Another one serves there from now on.
    pub(crate) fn replace(&self, place: usize, run: Run) {
        self.runs.borrow_mut()[place] = Arc::new(run);
    }

    /// Everything that the script says, and a look at what is there when it is quiet.
    pub(crate) fn live(&self, script: &Script, generator: &mut Generator<'a>, thorough: bool) -> Result<(), String> {
        for step in &script.opening {
            self.ground.block_on(self.take(0, step))?;
        }
        self.begin_terms()?;
        self.ground.rough();
        self.ground.block_on(self.side_by_side(&script.clients))?;
        self.ground.quiet()?;
        self.grown()?;
        self.settle_all()?;
        self.touch_all()?;
        self.compare_grown()?;
        self.remember()?;
        self.look(generator, thorough)?;
        let retries = self.catalog.retries.map_or(u64::MAX, keyloom_model::TimeSpan::milliseconds);
        if self.run(0).follows_ends() {
            // Marks lie in the time that passes, and all of it is read.
            self.ground.pass(ENDS_MS)?;
        } else {
            self.ground.pass(LONG_MS.min(retries / 2))?;
            self.ground.block_on(self.run(0).settle_from_here())?.map_err(|problem| format!("settling: {problem}"))?;
        }
        for step in &script.tail {
            self.ground.block_on(self.take(0, step))?;
        }
        self.settle_all()?;
        self.remember()?;
        self.look(generator, thorough)
    }

    /// All clients at once, while somebody settles what is left behind.
    async fn side_by_side(&self, clients: &[Vec<Step>]) {
        let living = Cell::new(clients.len());
        let mut all: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        for (number, steps) in clients.iter().enumerate() {
            let living = &living;
            all.push(Box::pin(async move {
                for step in steps {
                    self.ground.sleep(step.wait_ms).await;
                    self.take(number + 1, step).await;
                }
                living.set(living.get() - 1);
            }));
        }
        all.push(Box::pin(async {
            let mut pass = 0;
            while living.get() > 0 {
                pass += 1;
                self.ground.sleep(20 + (pass * 137) % 380).await;
                self.settle_somewhere(usize::try_from(pass).unwrap_or(0)).await;
            }
        }));
        all.extend(self.growth.iter().map(|growth| Box::pin(self.grow(growth, &living)) as Pin<Box<_>>));
        together(all).await;
    }

    /// A pass on a process that may sleep or die, or on a machine of its own that does not.
    async fn settle_somewhere(&self, pass: usize) {
        let server = pass % self.servers().len();
        let run = self.run(server);
        if pass.is_multiple_of(5) {
            let settle = async move { run.settle().await.map(|_| Vec::new()) };
            if let Ended::Crashed = self.ground.day().serve(server, 20_000, Box::pin(settle)).await {
                self.run(server).forget_all();
            }
        } else {
            drop(run.settle().await);
        }
    }

    /// Settles until nothing is left.
    fn settle_all(&self) -> Result<(), String> {
        for _ in 0..PASSES_MAX {
            // No index is later than that when nothing is left.
            let lag_ms = if self.presented.is_some() { LAG_MS } else { 0 };
            self.ground.pass(self.due_ms.max(lag_ms))?;
            self.settled_us.set(self.ground.now_us());
            let pass = self.ground.block_on(self.run(0).settle())?.map_err(|problem| format!("settling: {problem}"))?;
            if pass.settled == 0 && pass.left == 0 {
                return Ok(());
            }
        }
        Err("marks are never settled".into())
    }

    async fn take(&self, client: usize, step: &Step) {
        match &step.what {
            What::Write { key, tries } => self.write(client, step, key, tries).await,
            What::Read { server, order, limit, back } => {
                let asking =
                    Asking { server: *server, order: order.as_deref(), limit: *limit, back: *back, presented: &[] };
                let looked = self.read(client, step.number, &step.pattern, &step.caller, &step.bodies, asking).await;
                self.history.borrow_mut().looked.extend(looked);
            }
        }
    }

    async fn write(&self, client: usize, step: &Step, key: &str, tries: &[Try]) {
        let bodies: Vec<Json> = step.bodies.iter().map(|body| self.with_versions(step, body)).collect();
        let first = self.history.borrow().asked.len();
        for (at, body) in bodies.iter().enumerate() {
            let number = bodies[..at].iter().filter(|other| *other == body).count();
            self.history.borrow_mut().asked.push(Asked {
                step: step.number,
                client,
                pattern: step.pattern.clone(),
                caller: step.caller.clone(),
                body: body.clone(),
                key: key.to_owned(),
                made: self.made(step, body, key),
                number: u32::try_from(number).unwrap_or(u32::MAX),
                attempts: Vec::new(),
                moments: Moments::default(),
                remembered: Vec::new(),
            });
        }
        let all = first..first + bodies.len();
        for attempt in tries {
            let over = |at: usize| is_over(&self.history.borrow().asked[at]);
            if !attempt.anyway && all.clone().all(over) {
                break;
            }
            let is_repeat = !self.history.borrow().asked[first].attempts.is_empty();
            let call = self.call(attempt.server, step, &bodies, key, is_repeat);
            let ends = self.serve(attempt, false, call, all.clone()).await;
            for (at, end) in all.clone().zip(ends) {
                if let End::Answered(Ok(Answer::Unknown { token })) = end
                    && attempt.asks
                {
                    let (run, caller) = (self.run(attempt.server), step.caller.clone());
                    let question = async move { Ok(vec![run.outcome(&caller, &token).await]) };
                    self.serve(attempt, true, Box::pin(question), at..at + 1).await;
                }
            }
        }
        for at in all {
            self.saw(at, &step.pattern);
            self.told(at);
        }
    }

    /// Keeps what the client of a write was told to present.
    fn told(&self, at: usize) {
        let history = self.history.borrow();
        let asked = &history.asked[at];
        let told = asked.answers().find_map(|(_, answer)| match answer {
            Ok(Answer::Applied { key, seen: Some(seen), .. }) => Some((key.clone(), seen.clone())),
            _ => None,
        });
        let entity = self.catalog.pattern(&asked.pattern).and_then(entity_of);
        let (Some(presented), Some((key, text)), Some(entity)) = (&self.presented, told, entity) else { return };
        let new = Presented { step: asked.step, caller: asked.caller.clone(), entity: entity.to_owned(), key, text };
        let mut presented = presented.borrow_mut();
        let own = presented.entry(asked.client).or_default();
        own.retain(|known| (&known.caller, &known.entity, &known.key) != (&new.caller, &new.entity, &new.key));
        own.push(new);
    }

    /// What a client presents when it calls as this one: the newest of what it was told.
    fn presents(&self, client: usize, caller: &Caller) -> Option<Vec<Presented>> {
        let presented = self.presented.as_ref()?.borrow();
        let own = presented.get(&client).into_iter().flatten().rev().filter(|known| known.caller == *caller);
        Some(own.take(SEEN_MAX).cloned().collect())
    }

    /// The key that the server gives to a new row.
    fn made(&self, step: &Step, body: &Json, key: &str) -> Option<Json> {
        let pattern = self.catalog.pattern(&step.pattern)?;
        let Action::Write(write) = &pattern.action else { return None };
        let entity = self.catalog.entity(&write.entity)?;
        let [field] = &entity.key[..] else { return None };
        let own = write.verb == WriteVerb::Create && write.batch.is_none() && pattern.once_per.is_empty();
        if !own || body.get(field).is_some() {
            return None;
        }
        let made = self.run(0).new_identity(&entity.name, &step.caller, key).ok()??;
        Some(json!({ field: made }))
    }

    /// One attempt of some writes; how each of them ended.
    async fn serve(
        &self,
        attempt: &Try,
        is_question: bool,
        call: BoxFuture<'static, Served>,
        of: std::ops::Range<usize>,
    ) -> Vec<End> {
        let moments = self.history.borrow().asked[of.clone()].iter().map(|asked| asked.moments.clone()).collect();
        let from_us = self.ground.now_us();
        // It is written down before it is sent: whatever happens later belongs to it.
        for at in of.clone() {
            let pending = Attempt { server: attempt.server, from_us, to_us: i64::MAX, is_question, end: End::GivenUp };
            self.history.borrow_mut().asked[at].attempts.push(pending);
        }
        let watched = Box::pin(Watched { call, moments });
        let ended = self.ground.day().serve(attempt.server, attempt.patience_ms, watched).await;
        let to_us = self.ground.now_us();
        let ends: Vec<End> = match ended {
            Ended::Answered(Ok(answers)) => answers.into_iter().map(End::Answered).collect(),
            Ended::Answered(Err(problem)) => of.clone().map(|_| End::Answered(Err(problem.clone()))).collect(),
            Ended::Crashed => {
                self.run(attempt.server).forget_all();
                of.clone().map(|_| End::Crashed).collect()
            }
            Ended::GivenUp => of.clone().map(|_| End::GivenUp).collect(),
        };
        for (at, end) in of.zip(&ends) {
            let history = &mut self.history.borrow_mut();
            let pending =
                history.asked[at].attempts.iter_mut().rev().find(|it| it.from_us == from_us && it.to_us == i64::MAX);
            if let Some(pending) = pending {
                pending.to_us = to_us;
                pending.end = end.clone();
            }
        }
        ends
    }

    fn call(
        &self,
        server: usize,
        step: &Step,
        bodies: &[Json],
        key: &str,
        is_repeat: bool,
    ) -> BoxFuture<'static, Served> {
        let run = self.run(server);
        let (name, caller, bodies, key) = (step.pattern.clone(), step.caller.clone(), bodies.to_vec(), key.to_owned());
        let has_key = self.catalog.pattern(&name).is_none_or(|pattern| pattern.once_per.is_empty());
        Box::pin(async move {
            let pattern = run.pattern(&name).ok_or_else(not_known)?;
            let batch = matches!(&pattern.action, Action::Write(write) if write.batch.is_some());
            let mut inputs = Vec::new();
            for body in &bodies {
                let read = run.inputs_from_object(pattern, &caller, body)?;
                inputs.push(if is_repeat { read.sent_before() } else { read });
            }
            let key = has_key.then_some(key.as_str());
            if batch {
                return run.write_batch(&name, inputs, key).await;
            }
            let Some(inputs) = inputs.pop() else { return Ok(Vec::new()) };
            let call = Call { pattern: &name, inputs, key, order: None, limit: None, cursor: None };
            Ok(vec![run.call(&call).await])
        })
    }

    /// The body with the versions that the client has seen.
    fn with_versions(&self, step: &Step, body: &Json) -> Json {
        let mut body = body.clone();
        for name in &step.versions {
            let row = self.catalog.pattern(&step.pattern).map(|pattern| self.row_name(pattern, &body));
            let seen = row.and_then(|row| self.versions.borrow().get(&row).copied()).unwrap_or(1);
            body[name] = json!(seen);
        }
        body
    }

    /// The row that a write names, as a word.
    fn row_name(&self, pattern: &keyloom_model::Pattern, body: &Json) -> String {
        let entity = entity_of(pattern).unwrap_or_default();
        let keys = self.catalog.entity(entity).map_or(&[][..], |entity| &entity.key);
        format!("{entity} {}", keys.iter().map(|key| body[key].to_string()).collect::<String>())
    }

    fn saw(&self, at: usize, pattern: &str) {
        let history = self.history.borrow();
        let version = history.asked[at].answers().find_map(|(_, answer)| match answer {
            Ok(Answer::Applied { version, key, .. }) => Some((*version, key.clone())),
            _ => None,
        });
        if let (Some((version, key)), Some(pattern)) = (version, self.catalog.pattern(pattern)) {
            self.versions.borrow_mut().insert(self.row_name(pattern, &key), version);
        }
    }

    /// A read to its end, on one process.
    async fn read(
        &self,
        client: usize,
        step: usize,
        pattern: &str,
        caller: &Caller,
        bodies: &[Json],
        asking: Asking<'_>,
    ) -> Vec<Looked> {
        let from_us = self.ground.now_us();
        let presented = self.presents(client, caller);
        let asking = Asking { presented: presented.as_deref().unwrap_or_default(), ..asking };
        let is_batch = matches!(self.catalog.pattern(pattern).map(|it| &it.action), Some(Action::Read(read)) if read.batch.is_some());
        let seen: Vec<Seen> = if is_batch {
            self.batch(pattern, caller, bodies, &asking).await
        } else {
            let mut all = Vec::new();
            for body in bodies {
                all.push(self.pages(pattern, caller, body, &asking).await);
            }
            all
        };
        let to_us = self.ground.now_us();
        let looked = |(body, seen): (&Json, Seen)| Looked {
            step,
            client,
            pattern: pattern.to_owned(),
            caller: caller.clone(),
            body: body.clone(),
            order: asking.order.map(str::to_owned),
            from_us,
            to_us,
            seen,
            presented: presented.clone(),
        };
        bodies.iter().zip(seen).map(looked).collect()
    }

    async fn batch(&self, pattern: &str, caller: &Caller, bodies: &[Json], asking: &Asking<'_>) -> Vec<Seen> {
        let run = self.run(asking.server);
        let Some(known) = run.pattern(pattern) else { return vec![Seen::Nothing; bodies.len()] };
        let inputs =
            bodies.iter().map(|body| run.inputs_from_object(known, caller, body)).collect::<Result<Vec<_>, _>>();
        let found = match inputs {
            Ok(inputs) => run.get_batch(pattern, &inputs).await,
            Err(problem) => Err(problem),
        };
        match found {
            Ok(answers) => answers
                .into_iter()
                .map(|answer| match answer {
                    Some(Answer::Row { row, .. }) => Seen::Row(Some(row.json())),
                    None => Seen::Row(None),
                    Some(other) => Seen::Wrong(format!("{other:?}")),
                })
                .collect(),
            Err(Problem::Busy { .. }) => bodies.iter().map(|_| Seen::Nothing).collect(),
            Err(problem) => bodies.iter().map(|_| Seen::Wrong(problem.to_string())).collect(),
        }
    }

    async fn pages(&self, pattern: &str, caller: &Caller, body: &Json, asking: &Asking<'_>) -> Seen {
        let (mut rows, mut cursor, mut back) = (Vec::new(), None::<String>, None);
        for _ in 0..PAGES_MAX {
            match self.page(pattern, caller, body, asking, cursor.as_deref()).await {
                Ok(Answer::Rows { rows: some, next, previous, .. }) => {
                    let some: Vec<Json> = some.iter().map(Shown::json).collect();
                    if !some.is_empty() || back.is_none() {
                        back = previous.map(|previous| (previous, some.clone()));
                    }
                    rows.extend(some);
                    match next {
                        Some(next) => cursor = Some(next),
                        None => break,
                    }
                }
                Ok(Answer::Row { row, .. }) => return Seen::Row(Some(row.json())),
                Ok(Answer::NoRow) => return Seen::Row(None),
                Ok(Answer::Count { count, at_least }) => return Seen::Count { count, at_least },
                Ok(other) => return Seen::Wrong(format!("{other:?}")),
                Err(Problem::Busy { .. }) if rows.is_empty() => return Seen::Nothing,
                Err(Problem::Busy { .. }) => return Seen::Rows { rows, whole: false },
                Err(problem) => return Seen::Wrong(problem.to_string()),
            }
        }
        let Some((mut cursor, last)) = back.filter(|_| asking.back) else { return Seen::Rows { rows, whole: true } };
        // Once more, from the last page to the first.
        let mut rows = last;
        for _ in 0..PAGES_MAX {
            match self.page(pattern, caller, body, asking, Some(&cursor)).await {
                Ok(Answer::Rows { rows: some, previous, .. }) => {
                    rows.splice(0..0, some.iter().map(Shown::json));
                    match previous {
                        Some(previous) => cursor = previous,
                        None => return Seen::Rows { rows, whole: true },
                    }
                }
                Err(Problem::Busy { .. }) => return Seen::Nothing,
                other => return Seen::Wrong(format!("{other:?}")),
            }
        }
        Seen::Wrong("a list without an end".into())
    }

    async fn page(
        &self,
        pattern: &str,
        caller: &Caller,
        body: &Json,
        asking: &Asking<'_>,
        cursor: Option<&str>,
    ) -> Result<Answer, Problem> {
        let run = self.run(asking.server);
        let known = run.pattern(pattern).ok_or_else(not_known)?;
        let presented: Vec<&str> = asking.presented.iter().map(|presented| presented.text.as_str()).collect();
        let inputs = run.having_seen(run.inputs_from_object(known, caller, body)?, &presented)?;
        run.call(&Call { pattern, inputs, key: None, order: asking.order, limit: asking.limit, cursor }).await
    }

    /// Touches all rows, those that a request named and that are not there as well: a decision of which nobody knows may be
    /// finished by whoever comes next.
    fn touch_all(&self) -> Result<(), String> {
        let run = self.run(0);
        let words = |problem: Problem| format!("touching: {problem}");
        self.ground.block_on(run.touch_all(&*self.store))?.map_err(words)?;
        for at in 0..self.history.borrow().asked.len() {
            let Some((pattern, inputs, key, number)) = self.asked(at) else { continue };
            match self.ground.block_on(run.touch_named(&pattern, &inputs, key.as_deref(), number))? {
                // What can't be written was not.
                Ok(()) | Err(Problem::KeyTime(_) | Problem::Input(_)) => {}
                Err(problem) => return Err(words(problem)),
            }
        }
        Ok(())
    }

    /// A write as it was asked: its pattern, what was sent, its key, its number among equal ones.
    fn asked(&self, at: usize) -> Option<(String, keyloom_run::Inputs, Option<String>, u32)> {
        let history = self.history.borrow();
        let asked = &history.asked[at];
        let run = self.run(0);
        let known = run.pattern(&asked.pattern)?;
        let inputs = run.inputs_from_object(known, &asked.caller, &asked.body).ok()?;
        let key = known.once_per.is_empty().then(|| asked.key.clone());
        Some((asked.pattern.clone(), inputs, key, asked.number))
    }

    /// What the rows remember of those requests of which nobody knows.
    fn remember(&self) -> Result<(), String> {
        // What was asked before the last quiet was over by then. Who asks for the same since is remembered by the same token.
        let history = self.history.borrow();
        let (known, count) = (history.quiet.last().map_or(0, |quiet| quiet.asked), history.asked.len());
        drop(history);
        for at in known..count {
            let Some((pattern, inputs, key, number)) = self.asked(at) else { continue };
            let run = self.run(0);
            let remembers = run.remembers(&*self.store, &pattern, &inputs, key.as_deref(), number);
            let found = match self.ground.block_on(remembers)? {
                Ok(found) => found,
                // Too old to be repeated, or nothing that can be written.
                Err(Problem::KeyTime(_) | Problem::Input(_)) => Vec::new(),
                Err(problem) => return Err(format!("what is remembered: {problem}")),
            };
            self.history.borrow_mut().asked[at].remembered = found;
        }
        Ok(())
    }

    /// All rows, and what every read shows of them.
    fn look(&self, generator: &mut Generator<'a>, thorough: bool) -> Result<(), String> {
        if self.presented.is_some() {
            // Indexes follow meanwhile, and so does what ends.
            self.settle_all()?;
        }
        // A machine that is slow looks long after that; what ended meanwhile has a mark that nobody has seen to yet.
        let followed_us = self.settled_us.get() - i64::try_from(self.due_ms * 1_000).unwrap_or(i64::MAX);
        let mut rows = Vec::new();
        let mut export = Export::default();
        while let Some(some) =
            self.ground.block_on(export.next(&self.run(0)))?.map_err(|problem| format!("export: {problem}"))?
        {
            rows.extend(some);
        }
        let mut looked = Vec::new();
        for pattern in crate::generate::known_patterns(self.catalog) {
            let Action::Read(read) = &pattern.action else { continue };
            let mut orders: Vec<Option<&str>> =
                read.selection.orders.iter().map(|order| Some(order.name.as_str())).collect();
            if orders.len() < 2 {
                orders = vec![None];
            }
            for (caller, body) in generator.questions(pattern, if thorough { 12 } else { 6 }) {
                for order in &orders {
                    let asking = Asking {
                        server: 1 % self.servers().len(),
                        order: *order,
                        limit: None,
                        back: looked.len() % 3 == 0,
                        presented: &[],
                    };
                    let read = self.read(0, usize::MAX, &pattern.name, &caller, std::slice::from_ref(&body), asking);
                    looked.extend(self.ground.block_on(read)?);
                }
            }
        }
        let at_us = self.ground.now_us();
        let mut history = self.history.borrow_mut();
        let asked = history.asked.len();
        history.quiet.push(Quiet { followed_us, at_us, asked, rows, looked });
        Ok(())
    }
}

/// What is new in a catalog is asked again of a process that has it.
fn not_known() -> Problem {
    Problem::Busy { after: Duration::ZERO, cause: "this process has the catalog before".into() }
}

struct Asking<'a> {
    server: usize,
    order: Option<&'a str>,
    limit: Option<u64>,
    back: bool,
    presented: &'a [Presented],
}

/// Whether its client has an answer that is the last word.
fn is_over(asked: &Asked) -> bool {
    asked.answers().any(|(attempt, answer)| match answer {
        Ok(Answer::Applied { .. }) => true,
        Ok(Answer::NotApplied { .. }) => !asked.is_under_way_at(attempt),
        Ok(_) | Err(Problem::Busy { .. }) => false,
        Err(_) => true,
    })
}
