from cassandra.cluster import Session


def save(session: Session, user):
    session.execute(
        "INSERT INTO users (user_id, name, first_name, last_name) VALUES (%s, %s, %s, %s)",
        (user.id, user.name, user.first_name, user.last_name),
    )


def load(session: Session, user_id):
    return session.execute("SELECT first_name, last_name FROM users WHERE user_id = %s", (user_id,)).one()
