use keyloom_code::Language;

fn asks(program: &str, expected: &[&str]) {
    super::asks(Language::Go, &format!("package store\n{program}"), expected);
}

#[test]
fn literals_and_constants() {
    asks("const q = `SELECT a FROM t`", &["SELECT a FROM t"]);
    asks("const (\n\tt = \"users\"\n\tq = \"SELECT a \" +\n\t\t`FROM ` + t\n)", &["SELECT a FROM users"]);
    asks("var q = \"SELECT \\\"A\\\"\\tFROM t\"", &["SELECT \"A\"\tFROM t"]);
    asks("const q = `SELECT a FROM t WHERE a = ?` + `AND b = ?`", &["SELECT a FROM t WHERE a = ?AND b = ?"]);
    asks(
        "const cols = `a, b`\nconst q = `SELECT ` + cols + ` FROM t`\nfunc f() { s.Query(q) }",
        &["SELECT a, b FROM t"],
    );
}

#[test]
fn formats() {
    asks(
        "func f(t string) { q := fmt.Sprintf(`SELECT a FROM %s LIMIT %d`, t, 5); use(q) }",
        &["SELECT a FROM ‹t› LIMIT 5"],
    );
    asks("const q = `SELECT a FROM %s`\nfunc f() { s.Query(fmt.Sprintf(q, `t`)) }", &["SELECT a FROM t"]);
    asks("const q = `SELECT a FROM %s.t`", &["SELECT a FROM ‹argument1›.t"]);
    asks("func f() { q := fmt.Sprintf(`SELECT %[2]s FROM %[1]s`, `t`, `a`); use(q) }", &["SELECT a FROM t"]);
}

