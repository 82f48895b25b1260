import com.datastax.oss.driver.api.core.CqlSession;

class Orders {
  private static final int MOST = 1000;
  private PreparedStatement byShop;

  void prepare() {
    byShop = session.prepare("SELECT * FROM orders_by_shop WHERE shop = ? LIMIT ?");
  }

  void choose(String shop, int count) {
    ResultSet rows = session.execute(byShop.bind(shop, count));
    rows.all().stream().filter(row -> row.getString("state").equals("OPEN")).forEach(this::resume);
  }

  void newest(String shop) {
    ResultSet rows = session.execute(byShop.bind(shop, MOST));
    rows.all().stream().map(row -> row.getUuid("order_id")).forEach(this::show);
  }
}
