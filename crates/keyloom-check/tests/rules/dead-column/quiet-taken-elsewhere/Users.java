import com.datastax.oss.driver.api.core.CqlSession;

class Users {
  private final PreparedStatement insert =
      session.prepare("INSERT INTO users (user_id, name, email, signup_source) VALUES (?, ?, ?, ?)");
  private final PreparedStatement select = session.prepare("SELECT * FROM users WHERE user_id = ?");

  User find(UUID id) {
    Row row = session.execute(select.bind(id)).one();
    log(row.getUuid("user_id"));
    return mapper.map(row);
  }
}
