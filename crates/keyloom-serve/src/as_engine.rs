//! A folder with the limits of another engine.

use std::{io, path::Path, sync::Arc};

use keyloom_embedded::{Embedded, Environment as _};
use keyloom_limits::{Clock, Engine, Hear, Limited, Notice, Regime, remembered};
use keyloom_model::Engine as EngineKind;
use keyloom_run::Environment as _;
use keyloom_store::{Define, Millis};

use crate::{engine::dialect, log::Log, system::System, up::UpError};

/// The machine, to a folder whose rows stay as long as the engine keeps them: it is cleaned as if it were earlier.
struct Late {
    by_ms: i64,
}

impl keyloom_embedded::Environment for Late {
    fn now(&self) -> Millis {
        keyloom_embedded::System.now().plus(-self.by_ms)
    }

    fn free_disk_bytes(&self, folder: &Path) -> io::Result<u64> {
        keyloom_embedded::System.free_disk_bytes(folder)
    }
}

/// The machine to a folder that is served as an engine.
pub(crate) fn machine(engine: EngineKind) -> Arc<dyn keyloom_embedded::Environment> {
    Arc::new(Late { by_ms: Regime::of(engine).expired_ms })
}

struct Steady;

impl Clock for Steady {
    fn now_us(&self) -> u64 {
        u64::try_from(System.steady_us()).unwrap_or(0)
    }
}

/// Refuses a folder that was made with other limits than it is opened with.
pub(crate) async fn same(store: &impl Define, asked: Option<EngineKind>) -> Result<(), UpError> {
    let failed = |fault| UpError::Store(std::path::PathBuf::new(), fault);
    let made = remembered(store).await.map_err(failed)?;
    let is_new = store.describe().await.map_err(failed)?.is_empty();
    if is_new || made.as_deref() == asked.map(EngineKind::name) {
        return Ok(());
    }
    Err(UpError::OtherLimits { made, asked })
}

/// Gives a folder the limits of an engine.
pub(crate) async fn limited(
    store: &Arc<Embedded>,
    engine: EngineKind,
    log: Log,
    folder: &Path,
) -> Result<Limited<Embedded>, UpError> {
    same(&**store, Some(engine)).await?;
    // One node has each row: what replicas would do beside is not limited.
    let dialect = dialect(engine, 1).ok_or(UpError::NoStore(engine))?;
    let limits = Engine { name: engine.name(), dialect, regime: Regime::of(engine) };
    let hear: Hear = Arc::new(move |notice: &Notice| log.say("warning", &notice.words));
    let limited = Limited::over(Arc::clone(store), limits, Arc::new(Steady), hear).await;
    limited.map_err(|fault| UpError::Store(folder.to_owned(), fault))
}
