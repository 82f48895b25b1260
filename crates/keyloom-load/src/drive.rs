//! The drive: rows first, then calls when they are due.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    pin::Pin,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use keyloom_model::Catalog;
use serde_json::{Map, Value as Json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    chance::Chance,
    client::{Answer, Ask, Client, Target},
    mix::Mix,
    report::Report,
    scrape::Scraped,
    tally::{Tally, outcomes},
    traffic::{Request, Traffic, creates, grouping, is_create, not_driven},
};

/// How many calls may be due and not answered. More are not sent, and counted as that.
const UNDER_WAY_MAX: usize = 20_000;
/// The timer of the machine is no finer: a call that goes out so late was not held up by anybody.
const TIMER: Duration = Duration::from_millis(2);
/// How often a row that is to be there is sent again when the server is busy.
const TRIES_MAX: usize = 50;
/// After so many rows that can't be made the entity is left alone.
const FAILURES_MAX: usize = 20;
/// How many rows are made at once.
const MAKING: usize = 16;

/// What is driven, where, and how hard.
#[derive(Debug)]
pub struct Load<'a> {
    /// The catalog that is served there.
    pub catalog: &'a Catalog,
    /// The server.
    pub target: Target,
    /// How fast.
    pub pace: Pace,
    /// For how long.
    pub time: Duration,
    /// How many rows are made first, of the entity that has most.
    pub rows: u64,
    /// Rows to make instead, as `keyloom export` prints them: the entity, and its fields.
    pub from: Vec<(String, Map<String, Json>)>,
    /// Where chance begins.
    pub seed: u64,
    /// How many connections are used.
    pub connections: usize,
    /// What is known before of the busiest partition of each table.
    pub predicted: BTreeMap<String, Predicted>,
}

/// What is known before of the busiest partition of a table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Predicted {
    /// The part of the table's work that falls on it.
    pub share: Option<f64>,
    /// Units a second that it is asked for: reads, writes.
    pub units: [Option<f64>; 2],
}

/// How fast calls come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// As often as the catalog says.
    Catalog,
    /// So many a second, in the catalog's proportions.
    Total(f64),
    /// As fast as they are answered, by each connection one after the other.
    Max,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// Rows are made.
    Making {
        /// So many were.
        made: u64,
        /// Of so many.
        of: u64,
    },
    /// Calls are made.
    Driving {
        /// Since then.
        seconds: f64,
        /// So many came to their end.
        calls: u64,
        /// So many have not.
        under_way: u64,
    },
}

/// Why there is no report.
#[derive(Debug)]
pub enum Failed {
    /// The server can't be reached.
    NoServer(io::Error),
    /// It does not answer as a server of this catalog does.
    OtherServer(String),
    /// The machine has no threads or sockets to give.
    Machine(io::Error),
    /// Nothing of the catalog can be driven.
    Nothing,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServer(error) => write!(f, "the server can't be reached: {error}; is `keyloom up` running there?"),
            Self::OtherServer(what) => f.write_str(what),
            Self::Machine(error) => write!(f, "{error}"),
            Self::Nothing => f.write_str("no pattern of this catalog can be driven"),
        }
    }
}

impl std::error::Error for Failed {}

/// Drives a catalog, and says what it was like.
///
/// # Errors
/// When there is no server of this catalog, or nothing to drive.
pub fn load(load: &Load<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Report, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failed::Machine)?;
    runtime.block_on(async {
        let client = Client::new(load.target.clone(), load.connections.max(1));
        known_server(&client, load.catalog).await?;
        let traffic = RefCell::new(Traffic::new(load.catalog, load.seed, now_ms()));
        let mut drive = Drive { load, client: &client, traffic: &traffic, notes: Vec::new() };
        drive.run(progress).await
    })
}

