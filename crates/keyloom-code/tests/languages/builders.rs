use keyloom_code::{Language, Origin};

const IMPORTS: &str = "import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.*;\n\
                       import com.datastax.oss.driver.api.querybuilder.SchemaBuilder;\n";

fn asks(calls: &str, expected: &[&str]) {
    super::asks(Language::Java, &format!("{IMPORTS}class A {{ void f() {{ {calls} }} }}"), expected);
}

#[test]
fn select() {
    for (calls, expected) in [
        ("selectFrom(\"t\").all()", "SELECT * FROM t"),
        ("selectFrom(\"k\", \"t\").columns(\"a\", \"b\")", "SELECT a, b FROM k.t"),
        (
            "selectFrom(\"t\").countAll().whereColumn(\"a\").isEqualTo(bindMarker())",
            "SELECT count(*) FROM t WHERE a = ?",
        ),
        (
            "selectFrom(\"t\").column(\"a\").where(Relation.column(\"b\").isGreaterThan(literal(5)))",
            "SELECT a FROM t WHERE b > 5",
        ),
        (
            "selectFrom(\"t\").distinct().column(\"a\").whereToken(\"a\").isLessThan(bindMarker(\"x\"))",
            "SELECT DISTINCT a FROM t WHERE token(a) < :x",
        ),
        (
            "selectFrom(\"t\").all().whereColumn(\"a\").in(literal(\"x\"), literal(\"y\")).orderBy(\"b\", ClusteringOrder.DESC)",
            "SELECT * FROM t WHERE a IN ('x', 'y') ORDER BY b DESC",
        ),
        (
            "selectFrom(\"t\").all().whereColumn(\"a\").in(bindMarker()).perPartitionLimit(2).limit(10).allowFiltering()",
            "SELECT * FROM t WHERE a IN ? PER PARTITION LIMIT 2 LIMIT 10 ALLOW FILTERING",
        ),
        (
            "selectFrom(\"t\").raw(\"max(a)\").whereRaw(\"b = 1\").groupBy(\"c\")",
            "SELECT max(a) FROM t WHERE b = 1 GROUP BY c",
        ),
        (
            "selectFrom(\"t\").column(\"a\").whereColumn(\"b\").contains(bindMarker())",
            "SELECT a FROM t WHERE b CONTAINS ?",
        ),
    ] {
        asks(&format!("session.execute({calls}.build());"), &[expected]);
    }
}

#[test]
fn insert_update_delete() {
    for (calls, expected) in [
        (
            "insertInto(\"t\").value(\"a\", bindMarker()).value(\"b\", literal(\"x\")).ifNotExists().usingTtl(60)",
            "INSERT INTO t (a, b) VALUES (?, 'x') IF NOT EXISTS USING TTL 60",
        ),
        ("insertInto(\"t\").json(bindMarker())", "INSERT INTO t JSON ?"),
        (
            "update(\"t\").usingTimestamp(bindMarker()).setColumn(\"a\", bindMarker()).whereColumn(\"b\").isEqualTo(literal(1))",
            "UPDATE t USING TIMESTAMP ? SET a = ? WHERE b = 1",
        ),
        (
            "update(\"t\").increment(\"n\").append(\"l\", bindMarker()).whereColumn(\"b\").isEqualTo(bindMarker()).ifExists()",
            "UPDATE t SET n = n + 1, l = l + ? WHERE b = ? IF EXISTS",
        ),
        (
            "update(\"t\").set(Assignment.setColumn(\"a\", raw(\"now()\"))).where(Relation.column(\"b\").isEqualTo(bindMarker()))\
             .ifColumn(\"c\").isEqualTo(literal(null))",
            "UPDATE t SET a = now() WHERE b = ? IF c = null",
        ),
        ("deleteFrom(\"t\").column(\"a\").whereColumn(\"b\").isEqualTo(bindMarker())", "DELETE a FROM t WHERE b = ?"),
        (
            "deleteFrom(\"t\").whereColumn(\"b\").isEqualTo(bindMarker()).ifExists()",
            "DELETE FROM t WHERE b = ? IF EXISTS",
        ),
        ("truncate(\"t\")", "TRUNCATE t"),
    ] {
        asks(&format!("session.execute({calls}.build());"), &[expected]);
    }
}

