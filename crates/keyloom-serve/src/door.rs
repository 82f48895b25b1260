//! Who is let in: what a request shows becomes a caller, or the word what to show instead.
//!
//! Tenant and subject come from a key and from nowhere else. [`Door::caller`] is for calls of patterns, and
//! [`Door::operator`] for what tells of all tenants at once. Nothing that is said here repeats what was shown.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    http::{HeaderMap, HeaderName, header},
    response::Response,
};
use keyloom_run::{Caller, Credential, Hash, Holder, Key, Problem, Role, Run, tenant_of};

use crate::{development::Development, problem, reply};

/// The header in which a worker and an operator name the tenant they act for.
pub(crate) const TENANT: HeaderName = HeaderName::from_static("keyloom-tenant");
/// For how long a process believes what it looked up, counted from when it asked. Who revokes a key waits for that long.
pub(crate) const BELIEVED: Duration = Duration::from_secs(5);
/// How many keys a process remembers; more are looked up again.
const KNOWN_MAX: usize = 10_000;

/// What stands between requests and rows.
pub(crate) struct Door {
    run: Arc<Run>,
    /// Nobody but this machine gets here: as long as no key was added, none is needed, or those of development do.
    loopback_only: bool,
    development: Option<Development>,
    known: Mutex<Known>,
}

/// What was looked up, and when that was asked. Keys are found by the hash of what was shown, which nobody can choose: how long
/// that takes tells nothing about those that are here.
#[derive(Default)]
struct Known {
    keys: HashMap<[u8; 32], (Option<Holder>, Instant)>,
    /// Whether keys were added.
    any: Option<(bool, Instant)>,
}

impl Door {
    pub(crate) fn new(run: Arc<Run>, loopback_only: bool, development: Option<Development>) -> Self {
        Self { run, loopback_only, development, known: Mutex::default() }
    }

    /// Who calls a pattern.
    ///
    /// # Errors
    /// With the answer to who is not let in.
    pub(crate) async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Response> {
        let named = named_tenant(headers)?;
        let Some(holder) = self.holder(headers).await? else {
            let catalog = self.run.catalog();
            return match named {
                _ if catalog.tenant.is_some() => Err(self.nothing_shown()),
                Some(_) => Err(reply::failed(&no_tenants())),
                None => Ok(Caller::default()),
            };
        };
        let tenant = self.tenant(&holder, named)?;
        Ok(Caller { tenant, subject: Some(holder.subject) })
    }

    /// Lets an operator pass; anybody on this machine as long as there are no keys and no tenants.
    ///
    /// # Errors
    /// With the answer to who is not let in.
    pub(crate) async fn operator(&self, headers: &HeaderMap) -> Result<(), Response> {
        match self.holder(headers).await? {
            Some(holder) if holder.role == Role::Operator => Ok(()),
            Some(_) => {
                let detail = "this is for operators: show a key that `keyloom key add --operator` has made";
                Err(reply::problem(&problem::NOT_YOURS, detail))
            }
            None if self.run.catalog().tenant.is_some() => Err(self.nothing_shown()),
            None => Ok(()),
        }
    }

    /// Whether calls need a key, as far as that is known now.
    pub(crate) async fn asks_for_keys(&self) -> bool {
        self.run.catalog().tenant.is_some() || !self.loopback_only || self.has_keys().await.unwrap_or(true)
    }

    /// Whom the key of a request stands for; nobody where none is shown and none is needed.
    async fn holder(&self, headers: &HeaderMap) -> Result<Option<Holder>, Response> {
        let Some(shown) = shown(headers)? else {
            return if self.loopback_only && !self.has_keys().await? { Ok(None) } else { Err(self.nothing_shown()) };
        };
        let unknown = || reply::problem(&problem::NO_CALLER, "this key is not known here, or was revoked");
        let hash = Credential::read(shown).ok_or_else(unknown)?.hash();
        if let Some(found) = self.development.as_ref().and_then(|development| development.holder(&hash)) {
            if !self.has_keys().await? {
                return Ok(Some(found.clone()));
            }
            let detail =
                "keys were added, and since then those of development are good for nothing: show one of the others";
            return Err(reply::problem(&problem::NO_CALLER, detail));
        }
        self.look_up(&hash).await?.ok_or_else(unknown).map(Some)
    }

