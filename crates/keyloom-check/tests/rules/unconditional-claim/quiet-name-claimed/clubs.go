package clubs

import "github.com/gocql/gocql"

func clubExists(session *gocql.Session, name string) bool {
	var id gocql.UUID
	return session.Query("SELECT club_id FROM clubs_by_name WHERE club_name = ?", name).Scan(&id) == nil
}

func found(session *gocql.Session, name string, id gocql.UUID) (bool, error) {
	return session.Query("INSERT INTO clubs_by_name (club_name, club_id, founded) VALUES (?, ?, toTimestamp(now())) IF NOT EXISTS", name, id).ScanCAS()
}

func song(session *gocql.Session, name string) error {
	var id gocql.UUID
	return session.Query("SELECT song_id FROM songs WHERE song_name = ?", name).Scan(&id)
}

func saveSong(session *gocql.Session, name string, id gocql.UUID) error {
	return session.Query("INSERT INTO songs (song_name, song_id) VALUES (?, ?)", name, id).Exec()
}

func playExists(session *gocql.Session, id gocql.UUID) bool {
	var club string
	return session.Query("SELECT club_name FROM plays WHERE play_id = ?", id).Scan(&club) == nil
}

func createPlay(session *gocql.Session, id gocql.UUID, club string) error {
	return session.Query("INSERT INTO plays (play_id, club_name) VALUES (?, ?)", id, club).Exec()
}
