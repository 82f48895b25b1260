package pictures

import "github.com/gocql/gocql"

func pictureExists(session *gocql.Session, digest string) bool {
	var id gocql.UUID
	return session.Query("SELECT picture_id FROM pictures_by_digest WHERE digest = ? LIMIT 1", digest).Scan(&id) == nil
}

func store(session *gocql.Session, owner, id gocql.UUID, digest string, bytes []byte) error {
	if pictureExists(session, digest) {
		return nil
	}
	return session.Query("INSERT INTO pictures (owner, picture_id, digest, bytes) VALUES (?, ?, ?, ?)", owner, id, digest, bytes).Exec()
}

func load(session *gocql.Session, owner, id gocql.UUID) *gocql.Query {
	return session.Query("SELECT bytes FROM pictures WHERE owner = ? AND picture_id = ?", owner, id)
}
