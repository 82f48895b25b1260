//! Three real nodes come up, see each other, and can be paused, killed and started again with what they have stored.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::{sync::Arc, time::Duration};

use keyloom_engines::{
    Cassandra, Cluster, announce, available,
    cassandra::{Options, Paxos, Timeouts},
};
use scylla::{
    client::{execution_profile::ExecutionProfile, session::Session, session_builder::SessionBuilder},
    errors::{DbError, ExecutionError, RequestAttemptError},
    policies::{host_filter::AllowListHostFilter, retry::FallthroughRetryPolicy},
    statement::{Consistency, Statement},
};

const SUITE: &str = "engines";
const ENGINE: &str = "cassandra x3";

/// A session that knows one node alone.
async fn session(node: &Cassandra) -> Session {
    let profile = ExecutionProfile::builder()
        .retry_policy(Arc::new(FallthroughRetryPolicy))
        .request_timeout(Some(Duration::from_secs(20)))
        .build();
    let only = AllowListHostFilter::new([node.contact_point()]).unwrap();
    SessionBuilder::new()
        .known_node_addr(node.contact_point())
        .host_filter(Arc::new(only))
        .default_execution_profile_handle(profile.into_handle())
        .build()
        .await
        .unwrap()
}

/// How long the nodes may take to agree on who is there.
const PATIENCE_SECONDS: u32 = 60;

async fn put(session: &Session, number: i32, consistency: Consistency) -> Result<(), ExecutionError> {
    let mut statement = Statement::new("INSERT INTO k.t (a) VALUES (?)");
    statement.set_consistency(consistency);
    session.query_unpaged(statement, (number,)).await.map(drop)
}

async fn numbers(session: &Session, consistency: Consistency) -> Vec<i32> {
    let mut statement = Statement::new("SELECT a FROM k.t");
    statement.set_consistency(consistency);
    // A node that is back may be taken for dead once more by another one whose look at it was old.
    let mut answer = session.query_unpaged(statement.clone(), ()).await;
    for _ in 0..PATIENCE_SECONDS {
        let Err(ExecutionError::LastAttemptError(RequestAttemptError::DbError(DbError::Unavailable { .. }, _))) =
            answer
        else {
            break;
        };
        tokio::time::sleep(Duration::from_secs(1)).await;
        answer = session.query_unpaged(statement.clone(), ()).await;
    }
    let rows = answer.unwrap().into_rows_result().unwrap();
    let mut numbers: Vec<i32> = rows.rows::<(i32,)>().unwrap().map(|row| row.unwrap().0).collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn nodes_are_paused_killed_and_started_again() {
    let timeouts = Timeouts { write: Duration::from_millis(500), ..Timeouts::default() };
    let options = Options { timeouts, paxos: Paxos::V2, ..Options::default() };
    let Some(mut cluster) = available(SUITE, ENGINE, Cluster::start(&options)) else { return };
    // Who knows all nodes waits until all of them know a new table.
    let all = SessionBuilder::new().known_node_addr(cluster.nodes()[0].contact_point()).build().await.unwrap();
    let keyspace = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}";
    all.query_unpaged(keyspace, ()).await.unwrap();
    all.query_unpaged("CREATE TABLE k.t (a int PRIMARY KEY)", ()).await.unwrap();
    drop(all);
    let first = session(&cluster.nodes()[0]).await;
    let variant = "SELECT value FROM system_views.settings WHERE name = 'paxos_variant'";
    let variant = first.query_unpaged(variant, ()).await.unwrap().into_rows_result().unwrap();
    assert_eq!(variant.single_row::<(String,)>().unwrap().0, "v2");
    put(&first, 1, Consistency::All).await.unwrap();

    cluster.node(1).pause().unwrap();
    put(&first, 2, Consistency::Quorum).await.unwrap();
    let fault = put(&first, 3, Consistency::All).await.unwrap_err();
    let ExecutionError::LastAttemptError(RequestAttemptError::DbError(DbError::WriteTimeout { .. }, _)) = fault else {
        panic!("a paused node is a time-out before it is an absence: {fault}")
    };
    cluster.node(1).resume().unwrap();
    cluster.wait().unwrap();
    put(&first, 4, Consistency::All).await.unwrap();

    cluster.node(2).kill().unwrap();
    put(&first, 5, Consistency::Quorum).await.unwrap();
    cluster.node(2).restart().unwrap();
    cluster.wait().unwrap();
    assert_eq!(numbers(&first, Consistency::All).await, [1, 2, 3, 4, 5]);
    let last = session(&cluster.nodes()[2]).await;
    let kept = numbers(&last, Consistency::One).await;
    assert!(kept.starts_with(&[1, 2, 3, 4]), "a killed node has kept what it had: {kept:?}");
    announce(SUITE, ENGINE, 1, 0);
}
