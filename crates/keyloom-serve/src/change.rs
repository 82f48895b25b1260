//! A catalog that has changed since its data was made: by which layout it is run, and what has to be done before.

use std::{sync::Arc, time::Duration};

use keyloom_design::{extend, misfits, remembered};
use keyloom_model::{
    Catalog, Engine as EngineKind,
    layout::{Layout, Path},
};
use keyloom_run::{Changed, Changing, LayoutRecord, Problem, Program, Run, Wanted};
use keyloom_store::{Define, Fault, Store, Sweep};
use keyloom_text::{layout_of_text, print_layout};
use tokio::time::{Instant, sleep};

use crate::{
    as_engine,
    designed::designed,
    engine::abilities,
    log::Log,
    system::System,
    up::{Compiled, Up, UpError, compiled},
};

/// How often it is said how far it is.
const EVERY: Duration = Duration::from_secs(5);
/// How often a store that is busy is asked again.
const BUSY_MAX: u32 = 50;

/// How often a start that met another one is tried again, and after how long.
const TRIES_MAX: u32 = 10;
const AGAIN: Duration = Duration::from_secs(1);

/// What a start would make, and fill from the rows that are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Making {
    /// What is said to the engine, one text for each step.
    pub script: Vec<String>,
    /// The tables that are filled.
    pub filled: Vec<String>,
    /// The layout that runs becomes another one; else there was none.
    pub changes: bool,
}

/// A catalog on an engine by the layout that is to run it.
pub(crate) struct Planned {
    pub(crate) program: Program,
    /// The paths of its questions.
    pub(crate) paths: Vec<Path>,
    /// The text to be remembered, if it is another one than the store remembers.
    text: Option<String>,
}

/// The layout that runs, as this catalog sees it.
fn running(catalog: &Catalog, record: &LayoutRecord) -> Result<Layout, UpError> {
    let kept =
        |why: String| format!("{why}, and what runs there keeps it: put it back; under another name it is another one");
    let read = layout_of_text(&record.text, &record.entities, catalog);
    let layout = read.map_err(|why| UpError::OtherLayout(why.into_iter().map(kept).collect()))?;
    let misfits = misfits(&layout, catalog);
    if misfits.is_empty() { Ok(layout) } else { Err(UpError::OtherLayout(misfits)) }
}

/// The layout that is given, and what runs and is not in it; else the one that runs, extended by what the catalog has more;
/// else a new one.
pub(crate) fn planned(
    catalog: &Catalog,
    given: Option<&Layout>,
    engine: EngineKind,
    record: Option<&LayoutRecord>,
) -> Result<Planned, UpError> {
    let able = abilities(engine).ok_or(UpError::NoStore(engine))?;
    // A store of before layouts were remembered says nothing of it.
    let runs = record.filter(|record| !record.text.is_empty()).map(|record| running(catalog, record)).transpose()?;
    let layout = match (given, &runs) {
        (Some(given), None) => given.clone(),
        (Some(given), Some(runs)) => {
            let mut layout = given.clone();
            let more = runs.tables.iter().filter(|table| given.table(&table.name).is_none());
            layout.tables.extend(more.cloned());
            layout
        }
        (None, Some(runs)) => extend(runs, catalog, &able),
        (None, None) => designed(catalog, engine).ok_or(UpError::NoStore(engine))?,
    };
    let Compiled { program, layout } = compiled(catalog, &layout, engine)?;
    let text = print_layout(&remembered(&layout));
    let same = runs.is_some_and(|runs| print_layout(&remembered(&runs)) == text);
    Ok(Planned { program, paths: layout.paths, text: (!same).then_some(text) })
}

/// The program of a catalog by the layout that runs, for a process that has served it before and goes on by the paths that it
/// knows.
pub(crate) fn followed(
    catalog: &Catalog,
    paths: &[Path],
    engine: EngineKind,
    record: &LayoutRecord,
) -> Result<Program, UpError> {
    let layout = Layout { paths: paths.to_vec(), ..running(catalog, record)? };
    Ok(compiled(catalog, &layout, engine)?.program)
}

/// The layout that runs in a store, which has the limits that it is opened with.
async fn record<S: Store + Define>(
    engine: EngineKind,
    store: &S,
    failed: impl Fn(Fault) -> UpError,
) -> Result<Option<LayoutRecord>, UpError> {
    if engine == EngineKind::Embedded {
        as_engine::same(store, None).await?;
    }
    LayoutRecord::of(store, &System).await.map_err(failed)
}

/// The program by which a store is looked at.
pub(crate) async fn program<S: Store + Define>(
    catalog: &Catalog,
    given: Option<&Layout>,
    engine: EngineKind,
    store: &S,
    failed: impl Fn(Fault) -> UpError,
) -> Result<Program, UpError> {
    let record = record(engine, store, failed).await?;
    Ok(planned(catalog, given, engine, record.as_ref())?.program)
}

