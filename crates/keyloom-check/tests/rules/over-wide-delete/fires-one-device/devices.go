package devices

import "github.com/gocql/gocql"

func RemoveDevice(session *gocql.Session, user, device gocql.UUID) error {
	return session.Query("DELETE FROM devices WHERE user_id = ?", user).Exec()
}