    /// Whose rows a call is about.
    fn tenant(&self, holder: &Holder, named: Option<String>) -> Result<Option<String>, Response> {
        let catalog = self.run.catalog();
        let named = match (&catalog.tenant, named) {
            (None, Some(_)) => return Err(reply::failed(&no_tenants())),
            (_, named) => named.map(|named| tenant_of(catalog, &named)),
        };
        match (holder.role, named) {
            (Role::Client, None) => Ok(holder.tenant.clone()),
            (Role::Client, Some(Ok(named))) if holder.tenant.as_ref() == Some(&named) => Ok(Some(named)),
            (Role::Client, Some(_)) => {
                let detail = "this key belongs to one tenant and acts for no other: leave out `Keyloom-Tenant`";
                Err(reply::problem(&problem::NOT_YOURS, detail))
            }
            (_, Some(named)) => named.map(Some).map_err(|fault| reply::failed(&fault)),
            (_, None) if catalog.tenant.is_none() => Ok(None),
            (role, None) => {
                let detail =
                    format!("a key of {} names the tenant it acts for in the header `Keyloom-Tenant`", one(role));
                Err(reply::failed(&Problem::Input(detail)))
            }
        }
    }

    /// The key with this hash, if there is one that was not revoked.
    async fn look_up(&self, hash: &Hash) -> Result<Option<Holder>, Response> {
        let asked = Instant::now();
        if let Some((holder, since)) = self.known().keys.get(hash.bytes())
            && asked.saturating_duration_since(*since) < BELIEVED
        {
            return Ok(holder.clone());
        }
        // Seldom asked: it has its own place, or every request would be copied about with it.
        let found = Box::pin(self.run.find_key(hash)).await.map_err(|fault| reply::failed(&fault))?;
        // Nothing is remembered of what nobody added: whoever guesses fills no memory.
        let Some(key) = found else { return Ok(None) };
        let holder = is_good(&key).then_some(key.holder);
        let mut known = self.known();
        if known.keys.len() >= KNOWN_MAX {
            known.keys.clear();
        }
        known.keys.insert(*hash.bytes(), (holder.clone(), asked));
        Ok(holder)
    }

    /// Whether keys were added, so that each request needs one.
    async fn has_keys(&self) -> Result<bool, Response> {
        let asked = Instant::now();
        match self.known().any {
            // Once there are some there always are: none is ever removed.
            Some((true, _)) => return Ok(true),
            Some((false, since)) if asked.saturating_duration_since(since) < BELIEVED => return Ok(false),
            _ => {}
        }
        let any = Box::pin(self.run.has_keys()).await.map_err(|fault| reply::failed(&fault))?;
        self.known().any = Some((any, asked));
        Ok(any)
    }

    /// Believes nothing any more that was looked up before: keys were changed through this process.
    pub(crate) fn forget(&self) {
        *self.known() = Known::default();
    }

    fn nothing_shown(&self) -> Response {
        let whose = if self.run.catalog().tenant.is_some() { " --tenant TENANT" } else { "" };
        let way = match &self.development {
            Some(_) => "the lines that `keyloom up` printed have one".to_owned(),
            None => format!("`keyloom key add --subject NAME{whose}` makes one"),
        };
        let detail = format!("show a key in the header `Authorization: Bearer kl_..`; {way}");
        reply::problem(&problem::NO_CALLER, &detail)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_good(key: &Key) -> bool {
    key.revoked_us.is_none()
}

fn one(role: Role) -> &'static str {
    match role {
        Role::Client => "a client",
        Role::Worker => "a worker",
        Role::Operator => "an operator",
    }
}

fn no_tenants() -> Problem {
    Problem::Input("this catalog has no tenants: leave out the header `Keyloom-Tenant`".into())
}

/// What stands behind `Bearer`; nothing where there is no such header.
fn shown(headers: &HeaderMap) -> Result<Option<&str>, Response> {
    let mut found = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), more) = (found.next(), found.next()) else { return Ok(None) };
    let other = || {
        let detail = "the header `Authorization` stands once, as `Bearer kl_..`";
        reply::problem(&problem::NO_CALLER, detail)
    };
    let text = value.to_str().ok().filter(|_| more.is_none()).ok_or_else(other)?;
    let (scheme, shown) = text.split_once(' ').ok_or_else(other)?;
    if scheme.eq_ignore_ascii_case("Bearer") { Ok(Some(shown.trim())) } else { Err(other()) }
}

/// The tenant that a request names; its text may be any, as those of tenants may.
fn named_tenant(headers: &HeaderMap) -> Result<Option<String>, Response> {
    let mut found = headers.get_all(TENANT).iter();
    let (Some(value), more) = (found.next(), found.next()) else { return Ok(None) };
    match (std::str::from_utf8(value.as_bytes()), more) {
        (Ok(text), None) => Ok(Some(text.trim().to_owned())),
        _ => {
            let detail = "the header `Keyloom-Tenant` stands once, as UTF-8";
            Err(reply::failed(&Problem::Input(detail.into())))
        }
    }
}
