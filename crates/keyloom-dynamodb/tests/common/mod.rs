//! Both servers, and stores on them, each with tables of its own.
#![allow(dead_code, reason = "not every suite needs all of it")]

pub mod counted;
pub mod gate;
pub mod typical;

use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Config, Region, retry::RetryConfig},
};
use keyloom_dynamodb::{Credentials, DynamoDb, Options};
use keyloom_engines::{
    Dynoxide, ExtendDb, available,
    dynamodb::{self, ACCESS_KEY, REGION, SECRET_KEY},
};
use keyloom_store::{Define, Step, Table, TableId};
use tokio::runtime::Runtime;

/// Runs a suite on Dynoxide, which is given its name and its endpoint.
pub fn on_dynoxide(suite: &str, run: impl FnOnce(&str, &str)) {
    let Some(server) = available(suite, "dynoxide", Dynoxide::start()) else { return };
    run("dynoxide", &server.endpoint());
}

/// Runs a suite on ExtendDB, which is given its name and its endpoint.
pub fn on_extenddb(suite: &str, run: impl FnOnce(&str, &str)) {
    let Some(server) = available(suite, "extenddb", ExtendDb::start(&dynamodb::Options::default())) else { return };
    run("extenddb", &server.endpoint());
}

/// A runtime that leaves a core to the server.
pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// A store whose tables nobody else has.
pub async fn fresh(endpoint: &str) -> DynamoDb {
    open(endpoint, &new_prefix()).await
}

/// A prefix that nobody else has.
pub fn new_prefix() -> String {
    static PREFIXES: AtomicU64 = AtomicU64::new(0);
    format!("p{}", PREFIXES.fetch_add(1, Ordering::Relaxed))
}

/// A store with the tables of this prefix.
pub async fn open(endpoint: &str, prefix: &str) -> DynamoDb {
    DynamoDb::connect(&options(endpoint, prefix)).await.expect("a store on a running server")
}

/// How a server of the tests is reached.
pub fn options(endpoint: &str, prefix: &str) -> Options {
    Options {
        region: Some(REGION.to_owned()),
        endpoint: Some(endpoint.to_owned()),
        credentials: Credentials::Fixed { key: ACCESS_KEY.to_owned(), secret: SECRET_KEY.to_owned() },
        ..Options::new(prefix)
    }
}

/// A client that is not the store's, to look at items as somebody without us does.
pub fn client(endpoint: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .region(Region::new(REGION))
        .endpoint_url(endpoint)
        .retry_config(RetryConfig::disabled())
        .credentials_provider(aws_sdk_dynamodb::config::Credentials::new(ACCESS_KEY, SECRET_KEY, None, None, "test"));
    Client::from_conf(config.build())
}

/// Makes tables, and says under which handles.
pub async fn define(store: &impl Define, tables: &[Table]) -> Vec<TableId> {
    for table in tables {
        store.apply(&Step::Create(table.clone())).await.expect("a table can be made");
    }
    let there = store.describe().await.expect("tables are described");
    let find = |table: &Table| there.iter().find(|(_, shape)| shape.table().name == table.name).expect("it is there").0;
    tables.iter().map(find).collect()
}

/// A number that looks random, for each number one: all bits depend on all bits, as at the end of splitmix64.
pub fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
