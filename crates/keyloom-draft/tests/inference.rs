//! What is concluded from tables and statements, one conclusion at a time, and what is not.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a broken case must stop the test; the support is shared with suites that use more of it"
)]

mod support;

use support::{drafted, holds};

/// The lines of a block of the catalog: an entity's or a pattern's, without its comments.
fn block(text: &str, name: &str) -> Vec<String> {
    let start = format!("  {name}:");
    let lines = text.lines().skip_while(|line| *line != start).skip(1).take_while(|line| line.starts_with("    "));
    let block: Vec<String> = lines.map(|line| line.trim().to_owned()).filter(|line| !line.starts_with('#')).collect();
    assert!(!block.is_empty(), "there is no {name} in\n{text}");
    block
}

fn has(block: &[String], line: &str) -> bool {
    block.iter().any(|own| own == line || own.split("  #").next() == Some(line))
}

const ORDERS: &str = "CREATE TABLE orders (order_id uuid PRIMARY KEY, user_id uuid, placed_at timestamp, total int);";

#[test]
fn a_table_sorted_by_columns_of_another_is_its_projection() {
    let by_user = "CREATE TABLE orders_by_user (user_id uuid, placed_at timestamp, order_id uuid, total int,
        PRIMARY KEY (user_id, placed_at, order_id)) WITH CLUSTERING ORDER BY (placed_at DESC);";
    let read = ("OrdersOfUser", "SELECT order_id, total FROM orders_by_user WHERE user_id = ? LIMIT 20");
    let draft = holds(&format!("{ORDERS}{by_user}"), &[read], 0);
    assert_eq!(draft.entities, 1);
    assert_eq!(
        draft.projections,
        ["orders_by_user is read as a projection of orders: its key [user_id, placed_at, order_id] holds all of \
          [order_id], and the rest of it are columns of orders"]
    );
    let pattern = block(&draft.text, "list_orders_by_user");
    assert_eq!(
        pattern,
        ["list: Order", "by: [user_id]", "order: placed_at desc", "first: 20", "returns: [order_id, total]"]
    );
}

#[test]
fn a_part_of_something_is_no_projection_of_it() {
    let items = "CREATE TABLE order_items (order_id uuid, item_id uuid, total int, PRIMARY KEY (order_id, item_id));";
    let draft = holds(&format!("{ORDERS}{items}"), &[], 0);
    assert_eq!((draft.entities, draft.projections.len()), (2, 0));
    assert!(has(&block(&draft.text, "OrderItem"), "order_id: uuid -> Order"));
}

#[test]
fn tables_that_share_plain_names_alone_are_no_kin() {
    let policies = "CREATE TABLE policies (region text, name text, id uuid, made_at timestamp, text text,
        PRIMARY KEY (region, name));";
    let tools = "CREATE TABLE tools (region text, name text, made_at timestamp, id uuid,
        PRIMARY KEY (region, name, made_at, id));";
    assert_eq!(holds(&format!("{policies}{tools}"), &[], 0).entities, 2);
}

#[test]
fn a_batch_that_writes_both_is_evidence() {
    let parts = "CREATE TABLE gadgets (code text PRIMARY KEY, maker text);
        CREATE TABLE maker_codes (maker text, code text, PRIMARY KEY (maker, code));";
    let writes = [
        ("+Add", "INSERT INTO gadgets (code, maker) VALUES (?, ?)"),
        ("+Add", "INSERT INTO maker_codes (maker, code) VALUES (?, ?)"),
    ];
    assert_eq!(holds(parts, &[], 0).entities, 2);
    let draft = holds(parts, &writes, 0);
    assert_eq!((draft.entities, draft.patterns), (1, 1));
    assert!(draft.projections[0].ends_with("; one batch writes both"), "{:?}", draft.projections);
}

#[test]
fn two_ways_to_one_fact_share_its_id() {
    let scans = "CREATE TABLE scans_by_parcel (parcel_id uuid, at timestamp, scan_id uuid, depot text,
            PRIMARY KEY (parcel_id, at, scan_id));
        CREATE TABLE scans_by_depot (depot text, at timestamp, scan_id uuid, parcel_id uuid,
            PRIMARY KEY (depot, at, scan_id));";
    let draft = holds(scans, &[], 0);
    assert_eq!(draft.entities, 1);
    assert!(has(&block(&draft.text, "Scan"), "key: [scan_id]"), "{}", draft.text);
}

#[test]
fn a_lookup_is_a_unique_and_a_list_is_none() {
    let users = "CREATE TABLE users (user_id uuid PRIMARY KEY, email text, team text, joined_at timestamp);
        CREATE TABLE users_by_email (email text PRIMARY KEY, user_id uuid);
        CREATE TABLE users_by_team (team text, joined_at timestamp, user_id uuid, PRIMARY KEY (team, joined_at));";
    let statements = [
        ("", "SELECT user_id FROM users_by_email WHERE email = ?"),
        ("", "SELECT user_id FROM users_by_team WHERE team = ?"),
        ("SignUp", "INSERT INTO users_by_email (email, user_id) VALUES (?, ?) IF NOT EXISTS"),
    ];
    let draft = holds(users, &statements, 0);
    assert!(has(&block(&draft.text, "User"), "email_taken: [email]"), "{}", draft.text);
    assert!(draft.text.contains("users_by_email is written IF NOT EXISTS"));
    assert!(!draft.text.contains("team_and_joined_at_taken"));
    assert_eq!(block(&draft.text, "get_user_by_email")[..2], ["get: User", "by: [email]"]);
    assert_eq!(block(&draft.text, "list_users_by_team")[..2], ["list: User", "by: [team]"]);
}

