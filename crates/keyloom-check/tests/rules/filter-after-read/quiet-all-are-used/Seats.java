import com.datastax.oss.driver.api.core.CqlSession;

class Seats {
  private PreparedStatement ofHall;
  private PreparedStatement one;

  void prepare() {
    ofHall = session.prepare("SELECT seat, state FROM seats WHERE hall = ?");
    one = session.prepare("SELECT state FROM seats WHERE hall = ? AND seat = ?");
  }

  void all(UUID hall) {
    ResultSet rows = session.execute(ofHall.bind(hall));
    rows.all().stream().forEach(this::offer);
  }

  void free(UUID hall, int seat) {
    ResultSet rows = session.execute(one.bind(hall, seat));
    rows.all().stream().filter(row -> row.getString("state").equals("FREE")).forEach(this::offer);
  }
}
