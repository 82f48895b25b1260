use std::{collections::BTreeSet, thread};

use keyloom_run::Answer;
use serde_json::json;

use super::support::{Shop, order, shops, write};

#[test]
fn every_pattern_of_the_shop_is_answered() {
    for shop in shops() {
        let user = shop.user("ann");
        assert_eq!(
            shop.row("get_profile", &[("user_id", &user)]),
            json!({
                "user_id": user, "name": "ann", "email": "ann@Example.com", "email_key": "ann@example.com", "visits": 0,
                "orders": 0, "paid": "0.00",
            })
        );
        let id = shop.order(&user, "12.5");
        let row = shop.row("get_order", &[("order_id", &id)]);
        let created = row["created_at"].as_str().unwrap().to_owned();
        assert_eq!(
            row,
            json!({"order_id": id, "user_id": user, "created_at": created, "status": "PLACED", "total": "12.50"}),
            "items are large, so they come only when asked for"
        );
        assert_eq!(
            shop.row("get_order_items", &[("order_id", &id)]),
            json!({"items": [{"sku": "A-1", "name": "a thing", "qty": 2, "price": "6.25"}]})
        );
        let listed = |name: &str, status: &str| json!([{"order_id": id, "created_at": created, "status": status, "total": "12.50", "user": {"name": name}}]);
        assert_eq!(json!(shop.rows("list_orders_of_user", &[("user_id", &user)])), listed("ann", "PLACED"));
        shop.applied("pay_order", &json!({"order_id": id}));
        shop.applied("ship_order", &json!({"order_id": id}));
        shop.applied("rename_user", &json!({"user_id": user, "name": "Anna"}));
        assert_eq!(json!(shop.rows("list_orders_of_user", &[("user_id", &user)])), listed("Anna", "SHIPPED"));
        let nobody = "00000000-0000-4000-8000-000000000000";
        assert_eq!(shop.read("get_order", &[("order_id", nobody)]), Ok(Answer::NoRow));
        assert!(shop.rows("list_orders_of_user", &[("user_id", nobody)]).is_empty());
    }
}

#[test]
fn what_is_not_applied_says_why() {
    for shop in shops() {
        let user = shop.user("ann");
        let id = shop.order(&user, "1");
        let this = json!({"order_id": id});
        shop.refused("ship_order", &this, "status_is_placed");
        shop.applied("pay_order", &this);
        shop.refused("pay_order", &this, "status_is_paid");
        shop.applied("ship_order", &this);
        shop.refused("ship_order", &this, "status_is_shipped");
        shop.refused("ship_order", &json!({"order_id": user}), "absent");
        shop.refused("sign_up", &json!({"name": "b", "email": "ANN@example.COM"}), "email_taken");
        shop.refused("sign_up", &json!({"name": "b", "email": "b@x", "user_id": user}), "exists");
        assert_eq!(shop.row("get_profile", &[("user_id", &user)])["name"], "ann");
    }
}

#[test]
fn a_client_may_name_the_new_row() {
    for shop in shops() {
        let id = "0190d3f2-0000-4000-8000-00000000abcd";
        let key = shop.applied("sign_up", &json!({"name": "b", "email": "b@x", "user_id": id}));
        assert_eq!(key, json!({"user_id": id}));
    }
}

