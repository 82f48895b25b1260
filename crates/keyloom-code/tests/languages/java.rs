use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::Java, program, expected);
}

#[test]
fn literals_and_constants() {
    asks("class A { static final String Q = \"SELECT a \" + \"FROM t\"; }", &["SELECT a FROM t"]);
    asks(
        "class A { static final String T = \"t\"; static final String Q = \"SELECT a FROM \" + T + \" WHERE b = ?\"; }",
        &["SELECT a FROM t WHERE b = ?"],
    );
    asks(
        "class A { String q() { return B.X + \"c\"; } }\nclass B { static final String X = \"SELECT a FROM \"; }",
        &["SELECT a FROM c"],
    );
}

#[test]
fn text_blocks_lose_their_indentation() {
    asks(
        "class A { String q = \"\"\"\n        SELECT a\n          FROM t \\\n        LIMIT 1\n        \"\"\"; }",
        &["SELECT a\n  FROM t LIMIT 1\n"],
    );
}

#[test]
fn formats() {
    asks("class A { void f(String t) { s.execute(String.format(\"SELECT a FROM %s\", t)); } }", &["SELECT a FROM ‹t›"]);
    asks("class A { void f(String t) { s.execute(\"SELECT a FROM %s\".formatted(t)); } }", &["SELECT a FROM ‹t›"]);
    asks(
        "class A { void f() { s.execute(String.format(\"SELECT %2$s FROM %1$s\", \"t\", \"a\")); } }",
        &["SELECT a FROM t"],
    );
}

#[test]
fn string_builders() {
    asks(
        "class A { void f() { StringBuilder b = new StringBuilder(\"SELECT a \"); b.append(\"FROM t\").append(\" LIMIT \");\n\
         b.append(5); if (x) { b.append(\" ALLOW FILTERING\"); } s.execute(b.toString()); } }",
        &["SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5 ALLOW FILTERING"],
    );
    asks(
        "class A { void f() { s.execute(\"SELECT a FROM t WHERE \" + String.join(\" AND \", List.of(\"a = ?\", \"b = ?\"))); } }",
        &["SELECT a FROM t WHERE a = ? AND b = ?"],
    );
}

#[test]
fn conditions_within_a_text() {
    asks(
        "class A { void f() { s.execute(\"SELECT a FROM t\" + (x ? \" LIMIT 1\" : \"\")); } }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "class A { String q(int k) { switch (k) { case 1: return \"SELECT a FROM t\"; default: return \"SELECT b FROM t\"; } } }",
        &["SELECT a FROM t", "SELECT b FROM t"],
    );
}

#[test]
fn annotations() {
    asks(
        "interface A { @Query(\"SELECT a FROM t WHERE b = :b\") Row find(int b); }",
        &["SELECT a FROM t WHERE b = :b"],
    );
    asks(
        "interface A { @Query(\"SELECT a FROM t WHERE b = :#{#x.y}\") Row find(X x); }",
        &["SELECT a FROM t WHERE b = ?"],
    );
    asks("@Entity class A { @Query(value = \"SELECT a \" + \"FROM t\") Row f(); }", &["SELECT a FROM t"]);
}

#[test]
fn replaced_text_is_marked() {
    asks("class A { void f() { s.execute(\"SELECT a FROM t\".replace(\"t\", x)); } }", &["!SELECT a FROM t"]);
}

#[test]
fn a_fragment_is_not_judged_alone() {
    asks(
        "class A { static final String BASE = \"SELECT a FROM t\"; void f() { s.execute(BASE + \" WHERE b = ?\"); } }",
        &["SELECT a FROM t WHERE b = ?"],
    );
}

#[test]
fn a_parameter_has_the_values_of_its_calls() {
    let program = "class A { void f(String c) { s.execute(\"SELECT max(\" + c + \") FROM t\"); }\n\
                   void g() { f(\"a\"); f(\"b\"); } }";
    let units = [keyloom_code::read(Language::Java, "A.java", program)];
    let snippets = super::linked(&units, &[program]).snippets;
    assert_eq!(snippets[0].holes[0].values, ["a", "b"]);
}

#[test]
fn the_same_question_has_one_answer() {
    asks(
        "class A { void f(boolean m) { String c = \"a\"; String v = \"?\"; if (m) { c += \", b\"; }\n\
         if (!m) { log(); } else { v += \", ?\"; } s.execute(\"INSERT INTO t (\" + c + \") VALUES (\" + v + \")\"); } }",
        &["INSERT INTO t (a) VALUES (?)", "INSERT INTO t (a, b) VALUES (?, ?)"],
    );
}
