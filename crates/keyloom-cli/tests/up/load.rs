//! `keyloom load` on the examples: in process and against a running process, also one that has too much to do.

use std::path::Path;

use serde_json::Value as Json;

use crate::process::{Up, ended, example, keyloom};

/// Drives an example, and reads the report; its exit code says that no call was above its bound.
fn report(folder: &Path, name: &str, more: &[&str]) -> Json {
    let catalog = example(name);
    let arguments = [&["load", catalog.to_str().unwrap(), "--format", "json"], more].concat();
    let output = keyloom(&arguments, folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{name} {more:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn outcome(report: &Json, pattern: &str, outcome: &str) -> u64 {
    let patterns = report["patterns"].as_array().unwrap();
    let of = patterns.iter().find(|of| of["pattern"] == pattern).unwrap_or_else(|| panic!("no {pattern}"));
    of["outcomes"][outcome].as_u64().unwrap_or(0)
}

#[test]
fn the_examples_are_driven_in_process() {
    let folder = tempfile::tempdir().unwrap();
    for (name, read, write) in [("shop", "get_profile", "place_order"), ("chat", "read_messages", "send_message")] {
        let report = report(folder.path(), name, &["--for", "2s", "--rate", "100/s", "--rows", "40"]);
        assert!(outcome(&report, read, "rows") + outcome(&report, read, "row") > 0, "{report:#}");
        assert!(outcome(&report, write, "applied") > 0, "{report:#}");
        for of in report["patterns"].as_array().unwrap() {
            assert_eq!(of["work"]["calls_above_bound"], 0, "{of:#}");
            for broken in ["bad_input", "broken", "no_answer", "not_sent", "no_page"] {
                assert_eq!(of["outcomes"].get(broken), None, "{of:#}");
            }
        }
        assert!(report["tables"].as_array().unwrap().iter().any(|of| of["visits"].as_u64() > Some(10)), "{report:#}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn what_was_applied_under_too_much_load_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let shop = example("shop");
    let up = Up::start(&shop, folder.path(), &[]);
    let target = format!("http://{}", up.address);
    // More connections than are kept: some are told to come again.
    let more = ["--target", &target, "--for", "3s", "--max", "--rows", "30", "--connections", "700"];
    let report = report(folder.path(), "shop", &more);
    let patterns = report["patterns"].as_array().unwrap();
    let refused: u64 = patterns.iter().map(|of| of["outcomes"]["busy"].as_u64().unwrap_or(0)).sum();
    let unanswered: u64 = patterns.iter().map(|of| of["outcomes"]["no_answer"].as_u64().unwrap_or(0)).sum();
    assert!(refused + unanswered > 0, "{report:#}");
    let made = report["rows_made"].as_u64().unwrap();
    let applied = outcome(&report, "sign_up", "applied") + outcome(&report, "place_order", "applied");
    assert_eq!(up.stop("-TERM"), Some(0));
    let (code, rows) = ended(&["export", shop.to_str().unwrap()], folder.path());
    let there = rows.lines().count() as u64;
    // Of a write without an answer nothing is known; of every other one the answer was true.
    assert_eq!(code, 0);
    assert!((made + applied..=made + applied + unanswered).contains(&there), "{there} rows: {report:#}");
}

#[test]
fn rows_of_a_file_are_made_and_another_server_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let shop = example("shop");
    let file = folder.path().join("rows.jsonl");
    let user = r#"{"entity":"User","version":"1","row":{"user_id":"2f1c8a52-9d1e-4c55-8a53-0c8d8a3c1f00","name":"Ann","email":"ann@x"}}"#;
    std::fs::write(&file, format!("{user}\n")).unwrap();
    let report = report(folder.path(), "shop", &["--from", "rows.jsonl", "--for", "1s", "--rate", "50/s"]);
    assert_eq!(report["rows_made"], 1);
    assert!(outcome(&report, "get_profile", "row") > 0, "{report:#}");

    std::fs::write(&file, "{\"entity\":\"Nobody\",\"row\":{}}\n").unwrap();
    let (code, said) = ended(&["load", shop.to_str().unwrap(), "--from", "rows.jsonl"], folder.path());
    assert!(code == 2 && said.contains("line 1: there is no entity `Nobody`"), "{said}");
    let up = Up::start(&shop, folder.path(), &[]);
    let chat = example("chat");
    let (code, said) =
        ended(&["load", chat.to_str().unwrap(), "--target", &format!("http://{}", up.address)], folder.path());
    assert!(code == 2 && said.contains("it serves another catalog"), "{said}");
    let (code, said) = ended(&["load", shop.to_str().unwrap(), "--target", "http://127.0.0.1:1"], folder.path());
    assert!(code == 3 && said.contains("is `keyloom up` running there?"), "{said}");
}
