use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::Scala, program, expected);
}

#[test]
fn literals_and_constants() {
    asks("object A { val T = \"t\"; val q = \"SELECT a FROM \" + T }", &["SELECT a FROM t"]);
    asks("class A { private def q = s\"SELECT a FROM $t WHERE b = ${x.y}\" }", &["SELECT a FROM ‹t› WHERE b = ‹y›"]);
    asks("object A { def q = s\"\"\"\n  |SELECT a\n  |FROM $t\n  |\"\"\".stripMargin }", &["\nSELECT a\nFROM ‹t›\n"]);
    asks("object A { val q = \"\"\"SELECT a FROM t\"\"\" }", &["SELECT a FROM t"]);
    asks("object A { val q = \"SELECT \\\"A\\\" FROM t\" }", &["SELECT \"A\" FROM t"]);
    asks("class A { val q = cql\"SELECT a FROM t WHERE b = $b\" }", &["SELECT a FROM t WHERE b = ‹b›"]);
}

#[test]
fn branches() {
    asks(
        "class A { def f(x: Boolean) = s.execute(\"SELECT a FROM t\" + (if (x) \" LIMIT 1\" else \"\")) }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "class A { def q(x: Int) = x match { case 1 => \"SELECT a FROM t\"; case _ => \"SELECT b FROM t\" } }",
        &["SELECT a FROM t", "SELECT b FROM t"],
    );
    asks(
        "class A { def f() = { var q = \"SELECT a FROM t\"; q += \" LIMIT 1\"; s.execute(q) } }",
        &["SELECT a FROM t LIMIT 1"],
    );
}

#[test]
fn constants_of_objects_and_traits() {
    asks("trait T { def q = s\"SELECT a FROM ${N.table}\" }\nobject N { val table = \"t\" }", &["SELECT a FROM t"]);
    asks(
        "object A { def f = Seq(\"a\", \"b\").mkString(\"SELECT \", \", \", \" FROM t\") ; val q = \"SELECT c FROM t\" }",
        &["SELECT c FROM t"],
    );
    asks("object A { def f = s.execute(\"SELECT a FROM %s\".format(\"t\")) }", &["SELECT a FROM t"]);
}

#[test]
fn the_same_question_has_one_answer() {
    asks(
        "class A { def q(m: Boolean) = s\"INSERT INTO t (a${if (m) \", b\" else \"\"}) VALUES (?${if (m) \", ?\" else \"\"})\" }",
        &["INSERT INTO t (a) VALUES (?)", "INSERT INTO t (a, b) VALUES (?, ?)"],
    );
}
