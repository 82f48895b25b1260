// Package store keeps parcels, their scans and the couriers' slots in Cassandra.
package store

import (
	"time"

	"github.com/gocql/gocql"
)

const parcelColumns = "parcel_id, customer_id, status, weight, address, created_at"

const (
	insertParcel = `INSERT INTO parcels (parcel_id, customer_id, status, weight_grams, address, created_at)
		VALUES (?, ?, ?, ?, ?, ?)`
	insertParcelOfCustomer = `INSERT INTO parcels_by_customer (customer_id, created_at, parcel_id, status)
		VALUES (?, ?, ?, ?)`
	selectParcel            = "SELECT " + parcelColumns + " FROM parcels WHERE parcel_id = ?"
	selectParcelsOfCustomer = `SELECT parcel_id, created_at, status FROM parcels_by_customer
		WHERE customer_id = ? LIMIT 50`
	selectLost = "SELECT parcel_id FROM parcels WHERE status = 'LOST'"
)

// Parcel is one parcel on its way.
type Parcel struct {
	ID, Customer gocql.UUID
	Status       string
	Grams        int
	Address      string
	Created      time.Time
}

// Store talks to Cassandra.
type Store struct {
	session *gocql.Session
}

// Create writes a parcel and its line in the customer's list.
func (s *Store) Create(p Parcel) error {
	batch := s.session.NewBatch(gocql.LoggedBatch)
	batch.Query(insertParcel, p.ID, p.Customer, p.Status, p.Grams, p.Address, p.Created)
	batch.Query(insertParcelOfCustomer, p.Customer, p.Created, p.ID, p.Status)
	return s.session.ExecuteBatch(batch)
}

// Get reads one parcel.
func (s *Store) Get(id gocql.UUID) (Parcel, error) {
	var p Parcel
	err := s.session.Query(selectParcel, id).Scan(&p.ID, &p.Customer, &p.Status, &p.Grams, &p.Address, &p.Created)
	return p, err
}

// OfCustomer lists the newest parcels of a customer.
func (s *Store) OfCustomer(customer gocql.UUID) ([]Parcel, error) {
	var parcels []Parcel
	var p Parcel
	rows := s.session.Query(selectParcelsOfCustomer, customer).Iter()
	for rows.Scan(&p.ID, &p.Created, &p.Status) {
		parcels = append(parcels, p)
	}
	return parcels, rows.Close()
}

// Lost lists parcels that nobody has seen for a week.
func (s *Store) Lost() ([]gocql.UUID, error) {
	var ids []gocql.UUID
	var id gocql.UUID
	rows := s.session.Query(selectLost).Iter()
	for rows.Scan(&id) {
		ids = append(ids, id)
	}
	return ids, rows.Close()
}
