import com.datastax.oss.driver.api.core.CqlSession;

class Orders {
  private static final int MOST = 1000;
  private PreparedStatement byShop;

  void prepare() {
    byShop = session.prepare("SELECT * FROM orders_by_shop WHERE shop = ? LIMIT ?");
  }

  void show(String shop, int count) {
    show(session.execute(byShop.bind(shop, count)));
  }

  void resume(String shop) {
    ResultSet rows = session.execute(byShop.bind(shop, MOST));
    rows.all().stream().filter(row -> row.getString("state").equals("OPEN")).forEach(this::resume);
  }
}
