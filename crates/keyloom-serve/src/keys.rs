//! The commands on keys: on a data folder, by way of the process that has it, or on an engine.
//!
//! Whoever adds a key makes its credential and hands on the hash alone: a running process never sees what is printed.

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use keyloom_embedded::{Durability, Embedded, OpenError, Options, System as Machine};
use keyloom_model::{Catalog, Engine as EngineKind, layout::Layout};
use keyloom_run::{Credential, Hash, Holder, Key, Problem, Role, Run};
use keyloom_store::{Define, Store, Sweep};
use serde_json::{Value as Json, json};

use crate::{
    change, client,
    control::Control,
    data::DataError,
    door::BELIEVED,
    engine::{self, Engine},
    system::System,
    up::{UpError, program},
};

/// Where keys are, with the catalog that says which tenants there are.
#[derive(Debug, Clone, Copy)]
pub struct KeysOf<'a> {
    /// The catalog; it was checked.
    pub catalog: &'a Catalog,
    /// How it is stored; designed where nobody says so.
    pub layout: Option<&'a Layout>,
    /// The data they are for.
    pub data: KeyData<'a>,
}

/// The data that keys are for.
#[derive(Debug, Clone, Copy)]
pub enum KeyData<'a> {
    /// In a folder of this machine, whether a process serves it or not.
    Folder(&'a Path),
    /// In an engine.
    Engine(&'a Engine),
}

/// What is asked of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Add(Hash, Holder),
    List,
    Revoke(String),
}

/// Who may still believe what was true before.
enum Served {
    Nobody,
    Somebody,
}

impl KeysOf<'_> {
    /// Adds a key, and says what its holder shows: now, and never again.
    ///
    /// # Errors
    /// When such a key makes no sense for the catalog, or the data can't be reached.
    pub fn add(&self, holder: Holder) -> Result<(Credential, Key), DataError> {
        // Before any folder is made for it.
        let holder = holder.checked(self.catalog).map_err(DataError::Keys)?;
        let credential = Credential::new(&System);
        let (mut keys, _) = self.ask(&Asked::Add(credential.hash(), holder))?;
        let odd = || DataError::Keys(Problem::Broken("the key was added, and is not told of".into()));
        Ok((credential, keys.pop().ok_or_else(odd)?))
    }

    /// All keys, also the revoked ones.
    ///
    /// # Errors
    /// When the data can't be reached.
    pub fn list(&self) -> Result<Vec<Key>, DataError> {
        Ok(self.ask(&Asked::List)?.0)
    }

    /// Revokes a key, and answers when every process has heard of it: none that is asked from then on lets it in. `wait`
    /// hears for how long that takes. Nothing where there is no such key.
    ///
    /// # Errors
    /// When the data can't be reached.
    pub fn revoke(&self, id: &str, wait: impl FnOnce(Duration)) -> Result<Option<Key>, DataError> {
        let (mut keys, served) = self.ask(&Asked::Revoke(id.to_owned()))?;
        if let (Served::Somebody, false) = (served, keys.is_empty()) {
            wait(BELIEVED);
            std::thread::sleep(BELIEVED);
        }
        Ok(keys.pop())
    }

    fn ask(&self, asked: &Asked) -> Result<(Vec<Key>, Served), DataError> {
        match self.data {
            KeyData::Folder(folder) => self.ask_folder(folder, asked),
            KeyData::Engine(engine) => {
                let keys = engine::ask_keys(engine, self.catalog, self.layout, asked)?;
                Ok((keys, Served::Somebody))
            }
        }
    }

    fn ask_folder(&self, folder: &Path, asked: &Asked) -> Result<(Vec<Key>, Served), DataError> {
        if folder.is_file() {
            return Err(DataError::NotAFolder(folder.to_owned()));
        }
        let empty = match fs::read_dir(folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(DataError::Open(OpenError::Io { path: folder.to_owned(), error })),
        };
        // The first key may come before the first start; nothing else can be asked of what is not there.
        if empty && !matches!(asked, Asked::Add(..)) {
            return Err(DataError::Missing(folder.to_owned()));
        }
        program(self.catalog, self.layout, EngineKind::Embedded).map_err(DataError::Catalog)?;
        let options = Options { durability: Durability::PowerLoss, ..Options::default() };
        let store = match Embedded::open(folder, options, Arc::new(Machine)) {
            Ok((store, _)) => Arc::new(store),
            Err(OpenError::InUse { folder: used, pid }) => {
                let Some(control) = Control::find(folder) else {
                    return Err(DataError::Open(OpenError::InUse { folder: used, pid }));
                };
                return Ok((ask_running(&control, folder, asked)?, Served::Somebody));
            }
            Err(error) => return Err(DataError::Open(error)),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(DataError::Output)?;
        let answered = runtime.block_on(async {
            let failed = |fault| UpError::Store(folder.to_owned(), fault);
            let program = change::program(self.catalog, self.layout, EngineKind::Embedded, &*store, failed).await;
            let opened =
                open(program.map_err(DataError::Catalog)?, Arc::clone(&store), empty, &folder.display().to_string())
                    .await?;
            answer(&opened, asked).await.map_err(DataError::Keys)
        });
        if let Some(store) = Arc::into_inner(store) {
            store.close().map_err(DataError::Store)?;
        }
        Ok((answered?, Served::Nobody))
    }
}

