//! How the process is told to stop.

use std::{fs, io, sync::Arc};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::Notify,
};

/// Tells what is served to stop, from within the process.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<Notify>);

impl Halt {
    /// It is time; also when it is said before anybody listens.
    pub fn now(&self) {
        self.0.notify_one();
    }
}

/// Ends when the process is told to stop: by Ctrl-C, by a service manager, by the terminal that goes away, or from within.
pub(crate) fn stop(halt: &Halt) -> io::Result<impl Future<Output = ()> + use<>> {
    let halt = halt.clone();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(async move {
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = hung_up => {}
            () = halt.0.notified() => {}
        }
    })
}

/// Whether it was started to outlive its terminal, as `nohup` does; to listen for the signal would undo that.
fn hangup_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The first signal is the lowest bit.
    ignored.and_then(|ignored| u64::from_str_radix(ignored.trim(), 16).ok()).is_some_and(|ignored| ignored & 1 == 1)
}
