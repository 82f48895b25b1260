//! Whatever the bytes are, reading ends, and what it answers can be pointed at.

#![allow(clippy::unwrap_used, reason = "a test that can't go on says so")]

use keyloom_code::{Language, Linked, Unit, Unread, link, may_hold_statements, read};
use proptest::prelude::*;

/// A program in each language, with all that the reader knows.
const PROGRAMS: [(Language, &str); 13] = [
    (
        Language::Go,
        "package s\nimport \"github.com/gocql/gocql\"\nconst t = `üsers`\nfunc (s *S) F(x string) {\n\
         q := fmt.Sprintf(\"SELECT %s FROM \\u00e9 %s\", x, t)\nif x != \"\" { q += ` LIMIT 1` } else { return }\n\
         for _, y := range xs { b.Query(`INSERT INTO t (a) VALUES (?)`, y, nil) }\n\
         switch x { case 1: q = `DELETE FROM t WHERE a = 1`\ndefault: q = `USE k` }\n\
         s.db.Query(q, x).PageSize(5).Consistency(gocql.One).Scan(&z) // keyloom: allow x because y\n}\n",
    ),
    (
        Language::Java,
        "package a; import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.*; import x.Y;\n\
         class A extends B { static final String Q = \"SELECT a \" + Y.T + \"\\tFROM t\"; PreparedStatement p;\n\
         A() { this.p = s.prepare(Q); } void f(String x) { StringBuilder b = new StringBuilder(\"SELECT é \");\n\
         b.append(\"FROM t\"); for (int i : xs) { batch.add(p.bind(i, null).setString(\"a\", \"b\")); }\n\
         var q = x == null ? \"\"\"\n   SELECT a \\\n   FROM t\n  \"\"\" : String.format(\"DELETE FROM %s\", x);\n\
         s.execute(selectFrom(\"t\").column(\"a\").whereColumn(\"b\").isEqualTo(bindMarker()).limit(3).build()).one(); } }",
    ),
    (
        Language::Kotlin,
        "import a.B\nconst val T = \"t\"\nclass A : C() { val q = \"SELECT a FROM $T ${x.y} é\"\n\
         fun f(x: Int) { var z = \"\"\"\n |SELECT a\n |FROM $T\n\"\"\".trimMargin()\n if (x > 1) z += \" LIMIT 1\"\n\
         when (x) { 1 -> s.execute(z)\n else -> xs.forEach { s.execute(\"DELETE FROM t WHERE a = ?\", it) } } } }",
    ),
    (
        Language::Scala,
        "package a\nimport x.{A => B, C}\nobject A extends D { val q = s\"SELECT a FROM $t ${x.y} é\"\n\
         def f(x: Int) = { var z = \"\"\"\n |SELECT a\n |FROM t\"\"\".stripMargin; z += \" LIMIT 1\"\n\
         for (i <- xs) { s.execute(z, i) }; x match { case 1 => \"SELECT b FROM t\"; case _ => null } } }",
    ),
    (
        Language::Python,
        "from cassandra import x as y\nT = 't'\nclass A(B):\n    Q = 'SELECT a ' f'FROM {T} é'\n    def f(self, x):\n\
         \x20       q = 'SELECT %s FROM {}'.format(x) % (1,)\n        if x:\n            q += ' LIMIT 1'\n        else:\n\
         \x20           raise E()\n        for r in self.s.execute(q, [x, None]):\n            pass\n\
         \x20       return ' AND '.join(['a', \"b\\n\"])\n",
    ),
    (
        Language::TypeScript,
        "import { A } from './b';\nconst T: string = 't';\nclass C extends D { q = `SELECT a FROM ${T} é\\n`;\n\
         async f(x: number) { let z = 'SELECT b ' + \"FROM t\"; if (x) { z += ' LIMIT 1'; } else { throw x; }\n\
         for (const y of xs) { q.push({ query: z, params: [y, null] }); }\n\
         return (await this.c.execute(z, [x], { fetchSize: 3 })).rows; } }",
    ),
    (Language::Tsx, "const a = <div title=\"SELECT a FROM t\">{`SELECT b FROM ${x}`}</div>;"),
    (
        Language::JavaScript,
        "'use strict';\nconst d = require('cassandra-driver');\nconst q = ['a', 'b'].join(' AND ');\n\
         function f(x) { return c.execute(`SELECT a FROM t WHERE ${q} é`, [x]); }",
    ),
    (
        Language::Rust,
        "use scylla::Session;\nconst Q: &str = \"SELECT a \\\n   FROM t é\";\nimpl A { async fn f(&self, t: &str) {\n\
         let q = format!(\"SELECT {} FROM {t}\", 1); for x in xs { s.query(r#\"DELETE FROM \"t\"\"#, (x,)).await?; } } }",
    ),
    (
        Language::CSharp,
        "using Cassandra; class A : B { const string Q = \"SELECT a \" + T; void F(string t) {\n\
         var q = $\"SELECT {t} FROM é {{}}\"; var v = @\"SELECT \"\"a\"\" FROM t\"; foreach (var x in xs) { s.Execute(q); } } }",
    ),
    (
        Language::Haskell,
        "module A where\nimport B\nq = \"SELECT a \\\n   \\FROM t é\"\nr = [r| INSERT INTO t (a) VALUES (?) |]\n\
         f x = retry x1 $ query1 q (params x) where c = \"a\" <> \"b\"\n",
    ),
    (
        Language::Ruby,
        "require 'cassandra'\nclass A\n  Q = \"SELECT a FROM #{t} é\"\n  def f(x)\n    s = <<~CQL\n      SELECT a\n      FROM t\n\
         \x20   CQL\n    xs.each { |i| s.execute(Q + ' LIMIT 1', i) }\n  end\nend\n",
    ),
    (
        Language::Php,
        "<?php\nuse Cassandra\\A;\nclass A { const Q = 'SELECT a' . \" FROM t\"; function f($x) {\n\
         $q = \"SELECT {$x} FROM $t é\"; $q .= ' LIMIT 1'; $h = <<<C\nSELECT a FROM t\nC;\n$s->execute($q); } }",
    ),
];

