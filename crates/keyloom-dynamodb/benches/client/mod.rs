//! The client, set up as the store sets it up.

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Config, Region, retry::RetryConfig},
};
use keyloom_engines::dynamodb::{ACCESS_KEY, REGION, SECRET_KEY};

pub(crate) fn connect(endpoint: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .region(Region::new(REGION))
        .endpoint_url(endpoint)
        .retry_config(RetryConfig::disabled())
        .credentials_provider(aws_sdk_dynamodb::config::Credentials::new(ACCESS_KEY, SECRET_KEY, None, None, "bench"));
    Client::from_conf(config.build())
}