/// Looks whether the patterns of the catalog are served there.
async fn known_server(client: &Client, catalog: &Catalog) -> Result<(), Failed> {
    let answer = client.ask(&Ask::get("/openapi.json")).await.map_err(Failed::NoServer)?;
    let document: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.status != 200 {
        return Err(Failed::OtherServer(format!(
            "the server answers {} to /openapi.json: it is no `keyloom up`",
            answer.status
        )));
    }
    let served = |name: &str| document["paths"].get(format!("/v1/{name}")).is_some();
    match catalog
        .patterns
        .iter()
        .find(|pattern| !matches!(pattern.action, keyloom_model::Action::Outside(_)) && !served(&pattern.name))
    {
        Some(pattern) => {
            Err(Failed::OtherServer(format!("the server has no pattern `{}`: it serves another catalog", pattern.name)))
        }
        None => Ok(()),
    }
}

struct Drive<'a> {
    load: &'a Load<'a>,
    client: &'a Client,
    traffic: &'a RefCell<Traffic<'a>>,
    /// What the reader must know.
    notes: Vec<String>,
}

/// A call that came to its end.
struct Done {
    request: Request,
    due: Instant,
    ended: Instant,
    answer: io::Result<Answer>,
}

/// A row that is to be there, or to be as most rows are.
#[derive(Clone, Copy)]
struct ToMake<'a> {
    /// The position of the pattern that makes it so.
    by: usize,
    tenant: usize,
    /// Its fields, where they are not made up.
    given: Option<&'a Map<String, Json>>,
}

type UnderWay<'f> = FuturesUnordered<Pin<Box<dyn Future<Output = Done> + 'f>>>;

