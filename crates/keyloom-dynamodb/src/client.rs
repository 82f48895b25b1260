//! How DynamoDB is reached.

use std::time::Duration;

use aws_config::{BehaviorVersion, Region, retry::RetryConfig, timeout::TimeoutConfig};
use aws_sdk_dynamodb::Client;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use keyloom_store::Fault;

use crate::layout::refuse_prefix;

/// How long it may take to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// Where the tables are, and who asks.
#[derive(Debug, Clone)]
pub struct Options {
    /// What all tables begin with: `shop` makes `shop.orders` of `orders`.
    pub prefix: String,
    /// The region; by the standard chain when there is none.
    pub region: Option<String>,
    /// Another address than the region's own, for a server on this machine or a private endpoint.
    pub endpoint: Option<String>,
    /// Who asks.
    pub credentials: Credentials,
    /// How long a call may take, from its beginning to the last byte of its answer, until it is given up.
    pub patience: Duration,
}

impl Options {
    /// The tables of a prefix, found and asked as every tool of AWS does.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            region: None,
            endpoint: None,
            credentials: Credentials::Standard,
            patience: Duration::from_secs(5),
        }
    }
}

/// Who asks.
#[derive(Clone)]
pub enum Credentials {
    /// As every tool of AWS finds them: the environment, the profile in the shared files (also with a role to assume), a
    /// web identity, the role of the container or of the machine. Not by single sign-on nor by a program of the user's:
    /// whoever uses these exports them into the environment first.
    Standard,
    /// These, whatever the machine says.
    Fixed {
        /// The access key.
        key: String,
        /// Its secret.
        secret: String,
    },
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A secret is never printed.
        f.write_str(match self {
            Self::Standard => "Standard",
            Self::Fixed { .. } => "Fixed",
        })
    }
}

/// A client of which one request is one request.
pub(crate) async fn connect(options: &Options) -> Result<Client, Fault> {
    refuse_prefix(&options.prefix)?;
    let http = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::AwsLc)).build_https();
    let times = TimeoutConfig::builder().connect_timeout(CONNECT_WITHIN).operation_timeout(options.patience).build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(times)
        .retry_config(RetryConfig::disabled());
    if let Some(region) = &options.region {
        loader = loader.region(Region::new(region.clone()));
    }
    if let Some(endpoint) = &options.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    if let Credentials::Fixed { key, secret } = &options.credentials {
        let fixed = aws_sdk_dynamodb::config::Credentials::new(key, secret, None, None, "keyloom");
        loader = loader.credentials_provider(fixed);
    }
    let config = loader.load().await;
    if config.region().is_none() {
        return Err(Fault::refused("no region: name one, or set AWS_REGION"));
    }
    Ok(Client::new(&config))
}
