package drafts

import "github.com/gocql/gocql"

func draftsOf(session *gocql.Session, teams []string, authors []string) *gocql.Iter {
	return session.Query("SELECT draft_id, body FROM drafts WHERE team IN ? AND author IN ?", teams, authors).Iter()
}

func forget(session *gocql.Session, teams []string, author string) error {
	return session.Query("DELETE FROM drafts WHERE team IN ? AND author = ?", teams, author).Exec()
}
