use keyloom_code::{BatchKind, Bound, Consumed, Marker, Site};

use super::together;

fn site(name: &str, program: &str) -> Site {
    let snippets = together(&[(name, program)]);
    let mut sites: Vec<Site> = snippets.into_iter().flat_map(|snippet| snippet.sites).collect();
    assert_eq!(sites.len(), 1, "{sites:?}");
    sites.remove(0)
}

fn arguments(site: &Site) -> Vec<(Marker, &str, Bound)> {
    site.arguments
        .iter()
        .map(|argument| (argument.marker.clone(), argument.text.as_str(), argument.value.clone()))
        .collect()
}

#[test]
fn go_arguments_and_settings() {
    let site = site(
        "s.go",
        "package s\nconst kind = 3\nfunc (s *S) Get(id string) {\n\
         s.db.Query(`SELECT a FROM t WHERE b = ? AND c = ? AND d = ?`, id, kind, nil).PageSize(10)\
         .Consistency(gocql.Quorum).Idempotent(true).WithTimestamp(now).Scan(&x) }",
    );
    assert_eq!(
        arguments(&site),
        [
            (Marker::Position(0), "id", Bound::Unknown),
            (Marker::Position(1), "kind", Bound::Constant("3".into())),
            (Marker::Position(2), "nil", Bound::Null),
        ]
    );
    assert_eq!(site.calls, ["Query", "PageSize", "Consistency", "Idempotent", "WithTimestamp", "Scan"]);
    assert_eq!((site.page_size.as_deref(), site.consistency.as_deref()), (Some("10"), Some("Quorum")));
    assert_eq!((site.idempotent, site.timestamp.as_deref()), (Some(true), Some("now")));
    assert_eq!((site.consumed, site.in_loop), (Some(Consumed::One), false));
    assert_eq!((site.function.as_deref(), site.container.as_deref()), (Some("Get"), Some("S")));
}

#[test]
fn go_batches() {
    let program = "package s\nfunc f(ids []string) {\n\
         b := session.NewBatch(gocql.UnloggedBatch)\nfor _, id := range ids { b.Query(`DELETE FROM t WHERE a = ?`, id) }\n\
         b.Query(`DELETE FROM u WHERE a = ?`, 1)\nsession.ExecuteBatch(b) }";
    let snippets = together(&[("s.go", program)]);
    let batches: Vec<_> = snippets.iter().map(|snippet| snippet.sites[0].batch.clone().unwrap()).collect();
    assert_eq!(batches[0].id, batches[1].id);
    assert_eq!((batches[0].kind, batches[0].in_loop), (BatchKind::Unlogged, true));
    assert_eq!((batches[1].kind, batches[1].in_loop), (BatchKind::Unlogged, false));
    assert!(snippets[0].sites[0].in_loop && !snippets[1].sites[0].in_loop);
}

#[test]
fn a_batch_begun_in_the_loop_is_not_filled_by_it() {
    let site = site(
        "s.go",
        "package s\nfunc f() { for _, c := range chunks(ids) { b := s.NewBatch(gocql.LoggedBatch)\n\
         b.Query(`DELETE FROM t WHERE a = ?`, c) } }",
    );
    let batch = site.batch.unwrap();
    assert_eq!((batch.kind, batch.in_loop, batch.chunked), (BatchKind::Logged, false, true));
}

