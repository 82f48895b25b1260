//! Where a store is, as one writes it on a command line: `cassandra://..`, `dynamodb://..`.

use std::fmt;

/// The address of a store on another machine, or of an engine on this one.
///
/// ```
/// use keyloom_serve::StoreAddress;
///
/// let address: StoreAddress = "cassandra://keyloom@db-1,db-2:9142/shop?dc=north&tls=ca.pem".parse()?;
/// let StoreAddress::Cassandra(cassandra) = address else { panic!() };
/// assert_eq!(cassandra.hosts, ["db-1:9042", "db-2:9142"]);
/// assert_eq!(cassandra.keyspace, "shop");
/// # Ok::<(), keyloom_serve::NoStore>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// `cassandra://[USER[:PASSWORD]@]HOST[:PORT][,HOST..]/KEYSPACE[?dc=NAME&tls=CA_FILE]`
    Cassandra(CassandraAddress),
    /// `dynamodb://[REGION][/PREFIX]`
    DynamoDb(DynamoDbAddress),
}

/// Where a Cassandra cluster is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CassandraAddress {
    /// Nodes to ask first, each with its port.
    pub hosts: Vec<String>,
    /// The keyspace that holds the tables.
    pub keyspace: String,
    /// Who one is there.
    pub user: Option<String>,
    /// How one shows it.
    pub password: Option<Password>,
    /// The data centre that is home.
    pub data_centre: Option<String>,
    /// The file with the authority that signed the nodes' certificates; connections are encrypted when there is one.
    pub authority: Option<String>,
}

/// Where DynamoDB tables are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamoDbAddress {
    /// The region; else the environment's or the profile's.
    pub region: Option<String>,
    /// What stands before the names of tables; else the catalog's name.
    pub prefix: Option<String>,
}

/// A word that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Why a text is no address of a store, with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoStore(String);

impl fmt::Display for NoStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoStore {}

const CASSANDRA_PORT: u16 = 9042;
const CASSANDRA_FORM: &str = "write cassandra://HOST[:PORT][,HOST..]/KEYSPACE, with USER@ before the hosts and \
                              ?dc=NAME&tls=CA_FILE behind the keyspace where they are needed";

impl std::str::FromStr for StoreAddress {
    type Err = NoStore;

    fn from_str(text: &str) -> Result<Self, NoStore> {
        match text.split_once("://") {
            Some(("cassandra", rest)) => cassandra(rest).map(Self::Cassandra),
            Some(("dynamodb", rest)) => dynamodb(rest).map(Self::DynamoDb),
            Some(("scylla" | "scylladb", _)) => {
                Err(NoStore("ScyllaDB speaks Cassandra's protocol: write cassandra://. It was not tested yet".into()))
            }
            _ => Err(NoStore(
                "there are cassandra://HOST/KEYSPACE and dynamodb://REGION; data in a folder is --data".into(),
            )),
        }
    }
}

fn cassandra(text: &str) -> Result<CassandraAddress, NoStore> {
    let wrong = |what: &str| NoStore(format!("{what}: {CASSANDRA_FORM}"));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (authority, keyspace) = text.rsplit_once('/').ok_or_else(|| wrong("the keyspace is missing"))?;
    if keyspace.is_empty() {
        return Err(wrong("the keyspace is missing"));
    }
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if keyspace.len() > 48 || !keyspace.bytes().all(word) {
        return Err(NoStore(format!("`{keyspace}` is no keyspace: up to 48 letters, digits and underscores")));
    }
    let (who, hosts) = match authority.rsplit_once('@') {
        Some((who, hosts)) => (Some(who), hosts),
        None => (None, authority),
    };
    let (user, password) = match who.map(|who| who.split_once(':').unwrap_or((who, ""))) {
        Some((user, password)) => {
            let password = Some(plain(password)?).filter(|password| !password.is_empty());
            (Some(plain(user)?).filter(|user| !user.is_empty()), password.map(Password))
        }
        None => (None, None),
    };
    let mut found = CassandraAddress {
        hosts: hosts.split(',').map(host).collect::<Result<_, _>>()?,
        keyspace: keyspace.to_owned(),
        user,
        password,
        data_centre: None,
        authority: None,
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| wrong("a parameter is NAME=VALUE"))?;
        let value = plain(value)?;
        let place = match name {
            "dc" => &mut found.data_centre,
            "tls" => &mut found.authority,
            _ => return Err(wrong(&format!("there is no parameter `{name}`"))),
        };
        if value.is_empty() || place.replace(value).is_some() {
            return Err(wrong(&format!("`{name}` is empty or stands twice")));
        }
    }
    Ok(found)
}

