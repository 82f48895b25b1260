import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.List;

class Products {
    private final CqlSession session;
    private final PreparedStatement insert;

    Products(CqlSession session) {
        this.session = session;
        this.insert = session.prepare("INSERT INTO products (sku, name) VALUES (?, ?)");
    }

    void save(List<Product> products) {
        BatchStatementBuilder batch = BatchStatement.builder(DefaultBatchType.UNLOGGED);
        for (Product product : products) {
            batch.addStatement(insert.bind(product.sku(), product.name()));
        }
        session.execute(batch.build());
    }
}
