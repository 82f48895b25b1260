package visits

import (
	"fmt"

	"github.com/gocql/gocql"
)

func Save(session *gocql.Session, id gocql.UUID, labels map[string]string) error {
	return session.Query("INSERT INTO visits (visitor, labels) VALUES (?, ?)", id, labels).Exec()
}

func Label(session *gocql.Session, table string, id gocql.UUID, more map[string]string) error {
	return session.Query(fmt.Sprintf("UPDATE %s SET labels = labels + ? WHERE id = ?", table), more, id).Exec()
}
