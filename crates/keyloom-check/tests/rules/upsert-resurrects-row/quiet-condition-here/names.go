package names

import "github.com/gocql/gocql"

const (
	part        = 0
)

func Create(session *gocql.Session, row Row) error {
	batch := session.NewBatch(gocql.LoggedBatch)
	batch.Query("INSERT INTO names (part, name, owner, shared, config) VALUES (?, ?, ?, ?, ?) IF NOT EXISTS", part, row.Name, row.Owner, row.Shared, row.Config)
	step(batch, row.Name, row.Version)
	return session.ExecuteBatch(batch)
}

func Update(session *gocql.Session, row Row) error {
	batch := session.NewBatch(gocql.LoggedBatch)
	batch.Query("UPDATE names SET owner = ?, config = ? WHERE part = ? AND name = ?", row.Owner, row.Config, part, row.Name)
	step(batch, row.Name, row.Version)
	return session.ExecuteBatch(batch)
}

func step(batch *gocql.Batch, name string, version int64) {
	batch.Query("UPDATE names SET version = ? WHERE part = ? AND name = ? IF version = ?", version+1, part, name, version)
}

func Delete(session *gocql.Session, name string) error {
	return session.Query("DELETE FROM names WHERE part = ? AND name = ?", part, name).Exec()
}
