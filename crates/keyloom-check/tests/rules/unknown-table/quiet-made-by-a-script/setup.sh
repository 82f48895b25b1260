#!/bin/sh
cqlsh -e "CREATE TABLE IF NOT EXISTS shop.bills (id uuid PRIMARY KEY, total int)"
