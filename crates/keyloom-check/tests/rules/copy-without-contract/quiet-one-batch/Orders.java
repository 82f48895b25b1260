import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.*;

class Orders {
    private final CqlSession session;
    private final PreparedStatement insertOrder;
    private final PreparedStatement insertOrderOfUser;

    Orders(CqlSession session) {
        this.session = session;
        insertOrder = session.prepare("INSERT INTO orders (order_id, user_id, total) VALUES (?, ?, ?)");
        insertOrderOfUser = session.prepare("INSERT INTO orders_by_user (user_id, order_id) VALUES (?, ?)");
    }

    void place(Order order) {
        BatchStatement batch = BatchStatement.newInstance(BatchType.LOGGED,
            insertOrder.bind(order.id(), order.user(), order.total()),
            insertOrderOfUser.bind(order.user(), order.id()));
        session.executeAsync(batch);
    }

    ResultSet one(Order order) {
        return session.execute("SELECT total, user_id FROM orders WHERE order_id = ?", order.id());
    }

    ResultSet of(Order order) {
        return session.execute("SELECT order_id FROM orders_by_user WHERE user_id = ? LIMIT 50", order.user());
    }
}
