//! `verify` and `repair`: a job of the run time, driven to its end in the process that has the data, and heard of by lines of
//! JSON.

use std::{
    io::{self, BufRead, BufReader},
    path::Path,
    sync::Arc,
    thread::sleep,
    time::{Duration, Instant},
};

use keyloom_model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom_run::{Problem, Report, Run, Verified, Verify};
use keyloom_store::{Define, Store, Sweep};
use serde_json::{Value as Json, json};
use tokio::runtime::{Handle, Runtime};

use crate::{
    client::{self, Remote},
    data::{DataError, Reached, opened, reach},
    engine::{Engine, Reach},
    system::System,
    up::program,
};

/// How often the listener hears of progress.
const EVERY: Duration = Duration::from_millis(200);
/// How often a store that is busy is asked again.
const BUSY_MAX: u32 = 50;

/// What is to be done.
#[derive(Debug, Clone, Default)]
pub struct Verifying {
    /// Whether what differs is brought right.
    pub repair: bool,
    /// At most so many rows a second.
    pub rate: Option<u32>,
    /// Where an earlier one was cut off.
    pub from: Option<Json>,
}

/// How far it is.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The table that is looked at.
    pub table: Option<String>,
    /// Rows that were compared.
    pub rows: u64,
    /// What differs so far.
    pub differences: u64,
    /// Nothing is done for now, because rows are under way.
    pub waits: bool,
    /// Where another process could go on.
    pub checkpoint: Json,
}

impl Verifying {
    fn job(&self, run: &Run) -> Verify {
        let resumed = self.from.as_ref().and_then(|from| Verify::resumed(run, self.repair, from));
        resumed.unwrap_or_else(|| if self.repair { Verify::mending(run) } else { Verify::new(run) })
    }

    /// Drives a job to its end. It sleeps, so this is for a thread outside the runtime.
    pub(crate) fn drive(
        &self,
        run: &Run,
        runtime: &Handle,
        say: &mut dyn FnMut(&Progress) -> io::Result<()>,
    ) -> io::Result<Report> {
        let mut job = self.job(run);
        let (mut said, mut busy) = (Instant::now(), 0);
        loop {
            let began = Instant::now();
            let waits = match runtime.block_on(job.next(run)) {
                Ok(Verified::All) => return Ok(job.report().clone()),
                Ok(Verified::Rows(rows)) => {
                    let least = self.rate.map(|rate| Duration::from_secs_f64(rows as f64 / f64::from(rate.max(1))));
                    sleep(least.unwrap_or_default().saturating_sub(began.elapsed()));
                    busy = 0;
                    None
                }
                Ok(Verified::Waits(span)) => Some(span),
                Err(Problem::Busy { after, .. }) if busy < BUSY_MAX => {
                    busy += 1;
                    Some(after)
                }
                Err(problem) => return Err(io::Error::other(problem)),
            };
            if waits.is_some() || said.elapsed() >= EVERY {
                said = Instant::now();
                say(&Progress {
                    table: job.at(run).map(str::to_owned),
                    rows: job.report().rows(),
                    differences: job.report().differences(),
                    waits: waits.is_some(),
                    checkpoint: job.checkpoint().clone(),
                })?;
            }
            sleep(waits.unwrap_or_default());
        }
    }

    /// As it is sent to a process that has the data.
    fn to_json(&self) -> Json {
        json!({ "rate": self.rate, "from": self.from })
    }

    /// What was sent.
    pub(crate) fn read(repair: bool, json: &Json) -> Result<Self, String> {
        let rate = match json.get("rate") {
            None | Some(Json::Null) => None,
            Some(rate) => {
                let rate = rate.as_u64().and_then(|rate| u32::try_from(rate).ok()).filter(|rate| *rate > 0);
                Some(rate.ok_or("`rate` is a number of rows a second")?)
            }
        };
        Ok(Self { repair, rate, from: json.get("from").filter(|from| !from.is_null()).cloned() })
    }
}

impl Progress {
    fn to_json(&self) -> Json {
        let Self { table, rows, differences, waits, checkpoint } = self;
        json!({ "table": table, "rows": rows, "differences": differences, "waits": waits, "checkpoint": checkpoint })
    }

    fn read(json: &Json) -> Option<Self> {
        Some(Self {
            table: json.get("table")?.as_str().map(str::to_owned),
            rows: json.get("rows")?.as_u64()?,
            differences: json.get("differences")?.as_u64()?,
            waits: json.get("waits")?.as_bool()?,
            checkpoint: json.get("checkpoint")?.clone(),
        })
    }
}

