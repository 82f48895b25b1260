package store

import (
	"fmt"

	"github.com/gocql/gocql"
)

const statusOf = "SELECT status FROM orders WHERE customer_id = ? AND order_id = ?"

func Status(session *gocql.Session, customer, order gocql.UUID) *gocql.Query {
	return session.Query(statusOf, customer, order)
}

func Find(session *gocql.Session, keyspace, table string, id gocql.UUID) *gocql.Query {
	return session.Query(fmt.Sprintf("SELECT order_id FROM %s.%s WHERE customer_id = ?", keyspace, table), id)
}
