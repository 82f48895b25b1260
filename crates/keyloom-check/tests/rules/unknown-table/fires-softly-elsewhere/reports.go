package reports

import "github.com/gocql/gocql"

func Sum(session *gocql.Session, day string) *gocql.Query {
	return session.Query("SELECT total FROM sums_by_day WHERE day = ?", day)
}