/// A host with its port; an IPv6 address stands in brackets.
fn host(text: &str) -> Result<String, NoStore> {
    let wrong = || NoStore(format!("`{text}` is no host: {CASSANDRA_FORM}"));
    let bare = text.starts_with('[') && text.ends_with(']');
    let (name, port) = match text.rsplit_once(':').filter(|_| !bare) {
        Some((name, port)) => (name, port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?),
        None => (text, CASSANDRA_PORT),
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let sound = match address {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && is_name(name),
    };
    if sound { Ok(format!("{name}:{port}")) } else { Err(wrong()) }
}

fn dynamodb(text: &str) -> Result<DynamoDbAddress, NoStore> {
    let form = "write dynamodb://REGION or dynamodb://REGION/PREFIX; another server is --endpoint URL";
    let (region, prefix) = match text.split_once('/') {
        Some((region, prefix)) => (region, Some(prefix)),
        None => (text, None),
    };
    if region.contains([':', '@', '?', ',']) {
        return Err(NoStore(format!("`{region}` is no region: {form}")));
    }
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let prefix = prefix.filter(|prefix| !prefix.is_empty());
    if let Some(prefix) = prefix.filter(|prefix| prefix.len() > 100 || !prefix.bytes().all(sound)) {
        return Err(NoStore(format!("`{prefix}` is no prefix: up to 100 letters, digits, `-`, `_` and `.`; {form}")));
    }
    let region = Some(region).filter(|region| !region.is_empty());
    Ok(DynamoDbAddress { region: region.map(str::to_owned), prefix: prefix.map(str::to_owned) })
}

/// A part of an address in which `%40` stands for `@`.
fn plain(text: &str) -> Result<String, NoStore> {
    let wrong = || NoStore("a `%` in an address begins two hexadecimal digits; itself it is `%25`".into());
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, behind @ ..] = rest else { return Err(wrong()) };
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        let (high, low) = digit(high).zip(digit(low)).ok_or_else(wrong)?;
        bytes.push(u8::try_from(high * 16 + low).unwrap_or(u8::MAX));
        rest = behind;
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cassandra(text: &str) -> CassandraAddress {
        match text.parse() {
            Ok(StoreAddress::Cassandra(found)) => found,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_cluster_has_hosts_and_a_keyspace() {
        let found = cassandra("cassandra://127.0.0.1/shop");
        assert_eq!((found.hosts, found.keyspace.as_str()), (vec!["127.0.0.1:9042".to_owned()], "shop"));
        let found = cassandra("cassandra://[::1]:9043,[::2],a.example/shop?dc=north");
        assert_eq!(found.hosts, ["[::1]:9043", "[::2]:9042", "a.example:9042"]);
        assert_eq!(found.data_centre.as_deref(), Some("north"));
    }

    #[test]
    fn a_password_may_hold_anything_and_is_never_printed() {
        let found = cassandra("cassandra://me:p%40s%2Fs%25@db/shop?tls=certificates/ca.pem");
        assert_eq!(found.user.as_deref(), Some("me"));
        assert_eq!(found.password, Some(Password("p@s/s%".to_owned())));
        assert_eq!(found.authority.as_deref(), Some("certificates/ca.pem"));
        assert!(!format!("{found:?}").contains("p@s"));
        assert_eq!(cassandra("cassandra://me@db/shop").password, None);
    }

    #[test]
    fn tables_of_dynamodb_have_a_region_and_a_prefix() {
        for (text, region, prefix) in [
            ("dynamodb://eu-central-1", Some("eu-central-1"), None),
            ("dynamodb://eu-central-1/", Some("eu-central-1"), None),
            ("dynamodb://eu-central-1/test.shop", Some("eu-central-1"), Some("test.shop")),
            ("dynamodb://", None, None),
            ("dynamodb:///shop", None, Some("shop")),
        ] {
            let expected = DynamoDbAddress { region: region.map(str::to_owned), prefix: prefix.map(str::to_owned) };
            assert_eq!(text.parse(), Ok(StoreAddress::DynamoDb(expected)), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_answered_with_what_to_write() {
        for text in [
            "",
            "shop",
            "postgres://db/shop",
            "scylla://db/shop",
            "cassandra://",
            "cassandra://db",
            "cassandra://db/",
            "cassandra:///shop",
            "cassandra://db:0/shop",
            "cassandra://db:70000/shop",
            "cassandra://db,/shop",
            "cassandra://[::g]/shop",
            "cassandra://::1/shop",
            "cassandra://db/sh op",
            "cassandra://db/shop?dc",
            "cassandra://db/shop?dc=",
            "cassandra://db/shop?dc=a&dc=b",
            "cassandra://db/shop?ssl=1",
            "cassandra://me:%4@db/shop",
            "cassandra://me:%ff@db/shop",
            "dynamodb://localhost:8000",
            "dynamodb://me@eu-central-1",
            "dynamodb://eu-central-1/a/b",
        ] {
            let fault = text.parse::<StoreAddress>().expect_err(text).to_string();
            assert!(fault.contains("://") || fault.contains("up to") || fault.contains("%25"), "{text}: {fault}");
        }
    }
}
