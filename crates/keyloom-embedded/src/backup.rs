//! A store as one stream of bytes, and a store from it.
//!
//! ```text
//! stream   magic, format u32, blocks
//! block    kind u8, length u32, that many bytes, checksum u64 of all that and of the block before
//! blocks   the tables as JSON; rows, table by table in the order of their keys; the summary as JSON; nothing behind it
//! rows     position of the table u32, then for each row: length of key u32, length of body u32, key, body
//! ```

use std::{
    fmt, fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use bytes::Bytes;
use fjall::{Readable, Snapshot};
use keyloom_store::{Fault, Row, Step, Table};
use keyloom_value::key;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    embedded::{Embedded, stop},
    environment::Environment,
    faults,
    folder::{Folder, OpenError},
    open,
    options::Options,
    sealed,
    shared::Shared,
    tables::OpenTable,
};

const MAGIC: &[u8; 16] = b"keyloom backup\r\n";
const FORMAT: u32 = 1;
const TABLES: u8 = 1;
const ROWS: u8 = 2;
const SUMMARY: u8 = 3;
/// When a block is long enough.
const BLOCK_BYTES: usize = 256 << 10;
/// Longer than any block with one row: what is longer was not written by us.
const BLOCK_BYTES_MAX: u32 = 32 << 20;

/// What a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BackupSummary {
    /// Tables.
    pub tables: u64,
    /// Rows of all tables, also those that have expired or fence.
    pub rows: u64,
    /// Bytes of these rows.
    pub bytes: u64,
}

/// Why a backup was not written, or not restored.
#[derive(Debug)]
pub enum BackupError {
    /// The stream could not be read or written, or a folder.
    Io(io::Error),
    /// The stream is no whole backup.
    Stream(String),
    /// The stream was written by another version.
    Format {
        /// Its format.
        found: u32,
        /// The format this version reads.
        known: u32,
    },
    /// A backup is restored into a new or an empty folder.
    Occupied(PathBuf),
    /// The store failed.
    Store(Fault),
    /// The new store could not be opened.
    Open(OpenError),
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Stream(what) => write!(f, "this is no whole backup: {what}"),
            Self::Format { found, known } => write!(f, "the backup has format {found}, but this version reads {known}"),
            Self::Occupied(folder) => write!(f, "`{}` is not empty: a backup needs a new folder", folder.display()),
            Self::Store(fault) => write!(f, "{fault}"),
            Self::Open(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for BackupError {}

impl From<io::Error> for BackupError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Stream("it ends early".into()),
            _ => Self::Io(error),
        }
    }
}

impl From<Fault> for BackupError {
    fn from(fault: Fault) -> Self {
        Self::Store(fault)
    }
}

impl From<OpenError> for BackupError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl Embedded {
    /// Writes everything that is in the store at this moment, while it goes on. `progress` hears after each block how
    /// much that was so far.
    ///
    /// # Errors
    /// When the store can't be read, a table is dropped meanwhile, or the stream can't be written.
    pub fn backup(
        &self,
        out: &mut impl Write,
        progress: impl FnMut(&BackupSummary),
    ) -> Result<BackupSummary, BackupError> {
        self.shared().write_backup(out, progress)
    }
}

/// Makes a store in a new or empty folder from a backup. It appears there whole, when all of the stream was read and
/// found right, or not at all.
///
/// # Errors
/// When the folder is not empty, the stream is not whole, or the disk can't be written.
pub fn restore(
    folder: &Path,
    input: &mut impl Read,
    environment: Arc<dyn Environment>,
    progress: impl FnMut(&BackupSummary),
) -> Result<BackupSummary, BackupError> {
    if folder.exists() && fs::read_dir(folder)?.next().is_some() {
        return Err(BackupError::Occupied(folder.to_owned()));
    }
    let mut draft = folder.as_os_str().to_owned();
    draft.push(".restoring");
    let draft = PathBuf::from(draft);
    if draft.exists() {
        // Left behind by an attempt that was cut off, unless that one is still at it.
        drop(Folder::claim(&draft)?);
        fs::remove_dir_all(&draft)?;
    }
    let (shared, _) = open::open(&draft, Options::default(), environment)?;
    let restored = read_backup(&shared, input, progress).and_then(|summary| {
        stop(shared)?;
        fs::rename(&draft, folder)?;
        sealed::sync_folder_of(&fs::canonicalize(folder)?)?;
        Ok(summary)
    });
    if restored.is_err() {
        // Why it failed is what the caller must hear; a draft that stays is removed by the next attempt.
        let _ = fs::remove_dir_all(&draft);
    }
    restored
}

