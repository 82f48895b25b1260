import com.datastax.oss.driver.api.core.CqlSession;

class Seats {
  private PreparedStatement ofHall;

  void prepare() {
    ofHall = session.prepare("SELECT seat, state FROM seats WHERE hall = ?");
  }

  void free(UUID hall) {
    ResultSet rows = session.execute(ofHall.bind(hall));
    rows.all().stream().filter(row -> row.getString("state").equals("FREE")).forEach(this::offer);
  }
}
