from cassandra.cluster import Cluster


def copy(session, keyspace, table):
    for row in session.execute(f"SELECT * FROM {keyspace}.{table}"):
        keep(row)
