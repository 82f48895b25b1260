use keyloom_code::{Language, Purpose, link, may_hold_wanted, read};

use super::{shown, together};

fn ask(files: &[(&str, &str)], expected: &[&str]) {
    let found: Vec<String> = together(files).iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn java_constants_of_other_classes() {
    let names = ("m/Names.java", "package m; public class Names { public static final String T = \"users\"; }");
    let user = "package a; import m.Names; class A { String q = \"SELECT a FROM \" + Names.T; }";
    ask(&[("a/A.java", user), names], &["SELECT a FROM users"]);
    let user = "package a; import static m.Names.T; class A { String q = \"SELECT a FROM \" + T; }";
    ask(&[("a/A.java", user), names], &["SELECT a FROM users"]);
    let user = "package a; import static m.Names.*; class A { String q = \"SELECT a FROM \" + T; }";
    ask(&[("a/A.java", user), names], &["SELECT a FROM users"]);
    let user = "package a; class A extends Names { String q = \"SELECT a FROM \" + T; }";
    ask(&[("a/A.java", user), names], &["SELECT a FROM users"]);
    let user = "package a; class A { String q = \"SELECT a FROM \" + Other.T; }";
    ask(&[("a/A.java", user), names], &["SELECT a FROM ‹T›"]);
}

#[test]
fn two_that_could_be_meant_are_none() {
    let one = ("x/Names.java", "package x; class Names { static final String T = \"one\"; }");
    let two = ("y/Names.java", "package y; class Names { static final String T = \"two\"; }");
    let user = ("z/A.java", "package z; class A { String q = \"SELECT a FROM \" + Names.T; }");
    ask(&[one, two, user], &["SELECT a FROM ‹T›"]);
}

#[test]
fn go_packages() {
    let names = ("store/names.go", "package store\nconst table = `users`");
    ask(&[("store/q.go", "package store\nconst q = `SELECT a FROM ` + table"), names], &["SELECT a FROM users"]);
    let names = ("lib/names/n.go", "package names\nconst Table = `users`");
    let user = "package store\nimport \"x.org/lib/names\"\nconst q = `SELECT a FROM ` + names.Table";
    ask(&[("store/q.go", user), names], &["SELECT a FROM users"]);
}

#[test]
fn python_and_script_modules() {
    let names = ("app/names.py", "TABLE = 'users'\n");
    ask(&[("app/q.py", "from .names import TABLE as T\nQ = f'SELECT a FROM {T}'\n"), names], &["SELECT a FROM users"]);
    ask(
        &[("app/q.py", "from app import names\nQ = 'SELECT a FROM ' + names.TABLE\n"), names],
        &["SELECT a FROM users"],
    );
    let names = ("src/names.ts", "export const TABLE = 'users';");
    ask(
        &[("src/q.ts", "import { TABLE } from './names';\nconst Q = `SELECT a FROM ${TABLE}`;"), names],
        &["SELECT a FROM users"],
    );
    ask(
        &[("src/q.js", "const n = require('./names');\nconst Q = `SELECT a FROM ${n.TABLE}`;"), names],
        &["SELECT a FROM users"],
    );
}

#[test]
fn kotlin_and_scala_see_java() {
    let names = ("m/Names.java", "package m; public class Names { public static final String T = \"users\"; }");
    ask(&[("a/A.kt", "import m.Names\nval q = \"SELECT a FROM ${Names.T}\""), names], &["SELECT a FROM users"]);
    ask(
        &[("a/A.scala", "import m.Names\nobject A { val q = s\"SELECT a FROM ${Names.T}\" }"), names],
        &["SELECT a FROM users"],
    );
}

#[test]
fn a_circle_ends() {
    ask(
        &[("A.java", "class A { static String X = \"SELECT a FROM \" + Y; static String Y = X; }")],
        &["SELECT a FROM SELECT a FROM ‹Y›"],
    );
}

#[test]
fn files_that_are_wanted() {
    let text =
        "class A { String q = \"SELECT a FROM \" + Names.T; static final String LIST_USERS = \"SELECT b FROM t\"; }";
    let linked = link(&[read(Language::Java, "A.java", text)]);
    let wanted: Vec<_> = linked.wanted.iter().map(|wanted| (wanted.name.as_str(), wanted.purpose)).collect();
    assert_eq!(wanted, [("LIST_USERS", Purpose::Use), ("T", Purpose::Declaration)]);
    let holds = |text: &str| may_hold_wanted(Language::Java, text.as_bytes(), &linked.wanted);
    assert!(holds("s.execute(A.LIST_USERS)"));
    assert!(holds("static final String T = \"x\";"));
    assert!(!holds("use(T); TT = 5;"));
    assert!(!may_hold_wanted(Language::Go, b"LIST_USERS", &linked.wanted));
}