#[test]
fn schemas() {
    for (calls, expected) in [
        (
            "createTable(\"k\", \"t\").ifNotExists().withPartitionKey(\"a\", DataTypes.TEXT)\
             .withClusteringColumn(\"b\", DataTypes.INT).withColumn(\"c\", DataTypes.listOf(DataTypes.TEXT))\
             .withStaticColumn(\"d\", DataTypes.frozenMapOf(DataTypes.TEXT, DataTypes.UUID))\
             .withClusteringOrder(\"b\", ClusteringOrder.DESC).withDefaultTimeToLiveSeconds(60)",
            "CREATE TABLE IF NOT EXISTS k.t (a text, b int, c list<text>, d frozen<map<text, uuid>> STATIC, \
             PRIMARY KEY ((a), b)) WITH CLUSTERING ORDER BY (b DESC) AND default_time_to_live = 60",
        ),
        ("createIndex(\"i\").onTable(\"t\").andColumn(\"c\")", "CREATE INDEX i ON t (c)"),
        ("createType(\"u\").withField(\"a\", DataTypes.INT)", "CREATE TYPE u (a int)"),
        ("alterTable(\"t\").addColumn(\"a\", DataTypes.INT)", "ALTER TABLE t ADD a int"),
        ("dropTable(\"t\").ifExists()", "DROP TABLE IF EXISTS t"),
        (
            "createMaterializedView(\"v\").asSelectFrom(\"t\").column(\"a\").whereColumn(\"a\").isNotNull().withPartitionKey(\"a\")",
            "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a IS NOT NULL PRIMARY KEY ((a))",
        ),
        (
            "createKeyspace(\"k\").ifNotExists().withSimpleStrategy(3)",
            "CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
        ),
    ] {
        asks(&format!("session.execute(SchemaBuilder.{calls}.build());"), &[expected]);
    }
}

#[test]
fn over_variables_and_conditions() {
    asks(
        "var q = selectFrom(T).all().whereColumn(\"a\").isEqualTo(bindMarker()); if (x) { q = q.limit(1); }\n\
         session.execute(q.build());",
        &["SELECT * FROM ‹T› WHERE a = ?", "SELECT * FROM ‹T› WHERE a = ? LIMIT 1"],
    );
}

#[test]
fn the_older_driver() {
    let program = "import static com.datastax.driver.core.querybuilder.QueryBuilder.*;\n\
        class A { void f() {\n\
        s.execute(select(\"a\", \"b\").from(\"t\").where(eq(\"c\", bindMarker())).and(gt(\"d\", 5)).orderBy(desc(\"d\")).limit(3));\n\
        s.execute(select().all().from(\"k\", \"t\"));\n\
        s.execute(insertInto(\"t\").value(\"a\", \"x\").using(ttl(bindMarker())));\n\
        s.execute(update(\"t\").with(set(\"a\", 1)).and(incr(\"n\")).where(eq(\"b\", 2)).onlyIf(eq(\"a\", 0)));\n\
        s.execute(delete().from(\"t\").where(in(\"a\", bindMarker())));\n } }";
    super::asks(
        Language::Java,
        program,
        &[
            "SELECT a, b FROM t WHERE c = ? AND d > 5 ORDER BY d DESC LIMIT 3",
            "SELECT * FROM k.t",
            "INSERT INTO t (a) VALUES ('x') USING TTL ?",
            "UPDATE t SET a = 1, n = n + 1 WHERE b = 2 IF a = 0",
            "DELETE FROM t WHERE a IN ?",
        ],
    );
}

#[test]
fn functions_of_the_same_names_are_no_builders() {
    super::asks(Language::Java, "class A { void f() { update(\"t\").set(\"a\"); selectFrom(\"t\").all(); } }", &[]);
}

#[test]
fn a_piece_leads_to_its_call() {
    let program = format!("{IMPORTS}class A {{ void f() {{ s.execute(selectFrom(\"t\").all().limit(5).build()); }} }}");
    let units = [keyloom_code::read(Language::Java, "A.java", &program)];
    let snippets = super::linked(&units, &[&program]).snippets;
    assert_eq!(snippets[0].from, Origin::Builder);
    let table = snippets[0].text.find("t LIMIT").unwrap() as u32;
    let piece = snippets[0].pieces.iter().find(|piece| piece.text.contains(&table)).unwrap();
    assert_eq!(piece.at.start as usize, program.find("\"t\"").unwrap() + 1);
}

#[test]
fn the_older_builders_change_and_loops_make_them_dynamic() {
    let imports = "import com.datastax.driver.core.querybuilder.QueryBuilder;\nimport static \
                   com.datastax.driver.core.querybuilder.QueryBuilder.*;\n";
    let program =
        "class A { void f() { Select q = select().from(\"t\"); q.where(eq(\"a\", bindMarker())); s.execute(q); } }";
    super::asks(Language::Java, &format!("{imports}{program}"), &["SELECT * FROM t WHERE a = ?"]);
    let program = "class A { void f() { Select q = select().from(\"t\"); for (String c : cs) { q.where(eq(c, bindMarker())); }\n\
                   s.execute(q); } }";
    super::asks(Language::Java, &format!("{imports}{program}"), &["~SELECT * FROM t WHERE ‹c› = ?"]);
    let program = "class A { void f() { Select q = select().from(\"t\"); cs.forEach(c -> q.where(eq(c, bindMarker())));\n\
                   s.execute(q); } }";
    super::asks(Language::Java, &format!("{imports}{program}"), &["~SELECT * FROM t WHERE ‹c› = ?"]);
}