#[test]
fn a_batch_that_came_as_a_parameter() {
    let program = "package s\nfunc f(batch *gocql.Batch) { batch.Query(`DELETE FROM t WHERE a = ?`, 1)\n\
                   batch.Query(`DELETE FROM u WHERE a = ?`, 1) }";
    let snippets = together(&[("s.go", program)]);
    let ids: Vec<_> = snippets.iter().map(|snippet| snippet.sites[0].batch.clone().unwrap().id).collect();
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn java_prepared_here_and_bound_there() {
    let program = "class A { PreparedStatement save;\n\
         A(Session s) { save = s.prepare(\"INSERT INTO t (a, b, c) VALUES (?, ?, :c)\"); }\n\
         void f(int a) { session.execute(save.bind(a, null).setString(\"c\", \"x\").setPageSize(5)); }\n\
         void g() { BatchStatement b = BatchStatement.newInstance(BatchType.LOGGED); for (int i : xs) { b.add(save.bind(i)); } } }";
    let snippets = together(&[("A.java", program)]);
    assert_eq!(snippets.len(), 1);
    let [prepared, bound, added] = &snippets[0].sites[..] else { panic!("{:?}", snippets[0].sites) };
    assert_eq!(prepared.calls, ["prepare"]);
    assert_eq!(bound.calls, ["bind", "setString", "setPageSize", "execute"]);
    assert_eq!(
        arguments(bound),
        [
            (Marker::Position(0), "a", Bound::Unknown),
            (Marker::Position(1), "null", Bound::Null),
            (Marker::Name("c".into()), "\"x\"", Bound::Constant("x".into())),
        ]
    );
    assert_eq!(bound.page_size.as_deref(), Some("5"));
    let batch = added.batch.clone().unwrap();
    assert_eq!((batch.kind, batch.in_loop), (BatchKind::Logged, true));
}

#[test]
fn java_first_page_only() {
    let program = "class A { void f() { Iterable<Row> r = s.execute(\"SELECT a FROM t\").currentPage(); } }";
    assert_eq!(site("A.java", program).consumed, Some(Consumed::FirstPage));
    let program = "class A { void f() { for (Row r : s.execute(\"SELECT a FROM t\")) { use(r); } } }";
    assert_eq!(site("A.java", program).consumed, Some(Consumed::Iterated));
    let program = "class A { void f() { List<Row> r = s.execute(\"SELECT a FROM t\").all(); } }";
    assert_eq!(site("A.java", program).consumed, Some(Consumed::All));
}

#[test]
fn python_arguments_and_settings() {
    let site = site(
        "a.py",
        "def f(x):\n    q = SimpleStatement('SELECT a FROM t WHERE b = %s', fetch_size=10,\n\
         \x20       consistency_level=ConsistencyLevel.ONE)\n    q.is_idempotent = True\n\
         \x20   return session.execute(q, [x, 'y', None]).one()\n",
    );
    assert_eq!(
        arguments(&site),
        [
            (Marker::Position(0), "x", Bound::Unknown),
            (Marker::Position(1), "'y'", Bound::Constant("y".into())),
            (Marker::Position(2), "None", Bound::Null),
        ]
    );
    assert_eq!((site.page_size.as_deref(), site.consistency.as_deref()), (Some("10"), Some("ONE")));
    assert_eq!((site.idempotent, site.consumed), (Some(true), Some(Consumed::One)));
}

#[test]
fn script_arguments_and_settings() {
    let site = site(
        "a.js",
        "async function f(x) { const r = await client.execute('SELECT a FROM t WHERE b = ?', [x, null],\n\
         { prepare: true, fetchSize: 100, consistency: types.consistencies.quorum }); return r.rows; }",
    );
    assert_eq!(
        arguments(&site),
        [(Marker::Position(0), "x", Bound::Unknown), (Marker::Position(1), "null", Bound::Null)]
    );
    assert_eq!((site.page_size.as_deref(), site.consistency.as_deref()), (Some("100"), Some("quorum")));
    assert_eq!(site.consumed, Some(Consumed::FirstPage));
}

#[test]
fn script_batches() {
    let site = site(
        "a.js",
        "function f(xs) { const q = []; xs.forEach((x) => q.push({ query: 'DELETE FROM t WHERE a = ?', params: [x] }));\n\
         return client.batch(q, { logged: false }); }",
    );
    assert_eq!((site.in_loop, site.batch.is_some()), (true, true));
    assert_eq!(arguments(&site), [(Marker::Position(0), "x", Bound::Unknown)]);
}

#[test]
fn tests_are_known_by_their_names() {
    for (name, is_test) in [
        ("src/test/java/A.java", true),
        ("src/main/java/ATest.java", true),
        ("a/store_test.go", true),
        ("src/main/java/Latest.java", false),
        ("a/contest.go", false),
        ("x/a.spec.ts", true),
        ("tests/test_a.py", true),
        ("attestation/a.py", false),
    ] {
        let program = match name.rsplit('.').next().unwrap() {
            "java" => "class A { String q = \"SELECT a FROM t\"; }",
            "go" => "package a\nconst q = `SELECT a FROM t`",
            "ts" => "const q = 'SELECT a FROM t';",
            _ => "q = 'SELECT a FROM t'\n",
        };
        assert_eq!(together(&[(name, program)])[0].test_code, is_test, "{name}");
    }
}

#[test]
fn columns_are_taken_by_name() {
    let taken = |name: &str, program: &str| {
        let units = [keyloom_code::read(keyloom_code::Language::of(name).unwrap(), name, program)];
        let mut linked = keyloom_code::link(&units);
        let taken = linked.taken.remove(0);
        (taken.names, taken.more)
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let java = "class Users { static final String NAME = \"name\";\n\
                User user(Row row) { return new User(row.getUuid(\"id\"), row.getString(NAME), row.get(\"age\", X)); } }";
    assert_eq!(taken("Users.java", java), (names(&["age", "id", "name"]), false));
    let unknown = "class Users { String get(Row row, String column) { return row.getString(column); } }";
    assert_eq!(taken("Users.java", unknown), (names(&[]), true));
    // What is asked of something else by an unknown key says nothing about rows.
    let other = "class Users { String get(Map users, String key) { return users.getString(key); } }";
    assert_eq!(taken("Users.java", other), (names(&[]), false));
    let python = "def user(row):\n    return User(row[\"id\"], row['name'], users['age'])\n";
    assert_eq!(taken("users.py", python), (names(&["id", "name"]), false));
    let sharp = "class Users { User Get(Row row) { return new User(row.GetValue<Guid>(\"id\"), row[\"name\"]); } }";
    assert_eq!(taken("Users.cs", sharp), (names(&["id", "name"]), false));
    // A row may have any name, in a function that is long and does nothing else.
    let idle = "        total++;\n".repeat(40);
    for (head, get) in [
        ("User user(Row found)", "found.getString(NAME)"),
        ("User user(Object userRow)", "userRow.getString(NAME)"),
        ("User user(Object record)", "record.getString(NAME)"),
    ] {
        let named = format!(
            "class Users {{\n    static final String NAME = \"name\";\n    static final String Q = \"SELECT * FROM users\";\n    {head} {{\n{idle}        return new User({get});\n    }}\n}}\n"
        );
        assert_eq!(taken("Users.java", &named), (names(&["name"]), false), "{head}");
    }
    let typed = "val q = \"SELECT * FROM users\"\nfun user(found: Row) = User(found.getString(column))\n";
    assert_eq!(taken("Users.kt", typed), (names(&[]), true));
}

#[test]
fn each_place_that_binds_a_prepared_statement_tells_what_it_does() {
    let program = "class Jobs { private static final int MOST = 1000; private PreparedStatement byTeam;\n\
        void prepare() { byTeam = session.prepare(\"SELECT * FROM jobs WHERE team = ? LIMIT ?\"); }\n\
        void running(String team) { ResultSet rows = this.session.execute(byTeam.bind(team, MOST));\n\
        rows.all().stream().filter(row -> row.getString(\"state\").equals(\"x\")).forEach(ids::add); } }";
    let snippets = together(&[("Jobs.java", program)]);
    let sites: Vec<&Site> = snippets.iter().flat_map(|snippet| &snippet.sites).collect();
    let [_, bound] = sites.as_slice() else { panic!("{sites:?}") };
    assert_eq!(bound.calls, ["bind", "execute", "all", "stream", "filter", "forEach"]);
    assert_eq!(arguments(bound)[1].2, Bound::Constant("1000".into()));
}

#[test]
fn a_value_that_may_be_null_is_no_statement() {
    let program = "class Jobs { private PreparedStatement insert;\n\
        void prepare() { insert = session.prepare(\"INSERT INTO jobs (id, due) VALUES (?, ?)\"); }\n\
        void add(Job job) { Instant due = job.due() != null ? Instant.of(job.due()) : null;\n\
        session.executeAsync(insert.bind(job.id(), due)); } }";
    let snippets = together(&[("Jobs.java", program)]);
    let sites: Vec<&Site> = snippets.iter().flat_map(|snippet| &snippet.sites).collect();
    let [_, bound] = sites.as_slice() else { panic!("{sites:?}") };
    assert_eq!(bound.calls, ["bind", "executeAsync"]);
    assert_eq!(bound.arguments.len(), 2);
}

#[test]
fn a_constant_in_the_place_of_a_value_is_quoted() {
    let program = "import com.datastax.driver.core.querybuilder.QueryBuilder;\n\
        class S { static final String KIND = \"kind\"; static final String USER = \"user\"; static final int ONE = 1;\n\
        String insert() { return QueryBuilder.insertInto(\"t\").value(KIND, USER).value(\"n\", ONE)\
        .value(\"id\", QueryBuilder.bindMarker()).getQueryString(); } }";
    let snippets = together(&[("S.java", program)]);
    let texts: Vec<&str> = snippets.iter().map(|snippet| snippet.text.as_str()).collect();
    assert_eq!(texts, ["INSERT INTO t (kind, n, id) VALUES ('user', 1, ?)"]);
}