/// Opens a store by the layout that runs there, for whoever changes none. Where none runs yet it is remembered, so that whoever
/// changes it later knows that there are others.
pub(crate) async fn joined<S: Store + Define + Sweep>(
    catalog: &Catalog,
    given: Option<&Layout>,
    engine: EngineKind,
    store: &Arc<S>,
    alone: bool,
    failed: impl Fn(Fault) -> UpError,
) -> Result<(Run, Vec<Path>), UpError> {
    let being_changed = || Fault::NotDone("its layout is being changed: `keyloom up` brings that to its end".into());
    for _ in 0..TRIES_MAX {
        let record = record(engine, &**store, &failed).await?;
        let Planned { program, paths, text } = planned(catalog, given, engine, record.as_ref())?;
        let store = Arc::clone(store);
        if let Some(record) = record {
            if record.unserved().next().is_some() {
                return Err(failed(being_changed()));
            }
            return Ok((Run::open(program, store, Arc::new(System)).await.map_err(failed)?, paths));
        }
        let wanted = Wanted { text: text.as_deref(), alone };
        let opened = Run::open_by(program, wanted, store, Arc::new(System)).await.map_err(&failed)?;
        let Some(mut changing) = opened else { continue };
        return match changing.next().await {
            Ok(Changed::Ready) => Ok((changing.done().await.map_err(failed)?, paths)),
            _ => Err(failed(being_changed())),
        };
    }
    Err(failed(being_changed()))
}

/// What a start would do; nothing is changed.
pub(crate) async fn making<S: Store + Define>(
    catalog: &Catalog,
    given: Option<&Layout>,
    engine: EngineKind,
    store: &S,
    alone: bool,
    failed: impl Fn(Fault) -> UpError,
) -> Result<Making, UpError> {
    let record = record(engine, store, &failed).await?;
    let planned = planned(catalog, given, engine, record.as_ref())?;
    made(&planned, record.is_some(), store, alone, failed).await
}

async fn made<S: Store + Define>(
    planned: &Planned,
    changes: bool,
    store: &S,
    alone: bool,
    failed: impl Fn(Fault) -> UpError,
) -> Result<Making, UpError> {
    let wanted = Wanted { text: planned.text.as_deref(), alone };
    let found = Run::changes(&planned.program, wanted, store, &System).await.map_err(&failed)?;
    if !found.reasons.is_empty() {
        return Err(UpError::OtherLayout(found.reasons));
    }
    let script = store.script(&found.steps).await.map_err(failed)?;
    Ok(Making { script, filled: found.filled, changes: changes && found.is_new })
}

/// Opens a store by the layout of a catalog: what is new is shown, made, filled and compared before it is served.
pub(crate) async fn opened<S: Store + Define + Sweep>(
    wanted: &Up<'_>,
    engine: EngineKind,
    store: &Arc<S>,
    alone: bool,
    failed: impl Fn(Fault) -> UpError,
) -> Result<(Run, Vec<Path>), UpError> {
    let log = Log::new(wanted.log);
    let (mut shown, mut tries) = (None, 0);
    loop {
        let record = record(engine, &**store, &failed).await?;
        let planned = planned(wanted.catalog, wanted.layout, engine, record.as_ref())?;
        let making = made(&planned, record.is_some(), &**store, alone, &failed).await?;
        let is_more = !making.script.is_empty() || !making.filled.is_empty();
        // A folder that is new has nothing that anybody could miss.
        if is_more && shown.as_ref() != Some(&making) && (making.changes || !alone) {
            if !(wanted.make)(&making) {
                return Err(UpError::NotAgreed);
            }
            shown = Some(making);
        }
        let text = Wanted { text: planned.text.as_deref(), alone };
        let opened = Run::open_by(planned.program, text, Arc::clone(store), Arc::new(System)).await;
        let mut changing = match opened {
            Ok(Some(changing)) => changing,
            Ok(None) => continue,
            // Another process makes the same tables at this moment.
            Err(Fault::NotDone(_) | Fault::Busy { .. }) if tries < TRIES_MAX => {
                tries += 1;
                sleep(AGAIN).await;
                continue;
            }
            Err(fault) => return Err(failed(fault)),
        };
        if driven(&mut changing, &log, &failed).await? {
            return Ok((changing.done().await.map_err(failed)?, planned.paths));
        }
    }
}

/// Drives a change to its end; whether it came there. Else another process has changed the layout meanwhile.
async fn driven(changing: &mut Changing, log: &Log, failed: impl Fn(Fault) -> UpError) -> Result<bool, UpError> {
    let (mut said, mut busy) = (None::<Instant>, 0);
    loop {
        if let Some(doing) = changing.doing()
            && said.is_none_or(|said| said.elapsed() >= EVERY)
        {
            log.note(&doing);
            said = Some(Instant::now());
        }
        match changing.next().await {
            Ok(Changed::Ready) => return Ok(true),
            Ok(Changed::Again) => return Ok(false),
            Ok(Changed::Wrong(why)) => return Err(UpError::Unfilled(why)),
            Ok(Changed::Rows(_)) => busy = 0,
            Ok(Changed::Waits(span)) => sleep(span).await,
            Err(Problem::Busy { after, .. }) if busy < BUSY_MAX => {
                busy += 1;
                sleep(after).await;
            }
            Err(problem) => return Err(failed(Fault::Broken(problem.to_string().into()))),
        }
    }
}
