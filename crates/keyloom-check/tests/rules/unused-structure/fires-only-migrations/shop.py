from cassandra.cluster import Session


def save(session: Session, order):
    session.execute("INSERT INTO orders (order_id, total) VALUES (%s, %s)", (order.id, order.total))
    session.execute("INSERT INTO orders_by_month (month, order_id) VALUES (%s, %s)", (order.month, order.id))
    session.execute("INSERT INTO visits (customer_id, at, page) VALUES (%s, now(), %s)", (order.customer, "order"))


def load(session: Session, order_id, month):
    session.execute("SELECT total FROM orders WHERE order_id = %s", (order_id,))
    return session.execute("SELECT order_id FROM orders_by_month WHERE month = %s LIMIT 100", (month,))


def customer(session: Session, customer_id):
    return session.execute("SELECT name FROM customers WHERE customer_id = %s", (customer_id,)).one()
