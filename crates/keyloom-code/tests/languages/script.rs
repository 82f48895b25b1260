use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::TypeScript, program, expected);
    super::asks(Language::Tsx, program, expected);
    // What is valid in all of them reads alike in all of them.
    super::asks(Language::JavaScript, program, expected);
}

#[test]
fn literals_and_constants() {
    asks("const Q = 'SELECT a ' + \"FROM t\";", &["SELECT a FROM t"]);
    asks("const T = 't'; export const Q = `SELECT a FROM ${T} WHERE b = ${x.y}`;", &["SELECT a FROM t WHERE b = ‹y›"]);
    asks("const Q = { all: 'SELECT a FROM t', none: 1 };\nclient.execute(Q.all);", &["SELECT a FROM t"]);
    asks("class A { static Q = 'SELECT a FROM t'; f() { this.client.execute(A.Q); } }", &["SELECT a FROM t"]);
    asks("const f = (t) => cql`SELECT a FROM ${t}`;", &["SELECT a FROM ‹t›"]);
}

#[test]
fn branches_and_lists() {
    asks(
        "function f(x) { let q = 'SELECT a FROM t'; if (x) { q += ' LIMIT 1'; } s.execute(q); }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "function f(x) { s.execute(`SELECT a FROM t${x ? ' LIMIT 1' : ''}`); }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "function f() { const p = ['a = ?', 'b = ?']; s.execute('SELECT c FROM t WHERE ' + p.join(' AND ')); }",
        &["SELECT c FROM t WHERE a = ? AND b = ?"],
    );
    asks("function f() { s.execute('SELECT a FROM t'.replace('t', x)); }", &["!SELECT a FROM t"]);
}

#[test]
fn directives_are_no_statements() {
    asks("'use strict';\nconst x = 1;", &[]);
}
