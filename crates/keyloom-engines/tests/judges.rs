//! The judges of templates find what is wrong: without that, their silence would say nothing.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use keyloom_engines::{CfnLint, Terraform, announce, available, say};

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
