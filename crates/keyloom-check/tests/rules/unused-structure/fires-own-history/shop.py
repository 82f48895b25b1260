from cassandra.cluster import Session


def load(session: Session, order_id, customer_id):
    session.execute("SELECT total FROM orders WHERE order_id = %s", (order_id,))
    return session.execute("SELECT name FROM customers WHERE customer_id = %s", (customer_id,)).one()


def save(session: Session, order, customer):
    session.execute("INSERT INTO orders (order_id, total) VALUES (%s, %s)", (order.id, order.total))
    session.execute("INSERT INTO customers (customer_id, name) VALUES (%s, %s)", (customer.id, customer.name))
