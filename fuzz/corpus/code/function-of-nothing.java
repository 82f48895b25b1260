package a;

import static com.datastax.oss.driver.api.querybuilder.QueryBuilder.*;

class A {
    void f(CqlSession s) {
        s.execute(selectFrom("t").column("a").whereColumn("b").isEqualTo(function()).build());
        s.execute(selectFrom("t").function().whereColumn("b").isEqualTo(literal()).build());
    }
}
