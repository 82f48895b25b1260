package products

import "github.com/gocql/gocql"

func Save(session *gocql.Session, products []Product) error {
	batch := session.NewBatch(gocql.UnloggedBatch)
	for _, product := range products {
		batch.Query("INSERT INTO products (sku, name) VALUES (?, ?)", product.SKU, product.Name)
	}
	return session.ExecuteBatch(batch)
}
