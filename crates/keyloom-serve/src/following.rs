//! The layout that is served, while other processes may change it.
//!
//! Every few seconds the record of the layout is read. As long as it is the same, the run acts on it for another term. When it
//! is another one, a run by that one takes its place; calls that are under way end on the old one, within its term. A
//! catalog that can't be run by it is served no longer: whoever goes on would lose what others keep up.

use std::{
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use keyloom_model::{Catalog, Engine as EngineKind, layout::Path};
use keyloom_run::{LayoutRecord, Problem, Run};
use keyloom_store::{Define, Fault, Store, Sweep};

use crate::{change, system::System, up::UpError};

/// How often the record is read: several times in a term, so that one answer that is lost does not end it.
const EVERY: Duration = Duration::from_secs(5);

/// The run that is served now.
#[derive(Clone)]
pub(crate) struct Current(Arc<RwLock<Arc<Run>>>);

impl Current {
    pub(crate) fn new(run: Run) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(run))))
    }

    pub(crate) fn run(&self) -> Arc<Run> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, run: Run) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(run);
    }
}

/// Who follows the layout.
pub(crate) struct Following<S> {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) engine: EngineKind,
    pub(crate) paths: Vec<Path>,
    pub(crate) store: Arc<S>,
    pub(crate) current: Current,
}

/// What there is to say while a layout is followed.
pub(crate) enum Heard<'a> {
    /// Another one was, and is followed.
    Changed(&'a LayoutRecord),
    /// It could not be read, or not be followed this time.
    Failed(&'a Fault),
}

impl<S: Store + Define + Sweep> Following<S> {
    /// Follows for as long as it can; why it can't any more.
    pub(crate) async fn follow(self, hear: impl Fn(Heard<'_>)) -> UpError {
        loop {
            tokio::time::sleep(EVERY).await;
            match self.current.run().renew().await {
                Ok(None) => {}
                Ok(Some(record)) => match self.by(&record).await {
                    Ok(Ok(run)) => {
                        self.current.replace(run);
                        hear(Heard::Changed(&record));
                    }
                    Ok(Err(fault)) => hear(Heard::Failed(&fault)),
                    Err(other) => return other,
                },
                // What is left of the term goes on.
                Err(fault) => hear(Heard::Failed(&fault)),
            }
        }
    }

    async fn by(&self, record: &LayoutRecord) -> Result<Result<Run, Fault>, UpError> {
        let program = match change::followed(&self.catalog, &self.paths, self.engine, record) {
            Err(UpError::OtherLayout(why)) => return Err(UpError::LeftBehind(why)),
            program => program?,
        };
        match Run::open_along(program, record, Arc::clone(&self.store), Arc::new(System)).await {
            Err(Fault::Refused(why)) => Err(UpError::LeftBehind(vec![why.into_owned()])),
            run => Ok(run),
        }
    }
}

/// Follows in the background, for whoever has no process of its own to end.
pub(crate) struct Follower {
    task: tokio::task::JoinHandle<()>,
    /// Why it follows no longer.
    left: Arc<OnceLock<String>>,
}

impl Follower {
    pub(crate) fn start<S: Store + Define + Sweep>(following: Following<S>) -> Self {
        let left = Arc::<OnceLock<String>>::default();
        let why = Arc::clone(&left);
        let task = tokio::spawn(async move {
            // A layout that could not be read is tried again; what fails meanwhile is told to those who call.
            let ended = following.follow(|_| {}).await;
            why.get_or_init(|| ended.to_string());
        });
        Self { task, left }
    }

    /// Whether the catalog can still be run.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.left.get().map_or(Ok(()), |why| Err(Problem::Broken(why.clone())))
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
    }
}
