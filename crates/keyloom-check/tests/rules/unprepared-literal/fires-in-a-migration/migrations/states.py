from cassandra.cluster import Session


def run(session: Session, names):
    for user_id, name in names:
        session.execute(f"UPDATE users SET name = '{name}' WHERE user_id = {user_id}")
