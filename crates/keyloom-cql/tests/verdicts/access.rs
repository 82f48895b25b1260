use keyloom_cql::resolve::{Access, Bounds, Part, Partitions};
use keyloom_cql::schema::Schema;

use crate::{said, schema};

fn tables() -> Schema {
    schema(
        "CREATE TABLE posts (author int, year int, at timestamp, id int, title text, st text static,
            PRIMARY KEY ((author, year), at, id)) WITH CLUSTERING ORDER BY (at DESC, id ASC);
         CREATE TABLE users (id int PRIMARY KEY, name text, tags set<text>, v int);
         CREATE INDEX by_name ON users (name);",
    )
}

fn access(statement: &str) -> Access {
    said(&tables(), statement).access.unwrap_or_else(|| panic!("{statement} has no access"))
}

#[test]
fn partitions_are_counted_as_far_as_they_are_written() {
    let partitions = |statement: &str| access(statement).partitions;
    assert_eq!(partitions("SELECT * FROM users WHERE id = ?"), Partitions::One);
    assert_eq!(partitions("SELECT * FROM users WHERE id IN (1, 2, 3)"), Partitions::AtMost(3));
    assert_eq!(partitions("SELECT * FROM posts WHERE author IN (1, 2) AND year IN (1, 2, 3)"), Partitions::AtMost(6));
    assert_eq!(partitions("SELECT * FROM users WHERE id IN ?"), Partitions::Bound);
    assert_eq!(partitions("SELECT * FROM users WHERE id IN (␣ids␣)"), Partitions::Bound);
    assert_eq!(partitions("SELECT * FROM users WHERE token(id) > 5"), Partitions::TokenRange);
    assert_eq!(partitions("SELECT * FROM users"), Partitions::All);
    assert_eq!(partitions("SELECT * FROM posts WHERE author = 1 ALLOW FILTERING"), Partitions::All);
    assert_eq!(partitions("SELECT * FROM users WHERE name = 'a'"), Partitions::ByIndex);
    assert_eq!(partitions("SELECT * FROM users WHERE id = 1 AND name = 'a'"), Partitions::One);
    assert_eq!(partitions("DELETE FROM posts WHERE author = 1 AND year = 2"), Partitions::One);
    assert_eq!(partitions("INSERT INTO users (id) VALUES (1)"), Partitions::One);
}

#[test]
fn the_part_of_a_partition_is_what_the_clustering_columns_leave() {
    let part = |rest: &str| access(&format!("SELECT * FROM posts WHERE author = 1 AND year = 2 {rest}")).part;
    assert_eq!(part(""), Part::Whole);
    assert_eq!(part("AND at = ?"), Part::Slice { fixed: 1, range: None });
    assert_eq!(part("AND at > ?"), Part::Slice { fixed: 0, range: Some(Bounds::From) });
    assert_eq!(part("AND at = ? AND id <= 5"), Part::Slice { fixed: 1, range: Some(Bounds::To) });
    assert_eq!(part("AND at > ? AND at < ?"), Part::Slice { fixed: 0, range: Some(Bounds::Between) });
    assert_eq!(part("AND (at, id) > (?, ?)"), Part::Slice { fixed: 0, range: Some(Bounds::From) });
    assert_eq!(part("AND at = ? AND id = 1"), Part::Rows(Some(1)));
    assert_eq!(part("AND at = ? AND id IN (1, 2)"), Part::Rows(Some(2)));
    assert_eq!(part("AND (at, id) IN ?"), Part::Rows(None));
    assert_eq!(access("SELECT * FROM users WHERE id = 1").part, Part::Rows(Some(1)));
    assert_eq!(access("SELECT st FROM posts WHERE author = 1 AND year = 2").part, Part::Statics);
    assert_eq!(access("UPDATE posts SET st = 'a' WHERE author = 1 AND year = 2").part, Part::Statics);
    assert_eq!(
        access("DELETE FROM posts WHERE author = 1 AND year = 2 AND at < ?").part,
        Part::Slice { fixed: 0, range: Some(Bounds::To) }
    );
}

#[test]
fn filters_indexes_and_reversed_orders_are_seen() {
    assert_eq!(access("SELECT * FROM users WHERE name = 'a'").index.as_deref(), Some("by_name"));
    assert!(!access("SELECT * FROM users WHERE name = 'a'").filters);
    assert!(access("SELECT * FROM users WHERE name = 'a' AND v = 1 ALLOW FILTERING").filters);
    assert!(access("SELECT * FROM users WHERE v = 1").filters, "also when it is not allowed yet");
    assert!(access("SELECT * FROM users WHERE id = 1 AND v = 1 ALLOW FILTERING").filters);
    assert!(!access("SELECT * FROM users WHERE id = 1").filters);
    let order = |order: &str| access(&format!("SELECT * FROM posts WHERE author = 1 AND year = 2 {order}")).reversed;
    assert!(!order(""));
    assert!(!order("ORDER BY at DESC"));
    assert!(order("ORDER BY at ASC"));
    assert!(order("ORDER BY at ASC, id DESC"));
}

#[test]
fn nothing_is_said_about_what_is_not_known() {
    let said = said(&tables(), "SELECT * FROM nothing");
    assert_eq!(said.access, None);
}
