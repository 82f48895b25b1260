package members

import "github.com/gocql/gocql"

func Save(session *gocql.Session, team gocql.UUID, members []Member) error {
	batch := session.NewBatch(gocql.UnloggedBatch)
	for _, member := range members {
		batch.Query("INSERT INTO members (team, user_id, since) VALUES (?, ?, ?)", team, member.User, member.Since)
	}
	return session.ExecuteBatch(batch)
}
