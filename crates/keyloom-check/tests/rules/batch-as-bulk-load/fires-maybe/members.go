package members

import "github.com/gocql/gocql"

func Save(session *gocql.Session, members []Member) error {
	batch := session.NewBatch(gocql.LoggedBatch)
	for _, member := range members {
		batch.Query("INSERT INTO members (team, user_id, since) VALUES (?, ?, ?)", member.Team, member.User, member.Since)
	}
	return session.ExecuteBatch(batch)
}
