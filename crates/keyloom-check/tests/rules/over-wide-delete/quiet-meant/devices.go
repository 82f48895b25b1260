package devices

import "github.com/gocql/gocql"

func RemoveDevice(session *gocql.Session, user, device gocql.UUID) error {
	return session.Query("DELETE FROM devices WHERE user_id = ? AND device_id = ?", user, device).Exec()
}

func RemoveDevices(session *gocql.Session, user gocql.UUID) error {
	return session.Query("DELETE FROM devices WHERE user_id = ?", user).Exec()
}

func DeleteUser(session *gocql.Session, user gocql.UUID) error {
	return session.Query("DELETE FROM devices WHERE user_id = ?", user).Exec()
}
