//! The keys that callers show, in a table of the store: whoever is served by any process on it is known to all of them.

use keyloom_model::Catalog;
use keyloom_store::{Change, Decision, End, Expect, Fault, Freshness, Get, Image, Range, Row, Slice, Store, Verdict};
use keyloom_value::{Kind, Malformed, Value, from_text, to_text};

use crate::{credential::Hash, problem::Problem, program::KEYS, read::millis, run::Run, size::within_size};

/// The one partition of all keys.
const ALL: Value<'static> = Value::Int(0);
/// How many keys are listed by one read.
const SLICE: u32 = 500;
/// How often a change of a key is sent whose outcome the store does not tell.
const TRIES: usize = 5;
/// How long a subject may be, in bytes.
const SUBJECT_MAX: usize = 200;

/// What a key allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Calls patterns: on the rows of its own tenant where the catalog has tenants.
    Client,
    /// Calls patterns for the tenant that it names with each call.
    Worker,
    /// The same, and sees how it all runs.
    Operator,
}

impl Role {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Worker => "worker",
            Self::Operator => "operator",
        }
    }

    /// The role of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Client, Self::Worker, Self::Operator].into_iter().find(|role| role.name() == name)
    }
}

/// Who a key stands for, and what it allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Who calls with it; a catalog calls that `$caller`.
    pub subject: String,
    /// What it allows.
    pub role: Role,
    /// Whose rows it reads and writes, as text; those of a client's key where the catalog has tenants.
    pub tenant: Option<String>,
}

impl Holder {
    /// The same with its tenant in the one form that it has, if such a key makes sense for a catalog.
    ///
    /// # Errors
    /// When it does not, with what to say instead.
    pub fn checked(self, catalog: &Catalog) -> Result<Self, Problem> {
        let bad = |words: &str| Err(Problem::Input(words.to_owned()));
        let subject = &self.subject;
        if subject.trim() != subject || subject.is_empty() || subject.chars().any(char::is_control) {
            return bad("the subject is a text without blanks at its ends and without control characters");
        }
        if subject.len() > SUBJECT_MAX {
            return Err(Problem::Input(format!(
                "the subject has {} bytes, at most {SUBJECT_MAX} are kept",
                subject.len()
            )));
        }
        let tenant = match (self.role, self.tenant, &catalog.tenant) {
            (Role::Client, Some(tenant), Some(_)) => Some(tenant_of(catalog, &tenant)?),
            (Role::Client, None, Some(_)) => {
                return bad(
                    "rows belong to tenants: say whose key it is, or that it is one of a worker or an operator",
                );
            }
            (_, Some(_), None) => return bad("this catalog has no tenants, so a key has none"),
            (_, Some(_), Some(_)) => {
                return bad("a worker and an operator name the tenant with each call, not in the key");
            }
            (Role::Worker, None, None) => {
                return bad("this catalog has no tenants that a worker could name: a plain key allows the same");
            }
            (_, None, _) => None,
        };
        Ok(Self { tenant, ..self })
    }
}

/// A tenant in the one form that it has.
///
/// # Errors
/// When the text is none.
pub fn tenant_of(catalog: &Catalog, text: &str) -> Result<String, Problem> {
    let Some(tenant) = &catalog.tenant else {
        return Err(Problem::Input("this catalog has no tenants: name none".into()));
    };
    let kind = Kind::of(&tenant.ty, catalog);
    let within = |fault: keyloom_value::json::Unfit| Problem::from(fault.within(&tenant.field));
    let value = from_text(text, &kind).map_err(|fault| within(fault.into()))?;
    within_size(&value, &tenant.ty, catalog).map_err(within)?;
    let text = to_text(&value, &kind).map_err(|fault| within(fault.into()))?;
    if text.is_empty() || text.trim() != text || text.chars().any(char::is_control) {
        let words =
            "a tenant is a text without blanks at its ends and without control characters, as it stands in a header";
        return Err(Problem::Input(format!("`{}`: {words}", tenant.field)));
    }
    Ok(text)
}

/// A key as it is kept: everything but what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The hash of its credential.
    pub hash: Hash,
    /// Who it stands for.
    pub holder: Holder,
    /// When it was made, in microseconds since 1970.
    pub made_us: i64,
    /// When it was revoked.
    pub revoked_us: Option<i64>,
}

impl Run {
    /// Adds a key; it is known to every process on the store from then on.
    ///
    /// # Errors
    /// When it makes no sense for the catalog, or the store fails.
    pub async fn add_key(&self, hash: Hash, holder: Holder) -> Result<Key, Problem> {
        let holder = holder.checked(self.catalog())?;
        let key = Key { hash, holder, made_us: self.now_us(), revoked_us: None };
        for _ in 0..TRIES {
            if self.decide_key(&key, Expect::Absent, 1).await? {
                return Ok(key);
            }
            match self.key_row(&hash.id(), Freshness::Fresh).await? {
                // It happened, and nobody was told.
                Some((there, _)) if there.hash.is(&hash) => return Ok(there),
                Some(_) => {
                    return Err(Problem::Input("another key has the same name by chance: make a new one".into()));
                }
                None => {}
            }
        }
        Err(not_told())
    }