impl<'a> Drive<'a> {
    async fn run(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Report, Failed> {
        let load = self.load;
        let made = self.make_rows(progress).await?;
        for pattern in &load.catalog.patterns {
            if let Some(why) = not_driven(load.catalog, pattern) {
                self.notes.push(format!("{} is not driven: {why}", pattern.name));
            }
        }
        let total = match load.pace {
            Pace::Total(total) => Some(total),
            Pace::Catalog | Pace::Max => None,
        };
        let mix = Mix::new(load.catalog, |pattern| not_driven(load.catalog, pattern).is_none(), total);
        if mix.total() <= 0.0 {
            return Err(Failed::Nothing);
        }
        self.notes.extend(mix.assumed.iter().cloned());
        let before = self.scraped().await;
        let (tallies, seconds) = self.calls(&mix, progress).await;
        let after = self.scraped().await;
        let scraped = before.zip(after).map(|(before, after)| after.since(&before));
        if scraped.is_none() {
            self.notes.push(
                "the server does not show its metrics to this key, so the busiest partitions are not known".into(),
            );
        }
        Ok(Report::new(load, made, seconds, &mix, tallies, scraped, std::mem::take(&mut self.notes)))
    }

    async fn scraped(&self) -> Option<Scraped> {
        let answer = self.client.ask(&Ask::get("/metrics")).await.ok().filter(|answer| answer.status == 200)?;
        Some(Scraped::read(&String::from_utf8_lossy(&answer.body)))
    }

    async fn send(&self, request: Request, due: Instant) -> Done {
        let body = request.body.as_ref().map(Json::to_string);
        let tenant = self.traffic.borrow().tenants.get(request.tenant).cloned();
        let ask = Ask {
            method: request.method,
            path: &request.path,
            tenant: tenant.as_deref(),
            key: request.key.as_deref(),
            body: body.as_deref(),
        };
        let answer = self.client.ask(&ask).await;
        Done { request, due, ended: Instant::now(), answer }
    }

    /// Calls for as long as it is wanted; the tally of each pattern, and how long it was.
    async fn calls(&self, mix: &Mix, progress: &mut dyn FnMut(Progress)) -> (Vec<Tally>, f64) {
        let (start, load) = (Instant::now(), self.load);
        let end = start + load.time;
        let mut tallies: Vec<Tally> = load.catalog.patterns.iter().map(|_| Tally::new()).collect();
        let mut under_way: UnderWay<'_> = FuturesUnordered::new();
        // Arrivals have chance of their own, so that they are the same whatever is answered.
        let mut arrivals = Chance::new(load.seed ^ 0x5DEE_CE66);
        let mut due = start;
        let (mut calls, mut told) = (0_u64, start);
        loop {
            let now = Instant::now();
            if now < end {
                while now < end && (load.pace == Pace::Max || due <= now) {
                    if load.pace == Pace::Max && under_way.len() >= load.connections {
                        break;
                    }
                    let pattern = mix.pick(arrivals.unit());
                    let was_due = if load.pace == Pace::Max || now - due < TIMER { now } else { due };
                    due += Duration::from_secs_f64(arrivals.gap_seconds(mix.total()).min(3_600.0));
                    if under_way.len() >= UNDER_WAY_MAX {
                        tallies[pattern].ended("not_sent");
                        continue;
                    }
                    let mut traffic = self.traffic.borrow_mut();
                    let tenant = traffic.tenant();
                    match traffic.call(pattern, tenant, now_ms()) {
                        Some(request) => under_way.push(Box::pin(self.send(request, was_due))),
                        None if load.pace == Pace::Max => {
                            tallies[pattern].ended("no_row_known");
                            break;
                        }
                        None => tallies[pattern].ended("no_row_known"),
                    }
                }
            } else if under_way.is_empty() {
                break;
            }
            if now - told >= Duration::from_millis(500) {
                told = now;
                progress(Progress::Driving {
                    seconds: (now - start).as_secs_f64(),
                    calls,
                    under_way: under_way.len() as u64,
                });
            }
            let wake = if now < end { due.min(end) } else { now + Duration::from_millis(500) };
            let wake = wake.max(now + Duration::from_micros(1));
            tokio::select! {
                Some(done) = under_way.next(), if !under_way.is_empty() => {
                    calls += 1;
                    self.count(&mut tallies[done.request.pattern], done);
                }
                () = sleep_until(wake) => {}
            }
        }
        // Calls that were under way at the end are counted, and so is the time that they took.
        (tallies, start.elapsed().as_secs_f64())
    }

    fn count(&self, tally: &mut Tally, done: Done) {
        tally.took(done.ended - done.due);
        match done.answer {
            Ok(answer) => {
                if let Some(work) = &answer.work {
                    tally.work.add(work);
                }
                let body: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
                outcomes(answer.status, &body).into_iter().for_each(|outcome| tally.ended(outcome));
                if answer.status == 503
                    && let Some(why) = body.get("detail").and_then(Json::as_str)
                {
                    tally.held_up(why);
                }
                self.traffic.borrow_mut().answered(&done.request, &body);
            }
            Err(_) => tally.ended("no_answer"),
        }
    }

    /// Makes the rows that calls will be about; how many were made.
    async fn make_rows(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<u64, Failed> {
        let wanted = if self.load.from.is_empty() { self.wanted() } else { Vec::new() };
        let from: Vec<ToMake<'_>> = self
            .in_order()
            .into_iter()
            .flat_map(|entity| {
                let rows = self.load.from.iter().filter(move |(of, _)| *of == entity.name);
                let create = creates(self.load.catalog, &entity.name).next();
                rows.filter_map(move |(_, row)| Some(ToMake { by: create?, tenant: 0, given: Some(row) }))
            })
            .collect();
        let left_out = self.load.from.len() - from.len();
        if left_out > 0 {
            self.notes.push(format!("{left_out} rows of the file were left out: no pattern creates such"));
        }
        let mut plan: Vec<_> = wanted.into_iter().chain(from).collect();
        plan.extend(self.grouped(&plan));
        let of = plan.len() as u64;
        let (mut made, mut refused): (u64, BTreeMap<usize, (usize, String)>) = (0, BTreeMap::new());
        let mut told = Instant::now();
        // Rows of one entity come side by side; those that refer to them come behind.
        for rows in plan.chunk_by(|one, other| one.by == other.by) {
            let mut rows = rows.iter();
            let mut under_way: UnderWay<'_> = FuturesUnordered::new();
            loop {
                while under_way.len() < MAKING.min(self.load.connections) {
                    let Some(ToMake { by, tenant, given }) = rows.next() else { break };
                    if refused.get(by).is_some_and(|(count, _)| *count >= FAILURES_MAX) {
                        continue;
                    }
                    if let Some(request) = self.traffic.borrow_mut().call_with(*by, *tenant, now_ms(), *given) {
                        under_way.push(Box::pin(self.insist(request)));
                    }
                }
                let Some(done) = under_way.next().await else { break };
                let Done { request, answer, .. } = done;
                let answer = answer.map_err(Failed::NoServer)?;
                let body: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
                if answer.status < 300 {
                    made += u64::from(is_create(&self.load.catalog.patterns[request.pattern]));
                } else if answer.status != 409 {
                    let entry = refused.entry(request.pattern).or_insert((0, String::new()));
                    *entry = (entry.0 + 1, body["detail"].as_str().unwrap_or("no detail").to_owned());
                }
                self.traffic.borrow_mut().answered(&request, &body);
                if told.elapsed() >= Duration::from_millis(500) {
                    told = Instant::now();
                    progress(Progress::Making { made, of });
                }
            }
        }
        for (pattern, (count, detail)) in refused {
            let name = &self.load.catalog.patterns[pattern].name;
            self.notes.push(format!("{name} refused {count} rows that were to be there: {detail}"));
        }
        Ok(made)
    }

    /// Sends a request until it is answered by more than "not now".
    async fn insist(&self, request: Request) -> Done {
        let mut done = self.send(request, Instant::now()).await;
        for _ in 0..TRIES_MAX {
            match &done.answer {
                Ok(answer) if answer.status == 503 => sleep(Duration::from_millis(100)).await,
                _ => break,
            }
            done = self.send(done.request, Instant::now()).await;
        }
        done
    }

    /// Entities, those that others refer to first.
    fn in_order(&self) -> Vec<&'a keyloom_model::Entity> {
        let mut ordered: Vec<&keyloom_model::Entity> = Vec::new();
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        let all = &self.load.catalog.entities;
        while ordered.len() < all.len() {
            let is_free = |entity: &&keyloom_model::Entity| {
                let references = entity.fields.iter().filter_map(|field| field.reference.as_ref());
                let mut others =
                    references.map(|reference| reference.entity.as_str()).filter(|other| *other != entity.name);
                others.all(|other| placed.contains(other))
            };
            let rest = || all.iter().filter(|entity| !placed.contains(entity.name.as_str()));
            // Entities that refer to each other begin somewhere.
            let Some(next) = rest().find(is_free).or_else(|| rest().next()) else { break };
            placed.insert(&next.name);
            ordered.push(next);
        }
        ordered
    }

    /// How many rows of each entity are made for each tenant, as creates: in the proportions of the catalog's volumes.
    fn wanted(&self) -> Vec<ToMake<'a>> {
        let volume = |entity: &keyloom_model::Entity| {
            let volume = entity.volume.as_ref()?;
            volume.rows.or_else(|| Some((volume.growth?.per_day() * 30.0) as u64))
        };
        let most = self.load.catalog.entities.iter().filter_map(volume).max().unwrap_or(1).max(1);
        let tenants = self.traffic.borrow().tenants.len().max(1);
        let mut wanted = Vec::new();
        for entity in self.in_order() {
            let Some(create) = creates(self.load.catalog, &entity.name).next() else { continue };
            let share = volume(entity).map_or(0.1, |rows| rows as f64 / most as f64);
            let rows = ((self.load.rows as f64 * share) as u64).max(self.load.rows.min(20));
            for tenant in 0..tenants {
                // The busiest one has as much as is asked for, the others less.
                let rows = if tenant == 0 { rows } else { (rows / 10).max(5) };
                wanted.extend((0..rows).map(|_| ToMake { by: create, tenant, given: None }));
            }
        }
        wanted
    }

    /// Updates of rows that are grouped by what only an update says: as many as there are rows, each of any of them.
    fn grouped(&self, plan: &[ToMake<'a>]) -> Vec<ToMake<'a>> {
        let catalog = self.load.catalog;
        let of = |(by, entity)| {
            let made = plan.iter().filter(move |row| creates(catalog, entity).any(|create| create == row.by));
            made.map(move |row| ToMake { by, given: None, ..*row })
        };
        grouping(catalog).into_iter().flat_map(of).collect()
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
