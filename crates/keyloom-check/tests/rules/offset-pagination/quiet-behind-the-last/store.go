package store

import "github.com/gocql/gocql"

func Page(session *gocql.Session, post, last gocql.UUID, pageSize int) *gocql.Iter {
	return session.Query("SELECT body FROM comments WHERE post_id = ? AND comment_id > ? LIMIT ?", post, last, pageSize+1).Iter()
}
