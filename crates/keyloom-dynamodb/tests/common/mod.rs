//! Stores on a running server, each with tables of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use keyloom_dynamodb::{Credentials, DynamoDb, Options};
use keyloom_engines::dynamodb::{ACCESS_KEY, REGION, SECRET_KEY};

/// A store whose tables nobody else has.
pub async fn fresh(endpoint: &str) -> DynamoDb {
    static PREFIXES: AtomicU64 = AtomicU64::new(0);
    let prefix = format!("p{}", PREFIXES.fetch_add(1, Ordering::Relaxed));
    open(endpoint, &prefix).await
}

/// A store with the tables of this prefix.
pub async fn open(endpoint: &str, prefix: &str) -> DynamoDb {
    let options = Options {
        prefix: prefix.to_owned(),
        region: Some(REGION.to_owned()),
        endpoint: Some(endpoint.to_owned()),
        credentials: Credentials::Fixed { key: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() },
    };
    DynamoDb::open(&options).await.expect("a store on a running server")
}
