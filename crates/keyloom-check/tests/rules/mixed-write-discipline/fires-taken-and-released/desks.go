package desks

import "github.com/gocql/gocql"

// A desk that was released is taken by the next one.
func TakeDesk(session *gocql.Session, floor int, desk string, colleague gocql.UUID) (bool, error) {
	return session.Query("INSERT INTO desks (floor, desk, colleague) VALUES (?, ?, ?) IF NOT EXISTS", floor, desk, colleague).ScanCAS()
}

func ReleaseDesk(session *gocql.Session, floor int, desk string) error {
	return session.Query("DELETE FROM desks WHERE floor = ? AND desk = ?", floor, desk).Exec()
}

// Nothing tells that a badge is given to a second one.
func AddBadge(session *gocql.Session, floor int, badge string, colleague gocql.UUID) (bool, error) {
	return session.Query("INSERT INTO badges (floor, badge, colleague) VALUES (?, ?, ?) IF NOT EXISTS", floor, badge, colleague).ScanCAS()
}

func RemoveBadge(session *gocql.Session, floor int, badge string) error {
	return session.Query("DELETE FROM badges WHERE floor = ? AND badge = ?", floor, badge).Exec()
}
