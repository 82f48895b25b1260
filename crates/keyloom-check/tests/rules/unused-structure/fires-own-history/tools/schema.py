from cassandra.cluster import Session


def version(session: Session, name):
    return session.execute("SELECT version FROM schema_version WHERE keyspace_name = %s", (name,)).one()


def done(session: Session, name, year, at, version):
    session.execute("INSERT INTO schema_version (keyspace_name, version) VALUES (%s, %s)", (name, version))
    session.execute("INSERT INTO schema_history (year, at, version) VALUES (%s, %s, %s)", (year, at, version))
