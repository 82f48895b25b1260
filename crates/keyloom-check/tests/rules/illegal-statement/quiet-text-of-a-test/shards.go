package shards

import "github.com/gocql/gocql"

func Insert(session *gocql.Session, shard int, epoch int64) error {
	return session.Query("INSERT INTO shards (shard_id, range_id) VALUES (?, ?)", shard, epoch).Exec()
}
