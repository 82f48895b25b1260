// Report prints, once a night, how many parcels each customer has under way.
package main

import (
	"fmt"
	"log"

	"github.com/gocql/gocql"
)

func main() {
	cluster := gocql.NewCluster("127.0.0.1")
	cluster.Keyspace = "parcels"
	session, err := cluster.CreateSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	underWay := make(map[gocql.UUID]int)
	var customer gocql.UUID
	// keyloom: allow allow-filtering because 'nightly, and paged through' until 2027-12-31
	rows := session.Query("SELECT customer_id FROM parcels_by_customer WHERE status = 'UNDER_WAY' ALLOW FILTERING").Iter()
	for rows.Scan(&customer) {
		underWay[customer]++
	}
	if err := rows.Close(); err != nil {
		log.Fatal(err)
	}
	for customer, parcels := range underWay {
		fmt.Println(customer, parcels)
	}
}
