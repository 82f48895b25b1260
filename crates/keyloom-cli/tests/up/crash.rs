use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value as Json, json};

use crate::process::{Up, example, new_key, post};

/// A process is killed while it writes, again and again on the same folder: what it acknowledged is there.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    const WRITERS: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<(String, Json, Json)> = Vec::new();
    let mut users: Vec<String> = Vec::new();
    for round in 0..4u64 {
        let up = Up::start(&example("shop"), folder.path(), &[]);
        assert_eq!(up.said.contains("the last stop was sudden"), round > 0, "{}", up.said);
        if users.is_empty() {
            for writer in 0..WRITERS {
                let body = json!({"name": "w", "email": format!("{writer}@x")});
                let signed = up.post("/v1/sign_up", &new_key(), &body).json();
                users.push(signed["key"]["user_id"].as_str().unwrap().to_owned());
            }
        }
        let stopped = AtomicBool::new(false);
        let address = up.address.clone();
        let written = thread::scope(|scope| {
            let writers: Vec<_> = users
                .iter()
                .map(|user| {
                    let (stopped, address) = (&stopped, &address);
                    scope.spawn(move || {
                        let mut acknowledged = Vec::new();
                        while !stopped.load(Ordering::Relaxed) {
                            let line = json!({"sku": "A-1", "name": "a thing", "qty": 1, "price": "1.00"});
                            let body = json!({"user_id": user, "items": [line], "total": "1.00"});
                            let key = new_key();
                            // A connection that is cut says nothing about what happened.
                            let Ok(answer) = post(address, "/v1/place_order", &key, &body) else { continue };
                            assert_eq!(answer.status, 200, "{}", answer.body);
                            acknowledged.push((key, body, answer.json()));
                        }
                        acknowledged
                    })
                })
                .collect();
            thread::sleep(Duration::from_millis(150 + 70 * round));
            up.kill();
            stopped.store(true, Ordering::Relaxed);
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(!written.is_empty(), "nothing was written before the end");
        acknowledged.extend(written);
    }
    let up = Up::start(&example("shop"), folder.path(), &[]);
    let listed: Vec<String> = users.iter().flat_map(|user| orders(&up, user)).collect();
    for (key, body, answer) in &acknowledged {
        let id = answer["key"]["order_id"].as_str().unwrap();
        assert!(listed.iter().any(|known| known == id), "{id} is listed");
        assert_eq!(up.post("/v1/place_order", key, body).json(), *answer, "the same key answers the same");
        assert_eq!(up.get(&format!("/v1/get_order?order_id={id}")).status, 200);
    }
    let again: Vec<String> = users.iter().flat_map(|user| orders(&up, user)).collect();
    assert_eq!(again, listed, "a repeat has no second effect");
    assert!(listed.len() <= acknowledged.len() + 4 * WRITERS, "at most what was under way came besides");
}

fn orders(up: &Up, user: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = up.get(&format!("/v1/list_orders_of_user?user_id={user}{cursor}")).json();
        let rows = page["rows"].as_array().unwrap();
        found.extend(rows.iter().map(|row| row["order_id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}
