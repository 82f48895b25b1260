package store

import "github.com/gocql/gocql"

const cancel = "UPDATE orders SET status = 'cancelled' " +
	"WHERE customer_id = ? AND order_id = ? ALLOW FILTERING"

func Cancel(session *gocql.Session, customer, order gocql.UUID) error {
	return session.Query(cancel, customer, order).Exec()
}
