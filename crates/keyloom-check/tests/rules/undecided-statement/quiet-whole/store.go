package store

import "github.com/gocql/gocql"

const columns = "order_id, status"

func Find(session *gocql.Session, customer gocql.UUID) *gocql.Query {
	return session.Query("SELECT "+columns+" FROM orders WHERE customer_id = ?", customer)
}
