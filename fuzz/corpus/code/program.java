package a; import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.*; import x.Y;
class A extends B { static final String Q = "SELECT a " + Y.T + "\tFROM t"; PreparedStatement p;
A() { this.p = s.prepare(Q); } void f(String x) { StringBuilder b = new StringBuilder("SELECT é ");
b.append("FROM t"); for (int i : xs) { batch.add(p.bind(i, null).setString("a", "b")); }
var q = x == null ? """
   SELECT a \
   FROM t
  """ : String.format("DELETE FROM %s", x);
s.execute(selectFrom("t").column("a").whereColumn("b").isEqualTo(bindMarker()).limit(3).build()).one(); } }