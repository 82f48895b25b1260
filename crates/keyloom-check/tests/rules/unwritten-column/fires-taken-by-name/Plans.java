import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;

class Plans {
    void save(CqlSession session, Plan plan) {
        session.execute("INSERT INTO plans (plan_id, title, owner) VALUES (?, ?, ?)", plan.id, plan.title, plan.owner);
    }

    Plan load(CqlSession session, UUID id) {
        Row row = session.execute("SELECT * FROM plans WHERE plan_id = ?", id).one();
        return new Plan(row.getUuid("plan_id"), row.getString("title"), row.getString("owner"), row.getList("runs", UUID.class));
    }
}