/// Reads, links, and holds what is true of every answer.
fn holds(language: Language, text: &str) {
    may_hold_statements(language, text.as_bytes());
    let unit = || read(language, "a/b", text);
    let units = [unit()];
    assert_eq!(units[0], unit(), "the same text gives the same unit");
    let linked = link(&units);
    assert_eq!(linked, link(&units), "the same units give the same answer");
    can_be_shown(&units, &linked, text);
}

fn can_be_shown(units: &[Unit], linked: &Linked, text: &str) {
    let at = |range: &std::ops::Range<u32>| text.get(range.start as usize..range.end as usize);
    for snippet in &linked.snippets {
        assert!(at(&snippet.at).is_some(), "{:?} is no part of the text", snippet.at);
        let mut end = 0;
        for piece in &snippet.pieces {
            let shown = &snippet.text[piece.text.start as usize..piece.text.end as usize];
            let code = at(&piece.at).unwrap_or_else(|| panic!("{piece:?} is no part of the text"));
            assert!(!piece.verbatim || shown == code, "{shown:?} is not {code:?}");
            assert!(piece.text.start >= end, "pieces are in order");
            end = piece.text.end;
        }
        for hole in &snippet.holes {
            let shown = &snippet.text[hole.text.start as usize..hole.text.end as usize];
            assert_eq!(shown.trim_matches(keyloom_cql::HOLE), hole.name);
        }
        for site in &snippet.sites {
            assert!(at(&site.at).is_some());
        }
    }
    for remark in units[0].remarks() {
        assert!(at(&remark.at).is_some() && remark.covers.as_ref().is_none_or(|covers| at(covers).is_some()));
    }
    units[0].drivers();
}

#[test]
fn every_program_is_read() {
    for (language, program) in PROGRAMS {
        holds(language, program);
        let linked = link(&[read(language, "a", program)]);
        assert!(!linked.snippets.is_empty(), "{language:?}");
        assert!(may_hold_statements(language, program.as_bytes()), "{language:?}");
    }
}

#[test]
fn truncated_programs_are_read() {
    for (language, program) in PROGRAMS {
        for end in (0..program.len()).filter(|end| program.is_char_boundary(*end)) {
            holds(language, &program[..end]);
        }
    }
}

#[test]
fn a_program_is_read_as_each_language() {
    for (_, program) in PROGRAMS {
        for language in Language::ALL {
            holds(language, program);
        }
    }
}

#[test]
fn deep_nesting_ends() {
    for language in Language::ALL {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{", "}"),
            ("f(", ")"),
            ("if (a) {", "}"),
            ("a ? b : ", ""),
            ("!", ""),
            ("a.b().", "c()"),
        ] {
            let text = format!("x = {}{}", open.repeat(3_000), close.repeat(3_000));
            holds(language, &text);
        }
    }
    let deep = format!("class A {{ String q = {}\"SELECT a FROM t\"{}; }}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(read(Language::Java, "A.java", &deep).unread(), Some(Unread::TooDeep));
}

#[test]
fn long_chains_are_followed() {
    let sum = "\"a\" + ".repeat(20_000);
    let text = format!("class A {{ String q = \"SELECT a FROM t WHERE b = '\" + {sum}\"'\"; }}");
    let linked = link(&[read(Language::Java, "A.java", &text)]);
    assert_eq!(linked.snippets[0].text.len(), "SELECT a FROM t WHERE b = ''".len() + 20_000);
    // Doubling is not followed for ever.
    let mut text = "class A { static String X0 = \"SELECT a FROM t WHERE b = 'x'\";\n".to_owned();
    for n in 1..60 {
        text.push_str(&format!("static String X{n} = X{m} + X{m};\n", m = n - 1));
    }
    holds(Language::Java, &(text + "}"));
    // Neither are branches.
    let branches: String = (0..500).map(|n| format!("if (x{n}) {{ q = q + \"a{n}\"; }}\n")).collect();
    holds(
        Language::Java,
        &format!("class A {{ void f() {{ String q = \"SELECT a FROM t\";\n{branches}s.execute(q); }} }}"),
    );
    let chain: String = (0..1_000).map(|n| format!("else if (x{n}) {{ q = \"SELECT a{n} FROM t\"; }}\n")).collect();
    holds(Language::Java, &format!("class A {{ void f() {{ String q = \"\"; if (y) {{ }} {chain} s.execute(q); }} }}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage_is_read(text in "\\PC{0,200}", which in 0..13usize) {
        holds(Language::ALL[which], &text);
    }

    #[test]
    fn broken_programs_are_read(which in 0..13usize, cut in any::<prop::sample::Index>(), length in 0..40usize, more in "[\\PC\n]{0,12}") {
        let (language, program) = PROGRAMS[which];
        let boundaries: Vec<usize> = program.char_indices().map(|(at, _)| at).collect();
        let start = boundaries[cut.index(boundaries.len())];
        let end = boundaries.iter().copied().find(|at| *at >= start + length).unwrap_or(program.len());
        holds(language, &format!("{}{more}{}", &program[..start], &program[end..]));
    }
}
