//! The engine's journal, looked through before the engine opens it. The engine takes the first thing that it does not
//! understand for the end and cuts off what follows, whatever that is. After a crash of the process, nothing but one
//! unfinished batch can follow: anything else is damage, and must not be cut off.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_64;

use crate::folder::OpenError;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
/// Far more than batches, flushes and snapshots can have used up between two batches.
const STEP_MAX: u64 = 1 << 32;
const TRAILER: &[u8; 4] = b"FJL\x03";

/// What the journals of a folder hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Journals {
    /// Bytes of whole batches.
    pub(crate) bytes: u64,
    /// Bytes behind them that the engine will cut off.
    pub(crate) dropped: u64,
}

/// The journals of the engine, oldest first.
pub(crate) fn files(engine: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(engine)? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl")?.parse().ok());
        files.extend(number.map(|number| (number, path)));
    }
    files.sort_unstable();
    Ok(files)
}

/// Looks the journals through after a crash. `power_lost`: the machine stopped too, so that of what was written last any
/// part may be missing.
pub(crate) fn look_through(engine: &Path, power_lost: bool) -> Result<Journals, OpenError> {
    let failed = |error| OpenError::Io { path: engine.to_owned(), error };
    let damaged = |path: &Path, what: String| Err(OpenError::Damaged { path: path.to_owned(), what });
    let files = files(engine).map_err(failed)?;
    // While a store is open it has a journal, and the engine removes the oldest first.
    if files.is_empty() {
        return damaged(engine, "its journal is missing".into());
    }
    if let Some(pair) = files.windows(2).find(|pair| pair[0].0 + 1 != pair[1].0) {
        return damaged(engine, format!("journal {} is missing", pair[0].0 + 1));
    }
    let (mut found, mut last_batch) = (Journals::default(), None);
    for (at, (_, path)) in files.iter().enumerate() {
        let bytes = fs::read(path).map_err(|error| OpenError::Io { path: path.clone(), error })?;
        // A journal is made larger than it is filled.
        let written = &bytes[..bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
        let mut rest = written;
        let fault = loop {
            let before = rest;
            match batch(&mut rest, last_batch) {
                Ok(number) => last_batch = Some(number),
                Err(fault) => {
                    rest = before;
                    break fault;
                }
            }
        };
        found.bytes += (written.len() - rest.len()) as u64;
        found.dropped += rest.len() as u64;
        let sealed = at + 1 < files.len();
        let torn = fault == Fault::Short && !holds_batch(rest, last_batch);
        // A sealed journal was synced whole before the next was begun.
        if !rest.is_empty() && (sealed || (!torn && !power_lost)) {
            let offset = written.len() - rest.len();
            return damaged(path, format!("from byte {offset} on it can't be read, and that was no crash"));
        }
    }
    Ok(found)
}

/// Why no batch could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The bytes end before it does.
    Short,
    /// They are none of a batch.
    Wrong,
}

/// Whether a whole batch that follows the last one stands somewhere in these bytes.
fn holds_batch(bytes: &[u8], last: Option<u64>) -> bool {
    let starts = (0..bytes.len()).filter(|at| bytes[*at] == START);
    starts.map(|at| &bytes[at..]).any(|mut rest| batch(&mut rest, last).is_ok())
}

/// Reads one batch and moves behind it; answers with its number.
fn batch(rest: &mut &[u8], last: Option<u64>) -> Result<u64, Fault> {
    if take::<1>(rest)? != [START] {
        return Err(Fault::Wrong);
    }
    let items = u32::from_le_bytes(take(rest)?);
    let number = u64::from_le_bytes(take(rest)?);
    // The engine's checksum does not cover the number, but it only ever rises, and in small steps.
    if last.is_some_and(|last| number <= last || number - last > STEP_MAX) {
        return Err(Fault::Wrong);
    }
    let content = *rest;
    for _ in 0..items {
        match take::<1>(rest)? {
            [ITEM] => {
                let [kind, compression] = take(rest)?;
                if kind > 2 || compression > 1 {
                    return Err(Fault::Wrong);
                }
                take::<8>(rest)?;
                let key = u16::from_le_bytes(take(rest)?);
                take::<4>(rest)?;
                let value = u32::from_le_bytes(take(rest)?);
                *rest = rest.get(usize::from(key) + value as usize..).ok_or(Fault::Short)?;
            }
            [CLEAR] => {
                take::<8>(rest)?;
            }
            _ => return Err(Fault::Wrong),
        }
    }
    let content = &content[..content.len() - rest.len()];
    if take::<1>(rest)? != [END] {
        return Err(Fault::Wrong);
    }
    let checksum = u64::from_le_bytes(take(rest)?);
    if take(rest)? != *TRAILER || checksum != xxh3_64(content) {
        return Err(Fault::Wrong);
    }
    Ok(number)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Fault> {
    let (taken, behind) = rest.split_first_chunk::<N>().ok_or(Fault::Short)?;
    *rest = behind;
    Ok(*taken)
}
