package store

import (
	"time"

	"github.com/gocql/gocql"
)

const (
	takeSlot    = "INSERT INTO slots (depot_id, slot, courier_id) VALUES (?, ?, ?) IF NOT EXISTS"
	releaseSlot = "DELETE FROM slots WHERE depot_id = ? AND slot = ?"
)

// TakeSlot answers whether the courier has the slot now.
func (s *Store) TakeSlot(depot string, slot time.Time, courier gocql.UUID) (bool, error) {
	previous := make(map[string]interface{})
	return s.session.Query(takeSlot, depot, slot, courier).MapScanCAS(previous)
}

// ReleaseSlot gives a slot back.
func (s *Store) ReleaseSlot(depot string, slot time.Time) error {
	return s.session.Query(releaseSlot, depot, slot).Exec()
}
