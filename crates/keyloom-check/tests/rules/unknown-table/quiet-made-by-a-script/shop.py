from cassandra.cluster import Cluster


def total(session, order, bill):
    ordered = session.execute("SELECT total FROM shop.orders WHERE id = %s", [order]).one()
    billed = session.execute("SELECT total FROM shop.bills WHERE id = %s", [bill]).one()
    return ordered.total - billed.total
