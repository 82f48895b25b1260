from cassandra.cluster import Session


def install(session: Session, keyspace, replicas):
    session.execute(
        f"CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = "
        f"{{'class': 'NetworkTopologyStrategy', 'dc1': {replicas}}}"
    )


def tables(session: Session):
    session.execute("CREATE TABLE users (user_id uuid PRIMARY KEY, name text)")
