package store

import "github.com/gocql/gocql"

func SearchBoth(session *gocql.Session, tag, place string) []gocql.UUID {
	tagged := ids(session.Query("SELECT id FROM by_tag WHERE tag = ? LIMIT 100", tag))
	placed := ids(session.Query("SELECT id FROM by_place WHERE place = ? LIMIT 100", place))
	return intersect(tagged, placed)
}
