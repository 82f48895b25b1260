package store

import (
	"time"

	"github.com/gocql/gocql"
)

const (
	insertScanOfParcel = `INSERT INTO scans_by_parcel (parcel_id, scanned_at, scan_id, depot_id, kind)
		VALUES (?, ?, ?, ?, ?)`
	insertScanOfDepot = `INSERT INTO scans_by_depot (depot_id, scanned_at, scan_id, parcel_id, kind)
		VALUES (?, ?, ?, ?, ?)`
	countScan = "UPDATE depot_totals SET scans = scans + 1 WHERE depot_id = ? AND day = ?"

	selectScansOfParcel = `SELECT scanned_at, depot_id, kind FROM scans_by_parcel
		WHERE parcel_id = ? ORDER BY scanned_at ASC`
	selectArrivals = `SELECT scan_id, parcel_id, scanned_at FROM scans_by_depot
		WHERE depot_id = ? AND kind = 'ARRIVED'`
)

// Scan is one beep of a scanner.
type Scan struct {
	ID, Parcel  gocql.UUID
	Depot, Kind string
	At          time.Time
}

// Record writes a scan to both lists, and counts it.
func (s *Store) Record(scan Scan) error {
	batch := s.session.NewBatch(gocql.LoggedBatch)
	batch.Query(insertScanOfParcel, scan.Parcel, scan.At, scan.ID, scan.Depot, scan.Kind)
	batch.Query(insertScanOfDepot, scan.Depot, scan.At, scan.ID, scan.Parcel, scan.Kind)
	if err := s.session.ExecuteBatch(batch); err != nil {
		return err
	}
	return s.session.Query(countScan, scan.Depot, scan.At.Format("2006-01-02")).Exec()
}

// History lists the scans of a parcel, the oldest first.
func (s *Store) History(parcel gocql.UUID) ([]Scan, error) {
	return s.scans(s.session.Query(selectScansOfParcel, parcel))
}

// Arrivals lists what arrived at a depot.
func (s *Store) Arrivals(depot string) ([]Scan, error) {
	return s.scans(s.session.Query(selectArrivals, depot))
}

func (s *Store) scans(query *gocql.Query) ([]Scan, error) {
	var scans []Scan
	var scan Scan
	rows := query.Iter()
	for rows.Scan(&scan.ID, &scan.Parcel, &scan.At) {
		scans = append(scans, scan)
	}
	return scans, rows.Close()
}
