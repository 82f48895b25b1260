//! A node that wants a password and speaks TLS alone.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_types,
    reason = "a test that can't go on fails; it writes the files it needs"
)]

use std::{net::SocketAddr, path::Path, time::Duration};

use keyloom_cassandra::{Cassandra, Login, Options};
use keyloom_engines::{
    announce, available,
    cassandra::{self, PASSWORD, USER},
};
use keyloom_store::{Define, Fault};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};

fn options(contact_point: SocketAddr, password: &str, authority: Option<&Path>) -> Options {
    Options {
        create_keyspace: Some(1),
        login: Some(Login { user: USER.to_owned(), password: password.to_owned() }),
        authority: authority.map(Path::to_path_buf),
        patience: Duration::from_secs(30),
        ..Options::new(vec![contact_point.to_string()], "guarded")
    }
}

async fn refusal(options: &Options) -> String {
    match Cassandra::connect(options).await {
        Err(Fault::NotDone(cause) | Fault::Refused(cause)) => cause.into_owned(),
        Err(fault) => panic!("{fault}"),
        Ok(_) => panic!("let in"),
    }
}

/// Another address of this machine that leads to the node.
async fn elsewhere(node: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.9:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut server = TcpStream::connect(node).await.unwrap();
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

#[test]
fn a_guarded_node_lets_those_in_who_may_and_is_believed_only_if_it_is_the_one() {
    let wanted = cassandra::Options { passwords: true, tls: true, ..cassandra::Options::default() };
    let Some(node) = available("secure", "cassandra", keyloom_engines::Cassandra::start(&wanted)) else { return };
    let (contact_point, authority) = (node.contact_point(), node.authority().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Cassandra::connect(&options(contact_point, PASSWORD, Some(&authority))).await.unwrap();
        assert!(store.describe().await.unwrap().is_empty());

        let words = refusal(&options(contact_point, "guessed", Some(&authority))).await;
        assert!(words.contains("credentials") || words.contains("password"), "{words}");
        assert!(!words.contains("guessed"), "a password is never shown: {words}");

        refusal(&options(contact_point, PASSWORD, None)).await;

        // The same node under an address that its certificate does not name.
        let words = refusal(&options(elsewhere(contact_point).await, PASSWORD, Some(&authority))).await;
        assert!(words.contains("certificate"), "{words}");

        let nobody = tempfile::tempdir().unwrap();
        let empty = nobody.path().join("empty.pem");
        std::fs::File::create(&empty).unwrap();
        assert!(refusal(&options(contact_point, PASSWORD, Some(&empty))).await.contains("no certificate"));
        let missing = nobody.path().join("missing.pem");
        assert!(refusal(&options(contact_point, PASSWORD, Some(&missing))).await.contains("missing.pem"));
    });
    announce("secure", "cassandra", 6, 0);
}
