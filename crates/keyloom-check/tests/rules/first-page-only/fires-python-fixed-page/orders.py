from cassandra.query import SimpleStatement


class Orders:
    def __init__(self, session):
        self.session = session

    def totals(self, customer):
        statement = SimpleStatement("SELECT total FROM orders WHERE customer_id = %s", fetch_size=100)
        return [row.total for row in self.session.execute(statement, [customer]).current_rows]
