package users

import "github.com/gocql/gocql"

func All(session *gocql.Session) *gocql.Iter {
	// keyloom: allow full-scan because 'there are ten users'
	return session.Query("SELECT id FROM users").Iter()
}
