package store

import (
	"time"

	"github.com/gocql/gocql"
)

const shard = 0

func Elect(session *gocql.Session, since time.Time, node string) error {
	return session.Query("INSERT INTO leaders (shard, since, node) VALUES (?, ?, ?)", shard, since, node).Exec()
}

func Leader(session *gocql.Session) *gocql.Iter {
	return session.Query("SELECT node FROM leaders WHERE shard = ? LIMIT 1", shard).Iter()
}
