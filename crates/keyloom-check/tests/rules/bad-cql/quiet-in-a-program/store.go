package store

import (
	"fmt"
	"log"

	"github.com/gocql/gocql"
)

// What is filled in may make it right.
func Cancel(session *gocql.Session, where string, customer gocql.UUID) error {
	return session.Query(fmt.Sprintf("UPDATE orders SET status = 'cancelled' WHERE %s ALLOW FILTERING", where), customer).Exec()
}

// What is not sent is no statement.
func Explain() {
	log.Print("SELECT status FROM orders WHERE the customer is known, and nothing else")
}

// The beginning of a statement is none.
func Begin(session *gocql.Session) *gocql.Query {
	return session.Query("UPDATE orders SET status = 'open' WHERE")
}
