//! What programs read: JSON and GitHub's workflow commands.

use keyloom_finding::Finding;
use keyloom_finding::render::Format::{Github, Json};

use super::{DUPLICATE, FULL_FILES, check, full};

#[test]
fn json_says_everything() {
    check(
        Json,
        FULL_FILES,
        full,
        r#"
{
  "schema": 1,
  "findings": [
    {
      "rule": "missing-rate",
      "level": "note",
      "message": "the file `b.yaml` can't be opened",
      "file": null,
      "line": null,
      "column": null,
      "end_line": null,
      "end_column": null,
      "help": null,
      "derivation": null,
      "limit": null
    },
    {
      "rule": "oversized-item",
      "level": "error",
      "message": "an Order can have 500 KB",
      "file": "shop/catalog.yaml",
      "line": 6,
      "column": 14,
      "end_line": 6,
      "end_column": 26,
      "help": "keep the lines beside the order; reading an order then takes two reads",
      "derivation": "5,000 lines x 100 B = 500 KB",
      "limit": {
        "value": "400 KB per item",
        "source": "DynamoDB Developer Guide, service quotas",
        "date": "2026-11-15"
      }
    }
  ],
  "summary": {
    "error": 1,
    "warning": 0,
    "note": 1
  },
  "today": "2026-11-15"
}
"#,
    );
}

#[test]
fn json_without_findings() {
    check(
        Json,
        &[],
        |_| vec![],
        r#"
{
  "schema": 1,
  "findings": [],
  "summary": {
    "error": 0,
    "warning": 0,
    "note": 0
  }
}
"#,
    );
}

#[test]
fn json_counts_columns_in_code_points() {
    check(
        Json,
        &[("a.yaml", "é👩: [1,\n  2]\n")],
        |desk| vec![Finding::new(&DUPLICATE, desk.at(0, "[1,\n  2]"), "a list")],
        r#"
{
  "schema": 1,
  "findings": [
    {
      "rule": "duplicate-name",
      "level": "warning",
      "message": "a list",
      "file": "a.yaml",
      "line": 1,
      "column": 5,
      "end_line": 2,
      "end_column": 5,
      "help": null,
      "derivation": null,
      "limit": null
    }
  ],
  "summary": {
    "error": 0,
    "warning": 1,
    "note": 0
  }
}
"#,
    );
}

#[test]
fn github_says_everything() {
    check(
        Github,
        FULL_FILES,
        full,
        r"
::notice title=missing-rate::the file `b.yaml` can't be opened
::error file=shop/catalog.yaml,line=6,col=14,endLine=6,endColumn=26,title=oversized-item::an Order can have 500 KB%0Aderivation: 5,000 lines x 100 B = 500 KB%0Alimit: 400 KB per item (DynamoDB Developer Guide, service quotas, checked 2026-11-15)%0Ahelp: keep the lines beside the order; reading an order then takes two reads
today was taken as 2026-11-15 (`--today` changes it)
",
    );
}

#[test]
fn github_escapes_what_would_end_a_command() {
    check(
        Github,
        &[("50%, a:b\n.yaml", "key: 1")],
        |desk| {
            let message = "100%: a, b\r\n::error::forged\u{1b}[0m";
            vec![Finding::new(&DUPLICATE, desk.at(0, "key"), message).help("one\ntwo")]
        },
        r"
::warning file=50%25%2C a%3Ab%0A.yaml,line=1,col=1,endLine=1,endColumn=4,title=duplicate-name::100%25: a, b␍%0A::error::forged␛[0m%0Ahelp: one%0Atwo
",
    );
}
