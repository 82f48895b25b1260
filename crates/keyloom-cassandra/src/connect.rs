//! From an address to a session.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use keyloom_store::Fault;
use scylla::{
    client::{execution_profile::ExecutionProfile, session::Session, session_builder::SessionBuilder},
    policies::{load_balancing::DefaultPolicy, retry::FallthroughRetryPolicy},
    statement::{Consistency, SerialConsistency, unprepared::Statement},
};

use crate::{fault::Asked, names, names::quoted, rows::rows_of, tls};

/// Where a keyspace is, and how one gets there.
#[derive(Debug, Clone)]
pub struct Options {
    /// `host:port` of some nodes; the others are found through them.
    pub contact_points: Vec<String>,
    /// The keyspace of all tables.
    pub keyspace: String,
    /// Makes the keyspace, if it is not there, with so many replicas in the local data centre.
    pub create_keyspace: Option<u32>,
    /// Who asks, where the cluster wants to know.
    pub login: Option<Login>,
    /// A file with the authorities, as PEM, that sign the certificates of nodes; connections are encrypted when there is
    /// one. A certificate must be signed by one of them and name the node's IP address.
    pub authority: Option<PathBuf>,
    /// The data centre that is home: its nodes are asked, and its replicas decide. It must be said where there are several.
    pub data_centre: Option<String>,
    /// How long an answer may take until it is given up.
    pub patience: Duration,
}

/// A name and a password.
#[derive(Clone)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Options {
    /// A keyspace, asked without a login, for as long as Cassandra itself waits at most.
    pub fn new(contact_points: Vec<String>, keyspace: impl Into<String>) -> Self {
        Self {
            contact_points,
            keyspace: keyspace.into(),
            create_keyspace: None,
            login: None,
            authority: None,
            data_centre: None,
            patience: Duration::from_secs(12),
        }
    }
}

/// Cassandra writes down no end after this second, unless it is told to give up its older formats.
const LAST_END: i64 = i32::MAX as i64 - 1;

/// Cassandra's own limit of a time to live, in seconds.
pub(crate) const TTL_MAX: i64 = 20 * 365 * 24 * 3_600;

/// For how long a process runs at most; until then the limit that was read at its start holds.
const UP_AT_MOST: i64 = 365 * 24 * 3_600;

/// A session with nothing in it that hides an answer: no retries, no second request beside a slow one.
pub(crate) async fn session(options: &Options) -> Result<Session, Fault> {
    names::look_at_keyspace(&options.keyspace)?;
    let mut policy = DefaultPolicy::builder().token_aware(true);
    if let Some(data_centre) = &options.data_centre {
        policy = policy.prefer_datacenter(data_centre.clone());
    }
    let profile = ExecutionProfile::builder()
        .consistency(Consistency::LocalQuorum)
        .serial_consistency(Some(SerialConsistency::LocalSerial))
        .request_timeout(Some(options.patience))
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        .speculative_execution_policy(None)
        .load_balancing_policy(policy.build())
        .build();
    let mut builder = SessionBuilder::new()
        .known_nodes(&options.contact_points)
        .default_execution_profile_handle(profile.into_handle())
        // What routes a request is enough: which columns there are is in our own table.
        .keyspaces_to_fetch([&options.keyspace])
        .fetch_full_schema_metadata(false)
        .refresh_metadata_on_auto_schema_agreement(false)
        .schema_agreement_interval(Duration::from_millis(50));
    if let Some(Login { user, password }) = &options.login {
        builder = builder.user(user, password);
    }
    if let Some(authority) = &options.authority {
        builder = builder.tls_context(Some(tls::trusting(authority)?));
    }
    let session = builder.build().await.map_err(|error| Fault::NotDone(format!("Cassandra: {error}").into()))?;
    let home = home(&session, options.data_centre.as_deref())?;
    keyspace(&session, options, &home).await?;
    Ok(session)
}

/// The data centre that is home. All processes must have the same one: decisions of two are not decided together.
fn home(session: &Session, wanted: Option<&str>) -> Result<String, Fault> {
    let state = session.get_cluster_state();
    let there: BTreeSet<&str> = state.get_nodes_info().iter().filter_map(|node| node.datacenter.as_deref()).collect();
    let names = || there.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (wanted, there.first()) {
        (Some(wanted), _) if there.contains(wanted) => Ok(wanted.to_owned()),
        (Some(wanted), _) => Err(Fault::refused(format!("there is no data centre `{wanted}`, but {}", names()))),
        (None, Some(only)) if there.len() == 1 => Ok((*only).to_owned()),
        (None, _) => Err(Fault::refused(format!("say which data centre is home: {}", names()))),
    }
}

/// Sees to it that the keyspace is there.
async fn keyspace(session: &Session, options: &Options, home: &str) -> Result<(), Fault> {
    let text = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let answer = session.query_unpaged(local(text), (&options.keyspace,)).await;
    if rows_of(answer.map_err(|error| Asked::Read.failed(&error))?)?.rows_num() > 0 {
        return Ok(());
    }
    let create = create_keyspace(&options.keyspace, home, options.create_keyspace.unwrap_or(3));
    if options.create_keyspace.is_none() {
        let name = &options.keyspace;
        return Err(Fault::refused(format!("there is no keyspace `{name}`; make it, for example by\n\n  {create};\n")));
    }
    session.query_unpaged(create, ()).await.map_err(|error| Asked::Change.failed(&error))?;
    // The driver must know where the replicas of its rows are.
    session.refresh_metadata().await.map_err(|error| Fault::NotDone(error.to_string().into()))
}

fn create_keyspace(keyspace: &str, data_centre: &str, replicas: u32) -> String {
    let data_centre = data_centre.replace('\'', "''");
    format!(
        "CREATE KEYSPACE IF NOT EXISTS {} WITH replication = \
         {{'class': 'NetworkTopologyStrategy', '{data_centre}': {replicas}}}",
        quoted(keyspace)
    )
}

/// How many seconds a time to live may have, as the clock of the engine stands.
pub(crate) async fn ttl_max(session: &Session) -> Result<i64, Fault> {
    let now = one::<i64>(session, "SELECT toUnixTimestamp(now()) FROM system.local").await? / 1_000;
    Ok(TTL_MAX.min(LAST_END - now - UP_AT_MOST).max(0))
}

/// The only value of an answer.
async fn one<T>(session: &Session, text: &str) -> Result<T, Fault>
where
    T: for<'a> scylla::deserialize::value::DeserializeValue<'a, 'a>,
{
    let answer = session.query_unpaged(local(text), ()).await.map_err(|error| Asked::Read.failed(&error))?;
    let (value,) = rows_of(answer)?.single_row::<(T,)>().map_err(|error| Fault::Broken(error.to_string().into()))?;
    Ok(value)
}

/// A statement about the node that is asked.
fn local(text: &str) -> Statement {
    let mut statement = Statement::new(text);
    statement.set_consistency(Consistency::One);
    statement
}
