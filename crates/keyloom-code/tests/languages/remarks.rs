use keyloom_code::{Language, Unread, read};

#[test]
fn remarks_and_what_they_cover() {
    let text = "package s\n// keyloom: allow full-scan because 'small'\nconst q = `SELECT a FROM t`\n\
                func f() {\n\ts.Query(`SELECT b FROM t`) // keyloom: allow x because y\n}\n// other\n";
    let unit = read(Language::Go, "s.go", text);
    let shown: Vec<_> = unit
        .remarks()
        .iter()
        .map(|remark| {
            let covers = remark.covers.clone().map_or("", |at| &text[at.start as usize..at.end as usize]);
            (remark.text.as_str(), covers)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("keyloom: allow full-scan because 'small'", "const q = `SELECT a FROM t`"),
            ("keyloom: allow x because y", "s.Query(`SELECT b FROM t`)"),
        ]
    );
}

#[test]
fn the_first_line_of_a_block_is_about_its_first_statement() {
    let python = "def f(s):\n    # keyloom: allow x because y\n    a = s.execute('SELECT a FROM t')\n    b = 1\n";
    let loops = "for a in b:\n    # keyloom: allow x because y\n    # and more\n    f(a)\n    g(a)\n";
    let ruby = "def f(s)\n  # keyloom: allow x because y\n  s.execute('SELECT a FROM t')\n  1\nend\n";
    let each = "b.each do |a|\n  # keyloom: allow x because y\n  f(a)\n  g(a)\nend\n";
    let choice = "if a\n  # keyloom: allow x because y\n  f(a)\n  g(a)\nend\n";
    for (language, text, covered) in [
        (Language::Python, python, "a = s.execute('SELECT a FROM t')"),
        (Language::Python, loops, "f(a)"),
        (Language::Ruby, ruby, "s.execute('SELECT a FROM t')"),
        (Language::Ruby, each, "f(a)"),
        (Language::Ruby, choice, "f(a)"),
    ] {
        let unit = read(language, "x", text);
        let covers: Vec<&str> = unit
            .remarks()
            .iter()
            .map(|remark| remark.covers.clone().map_or("", |at| &text[at.start as usize..at.end as usize]))
            .collect();
        assert_eq!(covers, [covered], "{text}");
    }
}

#[test]
fn remarks_of_all_languages() {
    for (language, text) in [
        (Language::Java, "class A { /* keyloom: allow x because y */ int a; }"),
        (Language::Kotlin, "// keyloom: allow x because y\nval a = 1"),
        (Language::Scala, "object A { // keyloom: allow x because y\n val a = 1 }"),
        (Language::Python, "# keyloom: allow x because y\na = 1\n"),
        (Language::TypeScript, "// keyloom: allow x because y\nconst a = 1;"),
        (Language::JavaScript, "function f() { /* keyloom: allow x because y */ g(); }"),
        (Language::Rust, "fn f() {\n // keyloom: allow x because y\n g(); }"),
        (Language::CSharp, "class A { // keyloom: allow x because y\n int a; }"),
        (Language::Haskell, "-- keyloom: allow x because y\na = 1\n"),
        (Language::Ruby, "# keyloom: allow x because y\na = 1\n"),
        (Language::Php, "<?php\n// keyloom: allow x because y\n$a = 1;"),
    ] {
        let unit = read(language, "x", text);
        let said: Vec<&str> = unit.remarks().iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(said, ["keyloom: allow x because y"], "{language:?}");
    }
}

#[test]
fn drivers() {
    let drivers = |language, text: &str| {
        let drivers = read(language, "x", text).drivers();
        (drivers.cassandra.len(), drivers.other.len())
    };
    assert_eq!(drivers(Language::Go, "package a\nimport (\n\"fmt\"\n\"github.com/gocql/gocql\"\n)"), (1, 0));
    assert_eq!(drivers(Language::Go, "package a\nimport \"database/sql\""), (0, 1));
    assert_eq!(drivers(Language::Java, "import com.datastax.oss.driver.api.core.CqlSession;"), (1, 0));
    assert_eq!(drivers(Language::Java, "import java.sql.Connection;"), (0, 1));
    assert_eq!(drivers(Language::Python, "from cassandra.cluster import Cluster\nimport psycopg2\n"), (1, 1));
    assert_eq!(drivers(Language::TypeScript, "import { Client } from 'cassandra-driver';"), (1, 0));
    assert_eq!(drivers(Language::JavaScript, "const { Pool } = require('pg');"), (0, 1));
    assert_eq!(drivers(Language::Rust, "use scylla::Session;"), (1, 0));
    assert_eq!(drivers(Language::CSharp, "using Cassandra;"), (1, 0));
    assert_eq!(drivers(Language::Haskell, "import Database.CQL.IO\n"), (1, 0));
}

#[test]
fn too_large_a_file_is_said_to_be_unread() {
    let text = format!("const Q = 'SELECT a FROM t';{}", " ".repeat(keyloom_code::BYTES_MAX));
    assert_eq!(read(Language::JavaScript, "a.js", &text).unread(), Some(Unread::TooLarge));
}
