package store

import (
	"testing"

	"github.com/gocql/gocql"
)

func TestGarbage(t *testing.T) {
	var session *gocql.Session
	if session.Query("SELECT FROM WHERE orders").Exec() == nil {
		t.Fatal("accepted")
	}
}
