//! Companions that follow: what is cut off is finished later.

use std::sync::Arc;

use keyloom_run::{Answer, Settled};
use serde_json::json;

use super::{
    simulated::Simulated,
    support::{Shop, order, shops},
};

const LIST: &str = "list_orders_of_user";

#[test]
fn what_rides_along_needs_no_settling() {
    for shop in shops().iter().take(2) {
        shop.user("ann");
        shop.turn_ms(600_000);
        assert_eq!(shop.settle(), Settled::default(), "{}", shop.name);
    }
}

#[test]
fn a_write_that_is_not_visible_yet_becomes_visible() {
    let store = Simulated::new();
    let mute = Arc::clone(&store.mute);
    let shop = Shop::on(store);
    let user = shop.user("ann");
    let old = shop.order(&user, "1");
    let ben = shop.user("ben");

    *mute.lock().unwrap() = Some("order_by_user");
    let (key, body) = (shop.key(), order(&user, "2"));
    let first = shop.write("place_order", &body, &key).unwrap();
    assert!(matches!(first, Answer::Applied { visible: false, .. }), "{first:?}");
    let moved = shop.write("give_order", &json!({"order_id": old, "to_id": ben}), &shop.key()).unwrap();
    assert!(matches!(moved, Answer::Applied { visible: false, .. }), "{moved:?}");
    let totals = |user: &str| {
        let rows = shop.rows(LIST, &[("user_id", user)]);
        rows.iter().map(|row| row["total"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((totals(&user), totals(&ben)), (vec!["1.00".to_owned()], vec![]), "it is as it was");

    shop.turn_ms(30_000);
    assert_eq!(shop.settle().settled, 0, "the writer may still be at it");
    shop.turn_ms(120_000);
    let pass = shop.settle();
    assert_eq!((pass.settled, pass.left), (0, 2), "it can't be placed yet: {pass:?}");
    *mute.lock().unwrap() = None;
    let pass = shop.settle();
    assert_eq!((pass.settled, pass.left), (2, 0), "{pass:?}");
    assert_eq!((totals(&user), totals(&ben)), (vec!["2.00".to_owned()], vec!["1.00".to_owned()]));
    shop.turn_ms(60_000);
    assert_eq!(shop.settle(), Settled::default(), "nothing is looked at twice");

    // Whoever repeats it is told the same, and that it is visible.
    let Answer::Applied { key: row, version, .. } = first else { unreachable!() };
    assert_eq!(
        shop.write("place_order", &body, &key).unwrap(),
        Answer::Applied { key: row, version, row: None, visible: true, seen: None }
    );
}

#[test]
fn whoever_repeats_a_request_makes_it_visible() {
    let store = Simulated::new();
    let mute = Arc::clone(&store.mute);
    let shop = Shop::on(store);
    let user = shop.user("ann");
    *mute.lock().unwrap() = Some("order_by_user");
    let (key, body) = (shop.key(), order(&user, "2"));
    assert!(matches!(shop.write("place_order", &body, &key), Ok(Answer::Applied { visible: false, .. })));
    *mute.lock().unwrap() = None;
    assert!(matches!(shop.write("place_order", &body, &key), Ok(Answer::Applied { visible: true, .. })));
    assert_eq!(shop.rows(LIST, &[("user_id", &user)]).len(), 1);
}

#[test]
fn without_a_mark_nothing_is_done() {
    let store = Simulated::new();
    let mute = Arc::clone(&store.mute);
    let shop = Shop::on(store);
    let user = shop.user("ann");
    *mute.lock().unwrap() = Some("kl_dirty");
    let (key, body) = (shop.key(), order(&user, "2"));
    assert!(matches!(shop.write("place_order", &body, &key), Err(keyloom_run::Problem::Busy { .. })));
    *mute.lock().unwrap() = None;
    assert!(shop.rows(LIST, &[("user_id", &user)]).is_empty());
    assert!(matches!(shop.write("place_order", &body, &key), Ok(Answer::Applied { visible: true, .. })));
}

#[test]
fn marks_that_are_done_are_passed_over() {
    let shop = Shop::on(Simulated::new());
    let user = shop.user("ann");
    (0..20).for_each(|_| drop(shop.order(&user, "1")));
    shop.turn_ms(300_000);
    assert_eq!(shop.settle(), Settled { seen: 21, ..Settled::default() });
}
