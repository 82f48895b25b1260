//! When nothing is under way any more: no node holds a hint for another, nor a batch that is not finished.

use std::{sync::Arc, time::Duration};

use scylla::{
    client::{session::Session, session_builder::SessionBuilder},
    policies::host_filter::AllowListHostFilter,
};
use tokio::time::{Instant, sleep};

/// A node looks for unfinished batches and flushes hints every ten seconds; what has gathered in half an hour is sent slowly.
const PATIENCE: Duration = Duration::from_secs(600);

/// What each node holds for others.
const HELD: [&str; 2] = ["SELECT id FROM system.batches", "SELECT host_id FROM system_views.pending_hints"];

pub async fn wait(contact_points: &[String]) {
    let began = Instant::now();
    for contact_point in contact_points {
        let only = AllowListHostFilter::new([contact_point]).unwrap();
        let session =
            SessionBuilder::new().known_node(contact_point).host_filter(Arc::new(only)).build().await.unwrap();
        while holds(&session).await {
            assert!(began.elapsed() < PATIENCE, "{contact_point} still holds what others lack");
            sleep(Duration::from_millis(500)).await;
        }
    }
}

async fn holds(session: &Session) -> bool {
    for statement in HELD {
        let answer = session.query_unpaged(statement, ()).await.unwrap();
        if answer.into_rows_result().unwrap().rows_num() > 0 {
            return true;
        }
    }
    false
}
