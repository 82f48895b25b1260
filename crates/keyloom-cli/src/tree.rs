//! The files of a repository on this machine.

use std::path::{Path, PathBuf};

use keyloom::survey::Tree;
use keyloom::text::Unreadable;

/// All files below some paths.
pub(crate) struct Repository {
    names: Vec<String>,
}

impl Repository {
    /// The files below these paths, and the paths themselves where they are files.
    pub(crate) fn below(roots: &[PathBuf]) -> Self {
        let mut names = Vec::new();
        let mut folders: Vec<PathBuf> = Vec::new();
        for root in roots {
            if root.is_dir() {
                folders.push(root.clone());
            } else {
                names.push(name(root));
            }
        }
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                // Links are not followed: they may lead in circles.
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() && !is_built(&entry.file_name().to_string_lossy()) {
                    folders.push(path);
                } else if kind.is_file() {
                    names.push(name(&path));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Self { names }
    }
}

impl Tree for Repository {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn open(&self, name: &str) -> Result<String, String> {
        crate::files::read(Path::new(name)).map_err(|unreadable| match unreadable {
            Unreadable::Refused(why) => why,
            Unreadable::TooLarge { bytes } => format!("it has {bytes} bytes"),
            Unreadable::Binary | Unreadable::NotUtf8 { .. } => "it is no text".to_owned(),
            _ => "there is no such file".to_owned(),
        })
    }
}

/// Folders that tools fill.
fn is_built(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "target" | "node_modules" | "vendor" | "build" | "dist" | "__pycache__")
}

/// A path as it is named: with `/`, and without `.` parts.
pub(crate) fn name(path: &Path) -> String {
    let parts = path.components().filter(|part| !matches!(part, std::path::Component::CurDir));
    let parts: Vec<String> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/").replace("//", "/")
}
