use keyloom_run::{Answer, Problem};
use serde_json::json;

use super::support::{Shop, order, shops, write};

const DAY_MS: i64 = 86_400_000;

#[test]
fn a_repeat_has_one_effect_and_the_same_answer() {
    for shop in shops() {
        let user = shop.user("ann");
        let (key, body) = (shop.key(), order(&user, "12.50"));
        let first = shop.write("place_order", &body, &key).unwrap();
        shop.turn_ms(5_000);
        // The same value in another form is the same request.
        assert_eq!(shop.write("place_order", &order(&user, "12.5"), &key).unwrap(), first, "{}", shop.name);
        // And so is the same key in capital letters.
        assert_eq!(shop.write("place_order", &body, &key.to_uppercase()).unwrap(), first, "{}", shop.name);
        assert_eq!(shop.rows("list_orders_of_user", &[("user_id", &user)]).len(), 1);

        let Answer::Applied { key: row, .. } = &first else { panic!("{first:?}") };
        let key = shop.key();
        let paid = shop.write("pay_order", row, &key).unwrap();
        assert!(matches!(paid, Answer::Applied { .. }));
        shop.applied("ship_order", row);
        assert_eq!(shop.write("pay_order", row, &key).unwrap(), paid, "though it is shipped by now");
        assert_eq!(shop.row("get_order", &[("order_id", row["order_id"].as_str().unwrap())])["status"], "SHIPPED");
    }
}

#[test]
fn a_key_with_other_inputs_is_refused() {
    for shop in shops() {
        let user = shop.user("ann");
        let key = shop.key();
        shop.write("place_order", &order(&user, "1"), &key).unwrap();
        assert_eq!(shop.write("place_order", &order(&user, "2"), &key), Err(Problem::KeyReused), "{}", shop.name);
        let key = shop.key();
        let name = |name: &str| json!({"user_id": user, "name": name});
        shop.write("rename_user", &name("a"), &key).unwrap();
        assert_eq!(shop.write("rename_user", &name("b"), &key), Err(Problem::KeyReused));
        assert_eq!(shop.write("visit", &json!({"user_id": user}), &key), Err(Problem::KeyReused), "or another pattern");
        assert_eq!(shop.row("get_profile", &[("user_id", &user)])["name"], "a");
    }
}

#[test]
fn a_row_that_forgot_a_request_has_its_receipt() {
    for shop in shops() {
        let user = shop.user("ann");
        let body = json!({"user_id": user});
        let keys: Vec<String> = (0..50).map(|_| shop.key()).collect();
        let answers: Vec<Answer> = keys.iter().map(|key| shop.write("visit", &body, key).unwrap()).collect();
        shop.turn_ms(DAY_MS - 60_000);
        for (key, answer) in keys.iter().zip(&answers) {
            assert_eq!(shop.write("visit", &body, key).unwrap(), *answer, "{}", shop.name);
        }
        assert_eq!(shop.row("get_profile", &[("user_id", &user)])["visits"], 50);
        let other = json!({"user_id": user, "name": "b"});
        assert_eq!(shop.write("rename_user", &other, &keys[0]), Err(Problem::KeyReused), "also by its receipt");
    }
}

#[test]
fn a_key_lives_as_long_as_requests_may_be_repeated() {
    for shop in shops() {
        let user = shop.user("ann");
        let body = json!({"user_id": user});
        let key = shop.key();
        let answer = shop.write("visit", &body, &key).unwrap();
        shop.turn_ms(DAY_MS - 1_000);
        assert_eq!(shop.write("visit", &body, &key).unwrap(), answer);
        shop.turn_ms(2_000);
        assert!(matches!(shop.write("visit", &body, &key), Err(Problem::KeyTime(_))), "older than a day");
        let dated = |millis: i64| format!("order 17;{millis}");
        let now = shop.now_ms();
        assert!(matches!(shop.write("visit", &body, &dated(now)), Ok(Answer::Applied { .. })));
        assert!(matches!(shop.write("visit", &body, &dated(now + 59_000)), Ok(Answer::Applied { .. })));
        assert!(
            matches!(shop.write("visit", &body, &dated(now + 61_000)), Err(Problem::KeyTime(_))),
            "from the future"
        );
        assert!(matches!(shop.write("visit", &body, &dated(now - DAY_MS - 1)), Err(Problem::KeyTime(_))));
        assert_eq!(shop.row("get_profile", &[("user_id", &user)])["visits"], 3);
    }
}

#[test]
fn what_is_no_key_is_refused() {
    let shop = shops().remove(0);
    let user = shop.user("ann");
    let long = format!("{};{}", "x".repeat(65), shop.now_ms());
    let v4 = "0190d3f2-0000-4000-8000-000000000000";
    for key in ["", "x", ";1", "x;", "x;y", "x;-1", "a\nb;1", "é;1", &long, v4, "x;99999999999999999999"] {
        let answer = shop.write("visit", &json!({"user_id": user}), key);
        assert!(matches!(answer, Err(Problem::Key(_))), "{key:?}: {answer:?}");
    }
}

#[test]
fn requests_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let shop = &shops()[0];
    let (key, body) = (shop.key(), json!({"name": "ann", "email": "ann@x"}));
    let (first, user) = {
        let Shop { run, .. } = Shop::in_folder(folder.path());
        let first = write(&run, "sign_up", &body, &key).unwrap();
        let Answer::Applied { key: user, .. } = &first else { panic!("{first:?}") };
        (first.clone(), user.clone())
    };
    let Shop { run, .. } = Shop::in_folder(folder.path());
    assert_eq!(write(&run, "sign_up", &body, &key).unwrap(), first);
    assert_eq!(
        write(&run, "sign_up", &body, &shop.key()).unwrap(),
        Answer::NotApplied { reason: "email_taken".into() },
        "{user}"
    );
}