impl Shared {
    fn write_backup(
        &self,
        out: &mut impl Write,
        mut progress: impl FnMut(&BackupSummary),
    ) -> Result<BackupSummary, BackupError> {
        let (tables, snapshot) = {
            let _schema = self.schema.lock().unwrap_or_else(PoisonError::into_inner);
            let tables: Vec<(&OpenTable, Table)> =
                self.tables.all().map(|table| (table, table.shape().table().clone())).collect();
            (tables, self.engine.snapshot())
        };
        out.write_all(MAGIC)?;
        out.write_all(&FORMAT.to_le_bytes())?;
        let mut blocks = Blocks { stream: out, checksum: 0 };
        let schema: Vec<&Table> = tables.iter().map(|(_, table)| table).collect();
        blocks.write(TABLES, &serde_json::to_vec(&schema).map_err(io::Error::from)?)?;
        let mut summary = BackupSummary { tables: tables.len() as u64, ..BackupSummary::default() };
        for (position, (table, _)) in (0u32..).zip(&tables) {
            write_rows(table, position, &snapshot, &mut blocks, &mut summary, &mut progress)?;
            if table.is_dropped() {
                return Err(Fault::NotDone("a table was dropped while the backup was written".into()).into());
            }
        }
        blocks.write(SUMMARY, &serde_json::to_vec(&summary).map_err(io::Error::from)?)?;
        blocks.stream.flush()?;
        Ok(summary)
    }
}

fn write_rows(
    table: &OpenTable,
    position: u32,
    snapshot: &Snapshot,
    blocks: &mut Blocks<&mut impl Write>,
    summary: &mut BackupSummary,
    progress: &mut impl FnMut(&BackupSummary),
) -> Result<(), BackupError> {
    let head = position.to_le_bytes();
    let mut block = head.to_vec();
    let mut rows = snapshot.iter(&table.keyspace);
    loop {
        let row = faults::contained(|| {
            let row = rows.next().map(fjall::Guard::into_inner).transpose();
            row.map_err(|error| faults::of_read(&error))
        })?;
        if block.len() > BLOCK_BYTES || (row.is_none() && block.len() > head.len()) {
            blocks.write(ROWS, &block)?;
            progress(summary);
            block.truncate(head.len());
        }
        let Some((key, body)) = row else { return Ok(()) };
        for part in [&key, &body] {
            block.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        }
        block.extend_from_slice(&key);
        block.extend_from_slice(&body);
        summary.rows += 1;
        summary.bytes += (key.len() + body.len()) as u64;
    }
}

fn read_backup(
    shared: &Shared,
    input: &mut impl Read,
    mut progress: impl FnMut(&BackupSummary),
) -> Result<BackupSummary, BackupError> {
    let wrong = |what: &str| Err(BackupError::Stream(what.to_owned()));
    if take::<16>(input)? != *MAGIC {
        return wrong("it begins like something else");
    }
    match u32::from_le_bytes(take(input)?) {
        FORMAT => {}
        found => return Err(BackupError::Format { found, known: FORMAT }),
    }
    let mut blocks = Blocks { stream: input, checksum: 0 };
    let (TABLES, tables) = blocks.read()? else { return wrong("it does not begin with the tables") };
    let tables: Vec<Table> = json(&tables)?;
    for table in &tables {
        shared.take(&Step::Create(table.clone()))?;
    }
    let open: Vec<&OpenTable> = shared.tables.all().collect();
    if open.len() != tables.len() {
        return wrong("it names a table twice");
    }
    let mut found = BackupSummary { tables: tables.len() as u64, ..BackupSummary::default() };
    let mut next = 0;
    let mut block = blocks.read()?;
    while block.0 == ROWS {
        let position = u32::from_le_bytes(take(&mut block.1.as_slice())?) as usize;
        let table = open.get(position).filter(|_| position >= next);
        let Some(table) = table else { return wrong("it has rows of an unknown table, or out of order") };
        next = position + 1;
        block = load(table, block, &mut blocks, &mut found, &mut progress)?;
    }
    if block.0 != SUMMARY {
        return wrong("it has a block of an unknown kind");
    }
    if json::<BackupSummary>(&block.1)? != found {
        return wrong("it holds more or less than it says");
    }
    if blocks.stream.read(&mut [0])? > 0 {
        return wrong("it goes on behind its end");
    }
    Ok(found)
}

