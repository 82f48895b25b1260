use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::Kotlin, program, expected);
}

#[test]
fn literals_and_constants() {
    asks("const val T = \"t\"\nval q = \"SELECT a FROM \" + T", &["SELECT a FROM t"]);
    asks(
        "class A { companion object { const val T = \"t\" }\n val q = \"SELECT a FROM $T WHERE b = ${x.y}\" }",
        &["SELECT a FROM t WHERE b = ‹y›"],
    );
    asks("val q = \"\"\"\n    |SELECT a\n    |FROM t\n\"\"\".trimMargin()", &["\nSELECT a\nFROM t\n"]);
    asks("val q = \"\"\"\n    SELECT a\n    FROM t\n    \"\"\".trimIndent()", &["SELECT a\nFROM t\n"]);
}

#[test]
fn branches() {
    asks(
        "fun f(x: Boolean) { var q = \"SELECT a FROM t\"\n if (x) q += \" LIMIT 1\"\n s.execute(q) }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "fun q(x: Int) = when (x) { 1 -> \"SELECT a FROM t\"\n else -> \"SELECT b FROM t\" }",
        &["SELECT a FROM t", "SELECT b FROM t"],
    );
    asks(
        "fun f(x: Boolean) { s.execute(\"SELECT a FROM t\" + if (x) \" LIMIT 1\" else \"\") }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
}

#[test]
fn lazy_values_and_functions() {
    asks("class A { val p by lazy { s.prepare(\"SELECT a FROM t\") }\n fun f() = p.bind(1) }", &["SELECT a FROM t"]);
    asks("fun f(t: String) { s.execute(\"SELECT a FROM %s\".format(t)) }", &["SELECT a FROM ‹t›"]);
    asks(
        "fun f() { s.execute(\"SELECT \" + listOf(\"a\", \"b\").joinToString() + \" FROM t\") }",
        &["SELECT a, b FROM t"],
    );
}
