from cassandra.cluster import Session


def mail(session: Session, user):
    # keyloom: allow full-scan because 'there are ten users'
    return session.execute("SELECT mail FROM users WHERE id = %s", (user,)).one()
