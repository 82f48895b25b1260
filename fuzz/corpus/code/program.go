package s
import "github.com/gocql/gocql"
const t = `üsers`
func (s *S) F(x string) {
q := fmt.Sprintf("SELECT %s FROM \u00e9 %s", x, t)
if x != "" { q += ` LIMIT 1` } else { return }
for _, y := range xs { b.Query(`INSERT INTO t (a) VALUES (?)`, y, nil) }
switch x { case 1: q = `DELETE FROM t WHERE a = 1`
default: q = `USE k` }
s.db.Query(q, x).PageSize(5).Consistency(gocql.One).Scan(&z) // keyloom: allow x because y
}
