use super::asks;
use keyloom_code::Language;

#[test]
fn rust() {
    let asks = |program: &str, expected: &[&str]| asks(Language::Rust, program, expected);
    asks("const Q: &str = \"SELECT a \\\n    FROM t\";", &["SELECT a FROM t"]);
    asks("const Q: &str = r#\"SELECT \"a\" FROM t\"#;", &["SELECT \"a\" FROM t"]);
    asks("fn f(t: &str) { s.query(format!(\"SELECT {} FROM {t}\", \"a\")); }", &["SELECT a FROM ‹t›"]);
    asks("const Q: &str = concat!(\"SELECT a \", \"FROM t\");", &["SELECT a FROM t"]);
    asks("fn f() { println!(\"SELECT a FROM t\"); }", &[]);
}

#[test]
fn csharp() {
    let asks = |program: &str, expected: &[&str]| asks(Language::CSharp, program, expected);
    asks("class A { const string Q = \"SELECT a \" + \"FROM t\"; }", &["SELECT a FROM t"]);
    asks("class A { string Q = @\"SELECT \"\"a\"\"\n FROM t\"; }", &["SELECT \"a\"\n FROM t"]);
    asks(
        "class A { void F(string t) { s.Execute($\"SELECT a FROM {t} WHERE m = {{}}\"); } }",
        &["SELECT a FROM ‹t› WHERE m = {}"],
    );
    asks(
        "class A { void F(string t) { s.Execute(string.Format(\"SELECT a FROM {0}\", t)); } }",
        &["SELECT a FROM ‹t›"],
    );
    asks("class A { string Q = \"\"\"\n  SELECT a FROM t\n  \"\"\"; }", &["\n  SELECT a FROM t\n  "]);
}

#[test]
fn haskell() {
    let asks = |program: &str, expected: &[&str]| asks(Language::Haskell, program, expected);
    asks("q = \"SELECT a \\\n    \\FROM t\"\n", &["SELECT a FROM t"]);
    asks("q = [r| SELECT a FROM t |]\n", &[" SELECT a FROM t "]);
    asks("q = \"SELECT \" <> cols <> \" FROM t\"\n  where\n    cols = \"a, b\"\n", &["SELECT a, b FROM t"]);
    asks("q = fromString $ \"SELECT a \" ++ \"FROM t\"\n", &["SELECT a FROM t"]);
    // Each type shows itself in its own way.
    asks(
        "q = \"SELECT a FROM t LIMIT \" <> show most\n\ninstance Show Foo where\n  show _ = \"something else\"\n",
        &["SELECT a FROM t LIMIT ‹most›"],
    );
}

#[test]
fn ruby() {
    let asks = |program: &str, expected: &[&str]| asks(Language::Ruby, program, expected);
    asks("Q = 'SELECT a ' + \"FROM #{t}\"\n", &["SELECT a FROM ‹t›"]);
    asks("def f\n  s = <<~CQL\n    SELECT a\n    FROM t\n  CQL\nend\n", &["\n    SELECT a\n    FROM t\n  "]);
    asks("q = \"SELECT a \" \"FROM t\"\n", &["SELECT a FROM t"]);
}

#[test]
fn php() {
    let asks = |program: &str, expected: &[&str]| asks(Language::Php, &format!("<?php\n{program}"), expected);
    asks("class A { const Q = 'SELECT a ' . \"FROM t\"; }", &["SELECT a FROM t"]);
    asks("$q = \"SELECT a FROM {$t} WHERE b = $b\";", &["SELECT a FROM ‹t› WHERE b = ‹b›"]);
    asks("$q = <<<CQL\nSELECT a FROM t\nCQL;\n", &["\nSELECT a FROM t"]);
}
