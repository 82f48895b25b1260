package clubs

import "github.com/gocql/gocql"

func clubExists(session *gocql.Session, name string) bool {
	var id gocql.UUID
	return session.Query("SELECT club_id FROM clubs_by_name WHERE club_name = ?", name).Scan(&id) == nil
}

func found(session *gocql.Session, name string, id gocql.UUID) error {
	if clubExists(session, name) {
		return errTaken
	}
	return session.Query("INSERT INTO clubs_by_name (club_name, club_id, founded) VALUES (?, ?, toTimestamp(now()))", name, id).Exec()
}
