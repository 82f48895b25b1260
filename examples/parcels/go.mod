module example.com/parcels

go 1.22

require github.com/gocql/gocql v1.7.0
