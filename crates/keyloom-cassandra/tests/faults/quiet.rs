//! When nothing is under way any more: no node holds a hint for another, nor a batch that is not finished.

use std::{sync::Arc, time::Duration};

use scylla::{
    client::{session::Session, session_builder::SessionBuilder},
    policies::host_filter::AllowListHostFilter,
};
use tokio::time::{Instant, sleep};

/// A node looks for unfinished batches and flushes hints every ten seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What each node holds for others.
const HELD: [(&str, &str); 2] = [
    ("unfinished batches", "SELECT id FROM system.batches"),
    ("nodes to be given hints", "SELECT host_id FROM system_views.pending_hints"),
];

/// Waits; answers with what is held all the same. A node that was killed many times may keep hints that it never sends.
/// Whoever reads at a quorum need not have them: what was acknowledged is there without.
pub async fn wait(contact_points: &[String]) -> Vec<String> {
    let (began, mut left) = (Instant::now(), Vec::new());
    for contact_point in contact_points {
        let only = AllowListHostFilter::new([contact_point]).unwrap();
        let session =
            SessionBuilder::new().known_node(contact_point).host_filter(Arc::new(only)).build().await.unwrap();
        while let Some(held) = holds(&session).await {
            if began.elapsed() > PATIENCE {
                left.push(format!("{contact_point} still holds {held}"));
                break;
            }
            sleep(Duration::from_millis(500)).await;
        }
    }
    left
}

async fn holds(session: &Session) -> Option<String> {
    for (what, statement) in HELD {
        let answer = session.query_unpaged(statement, ()).await.unwrap();
        let count = answer.into_rows_result().unwrap().rows_num();
        if count > 0 {
            return Some(format!("{what}: {count}"));
        }
    }
    None
}
