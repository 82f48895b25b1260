#![allow(clippy::disallowed_methods, missing_docs, clippy::unwrap_used, reason = "scratch")]
use keyloom_code::Language;
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

fn main() {
    std::fs::create_dir_all("fuzz/corpus/code").unwrap();
    for (l, p) in PROGRAMS {
        let e = match l {
            Language::Go => "go",
            Language::Java => "java",
            Language::Kotlin => "kt",
            Language::Scala => "scala",
            Language::Python => "py",
            Language::TypeScript => "ts",
            Language::Tsx => "tsx",
            Language::JavaScript => "js",
            Language::Rust => "rs",
            Language::CSharp => "cs",
            Language::Haskell => "hs",
            Language::Ruby => "rb",
            Language::Php => "php",
        };
        std::fs::write(format!("fuzz/corpus/code/program.{e}"), p).unwrap();
    }
}
