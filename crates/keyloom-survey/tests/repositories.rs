//! Small repositories, one for each way in which teams keep their schemas, and what is made of them.
#![allow(clippy::unwrap_used, reason = "a broken repository must stop the test")]

use std::collections::BTreeMap;

use keyloom_cql::resolve::Verdict;
use keyloom_finding::Sources;
use keyloom_survey::{Request, Role, Survey, SurveyFaultKind, Tree, survey};

/// A repository written down as one text: `== name` begins a file.
struct Repository(BTreeMap<String, String>);

impl Repository {
    fn new(text: &str) -> Self {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut name = String::new();
        for line in text.lines().skip_while(|line| line.trim().is_empty()) {
            match line.strip_prefix("== ") {
                Some(next) => {
                    name = next.to_owned();
                    files.insert(name.clone(), String::new());
                }
                None => *files.get_mut(&name).unwrap() += &format!("{line}\n"),
            }
        }
        Self(files)
    }
}

impl Tree for Repository {
    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn open(&self, name: &str) -> Result<String, String> {
        self.0.get(name).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

fn surveyed(text: &str) -> (Vec<Survey>, Sources) {
    requested(text, &Request::default())
}

fn requested(text: &str, request: &Request) -> (Vec<Survey>, Sources) {
    let mut sources = Sources::default();
    let surveys = survey(&Repository::new(text), request, &mut sources);
    (surveys, sources)
}

fn only(text: &str) -> Survey {
    let (mut surveys, _) = surveyed(text);
    assert_eq!(surveys.len(), 1, "{text}");
    surveys.remove(0)
}

/// `keyspace.table(a, b)`, one after the other.
fn tables(survey: &Survey) -> Vec<String> {
    let all = survey.schema.keyspaces.values().flat_map(|keyspace| keyspace.tables.values());
    let columns = |table: &keyloom_cql::schema::Table| {
        table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    all.map(|table| format!("{}({})", table.full_name(), columns(table))).collect()
}

fn faults(survey: &Survey) -> Vec<(SurveyFaultKind, &str)> {
    survey.faults.iter().map(|fault| (fault.kind, fault.message.as_str())).collect()
}

fn reasons(survey: &Survey) -> Vec<&str> {
    survey.open.iter().map(|open| open.reason.as_str()).collect()
}

#[track_caller]
fn quiet(survey: &Survey) {
    assert_eq!(faults(survey), []);
    assert_eq!(reasons(survey), [] as [&str; 0]);
    assert_eq!(survey.coverage.unread, []);
}

/// Files under these names are run in this order: each adds a column behind those before it.
#[track_caller]
fn chain(names: &[&str]) {
    let step = |at: usize| match at {
        0 => "CREATE TABLE t (c0 int PRIMARY KEY);".to_owned(),
        _ => format!("ALTER TABLE t ADD c{at} int;"),
    };
    let files = names.iter().enumerate().map(|(at, name)| format!("== {name}\n{}\n", step(at)));
    let survey = only(&files.collect::<String>());
    let columns: Vec<String> = (0..names.len()).map(|at| format!("c{at}")).collect();
    assert_eq!(tables(&survey), [format!("t({})", columns.join(", "))], "{names:?}");
    assert_eq!(survey.coverage.schema_files, names);
    quiet(&survey);
}

#[test]
fn numbers_versions_and_timestamps_are_chains() {
    chain(&["db/001_init.cql", "db/002_more.cql", "db/005_after_a_gap.cql", "db/010_x.cql"]);
    chain(&["db/1_init.cql", "db/2_more.cql", "db/10_x.cql"]);
    chain(&["db/V1__init.cql", "db/V1.1__a.cql", "db/V1_2__b.cql", "db/V1_10__c.cql", "db/V2__d.cql", "db/R__e.cql"]);
    chain(&["db/20230131120000_init.cql", "db/20240101000000_a.cql"]);
    chain(&["db/v0.9/base.cql", "db/v1.2/a.cql", "db/v1.10/a.cql"]);
    chain(&["db/000001_init.up.cql", "db/000002_a.up.cql"]);
    chain(&["db/1.0.0.cql", "db/1.0.1.cql", "db/1.10.0.cql"]);
}

#[test]
fn steps_that_undo_are_left_out() {
    let survey = only(
        "
== m/1_a.up.cql
CREATE TABLE t (a int PRIMARY KEY);
== m/1_a.down.cql
DROP TABLE t;
== m/U1__b.cql
DROP TABLE t;
",
    );
    assert_eq!(tables(&survey), ["t(a)"]);
    assert_eq!(survey.coverage.schema_files, ["m/1_a.up.cql"]);
    quiet(&survey);
}

#[test]
fn numbered_and_semantic_names_in_one_folder_are_tried_both_ways() {
    let survey = only(
        "
== db/001_init.cql
CREATE TABLE t (a int PRIMARY KEY);
== db/002_old.cql
ALTER TABLE t ADD b int;
== db/1.0.1_new.cql
ALTER TABLE t DROP b;
",
    );
    assert_eq!(survey.coverage.schema_files, ["db/001_init.cql", "db/002_old.cql", "db/1.0.1_new.cql"]);
    quiet(&survey);
}

#[test]
fn a_manifest_says_which_files_come_when() {
    let survey = only(
        r#"
== s/v1.0/manifest.json
{"CurrVersion": "1.0", "SchemaUpdateCqlFiles": ["types.cql", "base.cql"]}
== s/v1.0/base.cql
CREATE TABLE t (a frozen<x> PRIMARY KEY);
== s/v1.0/types.cql
CREATE TYPE x (b int);
== s/v1.10/manifest.json
{"SchemaUpdateCqlFiles": ["c.cql"]}
== s/v1.10/c.cql
ALTER TABLE t ADD c int;
"#,
    );
    assert_eq!(survey.coverage.schema_files, ["s/v1.0/types.cql", "s/v1.0/base.cql", "s/v1.10/c.cql"]);
    assert_eq!(survey.coverage.schema_order, "as their manifests say");
    quiet(&survey);
}

#[test]
fn an_order_file_decides() {
    let text = "
== db/keyloom.order
# as the tool runs them
second.cql
first.cql
== db/first.cql
ALTER TABLE t ADD b int;
== db/second.cql
CREATE TABLE t (a int PRIMARY KEY);
== db/unused.cql
CREATE TABLE u (a int PRIMARY KEY);
";
    let survey = only(text);
    assert_eq!(tables(&survey), ["t(a, b)"]);
    assert_eq!(survey.coverage.schema_order, "as keyloom.order says");
    quiet(&survey);
    let survey = only(&text.replace("second.cql\nfirst", "secnd.cql\nsecond.cql\nfirst"));
    assert_eq!(faults(&survey), [(SurveyFaultKind::Syntax, "there is no file `secnd.cql` to take the schema from")]);
}

#[test]
fn the_shell_may_be_told_to_read_files() {
    let survey = only(
        "
== db/all.cql
SOURCE 'z.cql'
SOURCE 'a.cql'
== db/a.cql
ALTER TABLE t ADD b int;
== db/z.cql
CREATE TABLE t (a int PRIMARY KEY);
",
    );
    assert_eq!(survey.coverage.schema_files, ["db/z.cql", "db/a.cql"]);
    quiet(&survey);
}

#[test]
fn a_dump_beside_a_chain_is_the_same_schema() {
    let text = "
== db/schema.cql
CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3};
CREATE TABLE shop.users (id uuid PRIMARY KEY, name text);
CREATE TABLE shop.orders (id uuid PRIMARY KEY, total decimal);
== db/migrations/001_users.cql
CREATE TABLE users (id uuid PRIMARY KEY, name text);
== db/migrations/002_orders.cql
CREATE TABLE orders (id uuid PRIMARY KEY, total decimal);
";
    let survey = only(text);
    assert_eq!(tables(&survey), ["orders(id, total)", "users(id, name)"]);
    quiet(&survey);

    let text = text.replace("002_orders.cql\n", "002_orders.cql\nALTER TABLE users ADD email text;\n");
    let survey = only(&text);
    assert_eq!(
        faults(&survey),
        [(SurveyFaultKind::Differs, "`users` has no column `email` here, and has it after the migrations")]
    );
    assert_eq!(tables(&survey), ["orders(id, total)", "users(id, name, email)"]);

    // Nothing is proven against a table of which a copy has more columns.
    let text = text.replace("shop.users (id uuid PRIMARY KEY,", "shop.users (id uuid PRIMARY KEY, phone text,");
    let survey = only(&(text + "== queries.cql\nSELECT phone FROM users WHERE id = ?;\n"));
    let verdict = &survey.uses[0].resolution.verdict;
    assert!(!matches!(verdict, Verdict::Illegal(_)), "{verdict:?}");
}

#[test]
fn a_dump_does_not_bring_back_what_the_chain_dropped() {
    let survey = only(
        "
== db/schema.cql
CREATE TABLE users (id uuid PRIMARY KEY);
CREATE TABLE old (id uuid PRIMARY KEY);
== db/migrations/1.cql
CREATE TABLE users (id uuid PRIMARY KEY);
CREATE TABLE old (id uuid PRIMARY KEY);
== db/migrations/2.cql
DROP TABLE old;
",
    );
    assert_eq!(tables(&survey), ["users(id)"]);
    assert_eq!(survey.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [SurveyFaultKind::Differs]);
}

#[test]
fn of_numbered_snapshots_the_newest_counts() {
    let survey = only(
        "
== schema/v001.cql.tmpl
CREATE TABLE IF NOT EXISTS ${keyspace}.traces (id blob PRIMARY KEY, a int);
CREATE TABLE IF NOT EXISTS ${keyspace}.services (name text PRIMARY KEY);
== schema/v002.cql.tmpl
CREATE TABLE IF NOT EXISTS ${keyspace}.traces (id blob PRIMARY KEY, b int);
CREATE TABLE IF NOT EXISTS ${keyspace}.services (name text PRIMARY KEY);
CREATE TABLE IF NOT EXISTS ${keyspace}.extra (name text PRIMARY KEY);
",
    );
    assert_eq!(tables(&survey), ["extra(name)", "services(name)", "traces(id, b)"]);
    assert_eq!(survey.coverage.schema_order, "the newest of the numbered ones");
    quiet(&survey);
}

#[test]
fn a_chain_that_makes_a_table_again_after_dropping_it_is_no_snapshot() {
    let survey = only(
        "
== m/1.cql
CREATE TABLE t (a int PRIMARY KEY);
CREATE TABLE u (a int PRIMARY KEY);
== m/2.cql
DROP TABLE t;
CREATE TABLE t (b int PRIMARY KEY);
",
    );
    assert_eq!(tables(&survey), ["t(b)", "u(a)"]);
    quiet(&survey);
}

#[test]
fn base_index_and_upgrade_files_come_as_they_need_each_other() {
    let survey = only(
        "
== db/aa_indexes.cql
CREATE INDEX by_name ON users (name);
== db/base.cql
CREATE TABLE users (id uuid PRIMARY KEY, name text, address frozen<address>);
== db/zz_types.cql
CREATE TYPE address (street text);
",
    );
    assert_eq!(survey.coverage.schema_files, ["db/zz_types.cql", "db/base.cql", "db/aa_indexes.cql"]);
    assert_eq!(survey.schema.keyspaces[""].tables["users"].indexes.len(), 1);
    quiet(&survey);
}

#[test]
fn templates_of_all_dialects_are_read() {
    let survey = only(
        "
== a.cql
CREATE KEYSPACE {{.Keyspace}} WITH replication = {'class': 'NetworkTopologyStrategy', '<dc>': {{.Replicas}}};
CREATE TABLE {{.Keyspace}}.t (a int PRIMARY KEY) WITH gc_grace_seconds = ${grace} AND compaction = {'class': '@class@'};
CREATE TABLE %s.u (a int PRIMARY KEY) WITH default_time_to_live = %d;
",
    );
    assert_eq!(tables(&survey), ["t(a)", "u(a)"]);
    quiet(&survey);
    let survey = only("== a.cql\n{{ if .Views }}CREATE TABLE t (a int PRIMARY KEY);{{ end }}\n");
    assert_eq!(reasons(&survey), ["parts of this file are there on conditions that only its template knows"]);
}

#[test]
fn statements_on_rows_in_migrations_are_migrations() {
    let survey = only(
        "
== m/001_a.cql
CREATE TABLE t (a int PRIMARY KEY);
INSERT INTO t (a) VALUES (1);
== m/002_b.cql
SELECT a FROM t;
== queries.cql
SELECT a FROM t WHERE a = ?;
",
    );
    let roles: Vec<Role> = survey.uses.iter().map(|of| of.role).collect();
    assert_eq!(roles, [Role::Migration, Role::Migration, Role::Service]);
    quiet(&survey);
}

#[test]
fn hooks_and_unknown_names_leave_the_schema_open() {
    let survey = only("== 1.cql\n-- CALL backfill;\nCREATE TABLE t (a int PRIMARY KEY);\n");
    assert_eq!(reasons(&survey), ["`-- CALL backfill;` runs code between the statements"]);
    let survey = only("== 1.cql\nCREATE TABLE t (a int PRIMARY KEY);\n-- hook: x\n");
    assert_eq!(reasons(&survey), ["`-- hook: x` runs code between the statements"]);
    let survey = only("== 1.cql\nCREATE TABLE t (a int PRIMARY KEY);\nCREATE TABLE ${name} (a int PRIMARY KEY);\n");
    assert_eq!(reasons(&survey), ["the name of what this changes is known only when it is filled in"]);
    let survey = only(
        "== 1.cql\nCREATE TABLE t (a int PRIMARY KEY);\n== migrations/2.groovy\ncassandra.run 'ALTER TABLE t ADD b int'\n",
    );
    assert_eq!(reasons(&survey), ["a migration in a language that is not read changes tables"]);
    let survey = only("== 1.cql\nALTER TABLE t ADD b int;\n");
    assert_eq!(reasons(&survey), ["there is no table t: the schema begins elsewhere"]);
    assert_eq!(faults(&survey), []);
}

#[test]
fn a_step_that_the_server_refuses_is_a_fault() {
    let survey = only("== m/1.cql\nCREATE TABLE t (a int PRIMARY KEY);\n== m/2.cql\nALTER TABLE t ADD a int;\n");
    assert_eq!(faults(&survey), [(SurveyFaultKind::IllegalStep, "table t has a column a already")]);
    // After something that can't be read, nobody knows.
    let survey = only(
        "== m/1.cql\nCREATE TABLE t (a int PRIMARY KEY);\n== m/2.cql\nALTER TABEL t DROP a;\nALTER TABLE t ADD a int;\n",
    );
    assert_eq!(survey.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [SurveyFaultKind::Syntax]);
}

#[test]
fn schemas_of_tests_are_not_the_schema() {
    let survey = only(
        "
== src/main/schema.cql
CREATE TABLE t (a int PRIMARY KEY);
== src/test/schema.cql
CREATE TABLE t (a int PRIMARY KEY, b int, c int, d int);
CREATE TABLE only_in_tests (a int PRIMARY KEY);
== src/test/queries.cql
SELECT a FROM only_in_tests WHERE a = 1;
",
    );
    assert_eq!(tables(&survey), ["t(a)"]);
    assert_eq!(survey.uses.len(), 0);
    quiet(&survey);
    let survey = only("== tests/schema.cql\nCREATE TABLE t (a int PRIMARY KEY);\n");
    assert_eq!(tables(&survey), ["t(a)"]);
}

#[test]
fn unrelated_schemas_are_kept_apart() {
    let text = "
== services/a/schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== services/a/queries.cql
SELECT mail FROM users WHERE id = ?;
== services/b/schema.cql
CREATE TABLE users (name text PRIMARY KEY, age int, town text);
CREATE TABLE towns (name text PRIMARY KEY);
== services/b/queries.cql
SELECT age FROM users WHERE name = ?;
SELECT name FROM towns;
== tools/towns.cql
SELECT name FROM towns WHERE name = ?;
== tools/users.cql
SELECT count(*) FROM users;
== tools/mails.cql
SELECT mail FROM users;
";
    let (surveys, sources) = surveyed(text);
    let shown: Vec<(Vec<String>, usize)> = surveys.iter().map(|survey| (tables(survey), survey.uses.len())).collect();
    assert_eq!(
        shown,
        [(vec!["towns(name)".into(), "users(name, age, town)".into()], 3), (vec!["users(id, mail)".into()], 2)]
    );
    for survey in &surveys {
        assert_eq!(faults(survey), []);
        let legal = |of: &&keyloom_survey::Use| matches!(of.resolution.verdict, Verdict::Legal);
        assert_eq!(survey.uses.iter().filter(legal).count(), survey.uses.len());
        // Two schemas have such a table and accept the statement, and both are as near. Mails have only one of them.
        let unread: Vec<&str> =
            survey.coverage.unread.iter().map(|(place, _)| sources.file(place.file).name()).collect();
        assert_eq!(unread, ["tools/users.cql"]);
    }
}

#[test]
fn a_missing_table_is_missed_where_its_neighbours_are_at_home() {
    let text = "
== services/a/schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== services/b/schema.cql
CREATE TABLE towns (name text PRIMARY KEY, size int, mayor text);
== tools/towns.cql
SELECT size FROM towns WHERE name = ?;
SELECT size FROM rivers WHERE name = ?;
";
    let (surveys, _) = surveyed(text);
    let uses: Vec<usize> = surveys
        .iter()
        .filter(|survey| tables(survey)[0].starts_with("towns"))
        .map(|survey| survey.uses.len())
        .collect();
    assert_eq!(uses, [2]);
}

#[test]
fn schemas_of_several_keyspaces_are_one() {
    let survey = only(
        "
== a/schema.cql
CREATE TABLE one.users (id uuid PRIMARY KEY, mail text);
== b/schema.cql
CREATE TABLE two.users (name text PRIMARY KEY, age int, town text);
== q.cql
SELECT mail FROM one.users WHERE id = ?;
",
    );
    assert_eq!(tables(&survey), ["one.users(id, mail)", "two.users(name, age, town)"]);
    assert!(matches!(survey.uses[0].resolution.verdict, Verdict::Legal));
    quiet(&survey);
}

#[test]
fn lists_of_statements_may_name_their_table() {
    let survey = only(
        "
== schema.cql
CREATE TABLE t (a int PRIMARY KEY);
== queries.cql
-- table: t
SELECT a FROM ${table} WHERE a = ?;
-- dynamic
SELECT a FROM t WHERE a = ?;
SELECT b FROM t;
",
    );
    let shown: Vec<(bool, bool)> =
        survey.uses.iter().map(|of| (of.dynamic, matches!(of.resolution.verdict, Verdict::Legal))).collect();
    assert_eq!(shown, [(false, true), (true, true), (false, false)]);
    assert_eq!((survey.coverage.read, survey.coverage.dynamic.len()), (2, 1));
}

#[test]
fn what_the_schema_can_not_know_is_a_maybe() {
    let maybe = |text: &str| {
        let survey = only(text);
        assert!(survey.uses.iter().all(|of| matches!(of.resolution.verdict, Verdict::Maybe { .. })), "{text}");
        assert_eq!(survey.uses.len(), 1, "{text}");
    };
    maybe("== q.cql\nSELECT a FROM t;\n");
    maybe("== s.cql\nCREATE TABLE shop.t (a int PRIMARY KEY);\n== q.cql\nSELECT a FROM other.t;\n");
    let survey = only("== s.cql\nCREATE TABLE t (a int PRIMARY KEY);\n== q.cql\nSELECT * FROM system_schema.tables;\n");
    assert_eq!(survey.uses.len(), 0);
}

#[test]
fn a_request_limits_what_is_looked_at() {
    let text = "
== schema/a.cql
CREATE TABLE t (a int PRIMARY KEY);
== other/b.cql
CREATE TABLE u (a int PRIMARY KEY);
== src/q.cql
SELECT a FROM t WHERE a = ?;
CREATE TABLE v (a int PRIMARY KEY);
";
    let request = Request { schema: vec!["schema/".into()], queries: vec!["src".into()] };
    let (surveys, _) = requested(text, &request);
    assert_eq!(tables(&surveys[0]), ["t(a)"]);
    assert_eq!(surveys[0].uses.len(), 1);
}

#[test]
fn nothing_to_read_gives_no_survey() {
    assert_eq!(surveyed("== README.md\nSELECT a FROM t;\n").0.len(), 0);
    assert_eq!(surveyed("== empty.cql\n").0.len(), 0);
}

#[test]
fn programs_are_read_with_what_they_take_from_each_other() {
    let text = r#"
== schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== store/names.go
package store

const usersTable = "users"
== store/users.go
package store

import "github.com/gocql/gocql"

const selectMail = "SELECT mail FROM " + usersTable + " WHERE id = ?"

func Mail(session *gocql.Session, id gocql.UUID) (mail string, err error) {
	err = session.Query(selectMail, id).Scan(&mail)
	return
}
== pg/users.go
package pg

import "database/sql"

func All(db *sql.DB) { db.Query("SELECT name FROM people WHERE age > $1", 3) }
== store/users_test.go
package store

func setup(session *gocql.Session) {
	session.Query("CREATE TABLE scratch (a int PRIMARY KEY)").Exec()
	session.Query("SELECT a FROM scratch").Exec()
	session.Query("SELECT mail FROM users WHERE id = ?").Exec()
}
"#;
    let (surveys, sources) = surveyed(text);
    let survey = &surveys[0];
    assert_eq!(tables(survey), ["users(id, mail)"]);
    let shown: Vec<(&str, Role)> =
        survey.uses.iter().map(|of| (sources.file(of.whole().file).name(), of.role)).collect();
    assert_eq!(shown, [("store/users.go", Role::Service), ("store/users_test.go", Role::Test)]);
    assert!(survey.uses.iter().all(|of| matches!(of.resolution.verdict, Verdict::Legal)), "{:#?}", survey.uses);
    assert_eq!(survey.uses[0].site.as_ref().unwrap().function.as_deref(), Some("Mail"));
    assert_eq!(survey.coverage.other_dialects, 1);
    assert_eq!((survey.coverage.code_files, survey.coverage.code_files_with_statements), (4, 2));
    quiet(survey);
}

#[test]
fn a_statement_that_begins_in_a_shared_constant_stands_where_it_is_sent() {
    let text = r#"
== schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== store/Words.java
package store;

abstract class Words {
    public static final String INSERT_INTO = "INSERT INTO ";
    public static final String MAIL = "SELECT mail FROM users WHERE id = ?";
}
== store/Users.java
package store;

import com.datastax.oss.driver.api.core.CqlSession;

class Users extends Words {
    void put(CqlSession session, Object id, String mail) {
        session.execute("DELETE FROM users WHERE id = ?", id);
        session.execute(INSERT_INTO + "users (id, mail) VALUES (?, ?)", id, mail);
    }
}
"#;
    let (surveys, sources) = surveyed(text);
    let mut inserts = surveys[0].uses.iter().filter(|of| of.written.text.starts_with("INSERT"));
    let whole = inserts.next().unwrap().written.whole;
    assert_eq!(sources.file(whole.file).name(), "store/Users.java");
}

#[test]
fn tables_that_programs_make_belong_to_the_schema() {
    let survey = only(
        r#"
== migrations/V2.go
package migrations

import "github.com/gocql/gocql"

func Up(session *gocql.Session) { session.Query("ALTER TABLE t ADD b int").Exec() }
func Down(session *gocql.Session) { session.Query("ALTER TABLE t DROP b").Exec() }
== migrations/V1.go
package migrations

import "github.com/gocql/gocql"

func Up(session *gocql.Session) { session.Query("CREATE TABLE t (a int PRIMARY KEY)").Exec() }
== tools/reset.go
package tools

import "github.com/gocql/gocql"

func Reset(session *gocql.Session) { session.Query("DROP TABLE t").Exec() }
"#,
    );
    assert_eq!(tables(&survey), ["t(a, b)"]);
    assert_eq!(survey.coverage.schema_files, ["migrations/V1.go", "migrations/V2.go"]);
    assert_eq!(faults(&survey), []);
}

#[test]
fn comments_allow_in_cql_and_in_programs() {
    let text = r#"
== schema.cql
-- keyloom: allow unbounded-partition because 'few'
CREATE TABLE t (a int PRIMARY KEY);
== a.go
package a

import "github.com/gocql/gocql"

// keyloom: allow full-scan because 'nightly'
const all = "SELECT a FROM t"

func All(session *gocql.Session) { session.Query(all).Iter() }
== none.py
# keyloom: allow full-scan because 'nothing here'
print(1)
"#;
    let (surveys, sources) = surveyed(text);
    let files = Repository::new(text).0;
    let shown = surveys[0].allows.iter().map(|allow| {
        let file = &files[sources.file(allow.place.file).name()];
        (&file[allow.place.bytes()], &file[allow.about.bytes()])
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            ("keyloom: allow unbounded-partition because 'few'", "CREATE TABLE t (a int PRIMARY KEY)"),
            ("keyloom: allow full-scan because 'nightly'", "const all = \"SELECT a FROM t\""),
            // A comment that is about nothing is about itself, and is told as unused.
            ("keyloom: allow full-scan because 'nothing here'", "keyloom: allow full-scan because 'nothing here'"),
        ]
    );
}

#[test]
fn services_with_chains_of_their_own_do_not_change_each_other() {
    let (surveys, _) = surveyed(
        "
== a/schema/1.cql
CREATE TABLE clients (user uuid, client text, PRIMARY KEY (user, client));
== a/schema/2.cql
ALTER TABLE clients ADD label text;
== a/schema/3.cql
ALTER TABLE clients WITH gc_grace_seconds = 60;
== b/schema/1.cql
CREATE TABLE clients (user uuid PRIMARY KEY, names set<text>);
CREATE TABLE push (id uuid PRIMARY KEY);
== b/schema/2.cql
DROP TABLE clients;
== dump.cql
CREATE TABLE a_test.clients (user uuid, client text, label text, PRIMARY KEY (user, client));
CREATE TABLE b_test.push (id uuid PRIMARY KEY);
== c/schema/1.cql
CREATE TABLE push (id uuid PRIMARY KEY, device text);
",
    );
    let shown: Vec<Vec<String>> = surveys.iter().map(tables).collect();
    assert_eq!(shown, [vec!["clients(user, client, label)", "push(id)"], vec!["push(id, device)"]]);
    surveys.iter().for_each(|survey| assert_eq!(faults(survey), []));
}

#[test]
fn a_shortcut_below_a_chain_is_the_same_schema() {
    let survey = only(
        "
== versioned/v1/a.cql
CREATE TABLE t (a int PRIMARY KEY);
== versioned/v2/b.cql
ALTER TABLE t ADD b int;
== versioned/to-2/schema_2.cql
CREATE TABLE t (a int PRIMARY KEY, b int, c int);
",
    );
    assert_eq!(tables(&survey), ["t(a, b)"]);
    assert_eq!(faults(&survey), []);
}

#[test]
fn another_database_may_have_tables_of_the_same_names() {
    let survey = only(
        r#"
== schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== a/store.py
from cassandra.cluster import Session

def one(session, user):
    return session.execute("SELECT mail FROM users WHERE id = %s", (user,))
== b/store.py
import psycopg2

def one(db, user):
    return db.execute("SELECT phone FROM users WHERE mail = %s", (user,))
== c/store.py
def two(db, user):
    db.execute("SELECT mail FROM users WHERE id = %s", (user,))
    db.execute("SELECT phone FROM users WHERE mail = %s", (user,))
    db.execute("CREATE TABLE phones (id int)")
"#,
    );
    assert_eq!(survey.uses.iter().filter(|of| matches!(of.resolution.verdict, Verdict::Legal)).count(), 2);
    assert_eq!((survey.uses.len(), survey.coverage.other_dialects), (2, 3));
    assert_eq!(tables(&survey), ["users(id, mail)"]);
    quiet(&survey);
}

#[test]
fn a_program_with_two_drivers_is_about_the_database_that_it_is_called_after() {
    let survey = only(
        r#"
== schema.cql
CREATE TABLE users (id uuid PRIMARY KEY, mail text);
== duckdb.go
package store

import (
	"database/sql"
	"github.com/gocql/gocql"
)

func sizes(db *sql.DB) { db.QueryRow("SELECT size FROM tables() WHERE internal = false") }
"#,
    );
    assert_eq!((survey.uses.len(), survey.coverage.other_dialects), (0, 1));
    quiet(&survey);
}

#[test]
fn a_file_of_sql_may_be_cql_by_its_words() {
    let survey = only(
        "
== db/schema.sql
CREATE KEYSPACE ~KEYSPACE~ WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3};
CREATE TABLE readings (sensor uuid, at timestamp, PRIMARY KEY (sensor, at)) WITH CLUSTERING ORDER BY (at DESC);
== db/other.sql
CREATE TABLE bills (id serial PRIMARY KEY, total numeric(10, 2) NOT NULL);
",
    );
    assert_eq!(tables(&survey), ["readings(sensor, at)"]);
    // What is not understood there may be a mark that a program replaces: no fault, and not passed over.
    assert_eq!(faults(&survey), []);
    assert_eq!(survey.coverage.unread.len(), 1);
}

#[test]
fn migrations_that_start_from_a_file_do_not_differ_from_it() {
    let survey = only(
        "
== db/schema.cql
CREATE TABLE a (id uuid PRIMARY KEY, x int);
CREATE TABLE b (id uuid PRIMARY KEY, x int);
CREATE TABLE c (id uuid PRIMARY KEY, x int);
== db/migrations/0_to_1.cql
CREATE TABLE c (id uuid PRIMARY KEY, x int);
== db/migrations/1_to_2.cql
ALTER TABLE a ADD y int;
",
    );
    assert_eq!(faults(&survey), []);
}

/// The memory of a review is bounded by its largest file and by what its statements need: other files leave nothing behind.
#[test]
fn files_without_statements_are_not_kept() {
    let with_others = |count: usize| {
        let idle = "package shop;\n\nclass Idle {\n    int sum(int a, int b) { return a + b; }\n}\n".repeat(20);
        // It is parsed, and its statement is another database's.
        let parsed = "package shop;\n\nclass Help {\n    String words() { return \"SELECT name FROM staff\"; }\n}\n";
        let others = (0..count).map(|at| format!("== idle/Idle{at}.java\n{idle}== idle/Help{at}.java\n{parsed}"));
        let text = "
== schema.cql
CREATE TABLE shop.orders (id uuid PRIMARY KEY, total int);
== Orders.java
import com.datastax.oss.driver.api.core.CqlSession;
class Orders {
    void read(CqlSession session) { session.execute(\"SELECT total FROM shop.orders WHERE id = ?\"); }
}
";
        let (mut surveys, sources) = surveyed(&format!("{text}{}", others.collect::<String>()));
        assert_eq!(sources.files().filter(|(_, file)| file.is_filled()).count(), 0, "no text is kept");
        assert_eq!((surveys.len(), surveys[0].uses.len(), surveys[0].coverage.code_files), (1, 1, 1 + 2 * count));
        // A number for each file is all.
        assert_eq!(surveys[0].files.len(), 2 + 2 * count);
        assert_eq!(surveys[0].coverage.other_dialects, count);
        surveys[0].files.clear();
        let coverage = &mut surveys[0].coverage;
        (coverage.code_files, coverage.code_files_with_statements, coverage.other_dialects) = (0, 0, 0);
        format!("{surveys:?}").len()
    };
    assert_eq!(with_others(1), with_others(200));
}

/// They are read after the others, one at a time; the answer does not show it.
#[test]
fn statements_of_large_programs_stand_in_the_order_of_their_files() {
    let program = |name: &str, padding: &str| {
        let import = "import com.datastax.oss.driver.api.core.CqlSession;\n";
        let call = format!("session.execute(\"SELECT {name} FROM shop.orders WHERE id = ?\");");
        let class = format!("class {name} {{\n    void read(CqlSession session) {{ {call} }}\n}}\n");
        format!("== {name}.java\n{import}{padding}{class}")
    };
    let padding = "// A line that says nothing, many times.\n".repeat(10_000);
    let schema = "== schema.cql\nCREATE TABLE shop.orders (id uuid PRIMARY KEY, a int, b int, c int);\n";
    let files = [program("a", ""), program("b", &padding), program("c", ""), schema.to_owned()];
    let survey = only(&files.concat());
    let texts: Vec<&str> = survey.uses.iter().map(|of| of.written.statement_text()).collect();
    let expected = ["a", "b", "c"].map(|column| format!("SELECT {column} FROM shop.orders WHERE id = ?"));
    assert_eq!(texts, expected);
    quiet(&survey);
}

#[test]
fn a_table_is_known_by_what_its_program_calls_it() {
    let survey = only(
        "== src/Events.scala
import com.datastax.oss.driver.api.core.CqlSession
class Events(settings: Settings) {
  def create = s\"CREATE TABLE ${settings.keyspace}.${settings.table} (id uuid PRIMARY KEY, kind text)\"
  def select = s\"SELECT kind FROM ${settings.keyspace}.${settings.table} WHERE id = ?\"
  def other = s\"SELECT size FROM ${settings.keyspace}.${settings.table} WHERE id = ?\"
}",
    );
    assert_eq!(tables(&survey), ["{table}(id, kind)"]);
    let is_known: Vec<bool> =
        survey.uses.iter().map(|one| !one.written.statement.kind.table().unwrap().name.unknown).collect();
    // What does not fit the table is about another one.
    assert_eq!(is_known, [true, false]);
    assert!(survey.open.is_empty(), "{:?}", survey.open);
    assert_eq!(survey.coverage.dynamic.len(), 1);
}

#[test]
fn tables_of_one_name_in_several_programs_are_told_apart() {
    let survey = only(
        "== src/Events.scala
import com.datastax.oss.driver.api.core.CqlSession
object Events {
  def create(table: String) = s\"CREATE TABLE $table (id uuid PRIMARY KEY, kind text)\"
  def select(table: String) = s\"SELECT kind FROM $table WHERE id = ?\"
}
== src/Users.scala
import com.datastax.oss.driver.api.core.CqlSession
object Users {
  def create(table: String) = s\"CREATE TABLE $table (id uuid PRIMARY KEY, name text)\"
  def select(table: String) = s\"SELECT name FROM $table WHERE id = ?\"
}
== src/Copy.scala
import com.datastax.oss.driver.api.core.CqlSession
object Copy {
  def all(table: String) = s\"SELECT * FROM $table\"
}",
    );
    assert_eq!(tables(&survey), ["{Events.table}(id, kind)", "{Users.table}(id, name)"]);
    let named = survey.uses.iter().map(|one| one.written.statement.kind.table().unwrap());
    let names: Vec<&str> = named.filter(|name| !name.name.unknown).map(|name| name.name.text.as_str()).collect();
    assert_eq!(names, ["{Events.table}", "{Users.table}"]);
}

#[test]
fn what_tests_ask_is_not_missed_and_not_judged_by_another_schema() {
    let (surveys, _) = surveyed(
        "== db/a.cql
CREATE TABLE sizes (id uuid PRIMARY KEY, size int);
CREATE TABLE counts (id uuid PRIMARY KEY, size int);
== src/test/data.cql
CREATE TABLE sizes (id text PRIMARY KEY, size decimal);
INSERT INTO sizes (id, size) VALUES ('a', 1.5);
== tests/test_copy.py
def test_copy():
    assert query() == \"SELECT size FROM counts\"
",
    );
    assert_eq!(surveys.len(), 1);
    assert!(surveys[0].uses.is_empty(), "{:?}", surveys[0].uses);
    assert_eq!((surveys[0].coverage.unread.len(), surveys[0].coverage.other_dialects), (0, 1));
}

#[test]
fn a_statement_that_names_its_keyspace_goes_to_the_schema_of_that_keyspace() {
    let (surveys, _) = surveyed(
        "== db/coins/1_a.cql
CREATE TABLE ${keyspace}.blocks (id int PRIMARY KEY, reward decimal, fees decimal, miner text);
== db/shares/1_a.cql
CREATE TABLE ${keyspace}.blocks (id int PRIMARY KEY, size int, owner text, broker text, price int);
== data/rows.cql
SELECT id FROM shares.blocks WHERE id = 1;
SELECT id FROM coins.blocks WHERE id = 1;
",
    );
    let asked = |survey: &Survey| (tables(survey).concat().contains("reward"), survey.uses.len());
    assert_eq!(surveys.iter().map(asked).collect::<Vec<_>>(), [(true, 1), (false, 1)]);
    assert!(surveys[0].coverage.unread.is_empty());
}

#[test]
fn files_beside_cql_are_cql_where_they_can_be_read_as_such() {
    let text = "
== db/base.sql
CREATE KEYSPACE IF NOT EXISTS 0xCAFE WITH replication = 0xCAFE_REPLICATION;
USE 0xCAFE;
CREATE TABLE users (id int PRIMARY KEY, name text);
== db/later.sql
CREATE TABLE orders (id int PRIMARY KEY, name text);
== db/reports.sql
CREATE TABLE reports (id serial PRIMARY KEY, name text);
== db/accounts.sql
CREATE TABLE accounts (id int NOT NULL DEFAULT 1, name text);
== other/more.sql
CREATE TABLE more (id int PRIMARY KEY, name text);
";
    let survey = only(text);
    assert_eq!(tables(&survey), ["orders(id, name)", "users(id, name)"]);
    quiet(&survey);
}

#[test]
fn files_with_keyspaces_to_be_named_are_schemas_of_their_own_where_they_differ() {
    let schema = |field: &str, table: &str| {
        format!(
            "CREATE KEYSPACE ${{k}} WITH replication = {{'class': 'SimpleStrategy'}};\nUSE ${{k}};\n\
             CREATE TYPE money (value {field});\nCREATE TABLE rates (id int PRIMARY KEY, name text);\n\
             CREATE TABLE {table} (id int PRIMARY KEY, paid frozen<money>);\n"
        )
    };
    let (surveys, _) =
        surveyed(&format!("== a.cql\n{}== b.cql\n{}", schema("int", "orders"), schema("bigint", "bills")));
    let all: Vec<_> = surveys.iter().map(tables).collect();
    assert_eq!(all, [["orders(id, paid)", "rates(id, name)"], ["bills(id, paid)", "rates(id, name)"]]);
    let survey = only(&format!("== a.cql\n{}== b.cql\n{}", schema("int", "orders"), schema("int", "bills")));
    assert_eq!(tables(&survey), ["bills(id, paid)", "orders(id, paid)", "rates(id, name)"]);
}

#[test]
fn a_table_with_a_type_that_two_files_make_is_made() {
    let text = "
== a.cql
CREATE TYPE money (value int);
CREATE TABLE orders (id int PRIMARY KEY, paid frozen<money>);
== b.cql
CREATE TYPE money (value bigint);
CREATE TABLE bills (id int PRIMARY KEY, paid frozen<money>);
";
    assert_eq!(tables(&only(text)), ["bills(id, paid)", "orders(id, paid)"]);
}

#[test]
fn a_table_that_some_text_makes_is_not_missed() {
    let made = |more: &str| {
        let text = format!(
            "== schema.cql\nCREATE TABLE users (id int PRIMARY KEY);\nCREATE TABLE old (id int PRIMARY KEY);\nDROP TABLE old;\n\
             == service.py\nfrom cassandra.cluster import Cluster\ndef f(session):\n    session.execute('SELECT id FROM users')\n    \
             session.execute('SELECT id FROM orders WHERE id = 1')\n    session.execute('SELECT id FROM old WHERE id = 1')\n{more}"
        );
        let survey = only(&text);
        let verdict = |of: &keyloom_survey::Use| matches!(of.resolution.verdict, Verdict::Illegal(_));
        survey
            .uses
            .iter()
            .filter(|of| verdict(of))
            .map(|of| of.written.statement.kind.table().unwrap().name.text.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(made(""), ["orders", "old"]);
    assert_eq!(
        made("== setup.sh\ncqlsh -e \"CREATE TABLE IF NOT EXISTS shop.orders (id int PRIMARY KEY)\"\n"),
        ["old"]
    );
}

#[test]
fn what_can_not_be_read_hides_only_faults_that_it_may_explain() {
    let faults_of = |text: &str| {
        let survey = only(&format!("== schema.cql\n{text}"));
        let steps = survey.faults.iter().filter(|fault| fault.kind == SurveyFaultKind::IllegalStep);
        steps.count()
    };
    let users = "CREATE TABLE users (id int PRIMARY KEY, name text);\n";
    let bad = "CREATE TABLE bills (id int PRIMARY KEY, what ? text);\n";
    let twice = "ALTER TABLE users ADD name text;\n";
    assert_eq!(faults_of(&format!("{users}{twice}{bad}")), 1, "it stands behind");
    assert_eq!(faults_of(&format!("{users}{bad}{twice}")), 1, "it is about another table");
    assert_eq!(
        faults_of(&format!("{users}ALTER TABLE users DROP ? name;\n{twice}")),
        0,
        "it may have dropped the column"
    );
    assert_eq!(faults_of(&format!("{users}USE other ?;\n{twice}")), 0, "it may have chosen another keyspace");
}

#[test]
fn a_constant_has_the_role_of_those_that_use_it() {
    let role = |users: &str| {
        let survey = only(&format!(
            "== schema.cql\nCREATE TABLE codes (id int PRIMARY KEY);\n== src/Queries.hs\nmodule Queries where\n\n\
             import Database.CQL.IO\n\nselectAllCodes :: PrepQuery R () (Identity Int)\nselectAllCodes = \"SELECT id FROM codes\"\n{users}"
        ));
        survey.uses[0].role
    };
    let user = |file: &str| format!("== {file}\nimport Queries\nrun = paginate selectAllCodes\n");
    assert_eq!(role(""), Role::Service);
    assert_eq!(role(&user("src/Migration.hs")), Role::Migration);
    assert_eq!(role(&format!("{}{}", user("src/Migration.hs"), user("tools/Copy.hs"))), Role::Job);
    assert_eq!(role(&format!("{}{}", user("src/Migration.hs"), user("test/CodesSpec.hs"))), Role::Migration);
    assert_eq!(role(&format!("{}{}", user("src/Migration.hs"), user("src/Codes.hs"))), Role::Service);
}
