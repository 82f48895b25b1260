import com.datastax.oss.driver.api.core.CqlSession;
import java.util.UUID;

class State {
    private final CqlSession session;

    State(CqlSession session) {
        this.session = session;
    }

    void put(UUID id, String v) {
        session.execute("INSERT INTO state (id, v) VALUES (?, ?) USING TIMESTAMP ?", id, v, System.currentTimeMillis());
    }

    void forget(UUID id) {
        session.execute("DELETE FROM state WHERE id = ?", id);
    }
}
