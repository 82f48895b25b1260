//! The tables as they stand in the folder, in a file beside the engine: before the engine is opened we must know which
//! trees it has to have, because it quietly deletes what it takes for left-overs.

use std::{fs, io, path::Path};

use keyloom_store::Table;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::folder::{OpenError, write_whole};

const FILE: &str = "schema";

/// The tables of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Schema {
    /// The number of the next table.
    pub(crate) next: u32,
    pub(crate) tables: Vec<Stored>,
}

/// A table with its place in the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// Never used twice; the engine knows the table by it, so that no name of a user gets there.
    pub(crate) number: u32,
    /// The folder of its tree, as the engine numbers them.
    pub(crate) tree: String,
    pub(crate) table: Table,
}

impl Schema {
    pub(crate) fn read(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(FILE);
        let damaged = |what: &str| OpenError::Damaged { path: path.clone(), what: what.to_owned() };
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged("it is missing")),
            Err(error) => return Err(OpenError::Io { path, error }),
        };
        let (checksum, json) = text.split_at_checked(17).ok_or_else(|| damaged("it ends early"))?;
        if checksum != line(json).as_bytes() {
            return Err(damaged("its checksum is that of another text"));
        }
        serde_json::from_slice(json).map_err(|error| damaged(&format!("it can't be read: {error}")))
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let json = serde_json::to_vec_pretty(self)?;
        let text = [line(&json).as_bytes(), &json].concat();
        write_whole(&folder.join(FILE), &text)
    }
}

/// The name of a table's tree in the engine.
pub(crate) fn keyspace_name(number: u32) -> String {
    format!("table-{number}")
}

fn line(json: &[u8]) -> String {
    format!("{:016x}\n", xxh3_64(json))
}
