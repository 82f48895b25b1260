package shop;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.math.BigDecimal;
import java.util.UUID;

class Orders {
    private final CqlSession session;

    Orders(CqlSession session) {
        this.session = session;
    }

    BigDecimal sum(UUID customer) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Row row : session.execute(SimpleStatement.newInstance("SELECT total FROM orders WHERE customer_id = ?", customer))) {
            sum = sum.add(row.getBigDecimal("total"));
        }
        return sum;
    }

    Iterable<Row> newest(UUID customer) {
        return session.executeAsync(
            SimpleStatement.newInstance("SELECT total FROM orders WHERE customer_id = ? ORDER BY order_id DESC LIMIT 20", customer))
            .toCompletableFuture().join().currentPage();
    }
}
