from cassandra.cluster import Session


def run(session: Session, day):
    for row in session.execute("SELECT order_id FROM orders_by_day WHERE day = %s", (day,)):
        copy(session, row)
    for row in session.execute("SELECT customer_id, page FROM visits"):
        count(session, row)