#[test]
fn optional_parts_are_expanded() {
    asks(
        "func f(x bool) { q := `SELECT a FROM t`; if x { q += ` LIMIT 1` }; s.Query(q) }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks("func f(x bool) { q := ``; if x { q = `DELETE FROM b` } else { return }; s.Query(q) }", &["DELETE FROM b"]);
    asks(
        "func f() { var b strings.Builder; b.WriteString(`SELECT a FROM t`); if x { b.WriteString(` LIMIT 1`) }\n\
         s.Query(b.String()) }",
        &["SELECT a FROM t", "SELECT a FROM t LIMIT 1"],
    );
    asks(
        "func f() { p := []string{`a = ?`}; if x { p = append(p, `b = ?`) }\n\
         s.Query(`SELECT c FROM t WHERE ` + strings.Join(p, ` AND `)) }",
        &["SELECT c FROM t WHERE a = ?", "SELECT c FROM t WHERE a = ? AND b = ?"],
    );
}

#[test]
fn what_a_loop_puts_together_is_dynamic() {
    asks(
        "func f() { q := `SELECT a FROM t WHERE b IN (`; for range xs { q += `?,` }; s.Query(q + `)`) }",
        &["~SELECT a FROM t WHERE b IN (?,)"],
    );
}

#[test]
fn many_optional_parts_are_dynamic() {
    let parts: String = (0..6).map(|n| format!("if x{n} {{ q += ` AND c{n} = ?` }}\n")).collect();
    asks(
        &format!("func f() {{ q := `SELECT a FROM t WHERE b = ?`\n{parts}s.Query(q) }}"),
        &[
            "~SELECT a FROM t WHERE b = ? AND c0 = ? AND c1 = ? AND c2 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c0 = ? AND c1 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c0 = ? AND c2 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c0 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c1 = ? AND c2 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c1 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c2 = ? AND c3 = ? AND c4 = ? AND c5 = ?",
            "~SELECT a FROM t WHERE b = ? AND c3 = ? AND c4 = ? AND c5 = ?",
        ],
    );
}

#[test]
fn replaced_text_is_marked() {
    asks("func f() { s.Query(strings.ReplaceAll(`SELECT a FROM t`, `t`, x)) }", &["!SELECT a FROM t"]);
}

#[test]
fn names_of_blocks_end_with_them() {
    asks(
        "func f() { q := `SELECT a FROM t`; { q := `SELECT b FROM t`; s.Query(q) }; s.Query(q) }",
        &["SELECT a FROM t", "SELECT b FROM t"],
    );
}

#[test]
fn answers_of_functions_and_fields() {
    asks(
        "func q(t string) string { return `SELECT a FROM ` + t }\nfunc f() { s.Query(q(`x`)) }",
        &["SELECT a FROM ‹t›"],
    );
    asks("func (s *S) init() { s.q = `SELECT a FROM t` }\nfunc (s *S) f() { s.db.Query(s.q) }", &["SELECT a FROM t"]);
}

#[test]
fn sentences_and_messages_are_no_statements() {
    for text in [
        "Select the option from the list",
        "select one from many words here",
        "Update failed for user",
        "Delete the row from the table",
        "delete user from group failed",
        "insert into the cache",
        "drop table failed with an error",
        "use strict",
        "Create a table for the user",
        "Create index failed",
        "truncate",
        "begin of something",
        "SELECT",
        "alter ego",
    ] {
        asks(&format!("var m = `{text}`"), &[]);
    }
    asks("func f() { log.Printf(`SELECT a FROM t`) ; fmt.Errorf(`DELETE FROM t`) }", &[]);
    asks("// SELECT a FROM t\nvar x = 1", &[]);
}

#[test]
fn all_verbs() {
    for text in [
        "INSERT INTO t (a) VALUES (?)",
        "insert into t json ?",
        "UPDATE t SET a = ? WHERE b = ?",
        "UPDATE t USING TTL 5 SET a = ? WHERE b = ?",
        "DELETE a FROM t WHERE b = ?",
        "DELETE m['x'] FROM t WHERE b = ?",
        "BEGIN BATCH INSERT INTO t (a) VALUES (1) APPLY BATCH",
        "BEGIN UNLOGGED BATCH DELETE FROM t WHERE a = 1; APPLY BATCH;",
        "CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY)",
        "CREATE CUSTOM INDEX i ON t (a) USING 'x'",
        "CREATE TYPE u (a int)",
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a IS NOT NULL PRIMARY KEY (a)",
        "ALTER TABLE t ADD b int",
        "DROP TABLE IF EXISTS t",
        "DROP INDEX i",
        "TRUNCATE t",
        "TRUNCATE TABLE k.t;",
        "USE k",
        "SELECT DISTINCT a FROM t",
        "SELECT COUNT(*) AS n FROM t WHERE a = ? ALLOW FILTERING",
        "-- all of them\nSELECT a FROM t",
        "  /* x */ SELECT * FROM t;",
    ] {
        asks(&format!("var q = `{text}`"), &[text]);
    }
}

#[test]
fn table_metadata() {
    asks(
        "import \"github.com/scylladb/gocqlx/v3/table\"\n\
         var people = table.New(table.Metadata{Name: \"people\", Columns: []string{\"id\", \"at\", \"name\"},\n\
         PartKey: []string{\"id\"}, SortKey: []string{\"at\"}})\n\
         func f() { s.Query(people.Insert()); s.Query(people.Get()); s.Query(people.Select(\"name\"))\n\
         s.Query(people.Delete()); s.Query(people.Update(\"name\")); s.Query(people.SelectAll()) }",
        &[
            "INSERT INTO people (id, at, name) VALUES (?, ?, ?)",
            "SELECT * FROM people WHERE id=? AND at=?",
            "SELECT name FROM people WHERE id=?",
            "DELETE FROM people WHERE id=? AND at=?",
            "UPDATE people SET name=? WHERE id=? AND at=?",
            "SELECT * FROM people",
        ],
    );
}

#[test]
fn query_builder() {
    asks(
        "import \"github.com/scylladb/gocqlx/v3/qb\"\n\
         func f() { s.Query(qb.Select(`t`).Columns(`a`, `b`).Where(qb.Eq(`a`), qb.GtOrEq(`b`)).Limit(5).ToCql())\n\
         s.Query(qb.Update(`t`).Set(`b`).Add(`n`).Where(qb.Eq(`a`)).ToCql())\n\
         s.Query(qb.Insert(`t`).Columns(`a`, `b`).Unique().TTLNamed(`x`).ToCql()) }",
        &[
            "SELECT a, b FROM t WHERE a=? AND b>=? LIMIT 5",
            "UPDATE t SET b=?, n=n+? WHERE a=?",
            "INSERT INTO t (a, b) VALUES (?, ?) IF NOT EXISTS USING TTL ?",
        ],
    );
}
