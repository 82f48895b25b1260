package nodes

import "github.com/gocql/gocql"

func Cut(session *gocql.Session, cuts []Cut) error {
	batch := session.NewBatch(gocql.LoggedBatch)
	for _, cut := range cuts {
		batch.Query("DELETE FROM nodes WHERE tree = ? AND branch = ? AND node >= ?", cut.Tree, cut.Branch, cut.Node)
	}
	return session.ExecuteBatch(batch)
}
