//! The judges of templates find what is wrong: without that, their silence would say nothing.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use keyloom_engines::{CfnLint, Chromium, Terraform, announce, available, say};

const SUITE: &str = "engines";

#[test]
fn cfn_lint_finds_an_attribute_that_is_not_defined() {
    let Some(lint) = available(SUITE, "cfn-lint", CfnLint::fetch()) else { return };
    let template = |attribute: &str| {
        format!(
            r#"{{ "Resources": {{ "T": {{ "Type": "AWS::DynamoDB::Table", "DeletionPolicy": "Retain",
                "UpdateReplacePolicy": "Retain", "Properties": {{ "BillingMode": "PAY_PER_REQUEST",
                "PointInTimeRecoverySpecification": {{ "PointInTimeRecoveryEnabled": true }},
                "AttributeDefinitions": [{{ "AttributeName": "{attribute}", "AttributeType": "S" }}],
                "KeySchema": [{{ "AttributeName": "a", "KeyType": "HASH" }}] }} }} }} }}"#
        )
    };
    assert_eq!(lint.findings(&[template("a"), template("a")]).unwrap(), "");
    let said = lint.findings(&[template("a"), template("b")]).unwrap();
    assert!(said.contains("1.json") && !said.contains("0.json"), "{said}");
    announce(SUITE, "cfn-lint", 1, 0);
}

#[test]
fn chromium_hears_errors_and_shows_what_became_of_a_page() {
    let Some(chromium) = available(SUITE, "chromium", Chromium::fetch()) else { return };
    let folder = std::env::temp_dir().join(format!("keyloom-judges-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (page, picture) = (folder.join("page.html"), folder.join("page.png"));
    let open = |text: &str| {
        std::fs::write(&page, text).unwrap();
        chromium.open(&page, (800, 600), Some(&picture)).unwrap()
    };
    let quiet = open("<!doctype html><title>t</title><p id=a>one<script>a.textContent = 'two'</script>");
    assert_eq!(quiet.console, Vec::<String>::new());
    assert!(quiet.dom.contains(">two<") && picture.is_file(), "{}", quiet.dom);
    for (wrong, said) in [
        ("<!doctype html><script>console.error('mine')</script>", "mine"),
        ("<!doctype html><script>none.such</script>", "ReferenceError"),
        (
            "<!doctype html><meta http-equiv=Content-Security-Policy content=\"default-src 'none'\"><style>a{}</style>",
            "style",
        ),
    ] {
        let heard = open(wrong).console;
        assert!(heard.iter().any(|line| line.contains(said)), "{wrong}: {heard:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    announce(SUITE, "chromium", 1, 0);
}

#[test]
fn terraform_formats_and_finds_what_is_missing() {
    let skipped = |reason: &dyn std::fmt::Display| say(&format!("SKIPPED: {SUITE} needs terraform: {reason}\n"));
    let found = match Terraform::find() {
        Ok(found) => found,
        Err(reason) => return skipped(&reason),
    };
    let formatted = "a {\n  b    = 1\n  long = 2\n}\n";
    for text in [formatted, "a {\nb=1\nlong=2\n}\n"] {
        assert_eq!(found.formatted(text).unwrap(), formatted);
    }
    assert!(found.formatted("a {").is_err(), "a block must end");
    match found.findings("resource \"aws_dynamodb_table\" \"t\" {\n  nam = \"t\"\n}\n") {
        Ok(said) => assert!(said.contains("\"nam\""), "{said}"),
        Err(reason) => skipped(&reason),
    }
}
