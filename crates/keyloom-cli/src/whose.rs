//! Whose rows a command is about: the catalog, its layout, and where they are.

use std::path::PathBuf;

use keyloom::model::{Catalog, layout::Layout};
use keyloom::serve::Engine;

use crate::Exit;
use crate::arguments::DataArguments;
use crate::up::{checked, data_folder, engine};

/// What the command line names.
pub(crate) struct Whose {
    pub(crate) catalog: Catalog,
    pub(crate) layout: Option<Layout>,
    /// The engine that holds them, if it is not the folder.
    pub(crate) engine: Option<Engine>,
    pub(crate) folder: PathBuf,
}

impl Whose {
    /// Reads it, if `check` finds no error in the catalog and what is said of an engine fits together.
    pub(crate) fn read(arguments: &DataArguments) -> Result<Self, Exit> {
        let (catalog, layout) = checked(&arguments.catalog, arguments.layout.as_deref())?;
        let engine = engine(&arguments.store, None)?;
        let folder = arguments.data.clone().unwrap_or_else(|| data_folder(&catalog, None));
        Ok(Self { catalog, layout, engine, folder })
    }
}
