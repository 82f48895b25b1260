//! Several statements in one text, with faults between them; and what is hostile.

use keyloom_cql::ast::StatementKind;
use keyloom_cql::parse::parse;

/// The texts of the statements, then of the faults with their messages.
fn read(text: &str) -> (Vec<&str>, Vec<(&str, String)>) {
    let script = parse(text);
    let statements = script.statements.iter().map(|statement| &text[statement.span.bytes()]).collect();
    let faults = script.faults.iter().map(|fault| (&text[fault.statement.bytes()], fault.message.clone())).collect();
    (statements, faults)
}

#[test]
fn several_statements_need_no_last_semicolon() {
    let (statements, faults) = read("\u{feff}USE ks;\r\nSELECT a FROM t;; -- c\r\nSELECT b FROM u");
    assert_eq!(statements, ["USE ks", "SELECT a FROM t", "SELECT b FROM u"]);
    assert_eq!(faults, []);
}

#[test]
fn a_fault_costs_its_statement_alone() {
    let (statements, faults) = read("SELECT a FORM t; SELECT b FROM u; UPDATE t SET; SELECT c FROM v");
    assert_eq!(statements, ["SELECT b FROM u", "SELECT c FROM v"]);
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[0], ("SELECT a FORM t", "expected `FROM`, found `FORM`".to_owned()));
    assert_eq!(faults[1].0, "UPDATE t SET");
}

#[test]
fn a_missing_semicolon_is_said_and_both_are_read() {
    let (statements, faults) = read("CREATE TABLE a (k int PRIMARY KEY)\nCREATE TABLE b (k int PRIMARY KEY);\n");
    assert_eq!(statements.len(), 2);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].1.contains("`;`"), "{faults:?}");
}

#[test]
fn a_comment_between_statements_may_be_what_divides_them() {
    let text = "CREATE TABLE a (k int PRIMARY KEY)\n\n-- #\n\nCREATE TABLE b (k int PRIMARY KEY)\n-- next --\nUSE c";
    let (statements, faults) = read(text);
    assert_eq!((statements.len(), faults), (3, vec![]));
}

#[test]
fn a_fault_ends_where_a_statement_begins_on_its_own_line() {
    let (statements, faults) = read("CREATE TABLE a (k int PRIMARY)\nCREATE TABLE b (k int PRIMARY KEY);");
    assert_eq!(statements, ["CREATE TABLE b (k int PRIMARY KEY)"]);
    assert_eq!(faults[0].0, "CREATE TABLE a (k int PRIMARY)");
}

#[test]
fn the_select_of_a_view_is_no_statement_of_its_own() {
    let (statements, faults) = read("CREATE MATERIALIZED VIEW 1v AS\n  SELECT a FROM t\n  PRIMARY KEY (a);\nUSE ks;");
    assert_eq!(statements, ["USE ks"]);
    assert_eq!(faults.len(), 1);
}

#[test]
fn a_fault_in_a_batch_costs_the_batch() {
    let text = "BEGIN BATCH\nINSERT INTO t (a) VALUES (1);\nINSERT INTO (b) VALUES (2);\nAPPLY BATCH;\nSELECT a FROM t";
    let (statements, faults) = read(text);
    assert_eq!(statements, ["SELECT a FROM t"]);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].0.ends_with("APPLY BATCH"));
}

#[test]
fn a_batch_holds_its_statements() {
    let script = parse("BEGIN UNLOGGED BATCH INSERT INTO t (a) VALUES (1); DELETE FROM t WHERE a = 2 APPLY BATCH;");
    let StatementKind::Batch(batch) = &script.statements[0].kind else { panic!("{script:?}") };
    assert_eq!(batch.statements.len(), 2);
}

#[test]
fn commands_of_the_shell_end_with_their_line() {
    let text =
        "SOURCE 'a.cql'\nCONSISTENCY QUORUM\nSELECT a FROM t;\nCOPY t (a)\n  FROM 'x.csv' WITH HEADER = true;\nEXIT";
    let skipped: Vec<_> = parse(text)
        .statements
        .into_iter()
        .map(|statement| match statement.kind {
            StatementKind::Skipped(words) => words,
            _ => "read".to_owned(),
        })
        .collect();
    assert_eq!(skipped, ["SOURCE", "CONSISTENCY", "read", "COPY", "EXIT"]);
}

#[test]
fn roles_are_skipped_knowingly() {
    let (statements, faults) = read("CREATE ROLE r WITH PASSWORD = 'a;b' AND LOGIN = true; GRANT SELECT ON t TO r;");
    assert_eq!(statements.len(), 2);
    assert_eq!(faults, []);
}

#[test]
fn a_hole_before_the_fault_makes_the_statement_dynamic() {
    let script = parse("SELECT a FROM t \u{fffc}rest\u{fffc} OR b; SELECT a FORM t \u{fffc}x\u{fffc}");
    assert!(matches!(&script.statements[0].kind, StatementKind::Dynamic(words) if words == "SELECT A"), "{script:?}");
    assert_eq!(script.statements[0].unknown[0].holes().collect::<Vec<_>>(), ["rest"]);
    assert_eq!(script.faults.len(), 1);
}

#[test]
fn nothing_recurses_without_a_bound() {
    let deep = 100_000;
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("(int)", ""), ("f(", ")"), ("-", ""), ("- ", ""), ("cast(", "")]
    {
        let nested = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        for text in [
            format!("SELECT a FROM t WHERE a = {nested}"),
            format!("SELECT {nested} FROM t"),
            format!("SELECT a FROM t WHERE {nested}"),
            format!("INSERT INTO t (a) VALUES ({nested})"),
            format!("CREATE TABLE t (a int PRIMARY KEY) WITH x = {nested}"),
        ] {
            let script = parse(&text);
            assert!(script.statements.len() + script.faults.len() <= 1 || open == "- ", "{open}");
        }
    }
    let types = format!("CREATE TABLE t (a {}int{} PRIMARY KEY)", "frozen<".repeat(deep), ">".repeat(deep));
    assert_eq!(parse(&types).faults.len(), 1);
    for chain in ["+ 1", "* 1", ".b", "[1]"] {
        assert_eq!(parse(&format!("SELECT a {} FROM t", chain.repeat(deep))).faults.len(), 1, "{chain}");
    }
    assert_eq!(parse(&format!("SELECT a FROM t WHERE a = 1 {}", "+ 1 ".repeat(deep))).faults.len(), 1);
}

#[test]
fn a_hundred_deep_is_refused_and_thirty_deep_is_not() {
    let nested = |depth: usize| format!("SELECT a FROM t WHERE a = {}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&nested(30)).faults, []);
    assert_eq!(parse(&nested(100)).faults.len(), 1);
}

/// Time that grows with the square would take hours here.
#[test]
fn hostile_texts_take_no_longer_than_their_length() {
    let size = 60_000;
    for piece in [
        ";x",
        "x;",
        "'''",
        "(a,",
        "\u{fffc}",
        "$$",
        "\"",
        "/*",
        "BEGIN BATCH ",
        "CREATE TABLE ",
        "1y",
        "a\nSELECT ",
        "--\n",
    ] {
        let script = parse(&piece.repeat(size / piece.len()));
        assert!(script.statements.len() + script.faults.len() <= size);
    }
}