/// Drives a job into a stream of lines: progress, and at last what was found.
pub(crate) fn stream(asked: &Verifying, run: &Run, runtime: &Handle, out: &mut impl io::Write) -> io::Result<()> {
    let report = asked.drive(run, runtime, &mut |progress| writeln!(out, "{}", progress.to_json()));
    match report {
        Ok(report) => writeln!(out, "{}", json!({ "report": report.to_json() })),
        // A listener that went away is no failure that anybody could hear of.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(error) => writeln!(out, "{}", json!({ "failed": error.to_string() })),
    }
}

/// Compares everything in a data folder with its sources, and brings right what differs if that is asked for.
///
/// # Errors
/// When it can't.
pub fn verify(
    catalog: &Catalog,
    layout: Option<&Layout>,
    data: &Path,
    asked: &Verifying,
    say: &mut dyn FnMut(&Progress),
) -> Result<Report, DataError> {
    program(catalog, layout, EngineKind::Embedded).map_err(DataError::Catalog)?;
    match reach(data)? {
        Reached::Running(control) => {
            remote(&(&control).into(), asked, say).map_err(|error| DataError::Running(data.to_owned(), error))
        }
        Reached::Stopped(store) => {
            let runtime = runtime()?;
            let store = Arc::new(store);
            let run = runtime.block_on(opened(catalog, layout, &store))?;
            let report = driven(asked, &run, &runtime, say)?;
            drop(run);
            if let Some(store) = Arc::into_inner(store) {
                store.close().map_err(DataError::Store)?;
            }
            Ok(report)
        }
    }
}

/// The same by way of a process that serves the data, to which the key of an operator is shown.
///
/// # Errors
/// When it can't.
pub fn verify_remote(at: &Remote, asked: &Verifying, say: &mut dyn FnMut(&Progress)) -> Result<Report, DataError> {
    remote(at, asked, say).map_err(|error| DataError::Remote(at.clone(), error))
}

fn remote(at: &Remote, asked: &Verifying, say: &mut dyn FnMut(&Progress)) -> io::Result<Report> {
    let path = if asked.repair { "/v1/-/repair" } else { "/v1/-/verify" };
    let lines = client::send_for_stream(at, path, &asked.to_json().to_string())?;
    hear(BufReader::new(lines), say)
}

/// The same of an engine.
///
/// # Errors
/// When it can't.
pub fn verify_engine(
    catalog: &Catalog,
    layout: Option<&Layout>,
    engine: &Engine,
    asked: &Verifying,
    say: &mut dyn FnMut(&Progress),
) -> Result<Report, DataError> {
    struct Driven<'a> {
        catalog: &'a Catalog,
        layout: Option<&'a Layout>,
        engine: &'a Engine,
        asked: &'a Verifying,
        runtime: &'a Runtime,
        say: &'a mut dyn FnMut(&Progress),
    }
    impl Reach for Driven<'_> {
        type Answer = Result<Report, DataError>;

        fn with<S: Store + Define + Sweep>(self, store: Arc<S>) -> Self::Answer {
            let failed = |fault| DataError::Catalog(self.engine.failed(fault));
            let program = self.runtime.block_on(self.engine.program(self.catalog, self.layout, &*store));
            let program = program.map_err(DataError::Catalog)?;
            // Looking makes no tables.
            let steps = self.runtime.block_on(Run::steps(&program, &*store)).map_err(failed)?;
            if !steps.is_empty() {
                return Err(DataError::NoTables(self.engine.to_string()));
            }
            let run = self.runtime.block_on(Run::open(program, store, Arc::new(System))).map_err(failed)?;
            driven(self.asked, &run, self.runtime, self.say)
        }
    }
    program(catalog, layout, engine.kind()).map_err(DataError::Catalog)?;
    let runtime = runtime()?;
    engine.reach(catalog, &runtime, Driven { catalog, layout, engine, asked, runtime: &runtime, say })
}

fn runtime() -> Result<Runtime, DataError> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(DataError::Output)
}

fn driven(
    asked: &Verifying,
    run: &Run,
    runtime: &Runtime,
    say: &mut dyn FnMut(&Progress),
) -> Result<Report, DataError> {
    let report = asked.drive(run, runtime.handle(), &mut |progress| {
        say(progress);
        Ok(())
    });
    report.map_err(DataError::Verify)
}

/// Hears what another process says, to the end.
fn hear(lines: impl BufRead, say: &mut dyn FnMut(&Progress)) -> io::Result<Report> {
    let garbled = || io::Error::other("what it said can't be read");
    for line in lines.lines() {
        let line: Json = serde_json::from_str(&line?)?;
        if let Some(report) = line.get("report") {
            return Report::from_json(report).ok_or_else(garbled);
        }
        if let Some(failed) = line.get("failed").and_then(Json::as_str) {
            return Err(io::Error::other(failed.to_owned()));
        }
        say(&Progress::read(&line).ok_or_else(garbled)?);
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
