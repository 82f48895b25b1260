import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;

class Views {
    private final CqlSession session;

    Views(CqlSession session) {
        this.session = session;
    }

    void seen(String page) {
        session.execute(
            SimpleStatement.newInstance("UPDATE page_views SET seen = seen + 1 WHERE page = ?", page).setIdempotent(true));
    }
}
