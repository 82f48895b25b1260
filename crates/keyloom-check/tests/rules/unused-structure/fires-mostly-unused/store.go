package store

import "github.com/gocql/gocql"

func all(s *gocql.Session, id, label string) {
	s.Query("INSERT INTO orders (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM orders WHERE id = ?", id).Iter()
	s.Query("INSERT INTO users (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM users WHERE id = ?", id).Iter()
	s.Query("INSERT INTO carts (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM carts WHERE id = ?", id).Iter()
	s.Query("INSERT INTO bills (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM bills WHERE id = ?", id).Iter()
	s.Query("INSERT INTO shops (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM shops WHERE id = ?", id).Iter()
	s.Query("INSERT INTO goods (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM goods WHERE id = ?", id).Iter()
	s.Query("INSERT INTO taxes (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM taxes WHERE id = ?", id).Iter()
	s.Query("INSERT INTO notes (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM notes WHERE id = ?", id).Iter()
	s.Query("INSERT INTO trips (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM trips WHERE id = ?", id).Iter()
	s.Query("INSERT INTO parcels (id, label) VALUES (?, ?)", id, label).Exec()
	s.Query("SELECT label FROM parcels WHERE id = ?", id).Iter()
}
