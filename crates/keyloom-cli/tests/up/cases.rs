//! The case platform, with tenants, driven at its own rates; then everything is compared with the rows it follows from.

use keyloom_engines::{Cassandra, Dynoxide, announce, available, cassandra};
use serde_json::{Value as Json, json};

use crate::process::{Up, ended, example};

#[test]
fn cases_are_driven_and_compared_on_a_folder() {
    driven(&[], &[]);
}

#[test]
fn cases_are_driven_and_compared_on_cassandra() {
    let started = Cassandra::start(&cassandra::Options::default());
    let Some(node) = available("cases", "Cassandra", started) else { return };
    driven(&["--store", &format!("cassandra://{}/cases", node.contact_point())], &["--create-keyspace", "1"]);
    announce("cases", "Cassandra", 1, 0);
}

#[test]
fn cases_are_driven_and_compared_on_dynamodb() {
    let Some(server) = available("cases", "Dynoxide", Dynoxide::start()) else { return };
    driven(&["--store", "dynamodb://eu-central-1", "--endpoint", &server.endpoint()], &[]);
    announce("cases", "Dynoxide", 1, 0);
}

fn driven(store: &[&str], first: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (cases, here) = (example("cases-core"), folder.path());
    let up = Up::start(&cases, here, &[store, first].concat());
    // The last line to try carries the key of the operator.
    let key = up.said.split("Bearer ").last().and_then(|rest| rest.split('\'').next()).unwrap().to_owned();
    let (cases, target) = (cases.to_str().unwrap(), format!("http://{}", up.address));
    let said = ["load", cases, "--target", &target, "--key", &key, "--format", "json"];
    let (code, said) = ended(&[&said[..], &["--for", "3s", "--rate", "60/s", "--rows", "60"]].concat(), here);
    assert_eq!(code, 0, "{said}");
    let report: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    for of in report["patterns"].as_array().unwrap() {
        assert_eq!(of["work"]["calls_above_bound"], 0, "{of:#}");
        for broken in ["bad_input", "bad_key", "no_caller", "not_yours", "no_pattern", "no_page", "broken", "unknown"] {
            assert_eq!(of["outcomes"].get(broken), None, "{of:#}");
        }
    }
    assert_eq!(up.stop("-TERM"), Some(0));
    let (code, said) = ended(&[&["verify", cases, "--format", "json"], store].concat(), here);
    let compared: Json = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let differs = ["missing", "extra", "stale"].map(|word| compared[word].clone());
    assert_eq!((code, differs), (0, [json!(0), json!(0), json!(0)]), "{said}");
    assert!(compared["rows"].as_u64() > Some(200), "{said}");
}
