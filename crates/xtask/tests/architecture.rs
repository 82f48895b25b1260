//! Holds the Architecture Invariants that can be read off the dependencies of the crates.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;

/// Who may know whom: each crate of the workspace with the crates of the workspace that it may depend on. An arrow that
/// is not here is a decision about the architecture: it belongs into ARCHITECTURE.md first and into this table second.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("keyloom-model", &[]),
    ("keyloom-finding", &[]),
    ("keyloom-facts", &["keyloom-model"]),
    ("keyloom-cql", &[]),
    ("keyloom-survey", &["keyloom-cql", "keyloom-code", "keyloom-finding"]),
    ("keyloom-code", &["keyloom-cql"]),
    ("keyloom-value", &["keyloom-model"]),
    ("keyloom-store", &["keyloom-value"]),
    ("keyloom-contract", &["keyloom-store", "keyloom-value"]),
    ("keyloom-embedded", &["keyloom-value", "keyloom-store"]),
    ("keyloom-limits", &["keyloom-model", "keyloom-facts", "keyloom-value", "keyloom-store"]),
    ("keyloom-cassandra", &["keyloom-value", "keyloom-store", "keyloom-cql"]),
    ("keyloom-dynamodb", &["keyloom-value", "keyloom-store"]),
    ("keyloom-engines", &[]),
    ("keyloom-bench", &["keyloom-store", "keyloom-value"]),
    ("keyloom-sim", &["keyloom-value", "keyloom-store"]),
    ("keyloom-text", &["keyloom-model", "keyloom-finding"]),
    ("keyloom-sample", &["keyloom-model"]),
    (
        "keyloom-check",
        &[
            "keyloom-model",
            "keyloom-finding",
            "keyloom-facts",
            "keyloom-text",
            "keyloom-cql",
            "keyloom-survey",
            "keyloom-plan",
            "keyloom-store",
            "keyloom-size",
        ],
    ),
    ("keyloom-draft", &["keyloom-finding", "keyloom-text", "keyloom-cql", "keyloom-survey"]),
    ("keyloom-plan", &["keyloom-model", "keyloom-value", "keyloom-store"]),
    ("keyloom-design", &["keyloom-model", "keyloom-facts", "keyloom-store", "keyloom-plan", "keyloom-size"]),
    ("keyloom-size", &["keyloom-model", "keyloom-facts", "keyloom-store", "keyloom-value", "keyloom-plan"]),
    ("keyloom-run", &["keyloom-model", "keyloom-value", "keyloom-store", "keyloom-plan"]),
    (
        "keyloom-trial",
        &[
            "keyloom-model",
            "keyloom-finding",
            "keyloom-value",
            "keyloom-store",
            "keyloom-sim",
            "keyloom-sample",
            "keyloom-text",
            "keyloom-plan",
            "keyloom-design",
            "keyloom-run",
        ],
    ),
    (
        "keyloom-serve",
        &[
            "keyloom-model",
            "keyloom-facts",
            "keyloom-value",
            "keyloom-store",
            "keyloom-embedded",
            "keyloom-limits",
            "keyloom-cassandra",
            "keyloom-dynamodb",
            "keyloom-plan",
            "keyloom-size",
            "keyloom-design",
            "keyloom-run",
            "keyloom-text",
        ],
    ),
    ("keyloom-load", &["keyloom-model"]),
    (
        "keyloom",
        &[
            "keyloom-model",
            "keyloom-finding",
            "keyloom-facts",
            "keyloom-text",
            "keyloom-cql",
            "keyloom-check",
            "keyloom-draft",
            "keyloom-code",
            "keyloom-survey",
            "keyloom-value",
            "keyloom-store",
            "keyloom-embedded",
            "keyloom-plan",
            "keyloom-design",
            "keyloom-size",
            "keyloom-run",
            "keyloom-serve",
            "keyloom-load",
        ],
    ),
    ("keyloom-cli", &["keyloom"]),
    ("xtask", &["keyloom-engines"]),
];

