//! Real time, and where notes are kept.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use keyloom_contract::{
    Dice,
    history::{Note, World},
};
use keyloom_store::{BoxFuture, Millis};

/// What a client has at hand.
#[derive(Debug, Clone)]
pub struct Real {
    dice: Arc<Mutex<Dice>>,
    notes: Notes,
}

/// Where notes are kept: here, or in a file that outlives the process.
#[derive(Debug, Clone)]
pub enum Notes {
    Here(Arc<Mutex<Vec<Note>>>),
    File(Arc<File>),
}

impl Default for Notes {
    fn default() -> Self {
        Self::Here(Arc::default())
    }
}

impl Notes {
    pub fn in_file(path: &Path) -> Self {
        Self::File(Arc::new(OpenOptions::new().create(true).append(true).open(path).unwrap()))
    }

    /// All notes that are kept here.
    pub fn taken(&self) -> Vec<Note> {
        match self {
            Self::Here(notes) => std::mem::take(&mut notes.lock().unwrap()),
            Self::File(_) => Vec::new(),
        }
    }

    /// The notes in a file. A line that was cut off by a kill was never followed by its call.
    pub fn of_file(path: &Path) -> Vec<Note> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Real {
    pub fn new(seed: u64, notes: Notes) -> Self {
        Self { dice: Arc::new(Mutex::new(Dice::new(seed << 32))), notes }
    }
}

impl World for Real {
    fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Millis(since.as_millis().try_into().unwrap())
    }

    fn below(&self, end: u64) -> u64 {
        self.dice.lock().unwrap().below(end)
    }

    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(span))
    }

    fn note(&self, note: Note) {
        match &self.notes {
            Notes::Here(notes) => notes.lock().unwrap().push(note),
            Notes::File(file) => {
                let mut line = serde_json::to_string(&note).unwrap();
                line.push('\n');
                // One write: what the system has taken survives the process.
                (&**file).write_all(line.as_bytes()).unwrap();
            }
        }
    }
}
