//! Keys to begin with: made by the first start on this machine, kept in a file that only its owner can read.
//!
//! They stand in no table: they are good for the process that read them, on loopback, and only until a key is added. So they
//! never reach an engine that others share, nor a backup.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use keyloom_model::{Action, Catalog, Expr, Type};
use keyloom_run::{Credential, Hash, Holder, Role};

use crate::{samples::sample_tenant, system::System};

const ABOUT: &str = "# Keys of development: good on this machine alone, until `keyloom key add` adds one.\n";

/// Three keys: of one tenant's client, of a worker, of an operator.
#[derive(Debug)]
pub(crate) struct Development {
    keys: [(Credential, Holder); 3],
}

impl Development {
    /// Those that a file holds; made, with the file, where there is none.
    pub(crate) fn at(file: &Path, catalog: &Catalog) -> io::Result<Self> {
        let written = match fs::read_to_string(file) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(text) = written {
            let mode = fs::metadata(file)?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(io::Error::other("others can read it: `chmod 600` it, or remove it and new keys are made"));
            }
            let keys = Self::read(&text)
                .ok_or_else(|| io::Error::other("it holds no keys of development: remove it, and new ones are made"))?;
            return Ok(Self::of(keys, catalog));
        }
        let keys = [(); 3].map(|()| Credential::new(&System));
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
        let mut text = ABOUT.to_owned();
        for (role, key) in ROLES.iter().zip(&keys) {
            text.push_str(&format!("{} {}\n", role.name(), key.show()));
        }
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        Ok(Self::of(keys, catalog))
    }

    fn read(text: &str) -> Option<[Credential; 3]> {
        let key = |role: Role| {
            let line = text.lines().find_map(|line| line.strip_prefix(role.name())?.strip_prefix(' '))?;
            Credential::read(line.trim())
        };
        let [client, worker, operator] = ROLES.map(key);
        Some([client?, worker?, operator?])
    }

    fn of(keys: [Credential; 3], catalog: &Catalog) -> Self {
        let [client, worker, operator] = keys;
        // One person, whatever key is at hand: what is made with one is found with another.
        let held = |role: Role, tenant| Holder { subject: subject(catalog).to_owned(), role, tenant };
        let keys = [
            (client, held(Role::Client, sample_tenant(catalog))),
            (worker, held(Role::Worker, None)),
            (operator, held(Role::Operator, None)),
        ];
        Self { keys }
    }

    /// Whom the key with this hash stands for.
    pub(crate) fn holder(&self, hash: &Hash) -> Option<&Holder> {
        // All of them are compared, however early one is right.
        self.keys.iter().filter(|(key, _)| key.hash().is(hash)).map(|(_, holder)| holder).next_back()
    }

    /// The key of a role.
    pub(crate) fn key(&self, role: Role) -> &(Credential, Holder) {
        let at = ROLES.iter().position(|known| *known == role).unwrap_or_default();
        &self.keys[at]
    }
}

const ROLES: [Role; 3] = [Role::Client, Role::Worker, Role::Operator];

/// Who develops: a word, or a uuid where the catalog keeps callers as such.
fn subject(catalog: &Catalog) -> &'static str {
    let is_caller = |expr: &Expr| matches!(expr, Expr::Input { name, .. } if name == "caller");
    let is_uuid = |entity: &str, field: &str| {
        let field = catalog.entity(entity).and_then(|entity| entity.field(field));
        field.is_some_and(|field| matches!(field.ty, Type::Uuid | Type::Uuid7))
    };
    let uuids = catalog.patterns.iter().any(|pattern| {
        let selected = pattern.selection().is_some_and(|selection| {
            selection
                .by
                .items()
                .iter()
                .any(|item| is_caller(&item.value) && is_uuid(&selection.entity, &item.path.field))
        });
        let written = match &pattern.action {
            Action::Write(write) => {
                write.by.iter().any(|item| is_caller(&item.value) && is_uuid(&write.entity, &item.path.field))
                    || write
                        .assignments
                        .iter()
                        .any(|set| is_caller(&set.value) && is_uuid(&write.entity, &set.path.field))
            }
            _ => false,
        };
        selected || written
    });
    if uuids { "00000000-0000-7000-8000-000000000001" } else { "developer" }
}
