package store

import (
	"fmt"

	"github.com/gocql/gocql"
)

func Find(session *gocql.Session, column string, value any) *gocql.Query {
	return session.Query(fmt.Sprintf("SELECT order_id FROM orders WHERE %s = ?", column), value)
}

func Sorted(session *gocql.Session, customer gocql.UUID, by string) *gocql.Query {
	return session.Query("SELECT order_id FROM orders WHERE customer_id = ? ORDER BY "+by, customer)
}
