import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import java.util.UUID;

class Profiles {
    void save(CqlSession session, UUID user, String name, String bio) {
        BoundStatementBuilder insert =
            session.prepare("INSERT INTO profiles (user_id, name, bio) VALUES (?, ?, ?)").boundStatementBuilder();
        insert.setUuid(0, user).setString(1, name);
        if (bio == null) {
            insert.setToNull(2);
        } else {
            insert.setString(2, bio);
        }
        session.execute(insert.build());
    }
}