#[test]
fn a_bucket_is_no_fact() {
    let readings = "CREATE TABLE readings (sensor_id uuid, day date, at timestamp, celsius float,
        PRIMARY KEY ((sensor_id, day), at));";
    let statements = [
        ("", "SELECT at, celsius FROM readings WHERE sensor_id = ? AND day = ?"),
        ("", "INSERT INTO readings (sensor_id, day, at, celsius) VALUES (?, ?, ?, ?)"),
    ];
    let draft = holds(readings, &statements, 0);
    assert!(has(&block(&draft.text, "Reading"), "key: [sensor_id, at]"), "{}", draft.text);
    assert!(has(&block(&draft.text, "list_readings_by_sensor"), "where: at >= $from and at < $to"), "{}", draft.text);
    assert!(has(&block(&draft.text, "put_reading"), "takes: [sensor_id, at, celsius]"), "{}", draft.text);
    let totals = "CREATE TABLE totals (sensor_id uuid, day date, n counter, PRIMARY KEY (sensor_id, day));";
    assert!(has(&block(&drafted(totals, &[]).text, "Total"), "key: [sensor_id, day]"));
}

#[test]
fn a_field_that_every_insert_names_is_never_absent() {
    let statements = [
        ("", "INSERT INTO orders (order_id, user_id, total) VALUES (?, ?, ?)"),
        ("", "INSERT INTO orders (order_id, user_id, placed_at) VALUES (?, ?, toTimestamp(now()))"),
    ];
    let order = block(&holds(ORDERS, &statements, 0).text, "Order");
    for line in ["order_id: uuid = new", "user_id: uuid", "placed_at: timestamp?", "total: int?"] {
        assert!(has(&order, line), "{line}: {order:?}");
    }
}

#[test]
fn an_enum_is_proven_by_what_is_written() {
    let jobs = "CREATE TABLE jobs (job_id uuid PRIMARY KEY, state text, kind text);";
    let constants = [
        ("", "INSERT INTO jobs (job_id, state, kind) VALUES (?, 'open', ?)"),
        ("", "UPDATE jobs SET state = 'done' WHERE job_id = ? IF state = 'open'"),
    ];
    let draft = holds(jobs, &constants, 0);
    assert!(has(&block(&draft.text, "Job"), "state: enum(DONE | OPEN)"), "{}", draft.text);
    assert!(has(&block(&draft.text, "Job"), "kind: text(32..400)"), "{}", draft.text);
    let update = block(&draft.text, "set_state_of_job");
    assert!(has(&update, "set: { state: DONE }") && has(&update, "if: state = OPEN else other_state"), "{update:?}");
    let bound = [constants[0], ("", "UPDATE jobs SET state = ? WHERE job_id = ?")];
    assert!(has(&block(&holds(jobs, &bound, 0).text, "Job"), "state: text(32..400)"));
}

#[test]
fn inserts_create_put_or_change() {
    let schema = "CREATE TABLE carts (cart_id uuid PRIMARY KEY, note text);
        CREATE TABLE prices (sku text PRIMARY KEY, cents int, note text);";
    let statements = [
        ("", "INSERT INTO carts (cart_id) VALUES (?)"),
        ("SetPrice", "INSERT INTO prices (sku, cents, note) VALUES (?, ?, ?)"),
        ("SavePrice", "INSERT INTO prices (sku, cents) VALUES (?, ?)"),
        ("AddPrice", "INSERT INTO prices (sku, cents) VALUES (?, ?) IF NOT EXISTS"),
    ];
    let draft = holds(schema, &statements, 0);
    assert_eq!(block(&draft.text, "create_cart"), ["create: Cart", "takes: []"]);
    assert_eq!(block(&draft.text, "set_price"), ["put: Price", "takes: [sku, cents, note]"]);
    assert_eq!(
        block(&draft.text, "save_price"),
        ["update: Price", "by: [sku]", "or_create: true", "set: { cents: $cents }"]
    );
    assert_eq!(block(&draft.text, "add_price"), ["create: Price", "takes: [sku, cents]"]);
}