    /// The key of that name, revoked; nothing where there is none. One that was revoked before stays as it was.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn revoke_key(&self, id: &str) -> Result<Option<Key>, Problem> {
        for _ in 0..TRIES {
            let Some((there, version)) = self.key_row(id, Freshness::Fresh).await? else { return Ok(None) };
            if there.revoked_us.is_some() {
                return Ok(Some(there));
            }
            let revoked = Key { revoked_us: Some(self.now_us()), ..there };
            if self.decide_key(&revoked, Expect::Version(version), version + 2).await? {
                return Ok(Some(revoked));
            }
        }
        Err(not_told())
    }

    /// The key whose credential has this hash, revoked or not.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find_key(&self, hash: &Hash) -> Result<Option<Key>, Problem> {
        let found = self.key_row(&hash.id(), Freshness::Settled).await?;
        Ok(found.map(|(key, _)| key).filter(|key| key.hash.is(hash)))
    }

    /// All keys, also the revoked ones.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn keys(&self) -> Result<Vec<Key>, Problem> {
        let mut keys = Vec::new();
        let mut after: Option<Vec<Value<'static>>> = None;
        loop {
            let (rows, end) = self.slice_of_keys(after.as_deref(), SLICE).await?;
            for row in rows {
                keys.push(self.read_key(&row)?);
            }
            match end {
                End::Range => break,
                End::Limit { reached } => after = Some(reached),
            }
        }
        keys.sort_by(|a, b| (a.made_us, a.hash.bytes()).cmp(&(b.made_us, b.hash.bytes())));
        Ok(keys)
    }

    /// Whether a key was ever added. Revoking the last one opens nothing to nobody.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn has_keys(&self) -> Result<bool, Problem> {
        let mut after: Option<Vec<Value<'static>>> = None;
        loop {
            match self.slice_of_keys(after.as_deref(), 1).await? {
                (rows, _) if !rows.is_empty() => return Ok(true),
                (_, End::Range) => return Ok(false),
                (_, End::Limit { reached }) => after = Some(reached),
            }
        }
    }

    async fn slice_of_keys(&self, after: Option<&[Value<'_>]>, rows_max: u32) -> Result<(Vec<Row>, End), Problem> {
        let slice = Slice {
            table: self.table(KEYS).0,
            partition: &[ALL],
            within: Range::ALL,
            after,
            reverse: false,
            rows_max,
            bytes_max: 1 << 20,
            freshness: Freshness::Settled,
            now: millis(self.now_us()),
        };
        let read = self.store.slice(slice).await?;
        Ok((read.rows, read.end))
    }

    /// Decides the row of a key; says whether that certainly happened.
    async fn decide_key(&self, key: &Key, expect: Expect, version: u64) -> Result<bool, Problem> {
        let (table, _) = self.table(KEYS);
        let id = key.hash.id();
        let moment = |us: Option<i64>| us.map_or(Value::Null, Value::Timestamp);
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
        let values = [
            Value::from(key.hash.bytes().to_vec()),
            Value::from(key.holder.subject.clone()),
            Value::from(key.holder.role.name()),
            text(&key.holder.tenant),
            moment(Some(key.made_us)),
            moment(key.revoked_us),
        ];
        let row = [ALL, Value::from(id.as_str())];
        let becomes = Image { version, expires_at: None, values: &values };
        let change = Change { table, key: &row, expect, becomes };
        match self.store.decide(Decision { change, along: &[], now: millis(self.now_us()) }).await {
            Ok(Verdict::Done) => Ok(true),
            Ok(Verdict::Lost { .. }) | Err(Fault::Unknown(_)) => Ok(false),
            Err(fault) => Err(fault.into()),
        }
    }

    async fn key_row(&self, id: &str, freshness: Freshness) -> Result<Option<(Key, u64)>, Problem> {
        let key = [ALL, Value::from(id)];
        let get = Get { table: self.table(KEYS).0, key: &key, freshness, now: millis(self.now_us()) };
        let Some(row) = self.store.get(get).await?.row else { return Ok(None) };
        Ok(Some((self.read_key(&row)?, row.version()?)))
    }

    fn read_key(&self, row: &Row) -> Result<Key, Malformed> {
        const ODD: Malformed = Malformed::from_static("a row of kl_key can't be read");
        let (_, shape) = self.table(KEYS);
        let cell = |name: &str| shape.column(name).map_or(Ok(Value::Null), |at| row.value(shape, at));
        let (Value::Bytes(hash), Value::Text(subject), Value::Text(role), Value::Timestamp(made_us)) =
            (cell("hash")?, cell("subject")?, cell("role")?, cell("made")?)
        else {
            return Err(ODD);
        };
        let tenant = match cell("tenant")? {
            Value::Text(tenant) => Some(tenant.into_owned()),
            Value::Null => None,
            _ => return Err(ODD),
        };
        let revoked_us = match cell("revoked")? {
            Value::Timestamp(revoked_us) => Some(revoked_us),
            Value::Null => None,
            _ => return Err(ODD),
        };
        let role = Role::from_name(&role).ok_or(ODD)?;
        let hash = Hash::of_bytes(&hash).ok_or(ODD)?;
        Ok(Key { hash, holder: Holder { subject: subject.into_owned(), role, tenant }, made_us, revoked_us })
    }
}

fn not_told() -> Problem {
    Problem::Busy {
        after: std::time::Duration::from_secs(1),
        cause: "the store does not say whether the key was changed: look at the list of keys".into(),
    }
}
