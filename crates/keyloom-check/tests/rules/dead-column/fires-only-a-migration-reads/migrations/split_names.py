from cassandra.cluster import Session


def run(session: Session):
    for row in session.execute("SELECT user_id, name FROM users"):
        split(session, row)
