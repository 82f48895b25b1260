from cassandra.query import SimpleStatement


class Orders:
    def __init__(self, session):
        self.session = session

    def all_at_once(self, customer):
        statement = SimpleStatement("SELECT total FROM orders WHERE customer_id = %s", fetch_size=None)
        return self.session.execute(statement, [customer]).current_rows

    def page(self, customer, size, state):
        statement = SimpleStatement("SELECT order_id FROM orders WHERE customer_id = %s", fetch_size=size)
        result = self.session.execute(statement, [customer], paging_state=state)
        return result.current_rows, result.paging_state

    def every_page(self, customer):
        result = self.session.execute("SELECT order_id, total FROM orders WHERE customer_id = %s", [customer])
        rows = list(result.current_rows)
        while result.has_more_pages:
            result.fetch_next_page()
            rows.extend(result.current_rows)
        return rows
