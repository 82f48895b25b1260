package visits

import "github.com/gocql/gocql"

func cleanupVisit(session *gocql.Session, visit Visit) error {
	return session.Query("DELETE FROM visits WHERE site = ? AND day = ? AND at = ?", visit.Site, visit.Day, visit.At).Exec()
}
