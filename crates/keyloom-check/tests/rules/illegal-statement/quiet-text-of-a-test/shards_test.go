package shards

import (
	"testing"

	"github.com/gocql/gocql"
)

var session *gocql.Session

func TestSelect(t *testing.T) {
	tests := []struct {
		name        string
		wantQueries []string
	}{
		{
			name:        "one",
			wantQueries: []string{`SELECT range_id FROM shards WHERE ` + `shard_id = 'seven'`},
		},
	}
	for _, test := range tests {
		compare(t, test.wantQueries)
	}
}