/// Libraries that exactly one crate may know, so that another can be taken without a change elsewhere.
const KNOWN_TO_ONE: &[(&str, &str)] = &[
    ("clap", "keyloom-cli"),                  // the command line
    ("ignore", "keyloom-cli"),                // which files of a folder are the project's own
    ("granit-parser", "keyloom-text"),        // YAML
    ("annotate-snippets", "keyloom-finding"), // findings on a terminal
    ("tree-sitter", "keyloom-code"),          // program text
    ("fjall", "keyloom-embedded"),            // the LSM tree
    ("scylla", "keyloom-cassandra"),          // the driver
    ("aws-sdk-dynamodb", "keyloom-dynamodb"), // the client of DynamoDB
    ("aws-config", "keyloom-dynamodb"),       // and how it finds its region and credentials
    ("axum", "keyloom-serve"),                // HTTP
    ("hyper", "keyloom-serve"),               // and its time-outs
    ("blake3", "keyloom-run"),                // signatures of cursors, digests of requests
];

/// Crates that depend on nothing at all.
const BARE: &[&str] = &["keyloom-model"];

/// A crate and what it is built with. Tests may depend on anything, so only normal dependencies are here.
struct Package {
    name: String,
    dependencies: BTreeSet<String>,
}

#[test]
fn dependencies_keep_the_architecture() {
    let packages = workspace();
    let broken: Vec<String> = packages.iter().flat_map(|package| violations(package, &packages)).collect();
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

#[test]
fn every_crate_of_the_table_exists() {
    let packages = workspace();
    for (name, _) in MAY_DEPEND_ON {
        assert!(packages.iter().any(|package| package.name == *name), "`{name}` is gone: take it out of the table");
    }
}

#[test]
fn a_violation_is_seen_and_named() {
    let package = |name: &str, dependencies: &[&str]| Package {
        name: name.to_owned(),
        dependencies: dependencies.iter().map(|&dependency| dependency.to_owned()).collect(),
    };
    let packages = [
        package("keyloom-model", &["strsim"]),
        package("keyloom-text", &["keyloom-model", "keyloom-check", "clap"]),
        package("keyloom-check", &["keyloom-text"]),
        package("keyloom-new", &[]),
    ];
    let broken: Vec<String> = packages.iter().flat_map(|package| violations(package, &packages)).collect();
    assert_eq!(
        broken,
        [
            "Architecture Invariant broken: `keyloom-model` depends on nothing, but now depends on `strsim`",
            "Architecture Invariant broken: only `keyloom-cli` knows `clap`, but now `keyloom-text` depends on it",
            "Architecture Invariant broken: `keyloom-text` knows only `keyloom-model` and `keyloom-finding` of the \
             workspace, but now depends on `keyloom-check`",
            "`keyloom-new` is not in the table of this test: decide what it may depend on",
        ]
    );
}

fn violations(package: &Package, workspace: &[Package]) -> Vec<String> {
    let name = &package.name;
    let Some((_, allowed)) = MAY_DEPEND_ON.iter().find(|(known, _)| known == name) else {
        return vec![format!("`{name}` is not in the table of this test: decide what it may depend on")];
    };
    package.dependencies.iter().filter_map(|dependency| violation(name, allowed, dependency, workspace)).collect()
}

fn violation(name: &str, allowed: &[&str], dependency: &str, workspace: &[Package]) -> Option<String> {
    let invariant = if BARE.contains(&name) {
        format!("`{name}` depends on nothing, but now depends on `{dependency}`")
    } else if let Some((_, owner)) =
        KNOWN_TO_ONE.iter().find(|(library, owner)| *library == dependency && *owner != name)
    {
        format!("only `{owner}` knows `{dependency}`, but now `{name}` depends on it")
    } else if workspace.iter().any(|package| package.name == dependency) && !allowed.contains(&dependency) {
        let known = match allowed {
            [] => "nothing".to_owned(),
            _ => format!("only `{}`", allowed.join("` and `")),
        };
        format!("`{name}` knows {known} of the workspace, but now depends on `{dependency}`")
    } else {
        return None;
    };
    Some(format!("Architecture Invariant broken: {invariant}"))
}

fn workspace() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("packages are listed").iter().map(package).collect()
}

fn package(metadata: &Value) -> Package {
    let text = |value: &Value| value.as_str().expect("a name is text").to_owned();
    let dependencies = metadata["dependencies"].as_array().expect("dependencies are listed").iter();
    Package {
        name: text(&metadata["name"]),
        // Cargo marks development and build dependencies with their kind; a normal one has none.
        dependencies: dependencies.filter(|entry| entry["kind"].is_null()).map(|entry| text(&entry["name"])).collect(),
    }
}
