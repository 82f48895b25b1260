//! A small schema with all kinds of tables, as a team might have it.

mod support;

#[test]
fn shows() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/parcels/migrations/");
    let mut names: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    let schema: String = names.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect();
    let draft = support::drafted(
        &schema,
        &[
            (
                "+Create",
                "INSERT INTO parcels (parcel_id, customer_id, status, weight_grams, address, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            ),
            (
                "+Create",
                "INSERT INTO parcels_by_customer (customer_id, created_at, parcel_id, status) VALUES (?, ?, ?, ?)",
            ),
            (
                "Get",
                "SELECT parcel_id, customer_id, status, weight, address, created_at FROM parcels WHERE parcel_id = ?",
            ),
            (
                "OfCustomer",
                "SELECT parcel_id, created_at, status FROM parcels_by_customer WHERE customer_id = ? LIMIT 50",
            ),
            ("Lost", "SELECT parcel_id FROM parcels WHERE status = 'LOST'"),
            (
                "+Record",
                "INSERT INTO scans_by_parcel (parcel_id, scanned_at, scan_id, depot_id, kind) VALUES (?, ?, ?, ?, ?)",
            ),
            (
                "+Record",
                "INSERT INTO scans_by_depot (depot_id, scanned_at, scan_id, parcel_id, kind) VALUES (?, ?, ?, ?, ?)",
            ),
            ("Record", "UPDATE depot_totals SET scans = scans + 1 WHERE depot_id = ? AND day = ?"),
            (
                "History",
                "SELECT scanned_at, depot_id, kind FROM scans_by_parcel WHERE parcel_id = ? ORDER BY scanned_at ASC",
            ),
            (
                "Arrivals",
                "SELECT scan_id, parcel_id, scanned_at FROM scans_by_depot WHERE depot_id = ? AND kind = 'ARRIVED'",
            ),
            ("TakeSlot", "INSERT INTO slots (depot_id, slot, courier_id) VALUES (?, ?, ?) IF NOT EXISTS"),
            ("ReleaseSlot", "DELETE FROM slots WHERE depot_id = ? AND slot = ?"),
            ("main", "SELECT customer_id FROM parcels_by_customer WHERE status = 'UNDER_WAY' ALLOW FILTERING"),
        ],
    );
    println!("{}", draft.text);
    println!("{:?}", support::errors(&draft.text));
}
