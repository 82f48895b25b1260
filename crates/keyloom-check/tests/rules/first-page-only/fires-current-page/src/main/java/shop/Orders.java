package shop;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
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
        AsyncResultSet rows = session.executeAsync(
            SimpleStatement.newInstance("SELECT total FROM orders WHERE customer_id = ?", customer)).toCompletableFuture().join();
        BigDecimal sum = BigDecimal.ZERO;
        for (Row row : rows.currentPage()) {
            sum = sum.add(row.getBigDecimal("total"));
        }
        return sum;
    }
}