#[test]
fn a_row_that_moves_leaves_its_old_place() {
    for shop in shops() {
        let (ann, ben) = (shop.user("ann"), shop.user("ben"));
        let ids = [shop.order(&ann, "1"), shop.order(&ann, "2")];
        shop.applied("give_order", &json!({"order_id": ids[0], "to_id": ben}));
        let listed = |user: &str| {
            let rows = shop.rows("list_orders_of_user", &[("user_id", user)]);
            rows.iter().map(|row| row["order_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(listed(&ann), [ids[1].clone()], "{}", shop.name);
        assert_eq!(listed(&ben), [ids[0].clone()], "{}", shop.name);
    }
}

#[test]
fn a_unique_value_is_taken_over_and_set_free() {
    for shop in shops() {
        let (ann, ben) = (shop.user("ann"), shop.user("ben"));
        let email = |user: &str, email: &str| json!({"user_id": user, "email": email});
        shop.refused("change_email", &email(&ben, "Ann@example.com"), "email_taken");
        shop.applied("change_email", &email(&ann, "new@example.com"));
        shop.applied("change_email", &email(&ben, "ann@example.com"));
        shop.refused("change_email", &email(&ann, "ANN@example.com"), "email_taken");
        // The same value in other letters is no other value.
        shop.applied("change_email", &email(&ann, "NEW@example.com"));
        shop.refused("sign_up", &json!({"name": "c", "email": "new@example.com"}), "email_taken");
        shop.applied("sign_up", &json!({"name": "c", "email": "ben@example.com"}));
        // Long after, what was set free is still free, and what is held is held.
        shop.turn_ms(90 * 86_400_000);
        shop.refused("sign_up", &json!({"name": "d", "email": "new@example.com"}), "email_taken");
    }
}

#[test]
fn of_many_who_want_one_email_one_gets_it() {
    for shop in shops() {
        for round in 0..20 {
            let body = json!({"name": "x", "email": format!("wanted-{round}@example.com")});
            let keys: Vec<String> = (0..4).map(|_| shop.key()).collect();
            let answers: Vec<Answer> = thread::scope(|scope| {
                let racers: Vec<_> =
                    keys.iter().map(|key| scope.spawn(|| write(&shop.run, "sign_up", &body, key).unwrap())).collect();
                racers.into_iter().map(|racer| racer.join().unwrap()).collect()
            });
            let applied = answers.iter().filter(|answer| matches!(answer, Answer::Applied { .. })).count();
            let taken = Answer::NotApplied { reason: "email_taken".into() };
            assert_eq!((applied, answers.iter().filter(|answer| **answer == taken).count()), (1, 3), "{answers:?}");
        }
    }
}

#[test]
fn of_many_who_change_one_row_none_is_lost() {
    for shop in shops() {
        let user = shop.user("ann");
        let keys: Vec<String> = (0..60).map(|_| shop.key()).collect();
        let (body, run) = (&json!({"user_id": user}), &shop.run);
        let versions: Vec<u64> = thread::scope(|scope| {
            let visits: Vec<_> = keys
                .chunks(15)
                .map(|keys| {
                    scope.spawn(move || {
                        let mut versions = Vec::new();
                        for key in keys {
                            let [first, again] = [(); 2].map(|()| write(run, "visit", body, key).unwrap());
                            assert_eq!(first, again, "a repeat answers the same");
                            let Answer::Applied { version, .. } = first else { panic!("{first:?}") };
                            versions.push(version);
                        }
                        assert!(versions.is_sorted(), "one caller's versions rise");
                        versions
                    })
                })
                .collect();
            visits.into_iter().flat_map(|visit| visit.join().unwrap()).collect()
        });
        assert_eq!(versions.iter().collect::<BTreeSet<_>>().len(), 60, "each write has a version of its own");
        assert_eq!(shop.row("get_profile", &[("user_id", &user)])["visits"], 60, "{}", shop.name);
    }
}

#[test]
fn a_version_rises_though_the_clock_goes_back() {
    for shop in shops() {
        let user = shop.user("ann");
        let version = || match shop.read("get_profile", &[("user_id", &user)]) {
            Ok(Answer::Row { version, .. }) => version,
            other => panic!("{other:?}"),
        };
        let before = version();
        shop.turn_ms(-3_600_000);
        shop.applied("visit", &json!({"user_id": user}));
        assert_eq!(version(), before + 2);
        shop.refused("ship_order", &json!({"order_id": user}), "absent");
        assert!(shop.write("place_order", &order(&user, "1"), &shop.key()).is_ok());
    }
}

#[test]
fn a_field_that_the_catalog_forgot_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::in_folder(folder.path());
    let user = shop.user("ann");
    let id = shop.order(&user, "1");
    shop.applied("visit", &json!({"user_id": user}));
    drop(shop);
    let forgetful = Shop::without_visits(folder.path());
    forgetful.applied("rename_user", &json!({"user_id": user, "name": "Anna"}));
    let ben = forgetful.user("ben");
    forgetful.applied("give_order", &json!({"order_id": id, "to_id": ben}));
    drop(forgetful);
    let shop = Shop::in_folder(folder.path());
    let row = |user: &str| shop.row("get_profile", &[("user_id", user)]);
    assert_eq!((row(&user)["name"].as_str(), row(&user)["visits"].as_i64()), (Some("Anna"), Some(1)));
    assert_eq!(row(&ben).get("visits"), None, "a row that was made without it has none");
    assert_eq!(shop.rows("list_orders_of_user", &[("user_id", &ben)]).len(), 1);
}