#[test]
fn parts_of_collections_and_counters_change() {
    let schema =
        "CREATE TABLE posts (post_id uuid PRIMARY KEY, labels set<text>, lines list<text>, votes map<text, int>);
        CREATE TABLE views (post_id uuid PRIMARY KEY, n counter);";
    let statements = [
        ("", "UPDATE posts SET labels = labels + ?, lines = lines + ?, votes[?] = ? WHERE post_id = ?"),
        ("", "UPDATE posts SET labels = labels - ? WHERE post_id = ?"),
        ("", "UPDATE views SET n = n + 1 WHERE post_id = ?"),
        ("", "UPDATE posts SET lines = ? + lines WHERE post_id = ?"),
    ];
    let draft = holds(schema, &statements, 0);
    let changes = block(&draft.text, "update_post");
    for line in ["set: { votes.$vote: $vote_value }", "add: { labels: $label }", "append: { lines: $line }"] {
        assert!(has(&changes, line), "{line}: {changes:?}");
    }
    assert!(has(&block(&draft.text, "set_labels_of_post"), "remove: { labels: $label }"));
    assert!(has(&block(&draft.text, "set_n_of_view"), "set: { n: n + 1 }"), "{}", draft.text);
    assert_eq!(draft.left_out.len(), 1, "a list has no place before its first item");
}

#[test]
fn a_batch_of_two_facts_is_atomic() {
    let schema = format!("{ORDERS}CREATE TABLE stocks (sku text PRIMARY KEY, left int);");
    let statements = [
        ("+PlaceOrder", "INSERT INTO orders (order_id, user_id, placed_at, total) VALUES (?, ?, ?, ?)"),
        ("+PlaceOrder", "UPDATE stocks SET left = ? WHERE sku = ?"),
    ];
    let draft = holds(&schema, &statements, 0);
    let steps = block(&draft.text, "place_order");
    assert_eq!(steps[0], "atomic:");
    assert!(steps[1].starts_with("- { create: Order") && steps[2].starts_with("- { update: Stock"), "{steps:?}");
}

#[test]
fn a_time_to_live_is_an_expiry() {
    let schema = "CREATE TABLE sessions (code text PRIMARY KEY, user_id uuid) WITH default_time_to_live = 86400;
        CREATE TABLE beats (sensor_id uuid, at timestamp, n int, PRIMARY KEY (sensor_id, at));";
    let beat = ("", "INSERT INTO beats (sensor_id, at, n) VALUES (?, ?, ?) USING TTL 5400");
    let draft = holds(schema, &[beat], 0);
    assert!(has(&block(&draft.text, "Session"), "expires: written_at + 1 day"), "{}", draft.text);
    assert!(has(&block(&draft.text, "Beat"), "expires: at + 90 minutes"), "{}", draft.text);
}

#[test]
fn what_all_rows_of_a_partition_share_is_an_entity_of_its_own() {
    let schema = "CREATE TABLE rooms (room_id uuid, message_id timeuuid, title text static, body text,
        PRIMARY KEY (room_id, message_id));";
    let statements = [
        ("SetTitle", "UPDATE rooms SET title = ? WHERE room_id = ?"),
        ("", "SELECT body FROM rooms WHERE room_id = ? ORDER BY message_id DESC"),
    ];
    let draft = holds(schema, &statements, 0);
    assert_eq!(block(&draft.text, "set_title")[..2], ["update: RoomHead", "by: [room_id]"]);
    assert!(has(&block(&draft.text, "list_rooms_by_room"), "order: message_id desc"), "{}", draft.text);
}

#[test]
fn what_is_no_pattern_is_listed_with_its_reason() {
    let statements = [
        ("", "SELECT * FROM orders"),
        ("", "SELECT * FROM orders WHERE total > ? ALLOW FILTERING"),
        ("", "SELECT sum(total) FROM orders WHERE order_id = ?"),
        ("", "SELECT * FROM orders WHERE token(order_id) > ?"),
        ("", "SELECT * FROM missing WHERE id = ?"),
        ("", "TRUNCATE orders"),
    ];
    let draft = holds(ORDERS, &statements, 0);
    assert_eq!(draft.patterns, 0);
    let reasons: Vec<&str> = draft.left_out.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(reasons[0], "it reads the whole table");
    assert_eq!(reasons[1], "it filters the whole table");
    assert!(draft.text.contains("#   shop.go:5: its table is not in the schema"), "{}", draft.text);
}

#[test]
fn no_number_is_invented() {
    let statements = [("", "SELECT * FROM orders WHERE order_id = ?")];
    let draft = holds(ORDERS, &statements, 0);
    let order = block(&draft.text, "Order").join("\n") + &block(&draft.text, "get_order").join("\n");
    for word in ["volume", "groups", "rate", "page", "expires", "latency"] {
        assert!(!order.contains(word), "{word} is stated in\n{order}");
    }
    assert_eq!(draft.questions[0].path, "patterns.get_order.rate");
    // Uncommented and answered, the questions are the language's own words.
    let answered: String = draft
        .text
        .lines()
        .map(|line| match line.trim_start().strip_prefix("# ") {
            Some(asked) if asked.contains(": ") && asked.contains('?') && line.starts_with("    ") => {
                let answer =
                    asked.split("  #").next().unwrap().replace("expires: ?", "expires: forever").replace('?', "3");
                format!("    {answer}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    assert_ne!(answered, draft.text);
    assert_eq!(support::errors(&answered), Vec::<String>::new(), "{answered}");
}
