//! The engine's trees, looked through before the engine opens them. It makes a new tree where it finds no version of one,
//! deletes trees that its list does not name, and trusts the file that lists a tree's tables without its checksum.

use std::{fs, io, path::Path};

use xxhash_rust::xxh3::xxh3_128;

use crate::{folder::OpenError, schema::Schema};

/// The tree in which the engine lists the others.
const LIST: &str = "0";
/// The tree without rows, which is made before that of any table.
const NUDGE: &str = "1";

/// Looks the trees of all tables through, and whatever other trees there are.
pub(crate) fn look_through(engine: &Path, schema: &Schema) -> Result<(), OpenError> {
    let trees = engine.join("keyspaces");
    let ours = schema.tables.iter().map(|stored| stored.tree.as_str());
    std::iter::once(LIST).chain(ours).try_for_each(|tree| version(&trees.join(tree)))?;
    let failed = |error| OpenError::Io { path: trees.clone(), error };
    for tree in fs::read_dir(&trees).map_err(failed)? {
        let tree = tree.map_err(failed)?.path();
        // One that was not finished, or not removed whole, has no version; the engine removes it.
        if tree.join("current").exists() {
            version(&tree)?;
        }
    }
    Ok(())
}

/// Whether there is a tree of any table.
pub(crate) fn any(engine: &Path) -> io::Result<bool> {
    let mut trees = match fs::read_dir(engine.join("keyspaces")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        trees => trees?,
    };
    trees.try_fold(false, |any, tree| {
        let name = tree?.file_name();
        Ok(any || (name != LIST && name != NUDGE))
    })
}

/// Looks at the file that lists a tree's tables: `current` has its number and its checksum.
fn version(tree: &Path) -> Result<(), OpenError> {
    let current = tree.join("current");
    let bytes = read(&current)?;
    let damaged = |path: &Path, what: &str| Err(OpenError::Damaged { path: path.to_owned(), what: what.to_owned() });
    let Some((number, rest)) = bytes.split_first_chunk() else { return damaged(&current, "it ends early") };
    let Some((checksum, [0])) = rest.split_first_chunk() else {
        return damaged(&current, "it is not as it was written");
    };
    let listing = tree.join(format!("v{}", u64::from_le_bytes(*number)));
    if xxh3_128(&read(&listing)?) != u128::from_le_bytes(*checksum) {
        return damaged(&listing, "its checksum is that of another text");
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => OpenError::Damaged { path: path.to_owned(), what: "it is missing".into() },
        _ => OpenError::Io { path: path.to_owned(), error },
    })
}