/// A block's kind and content.
type Block = (u8, Vec<u8>);

/// Puts all rows of one table into its tree, from the given block on; answers with the first that is none of its own.
fn load(
    table: &OpenTable,
    mut block: Block,
    blocks: &mut Blocks<&mut impl Read>,
    found: &mut BackupSummary,
    progress: &mut impl FnMut(&BackupSummary),
) -> Result<Block, BackupError> {
    let failed = |error: fjall::Error| Fault::NotDone(format!("the new store could not be written: {error}").into());
    let mut ingestion = table.keyspace.start_ingestion().map_err(failed)?;
    let (head, mut last) = (block.1[..4].to_vec(), Vec::new());
    while block.0 == ROWS && block.1.starts_with(&head) {
        let mut rest = &block.1[4..];
        while !rest.is_empty() {
            let (key, body) = row(&mut rest, table)?;
            if key <= last.as_slice() {
                return Err(BackupError::Stream("its rows are out of order".into()));
            }
            last.clear();
            last.extend_from_slice(key);
            ingestion.write(key, body).map_err(failed)?;
            found.rows += 1;
            found.bytes += (key.len() + body.len()) as u64;
        }
        progress(found);
        block = blocks.read()?;
    }
    ingestion.finish().map_err(failed)?;
    Ok(block)
}

/// Reads one row, key and body, and moves behind it.
fn row<'a>(rest: &mut &'a [u8], table: &OpenTable) -> Result<(&'a [u8], &'a [u8]), BackupError> {
    let key = u32::from_le_bytes(take(rest)?) as usize;
    let body = u32::from_le_bytes(take(rest)?) as usize;
    let short = || BackupError::Stream("a row ends early".into());
    let (row, behind) = rest.split_at_checked(key + body).ok_or_else(short)?;
    *rest = behind;
    let (key, body) = row.split_at(key);
    let shape = table.shape();
    let malformed = |malformed| BackupError::Stream(format!("a row can't be read: {malformed}"));
    key::decode(key, shape.key_parts()).map_err(malformed)?;
    let decoded = Row::new(Bytes::new(), Bytes::copy_from_slice(body));
    for group in 0..shape.table().groups.len() {
        decoded.section(group).map_err(malformed)?;
    }
    Ok((key, body))
}

/// Blocks, each with a checksum that depends on all before it.
struct Blocks<S> {
    stream: S,
    checksum: u64,
}

impl<S: Write> Blocks<S> {
    fn write(&mut self, kind: u8, content: &[u8]) -> Result<(), BackupError> {
        let length = u32::try_from(content.len()).ok().filter(|length| *length <= BLOCK_BYTES_MAX);
        let length = length.ok_or_else(|| BackupError::Stream("a block would be too long".into()))?;
        self.checksum = checksum(kind, content, self.checksum);
        self.stream.write_all(&[kind])?;
        self.stream.write_all(&length.to_le_bytes())?;
        self.stream.write_all(content)?;
        self.stream.write_all(&self.checksum.to_le_bytes())?;
        Ok(())
    }
}

impl<S: Read> Blocks<S> {
    fn read(&mut self) -> Result<Block, BackupError> {
        let [kind] = take(&mut self.stream)?;
        let length = u32::from_le_bytes(take(&mut self.stream)?);
        if length > BLOCK_BYTES_MAX {
            return Err(BackupError::Stream("a block is too long".into()));
        }
        // Room is made as bytes come: a length alone is no reason to believe it.
        let mut content = Vec::new();
        let read = self.stream.by_ref().take(length.into()).read_to_end(&mut content)?;
        if read < length as usize {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.checksum = checksum(kind, &content, self.checksum);
        if u64::from_le_bytes(take(&mut self.stream)?) != self.checksum {
            return Err(BackupError::Stream("the checksum of a block is wrong".into()));
        }
        Ok((kind, content))
    }
}

fn checksum(kind: u8, content: &[u8], before: u64) -> u64 {
    xxh3_64_with_seed(content, before ^ u64::from(kind) << 32 ^ content.len() as u64)
}

fn take<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn json<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, BackupError> {
    serde_json::from_slice(bytes).map_err(|error| BackupError::Stream(error.to_string()))
}