/// A program on a store whose tables are there; made only where nothing is there at all.
pub(crate) async fn open<S: Store + Define + Sweep>(
    program: keyloom_run::Program,
    store: Arc<S>,
    make: bool,
    place: &str,
) -> Result<Run, DataError> {
    if !make && !Run::steps(&program, &*store).await.map_err(DataError::Store)?.is_empty() {
        return Err(DataError::NoTables(place.to_owned()));
    }
    Run::open(program, store, Arc::new(System)).await.map_err(DataError::Store)
}

/// What the keys of a store have to say.
pub(crate) async fn answer(run: &Run, asked: &Asked) -> Result<Vec<Key>, Problem> {
    match asked {
        Asked::Add(hash, holder) => Ok(vec![run.add_key(*hash, holder.clone()).await?]),
        Asked::List => run.keys().await,
        Asked::Revoke(id) => Ok(run.revoke_key(id).await?.into_iter().collect()),
    }
}

fn ask_running(control: &Control, folder: &Path, asked: &Asked) -> Result<Vec<Key>, DataError> {
    let failed = |error| DataError::Running(folder.to_owned(), error);
    let (status, body) = client::send(&control.into(), "/v1/-/keys", &asked.to_json().to_string()).map_err(failed)?;
    let garbled = || failed(io::Error::other("the answer is garbled"));
    let body: Json = serde_json::from_str(&body).map_err(|_| garbled())?;
    if status == 200 {
        let keys = body["keys"].as_array().ok_or_else(garbled)?;
        return keys.iter().map(|key| key_from(key).ok_or_else(garbled)).collect();
    }
    let detail = body["detail"].as_str().unwrap_or("it did not say why").to_owned();
    Err(if status == 400 { DataError::Keys(Problem::Input(detail)) } else { failed(io::Error::other(detail)) })
}

impl Asked {
    fn to_json(&self) -> Json {
        match self {
            Self::Add(hash, holder) => json!({ "add": holder_json(hash, holder) }),
            Self::List => json!({ "list": {} }),
            Self::Revoke(id) => json!({ "revoke": id }),
        }
    }

    /// Reads what another process of the same owner asks.
    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        let object = json.as_object().filter(|object| object.len() == 1)?;
        let (what, about) = object.iter().next()?;
        match what.as_str() {
            "add" => {
                let (hash, holder) = holder_from(about)?;
                Some(Self::Add(hash, holder))
            }
            "list" => Some(Self::List),
            "revoke" => about.as_str().map(|id| Self::Revoke(id.to_owned())),
            _ => None,
        }
    }
}

/// A key for a process of the same owner; its hash alone is no key.
pub(crate) fn key_json(key: &Key) -> Json {
    let mut json = holder_json(&key.hash, &key.holder);
    json["made"] = json!(key.made_us);
    json["revoked"] = json!(key.revoked_us);
    json
}

fn key_from(json: &Json) -> Option<Key> {
    let (hash, holder) = holder_from(json)?;
    Some(Key { hash, holder, made_us: json["made"].as_i64()?, revoked_us: json["revoked"].as_i64() })
}

fn holder_json(hash: &Hash, holder: &Holder) -> Json {
    let hash: String = hash.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "hash": hash, "subject": holder.subject, "role": holder.role.name(), "tenant": holder.tenant })
}

fn holder_from(json: &Json) -> Option<(Hash, Holder)> {
    let digits = json["hash"].as_str().filter(|digits| digits.is_ascii())?;
    let pairs = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok());
    let hash = Hash::of_bytes(&pairs.collect::<Option<Vec<u8>>>()?)?;
    let role = Role::from_name(json["role"].as_str()?)?;
    let tenant = json["tenant"].as_str().map(str::to_owned);
    Some((hash, Holder { subject: json["subject"].as_str()?.to_owned(), role, tenant }))
}

#[cfg(test)]
mod tests {
    use keyloom_run::{Credential, Holder, Role};
    use serde_json::json;

    use super::{Asked, key_from, key_json};
    use crate::system::System;

    #[test]
    fn what_is_asked_of_a_running_process_is_what_it_hears() {
        let hash = Credential::new(&System).hash();
        let holder = Holder { subject: "é \"x\"".into(), role: Role::Client, tenant: Some("acme".into()) };
        for asked in [Asked::Add(hash, holder.clone()), Asked::List, Asked::Revoke("00ff".into())] {
            assert_eq!(Asked::from_json(&asked.to_json()), Some(asked));
        }
        for (tenant, revoked_us) in [(None, None), (Some("acme".to_owned()), Some(7))] {
            let holder = Holder { tenant, ..holder.clone() };
            let key = keyloom_run::Key { hash, holder, made_us: -5, revoked_us };
            assert_eq!(key_from(&key_json(&key)), Some(key));
        }
        for odd in [json!({}), json!({"add": {}}), json!({"list": {}, "revoke": "x"}), json!({"revoke": 7}), json!([])]
        {
            assert_eq!(Asked::from_json(&odd), None, "{odd}");
        }
    }
}
