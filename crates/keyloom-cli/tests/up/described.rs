//! What `/openapi.json` says is what is served: a client made from it works, and requests made from it find nothing.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use keyloom_engines::{
    announce, available,
    python::{OPENAPI_PYTHON_CLIENT, SCHEMATHESIS},
};

use crate::identity::desks;
use crate::process::{Up, ended, example, request};

const SUITE: &str = "up";

/// What an answer must be, whatever was sent. Left out are those for which these catalogs have nothing to look at: credentials,
/// and resources that are deleted.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance,negative_data_rejection,positive_data_acceptance,\
                      missing_required_header,unsupported_method,allow_header_conformance,\
                      ensure_resource_availability";

#[test]
fn what_is_served_is_what_is_emitted() {
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let served = up.get("/openapi.json");
    assert_eq!((served.status, served.header("content-type")), (200, Some("application/json")));
    let shop = example("shop").to_str().unwrap().to_owned();
    let (code, emitted) = ended(&["emit", "openapi", &shop], folder.path());
    assert_eq!((code, emitted), (0, served.body));
    let head = request(&up.address, "HEAD /openapi.json HTTP/1.1", &[], "").unwrap();
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let other = request(&up.address, "POST /openapi.json HTTP/1.1", &[], "").unwrap();
    assert_eq!((other.status, other.header("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn a_generated_client_works() {
    let name = OPENAPI_PYTHON_CLIENT.name;
    let Some(generator) = available(SUITE, name, OPENAPI_PYTHON_CLIENT.fetch()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let mut generate = generator.program(name);
    generate.args(["generate", "--meta", "none", "--output-path", "shop_client", "--fail-on-warning", "--url"]);
    let said = heard(generate.arg(format!("http://{}/openapi.json", up.address)).current_dir(folder.path()));
    assert!(!said.contains("WARNING"), "every endpoint is understood: {said}");

    // The client stands beside the file that uses it.
    let script = folder.path().join("client.py");
    std::fs::copy(beside("client.py"), &script).unwrap();
    let said = heard(generator.script(&script).arg(format!("http://{}", up.address)).current_dir(folder.path()));
    assert!(said.ends_with("all of it works\n"), "{said}");
    announce(SUITE, name, 1, 0);
}

/// The shop twice: in ASCII, where a character is a byte, what fits the schema must be taken; in all of Unicode, where a text may have
/// more bytes than characters, which no schema can say, everything else must hold. The desks have tenants: a key is shown.
#[test]
fn schemathesis_finds_nothing() {
    let Some(schemathesis) = available(SUITE, SCHEMATHESIS.name, SCHEMATHESIS.fetch()) else { return };
    let mut cases = 0;
    for (catalog, codec, left_out) in [
        ("shop", "ascii", "none"),
        ("shop", "utf-8", "positive_data_acceptance"),
        ("chat", "ascii", "none"),
        ("desks", "ascii", "none"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = if catalog == "desks" { desks(folder.path()) } else { example(catalog) };
        let up = Up::start(&path, folder.path(), &[]);
        let checks: Vec<&str> = CHECKS.split(',').filter(|check| *check != left_out).collect();
        std::fs::copy(beside("schemathesis_hooks.py"), folder.path().join("schemathesis_hooks.py")).unwrap();
        let mut run = schemathesis.program("schemathesis");
        run.args(["run", &format!("http://{}/openapi.json", up.address), "--checks", &checks.join(",")])
            .args(["--phases", "coverage,fuzzing", "--max-examples", "100", "--seed", "1", "--workers", "1"])
            .args(["--generation-codec", codec, "--generation-database", "none", "--request-timeout", "10"])
            .args(["--continue-on-failure", "--no-color"])
            .env("SCHEMATHESIS_HOOKS", "schemathesis_hooks")
            .current_dir(folder.path());
        if let Some(key) = up.development_key() {
            run.args(["--header", &format!("Authorization: Bearer {key}")]);
        }
        let said = heard(&mut run);
        let count = said.lines().find_map(|line| line.trim().split_once(" generated, ")?.0.parse::<usize>().ok());
        let count = count.unwrap_or_else(|| panic!("{said}"));
        assert!(count > 500, "{catalog}, {codec}: too little was tried: {said}");
        cases += count;
    }
    announce(SUITE, SCHEMATHESIS.name, cases, 0);
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/up").join(name)
}

/// What a command said that ended well.
fn heard(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    said
}
