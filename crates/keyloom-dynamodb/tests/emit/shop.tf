resource "aws_dynamodb_table" "keyloom_schema" {
  name                        = "shop.keyloom_schema"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "name"
  deletion_protection_enabled = true

  attribute {
    name = "name"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }
}

resource "aws_dynamodb_table" "orders" {
  name                        = "shop.orders"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "customer"
  range_key                   = "kl_s"
  deletion_protection_enabled = true

  attribute {
    name = "customer"
    type = "S"
  }

  attribute {
    name = "kl_s"
    type = "B"
  }

  attribute {
    name = "kl_s.orders_by_total"
    type = "B"
  }

  attribute {
    name = "total"
    type = "N"
  }

  global_secondary_index {
    name               = "orders_by_total"
    hash_key           = "total"
    range_key          = "kl_s.orders_by_total"
    projection_type    = "INCLUDE"
    non_key_attributes = ["note", "kl_v", "kl_r", "kl_x"]
  }

  ttl {
    attribute_name = "kl_ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }
}
