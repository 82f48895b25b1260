package positions

import (
	"time"

	"github.com/gocql/gocql"
)

func Save(session *gocql.Session, vehicle gocql.UUID, lat float64) error {
	return session.Query("INSERT INTO latest_positions (vehicle_id, at, lat) VALUES (?, ?, ?)", vehicle, time.Now(), lat).Exec()
}
