//! Values that are kept from other rows, on three stores.

use keyloom_run::Problem;
use keyloom_sim::{AtOnce, ItemStore, WideStore};
use keyloom_store::Model;
use serde_json::json;

use crate::support::{
    house::{House, open},
    lots::{self, CATALOG},
};

fn houses() -> [House; 3] {
    let wide = open(AtOnce::new(1, WideStore::new), CATALOG);
    [open(Model::new(), CATALOG), wide, open(AtOnce::new(1, ItemStore::new), CATALOG)]
}

#[test]
fn kept_values_follow() {
    houses().iter().for_each(lots::kept_values_follow);
}

#[test]
fn a_time_that_can_not_be_a_version_is_refused() {
    for house in houses() {
        house.done("put_lot", &json!({"lot_id": "a", "title": "A lot"}));
        let mut long_ago = lots::bid(1, "eve", "1.00", true);
        long_ago["at"] = json!("1969-12-31T23:59:59.000Z");
        let refused = house.write("bid", &long_ago);
        assert!(matches!(&refused, Err(Problem::Input(words)) if words.contains("`at`")), "{refused:?}");
        assert_eq!(house.get("get_lot", &json!({"lot_id": "a"})).unwrap()["bids"], 0);
    }
}
