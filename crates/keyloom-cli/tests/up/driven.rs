//! The examples, driven at their own rates on a folder and on engines; then everything is compared with the rows it follows from.

use keyloom_engines::{Cassandra, Dynoxide, ExtendDb, announce, available, cassandra, dynamodb};
use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example};

/// The examples that are run whole.
const EXAMPLES: [&str; 3] = ["shop", "chat", "cases-core"];

#[test]
fn the_examples_are_driven_and_compared_on_a_folder() {
    for name in EXAMPLES {
        driven(name, &[], &[]);
    }
}

#[test]
fn the_examples_are_driven_and_compared_on_cassandra() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("driven", "Cassandra", started) else { return };
    for name in EXAMPLES {
        let store = format!("cassandra://{}/{}", node.contact_point(), name.replace('-', "_"));
        driven(name, &["--store", &store], &["--create-keyspace", "1"]);
    }
    announce("driven", "Cassandra", EXAMPLES.len(), 0);
}

#[test]
fn the_examples_are_driven_and_compared_on_dynoxide() {
    let Some(server) = available("driven", "Dynoxide", Dynoxide::start()) else { return };
    on_dynamodb("Dynoxide", &server.endpoint());
}

#[test]
fn the_examples_are_driven_and_compared_on_extenddb() {
    let started = ExtendDb::start(&dynamodb::Options::default());
    let Some(server) = available("driven", "ExtendDB", started) else { return };
    on_dynamodb("ExtendDB", &server.endpoint());
}

fn on_dynamodb(engine: &str, endpoint: &str) {
    let store = format!("dynamodb://{}", dynamodb::REGION);
    for name in EXAMPLES {
        driven(name, &["--store", &store, "--endpoint", endpoint], &[]);
    }
    announce("driven", engine, EXAMPLES.len(), 0);
}

fn driven(name: &str, store: &[&str], first: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (catalog, here) = (example(name), folder.path());
    let up = Up::start(&catalog, here, &[store, first].concat());
    let (catalog, target) = (catalog.to_str().unwrap(), format!("http://{}", up.address));
    let key = up.operator_key();
    let key: Vec<&str> = key.iter().flat_map(|key| ["--key", key]).collect();
    let load = ["load", catalog, "--target", &target, "--format", "json", "--for", "3s", "--rate", "60/s"];
    let (code, said) = ended(&[&load[..], &["--rows", "60"], &key].concat(), here);
    assert_eq!(code, 0, "{name} {store:?}: {said}");
    let report: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    for of in report["patterns"].as_array().unwrap() {
        assert_eq!(of["work"]["calls_above_bound"], 0, "{name} {store:?}: {of:#}");
        for broken in ["bad_input", "bad_key", "no_caller", "not_yours", "no_pattern", "no_page", "broken", "unknown"] {
            assert_eq!(of["outcomes"].get(broken), None, "{name} {store:?}: {of:#}");
        }
    }
    assert_eq!(up.stop("-TERM"), Some(0));
    let (code, said) = ended(&[&["verify", catalog, "--format", "json"], store].concat(), here);
    let compared: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let differs = ["missing", "extra", "stale"].map(|word| compared[word].clone());
    assert_eq!((code, differs), (0, [json!(0), json!(0), json!(0)]), "{name} {store:?}: {said}");
    assert!(compared["rows"].as_u64() > Some(100), "{name} {store:?}: {said}");
}
