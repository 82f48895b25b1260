//! The layout that is served, while other processes may change it.
//!
//! Every few seconds the record of the layout is read. As long as it is the same, the run acts on it for another term. When it
//! is another one, a run by that one takes its place; calls that are under way end on the old one, within its term. A
//! catalog that can't be run by it ends the process: whoever goes on would lose what others keep up.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use keyloom_model::{Catalog, Engine as EngineKind, layout::Path};
use keyloom_run::{LayoutRecord, Run};
use keyloom_store::{Define, Fault, Store, Sweep};

use crate::{change, log::Log, system::System, up::UpError};

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
pub(crate) struct Following<'a, S> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) engine: EngineKind,
    pub(crate) paths: Vec<Path>,
    pub(crate) store: Arc<S>,
    pub(crate) current: Current,
    pub(crate) log: Log,
}

impl<S: Store + Define + Sweep> Following<'_, S> {
    /// Follows for as long as it can; why it can't any more.
    pub(crate) async fn follow(self) -> UpError {
        loop {
            tokio::time::sleep(EVERY).await;
            match self.current.run().renew().await {
                Ok(None) => {}
                Ok(Some(record)) => match self.by(&record).await {
                    Ok(Ok(run)) => {
                        self.current.replace(run);
                        self.log.note(&format!("the layout was changed, and is followed: epoch {}", record.epoch));
                    }
                    Ok(Err(fault)) => self.log.say("layout", fault.cause()),
                    Err(other) => return other,
                },
                // What is left of the term goes on.
                Err(fault) => self.log.say("layout", fault.cause()),
            }
        }
    }

    async fn by(&self, record: &LayoutRecord) -> Result<Result<Run, Fault>, UpError> {
        let program = match change::followed(self.catalog, &self.paths, self.engine, record) {
            Err(UpError::OtherLayout(why)) => return Err(UpError::LeftBehind(why)),
            program => program?,
        };
        match Run::open_along(program, record, Arc::clone(&self.store), Arc::new(System)).await {
            Err(Fault::Refused(why)) => Err(UpError::LeftBehind(vec![why.into_owned()])),
            run => Ok(run),
        }
    }
}

/// Acts on a layout for as long as it is the same, for whoever does not follow another one.
pub(crate) struct Renewing(tokio::task::JoinHandle<()>);

impl Renewing {
    pub(crate) fn start(run: Arc<Run>) -> Self {
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                // What could not be renewed is over after a term, and writes are told so.
                drop(run.renew().await);
            }
        }))
    }
}

impl Drop for Renewing {
    fn drop(&mut self) {
        self.0.abort();
    }
}
