from cassandra.cluster import Cluster


def events(session, shop, kind=None, number=None):
    query = "SELECT what FROM shop.events WHERE shop = %s"
    values = [shop]
    if kind is not None:
        query += " AND kind = %s"
        values.append(kind)
    if number is not None:
        query += " AND number = %s"
        values.append(number)
    return list(session.execute(query, values))


def add(session, shop, kind, number, what):
    session.execute("INSERT INTO shop.events (shop, kind, number, what) VALUES (%s, %s, %s, %s) USING TTL 60", [shop, kind, number, what])
