//! The driver, set up as the store sets it up, and what the node has counted.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use keyloom_cassandra::Options;
use scylla::{
    client::{execution_profile::ExecutionProfile, session::Session, session_builder::SessionBuilder},
    policies::retry::FallthroughRetryPolicy,
    statement::{Consistency, SerialConsistency},
};

pub(crate) async fn connect(point: &str) -> Session {
    let profile = ExecutionProfile::builder()
        .consistency(Consistency::LocalQuorum)
        .serial_consistency(Some(SerialConsistency::LocalSerial))
        // A timer that is the next one to ring wakes the runtime once more, so it matters how long somebody waits.
        .request_timeout(Some(Options::new(Vec::new(), "").patience))
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        .build();
    let builder = SessionBuilder::new().known_node(point).default_execution_profile_handle(profile.into_handle());
    builder.build().await.unwrap()
}

/// How many requests the node has counted, without those of this question.
pub(crate) async fn requests(session: &Session) -> u64 {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let text = "SELECT request_count FROM system_views.clients";
    let answer = session.query_unpaged(text, ()).await.unwrap().into_rows_result().unwrap();
    let all: i64 = answer.rows::<(i64,)>().unwrap().map(|row| row.unwrap().0).sum();
    all.unsigned_abs() - ASKED.fetch_add(1, Relaxed)
}
