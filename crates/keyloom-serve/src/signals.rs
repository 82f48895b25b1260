//! How the process is told to stop.

use std::{fs, io};

use tokio::signal::unix::{SignalKind, signal};

/// Ends when the process is told to stop: by Ctrl-C, by a service manager, or by the terminal that goes away.
pub(crate) fn stop() -> io::Result<impl Future<Output = ()>> {
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
