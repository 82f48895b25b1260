//! SARIF, against the schema that its committee publishes.

use jsonschema::Validator;
use keyloom_finding::render::Format::Sarif;
use keyloom_finding::{Finding, Sources};
use serde_json::{Value, json};

use super::{DUPLICATE, Desk, FULL_FILES, PLAIN, full};

/// The published schema, except that one pattern's lone `]` is escaped: strict regular expressions refuse it.
fn validator() -> Validator {
    let schema = include_str!("../data/sarif-schema-2.1.0.json").replace("{2}]?$", r"{2}\\]?$");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema is a schema")
}

/// The document as a program reads it, after it was found valid.
#[track_caller]
fn valid(desk: &Desk, findings: &[Finding]) -> Value {
    let document: Value = serde_json::from_str(&desk.show(findings, Sarif, PLAIN)).expect("SARIF is JSON");
    let faults: Vec<String> = validator().iter_errors(&document).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
    document
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let driver = json!({ "name": "Keyloom" });
    let log = |uri: &str| {
        let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } });
        let result = json!({ "message": { "text": "twice" }, "locations": [location] });
        json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": driver }, "results": [result] }] })
    };
    assert!(validator().is_valid(&log("a%20b.yaml")));
    assert!(!validator().is_valid(&log("a b.yaml")));
    assert!(!validator().is_valid(&json!({ "version": "2.1.0", "runs": [{ "results": [] }] })));
}

#[test]
fn nothing_found() {
    let document = valid(&Desk::default(), &[]);
    assert_eq!(document["runs"][0]["results"], json!([]));
    assert_eq!(document["runs"][0]["properties"], Value::Null);
}

#[test]
fn everything_a_finding_can_say() {
    let desk = Desk::new(FULL_FILES);
    let document = valid(&desk, &full(&desk));
    let run = &document["runs"][0];
    assert_eq!(run["properties"], json!({ "today": "2026-11-15" }));
    assert_eq!(
        run["tool"]["driver"]["rules"][0],
        json!({
            "id": "oversized-item",
            "shortDescription": { "text": "an item can grow beyond what the engine stores" },
            "fullDescription": { "text": "an item can grow beyond what the engine stores" },
            "help": {
                "text": "# oversized-item\n\nAn item can grow beyond what the engine stores.\n",
                "markdown": "# oversized-item\n\nAn item can grow beyond what the engine stores.\n",
            },
            "defaultConfiguration": { "level": "error" },
        })
    );
    assert_eq!(
        run["results"],
        json!([
            {
                "ruleId": "missing-rate",
                "ruleIndex": 2,
                "level": "note",
                "message": { "text": "the file `b.yaml` can't be opened" },
                "partialFingerprints": { "keyloom/v1": "77127973eaaae27d:1" },
            },
            {
                "ruleId": "oversized-item",
                "ruleIndex": 0,
                "level": "error",
                "message": {
                    "text": "an Order can have 500 KB\n\
                        derivation: 5,000 lines x 100 B = 500 KB\n\
                        limit: 400 KB per item (DynamoDB Developer Guide, service quotas, checked 2026-11-15)\n\
                        help: keep the lines beside the order; reading an order then takes two reads",
                },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": "shop/catalog.yaml" },
                        "region": { "startLine": 6, "startColumn": 14, "endLine": 6, "endColumn": 26 },
                    },
                }],
                "relatedLocations": [
                    {
                        "id": 0,
                        "physicalLocation": {
                            "artifactLocation": { "uri": "shop/catalog.yaml" },
                            "region": { "startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 14 },
                        },
                        "message": { "text": "each Line begins here" },
                    },
                    {
                        "id": 1,
                        "physicalLocation": {
                            "artifactLocation": { "uri": "shop/50%25%20off%2C%20now.yaml" },
                            "region": { "startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 9 },
                        },
                        "message": { "text": "copied here" },
                    },
                ],
                "partialFingerprints": { "keyloom/v1": "cb77d22ccf0df58e:1" },
            },
        ])
    );
}

#[test]
fn names_become_uris() {
    for (name, uri) in [("a/b-c_d.yaml", "a/b-c_d.yaml"), ("c:é #?.yaml", "c%3A%C3%A9%20%23%3F.yaml"), ("../x", "../x")]
    {
        let mut sources = Sources::default();
        let file = sources.add(name, "key");
        let desk = Desk { sources, files: vec![file] };
        let document = valid(&desk, &[Finding::new(&DUPLICATE, desk.at(0, "key"), "twice")]);
        let location = &document["runs"][0]["results"][0]["locations"][0];
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], uri);
    }
}
