package store

import "github.com/gocql/gocql"

func Page(session *gocql.Session, post gocql.UUID, offset, size int) *gocql.Iter {
	return session.Query("SELECT body FROM comments WHERE post_id = ? LIMIT ?", post, offset+size).Iter()
}
