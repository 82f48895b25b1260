from cassandra.cluster import Session


def install(session: Session, keyspace):
    session.execute(
        "CREATE KEYSPACE IF NOT EXISTS %s WITH replication = "
        "{'class': 'SimpleStrategy', 'replication_factor': 1}" % keyspace
    )


def install_with(session: Session, keyspace, replicas):
    session.execute(
        "CREATE KEYSPACE IF NOT EXISTS %s WITH replication = "
        "{'class': 'SimpleStrategy', 'replication_factor': %s}" % (keyspace, replicas)
    )


def tables(session: Session):
    session.execute("CREATE TABLE users (user_id uuid PRIMARY KEY, name text)")
